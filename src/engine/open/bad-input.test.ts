/** Input that is no trace, damaged, vanishing or twice, and stores that refuse: told with its place, the rest works. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type LocalEnvironment,
  type LocalOutcome,
  localSession,
} from '../../../test/support/local-session.ts';
import {
  filesOfFolder,
  type MemoryFiles,
  memoryRefs,
  withFiles,
} from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { type SourceOpener, unreadable } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { packRows } from '../answers/rows/row-writer.ts';

const EVENTS = 10_913;
/** Of the stream files, in packets: kernel_0 and kernel_2 have one, the others two. */
const STREAM_EVENTS = { kernel_0: 2488, kernel_1: 3325, kernel_2: 1932, kernel_3: 3168 };
const ROOT = 'imbalance-4t/kernel';

const files = filesOfFolder(join(projectDir(), 'public/examples/imbalance-4t'));
const bytesOf = (path: string): Uint8Array => files.get(path) ?? new Uint8Array();

async function refused(input: MemoryFiles): Promise<Fault> {
  const outcome = await localSession().api.open(memoryRefs(input), {}, () => {});
  if (outcome.ok) throw new Error('opened');
  return outcome.fault;
}

function read(input: MemoryFiles, environment?: LocalEnvironment): Promise<LocalOutcome> {
  return localSession(environment).open(memoryRefs(input));
}

function faultOf({ info }: LocalOutcome, code: Fault['code']): Fault | undefined {
  return info.faults.find((fault) => fault.code === code);
}

function eventsOf({ info }: LocalOutcome): Record<string, number> {
  return Object.fromEntries(info.streams.map(({ name, events }) => [name, events]));
}

/** The trace with one piece of its metadata replaced by another of the same length, as its packets have sizes. */
function withMetadata(found: string, put: string): MemoryFiles {
  expect(put).toHaveLength(found.length);
  const path = `${ROOT}/metadata`;
  const changed = Buffer.from(bytesOf(path));
  const at = changed.indexOf(found);
  expect(at).toBeGreaterThan(0);
  changed.write(put, at, 'latin1');
  return withFiles(files, { [path]: changed });
}

describe('what is no trace', () => {
  const text = (content: string) => new TextEncoder().encode(content);
  it.each([
    ['a text file', 'notes.txt', text('milk, bread\n'), 'text'],
    ['a gzip archive', 'trace.tar.gz', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), 'gzip'],
    ['a picture', 'a.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), 'a PNG picture'],
  ])('is named: %s', async (_, path, bytes, what) => {
    const fault = await refused(new Map([[path, bytes]]));
    expect(fault).toMatchObject({ code: 'not-a-trace', place: { file: path } });
    expect(fault.found).toContain(what);
  });

  it('may be a folder without files', async () => {
    expect((await refused(new Map())).code).toBe('empty-folder');
  });

  it('may be streams without their metadata', async () => {
    const fault = await refused(withFiles(files, { [`${ROOT}/metadata`]: undefined }));
    expect(fault.code).toBe('metadata-missing');
    expect(fault.place.file).toContain(ROOT);
  });

  it('may be metadata with a syntax error, at a line and column', async () => {
    const fault = await refused(withMetadata('major = 1;', 'major @ 1;'));
    expect(fault).toMatchObject({
      code: 'metadata-syntax',
      place: { file: `${ROOT}/metadata`, line: 10, column: 8, excerpt: '\tmajor @ 1;' },
    });
    expect(fault.found).toContain('@');
  });

  it('keeps the traces beside it', async () => {
    const broken = new Map(
      [...withMetadata('major = 1;', 'major @ 1;')].map(([path, bytes]) => [`other/${path}`, bytes]),
    );
    const outcome = await read(new Map([...files, ...broken]));
    expect(faultOf(outcome, 'metadata-syntax')?.place.file).toBe(`other/${ROOT}/metadata`);
    expect(outcome.info.events).toBe(EVENTS);
  });
});

it('a trace without the streams of CPUs says on which threads were put', async () => {
  const without = withFiles(files, { [`${ROOT}/kernel_1`]: undefined, [`${ROOT}/kernel_3`]: undefined });
  const fault = faultOf(await read(without), 'cpu-missing');
  expect(fault).toEqual({ code: 'cpu-missing', place: {}, found: 'CPU 1, 3' });
});

