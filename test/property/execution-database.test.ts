/** Files of executions: what is written is read back, and what is damaged is a fault. */
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExecutionsAnswer } from '../../src/engine/layers/executions/answer.ts';
import {
  decodeDatabase,
  encodeDatabase,
  type ExecutionDatabase,
} from '../../src/engine/layers/executions/database/database.ts';
import { ecctTable, UnionTree } from '../../src/engine/layers/executions/union-tree.ts';
import { forAll } from '../support/for-all.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const time = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const value = fc.oneof(fc.integer(), fc.double(), fc.constant(NaN));

const definition = fc.record({
  begin: text,
  end: text,
  key: fc.array(text, { maxLength: 2 }),
  acrossThreads: fc.boolean(),
  where: fc.array(fc.record({ field: text, value: text }), { maxLength: 2 }),
  minNs: fc.nat(),
});
const counts = fc.record({
  executions: fc.nat(),
  withoutEnd: fc.nat(),
  withoutBegin: fc.nat(),
  nested: fc.nat(),
});
const threads = (hosts: number) =>
  fc.array(
    fc.record({ row: text, name: text, tid: fc.integer({ min: -1, max: 2 ** 22 }), host: fc.nat(hosts - 1) }),
    { minLength: 1, maxLength: 4 },
  );

/** One execution: its thread, when it was, and its stacks with the ns of each. */
const execution = (threads: number) =>
  fc.record({
    thread: fc.nat(threads - 1),
    from: time,
    values: fc.tuple(value, fc.nat()),
    stacks: fc.array(
      fc.tuple(fc.array(fc.constantFrom('a', 'b', '→ thread x', ''), { maxLength: 4 }), fc.nat()),
      { maxLength: 4 },
    ),
  });

const database: fc.Arbitrary<ExecutionDatabase> = fc
  .array(text, { minLength: 1, maxLength: 3 })
  .chain((hosts) => fc.tuple(fc.constant(hosts), threads(hosts.length)))
  .chain(([hosts, threads]) => {
    const executions = fc.array(execution(threads.length), { maxLength: 12 });
    return fc.record({
      trace: text,
      name: text,
      originNs: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }).map(String),
      hosts: fc.constant(hosts),
      answer: fc
        .record({ definition, counts, withoutThread: fc.nat(), executions })
        .map(({ executions, ...rest }) => ({ ...rest, threads, ...columnsOf(executions) })),
    });
  });

type Columns = Omit<ExecutionsAnswer, 'definition' | 'counts' | 'withoutThread' | 'threads'>;
type Execution = typeof execution extends (threads: number) => fc.Arbitrary<infer T> ? T : never;

function columnsOf(executions: readonly Execution[]): Columns {
  const tree = new UnionTree();
  const eccts = executions.map(({ stacks }) => {
    const times = new Map<number, number>();
    for (const [frames, ns] of stacks)
      times.set(
        frames.reduce((at, frame) => tree.child(at, frame), 0),
        ns,
      );
    const nodes = Int32Array.from(times.keys()).sort();
    return { nodes, ns: Float64Array.from(nodes, (node) => times.get(node) ?? 0) };
  });
  const from = Float64Array.from(executions, (one) => one.from);
  return {
    length: executions.length,
    thread: Int32Array.from(executions, (one) => one.thread),
    from,
    to: from.map((begin) => begin + Math.max(1, Math.abs(begin) / 2)),
    metrics: ['running', 'begin.id'].map((name, i) => ({
      name,
      values: Float64Array.from(executions, ({ values }) => values[i]),
      ...(i === 1 && executions.length > 1 && { texts: new Map([[1, '18446744073709551615']]) }),
    })),
    pools: new Map([['helper-1', { name: 'helper-*', threads: 4 }]]),
    isElapsed: executions.length % 2 === 1,
    tree: { frames: tree.frames, parent: Int32Array.from(tree.parent), frame: Int32Array.from(tree.frame) },
    ...ecctTable(eccts),
  };
}

