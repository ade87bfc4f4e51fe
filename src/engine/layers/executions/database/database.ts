/**
 * Executions of one definition with all results about them, as one file (docs/developer/executions-file.md) that can
 * be viewed and compared without the trace.
 */
import { fail, type Fault, ok, type Result } from '../../../base/fault.ts';
import { joinBytes } from '../../../base/byte-arrays.ts';
import type { ExecutionsAnswer, ExecutionThread } from '../answer.ts';
import type { ExecutionDefinition } from '../definition.ts';
import type { Metric } from '../metrics.ts';
import type { ThreadPool } from '../pools.ts';
import { ContentReader, ContentWriter } from './content.ts';
import { HEADER, isDatabase, MAGIC, OLDEST_VERSION, VERSION } from './header.ts';

export interface ExecutionDatabase {
  /** Fingerprint of the trace, and its name. */
  readonly trace: string;
  readonly name: string;
  /** Time 0 of the executions, ns since the clock's origin, decimal. */
  readonly originNs: string;
  /** Names of hosts, by the `host` of threads. */
  readonly hosts: readonly string[];
  readonly answer: ExecutionsAnswer;
}

/** Most bytes of a file and of its decompressed content, which takes up to twenty times as much when read. */
const MOST_BYTES = 2 ** 27;
/** Most bytes of content per byte of a file, beyond a harmless size: better compression is a bomb. */
const MOST_RATIO = 100;
const HARMLESS = 2 ** 22;
/** Frames visited at most when the time of all executions is summed, or the tree reversed. */
const MOST_STEPS = 2 ** 29;

/** Encodes a database. Faults: the file could not be read again, or the browser cannot compress. */
export async function encodeDatabase(database: ExecutionDatabase): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const writer = new ContentWriter();
  writeDatabase(writer, database);
  const place = { file: database.name };
  const { length } = writer.bytes;
  const packed = await compressed(writer.bytes);
  if (packed === undefined) return fail({ code: 'unsupported', place, found: 'no CompressionStream' });
  const file = joinBytes([HEADER, packed]);
  if (length <= mostContent(file.length)) return ok(file);
  return fail({ code: 'over-limit', place, found: `${length} bytes of executions` });
}

/** @param bytes of the file */
function mostContent(bytes: number): number {
  return Math.min(MOST_BYTES, HARMLESS + MOST_RATIO * bytes);
}

/** @param file its name, for faults */
export async function decodeDatabase(
  bytes: Uint8Array<ArrayBuffer>,
  file: string,
): Promise<Result<ExecutionDatabase>> {
  const damaged = (fault: Omit<Fault, 'code' | 'place'>, byte?: number) =>
    fail({ code: 'database-damaged', place: { file, byte }, ...fault });
  if (!isDatabase(bytes)) return damaged({ expected: MAGIC }, 0);
  const version = bytes[MAGIC.length];
  if (!(version >= OLDEST_VERSION && version <= VERSION))
    return damaged(
      {
        expected: `version ${OLDEST_VERSION} to ${VERSION}`,
        found: version === undefined ? 'the end' : `version ${version}`,
      },
      MAGIC.length,
    );
  if (bytes.length > MOST_BYTES) return damaged({ found: `${bytes.length} bytes` });
  const most = mostContent(bytes.length);
  const content = await decompressed(bytes.subarray(HEADER.length), most);
  if (content === undefined)
    return damaged({ found: `what is no whole gzip of at most ${most} bytes` }, HEADER.length);
  const reader = new ContentReader(content);
  const database = readDatabase(reader, version);
  const { mistake } = reader;
  if (mistake === undefined) return ok(database);
  return damaged({ found: `${mistake.found}, at byte ${mistake.byte} of the content` }, HEADER.length);
}