describe('a damaged stream', () => {
  it('that ends within a packet gives the packets before', async () => {
    const path = `${ROOT}/kernel_3`;
    const outcome = await read(withFiles(files, { [path]: bytesOf(path).subarray(0, 70_000) }));
    expect(faultOf(outcome, 'truncated')).toMatchObject({ place: { file: path, packet: 1 } });
    const { kernel_3: events, ...others } = eventsOf(outcome);
    expect(events).toBeGreaterThan(2000);
    expect(others).toEqual({ ...STREAM_EVENTS, kernel_3: undefined });
  });

  it('with a packet of an impossible size gives the packets before', async () => {
    const path = `${ROOT}/kernel_1`;
    const changed = Uint8Array.from(bytesOf(path));
    // Second packet: its size in bits follows header (32 bytes), times and content size; no header fits in 64.
    new DataView(changed.buffer).setBigUint64(65_536 + 56, 64n, true);
    const outcome = await read(
      withFiles(files, { [path]: changed, [`${ROOT}/index/kernel_1.idx`]: undefined }),
    );
    expect(faultOf(outcome, 'packet-size')).toMatchObject({ place: { file: path, packet: 1 } });
    const { kernel_1: events, ...others } = eventsOf(outcome);
    expect(events).toBeGreaterThan(2000);
    expect(others).toEqual({ ...STREAM_EVENTS, kernel_1: undefined });
  });

  it('with an event that the metadata do not describe gives the events before it in each packet', async () => {
    const outcome = await read(
      withMetadata('name = "block_rq_issue";\n\tid = 1191;', 'name = "block_rq_issue";\n\tid = 9999;'),
    );
    const fault = faultOf(outcome, 'unknown-event-id');
    expect(fault?.place).toMatchObject({ packet: expect.any(Number), byte: expect.any(Number) });
    expect(fault?.place.file).toContain(`${ROOT}/kernel_`);
    expect(fault?.found).toContain('1191');
    expect(outcome.phase).toBe('done');
    expect(outcome.info.events).toBeGreaterThan(1000);
    expect(outcome.info.events).toBeLessThan(EVENTS);
  });
});

describe('files that vanish while they are read', () => {
  const path = `${ROOT}/kernel_2`;

  function vanishing() {
    const gone = new Set<string>();
    const open: SourceOpener = (ref) =>
      gone.has(ref.path)
        ? Promise.resolve(fail(unreadable(ref.path, new Error('vanished'))))
        : openSource(ref);
    return { gone, environment: { openSource: open, onReading: () => void gone.add(path) } };
  }

  it('leave the other streams', async () => {
    const outcome = await read(files, vanishing().environment);
    expect(outcome.phase).toBe('done');
    expect(faultOf(outcome, 'file-unreadable')).toMatchObject({ place: { file: path }, found: 'vanished' });
    expect(eventsOf(outcome)).toEqual({ ...STREAM_EVENTS, kernel_2: 0 });
    expect(outcome.info.streams.find(({ name }) => name === 'kernel_2')?.state).toBe('damaged');
  });

  it('are read when they are back: what was missed is not kept for the trace', async () => {
    const store = ok(new MemoryStore());
    const { gone, environment } = vanishing();
    await read(files, { ...environment, store });
    gone.clear();
    const again = await read(files, { store });
    expect(again.info).toMatchObject({ events: EVENTS, fromStore: false, faults: [] });
  });
});

it('two copies of a trace are read once', async () => {
  const copy = new Map([...files].map(([path, bytes]) => [`copy/${path}`, bytes]));
  const outcome = await read(new Map([...files, ...copy]));
  expect(faultOf(outcome, 'duplicate-trace')?.place.file).toContain(ROOT);
  expect(outcome.info.events).toBe(EVENTS);
  expect(outcome.info.hosts).toHaveLength(1);
});

describe('a store', () => {
  /** Takes so many writes, then is full. */
  class SmallStore extends MemoryStore {
    #left: number;
    constructor(writes: number) {
      super();
      this.#left = writes;
    }
    override async write(...request: Parameters<MemoryStore['write']>): Promise<Result<void>> {
      if (this.#left-- <= 0) return fail({ code: 'store-full', place: {}, found: 'QuotaExceededError' });
      return super.write(...request);
    }
  }

  it.each([
    ['that is not available', 'store-unavailable', fail({ code: 'store-unavailable', place: {} })],
    ['that is full', 'store-full', ok(new SmallStore(0))],
  ] as const)('%s is told, and the trace works in memory', async (_, code, store) => {
    const session = localSession({ store });
    const { info, rows } = await session.open(memoryRefs(files));
    expect(info.events).toBe(EVENTS);
    expect(info.faults).toMatchObject([{ code }]);
    expect(await session.api.storage()).toMatchObject({ kind: 'memory', fault: { code } });
    const stay = await session.api.ask('interval', { row: 'thread:0:219', timeNs: 261_820_171 });
    expect(stay).toMatchObject({ from: 261_820_170, to: 267_839_448 });
    const again = await session.reopen(info.key);
    expect(again).toMatchObject({ ok: true, rows: packRows(rows), info: { faults: [{ code }] } });
    expect(await session.api.ask('interval', { row: 'thread:0:219', timeNs: 261_820_171 })).toEqual(stay);
  });

  it('that is full in the middle is told, and what it took is still read', async () => {
    const store = new SmallStore(1);
    const session = localSession({ store: ok(store) });
    const many = filesOfFolder(join(projectDir(), 'public/examples/executions-lock'));
    const { info, rows } = await session.open(memoryRefs(many), { chunkBytes: 4096 });
    expect(info.faults).toMatchObject([{ code: 'store-full' }]);
    expect(await session.api.storage()).toMatchObject({ kind: 'memory', fault: { code: 'store-full' } });
    expect(await store.read(info.key, 'leaves/counts/0')).toBeDefined();
    const counted = await session.api.ask('counts', {});
    expect(await session.reopen(info.key)).toMatchObject({ ok: true, rows: packRows(rows) });
    expect(await session.api.ask('counts', {})).toEqual(counted);
  });
});