async function encoded(database: ExecutionDatabase): Promise<Uint8Array<ArrayBuffer>> {
  const file = await encodeDatabase(database);
  if (!file.ok) throw new Error(file.fault.code);
  return file.value;
}

it('what is written is read back', () =>
  forAll(200, [database], async (written) => {
    const read = await decodeDatabase(await encoded(written), 'a file');
    expect(read).toEqual({ ok: true, value: written });
  }));

/** A change of bytes anywhere. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  byte: fc.nat(255),
});

it('a file that is damaged, cut or longer is a fault with its place', () =>
  forAll(
    300,
    [database, change, fc.constantFrom('change', 'cut', 'add')],
    async (written, { at, byte }, how) => {
      const file = await encoded(written);
      const place = Math.floor(at * file.length);
      const damaged =
        how === 'cut' ? file.slice(0, place) : Uint8Array.from([...file, ...(how === 'add' ? [byte] : [])]);
      if (how === 'change') damaged[place] ^= Math.max(1, byte);
      const read = await decodeDatabase(damaged, 'a file');
      // Of gzip's own header some bits mean nothing to what is in it.
      if (read.ok) expect([how, read.value]).toEqual(['change', written]);
      else expect(read.fault).toMatchObject({ code: 'database-damaged', place: { file: 'a file' } });
    },
  ));

/** Before the gzip: what the format is called, and its version. */
const HEADER_BYTES = 14;

function withContent(file: Uint8Array, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...file.subarray(0, HEADER_BYTES), ...gzipSync(content)]);
}

it('whatever the content is, all of it refers to what is there', () =>
  forAll(500, [database, fc.array(change, { minLength: 1, maxLength: 4 })], async (written, changes) => {
    const file = await encoded(written);
    const content = new Uint8Array(gunzipSync(file.subarray(HEADER_BYTES)));
    for (const { at, byte } of changes) content[Math.floor(at * content.length)] = byte;
    const read = await decodeDatabase(withContent(file, content), 'a file');
    if (!read.ok) {
      expect(read.fault.code).toBe('database-damaged');
      return;
    }
    const { hosts, answer } = read.value;
    const { threads, thread, length, from, to, metrics, tree, start, nodes, ns } = answer;
    expect(threads.every(({ host }) => host in hosts)).toBe(true);
    expect(thread.every((index) => index in threads)).toBe(true);
    for (const column of [thread, from, to, ...metrics.map(({ values }) => values)])
      expect(column.length).toBe(length);
    expect(from.every((begin, i) => begin < to[i])).toBe(true);
    expect(tree.parent.every((parent, node) => parent < node && (parent >= 0 || node === 0))).toBe(true);
    expect(tree.frame.every((frame, node) => node === 0 || frame in tree.frames)).toBe(true);
    expect(start.every((row, i) => row >= (start[i - 1] ?? 0))).toBe(true);
    expect([start[0], start.length, start[length], ns.length]).toEqual([
      0,
      length + 1,
      nodes.length,
      nodes.length,
    ]);
    expect(nodes.every((node) => node in tree.parent)).toBe(true);
  }));

it('other versions, other files and what would grow without measure are faults', async () => {
  const [written] = fc.sample(database, { numRuns: 1, seed: 1 });
  const file = await encoded(written);
  const faultOf = async (bytes: Uint8Array<ArrayBuffer>) => {
    const read = await decodeDatabase(bytes, 'a file');
    return read.ok ? undefined : read.fault;
  };
  const newer = file.slice();
  newer[HEADER_BYTES - 1]++;
  expect(await faultOf(newer)).toMatchObject({
    place: { byte: 13 },
    expected: 'version 1 to 2',
    found: 'version 3',
  });
  expect(await faultOf(new Uint8Array(100))).toMatchObject({ place: { byte: 0 } });
  const bomb = withContent(file, new Uint8Array(2 ** 25));
  expect((await faultOf(bomb))?.found).toContain('no whole gzip of at most');
});