function writeDatabase(to: ContentWriter, { trace, name, originNs, hosts, answer }: ExecutionDatabase): void {
  for (const text of [trace, name, originNs]) to.text(text);
  to.list(hosts, (host) => to.text(host));
  writeDefinition(to, answer.definition);
  const { executions, withoutEnd, withoutBegin, nested } = answer.counts;
  for (const count of [executions, withoutEnd, withoutBegin, nested, answer.withoutThread]) to.number(count);
  to.list(answer.threads, (thread) => {
    to.text(thread.row);
    to.text(thread.name);
    to.number(thread.host);
  });
  to.column(answer.threads.map(({ tid }) => tid));
  to.number(answer.length);
  for (const column of [answer.thread, answer.from, answer.to]) to.column(column);
  to.list(answer.metrics, (metric) => {
    to.text(metric.name);
    to.column(metric.values);
  });
  const { frames, parent, frame } = answer.tree;
  to.list(frames, (text) => to.text(text));
  to.number(parent.length);
  for (const column of [parent, frame, answer.start]) to.column(column);
  for (const column of [answer.nodes, answer.ns]) to.column(column);
  to.number(Number(answer.isElapsed));
  to.list([...answer.pools], ([member, pool]) => {
    to.text(member);
    to.text(pool.name);
    to.number(pool.threads);
  });
  to.list(textsOf(answer.metrics), ({ metric, execution, text }) => {
    to.number(metric);
    to.number(execution);
    to.text(text);
  });
}

function textsOf(metrics: readonly Metric[]) {
  return metrics.flatMap(({ texts = new Map<number, string>() }, metric) =>
    Array.from(texts, ([execution, text]) => ({ metric, execution, text })),
  );
}

function readDatabase(from: ContentReader, version: number): ExecutionDatabase {
  const [trace, name, originNs] = [from.text(), from.text(), from.text()];
  if (!/^-?\d{1,20}$/.test(originNs)) from.refuse('an origin that is no number');
  const hosts = from.list(() => from.text());
  const definition = readDefinition(from);
  const [executions, withoutEnd, withoutBegin, nested, withoutThread] = Array.from({ length: 5 }, () =>
    from.number(),
  );
  const threads = readThreads(from, hosts.length);
  const length = from.count();
  const thread = from.wholes(length, 0, threads.length);
  const [begin, end] = [from.column(length), from.column(length)];
  if (begin.some((time, i) => !(time < end[i]))) from.refuse('an execution that ends before it begins');
  const read = from.list(() => ({ name: from.text(), values: from.column(length) }));
  const tree = readTree(from);
  const times = readTimes(from, length, tree.parent);
  const isElapsed = version > 1 && from.number() === 1;
  const pools = new Map(version > 1 ? from.list(() => readPool(from)) : []);
  const metrics = version > 1 ? withTexts(from, read) : read;
  from.end();
  return {
    ...{ trace, name, originNs, hosts },
    answer: {
      definition,
      counts: { executions, withoutEnd, withoutBegin, nested },
      ...{ withoutThread, threads, length, thread, from: begin, to: end, metrics, pools, isElapsed },
      ...{ tree, ...times },
    },
  };
}

function readPool(from: ContentReader): readonly [string, ThreadPool] {
  return [from.text(), { name: from.text(), threads: from.number() }];
}

function withTexts(from: ContentReader, metrics: readonly Metric[]): Metric[] {
  const texts = metrics.map(() => new Map<number, string>());
  for (const [metric, execution, text] of from.list(
    () => [from.number(), from.number(), from.text()] as const,
  )) {
    if (metric >= metrics.length) from.refuse('a value of no metric');
    else texts[metric].set(execution, text);
  }
  return metrics.map((metric, i) => (texts[i].size > 0 ? { ...metric, texts: texts[i] } : metric));
}

function writeDefinition(to: ContentWriter, definition: ExecutionDefinition): void {
  to.text(definition.begin);
  to.text(definition.end);
  to.list(definition.key, (field) => to.text(field));
  to.number(Number(definition.acrossThreads));
  to.list(definition.where, ({ field, value }) => {
    to.text(field);
    to.text(value);
  });
  to.number(definition.minNs);
}

function readDefinition(from: ContentReader): ExecutionDefinition {
  return {
    begin: from.text(),
    end: from.text(),
    key: from.list(() => from.text()),
    acrossThreads: from.number() === 1,
    where: from.list(() => ({ field: from.text(), value: from.text() })),
    minNs: from.number(),
  };
}

function readThreads(from: ContentReader, hosts: number): ExecutionThread[] {
  const threads = from.list(() => ({ row: from.text(), name: from.text(), host: from.number() }));
  if (threads.some(({ host }) => host >= hosts)) from.refuse('a thread of no host');
  const tids = from.wholes(threads.length, -1, 2 ** 31);
  return threads.map((thread, i) => ({ ...thread, tid: tids[i] }));
}

function readTree(from: ContentReader): ExecutionsAnswer['tree'] {
  const frames = from.list(() => from.text());
  const nodes = from.count();
  const parent = from.wholes(nodes, -1, nodes);
  const frame = from.wholes(nodes, -1, frames.length);
  const isRoot = (node: number) => node === 0;
  if (parent.some((above, node) => above >= node || above < 0 !== isRoot(node)))
    from.refuse('a node before its parent');
  if (nodes === 0 || frame.some((text, node) => text < 0 !== isRoot(node)))
    from.refuse('a node without a frame');
  return { frames, parent, frame };
}

function readTimes(
  from: ContentReader,
  executions: number,
  parent: Int32Array,
): Pick<ExecutionsAnswer, 'start' | 'nodes' | 'ns'> {
  const start = Uint32Array.from(from.wholes(executions + 1, 0, 2 ** 31));
  const length = start.at(-1) ?? 0;
  const nodes = from.wholes(length, 0, parent.length);
  const ns = from.column(length);
  if (start[0] !== 0 || start.some((row, i) => row < start[i - 1])) from.refuse('executions that overlap');
  for (let i = 0; i < executions; i++)
    for (let row = start[i] + 1; row < start[i + 1]; row++)
      if (nodes[row] <= nodes[row - 1]) return refused(from, 'nodes that do not ascend');
  if (ns.some((time) => !(time >= 0 && time < Infinity))) from.refuse('a time that is none');
  if (stepsOf(parent, nodes) > MOST_STEPS) from.refuse('calls too deep to be added up');
  return { start, nodes, ns };
}

function refused(from: ContentReader, found: string): ReturnType<typeof readTimes> {
  from.refuse(found);
  return { start: new Uint32Array(1), nodes: new Int32Array(0), ns: new Float64Array(0) };
}

/** Frames of all nodes up to the root, and those of all times. */
function stepsOf(parent: Int32Array, nodes: Int32Array): number {
  const depth = new Float64Array(parent.length);
  let steps = 0;
  for (let node = 1; node < parent.length; node++) steps += depth[node] = depth[parent[node]] + 1;
  for (const node of nodes) steps += depth[node];
  return steps;
}

/** @returns undefined: the browser is too old for it */
async function compressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream === 'undefined') return undefined;
  return gathered(new CompressionStream('gzip'), bytes, Infinity);
}

/** @returns undefined: no complete gzip, or more than `most` bytes of content */
async function decompressed(
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await gathered(new DecompressionStream('gzip'), bytes, most);
  } catch {
    return undefined;
  }
}

/** Bytes of the output stream; undefined: more than allowed, and the rest is not made. */
async function gathered(
  through: GenericTransformStream,
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const out = new Blob([bytes])
    .stream()
    .pipeThrough(through as ReadableWritablePair)
    .getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await out.read()) as ReadableStreamReadResult<Uint8Array>;
    if (done) return joinBytes(pieces);
    pieces.push(value);
    length += value.length;
    if (length <= most) continue;
    await out.cancel();
    return undefined;
  }
}
