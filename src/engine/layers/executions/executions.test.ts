import { expect, it } from 'vitest';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import type { ExecutionDefinition } from './definition.ts';
import { executionsOf, type HostDelimiters, previewOf } from './executions.ts';
import { NO_DELIMITERS } from './delimiters/delimiters.ts';

/** [time, 1 for a begin, thread, key, CPU, 1 for an event of user space] */
type Row = readonly [number, number, number, string, number?, number?];

/** A host of threads 10, 20 and 30, the last of which the kernel's trace does not know. */
function hostOf(rows: readonly Row[], shift = 0, names = ['main', 'worker']): HostDelimiters {
  const keys = rows.map(([, , , key]) => key);
  const column = (at: 1 | 2 | 4 | 5) => rows.map((row) => row[at] ?? 0);
  const delimiters = {
    ...NO_DELIMITERS,
    length: rows.length,
    time: Float64Array.from(rows, ([time]) => time),
    definition: new Uint8Array(rows.length),
    isBegin: Uint8Array.from(column(1)),
    thread: Int32Array.from(column(2)),
    cpu: Int32Array.from(column(4)),
    ofProgram: Uint8Array.from(column(5)),
    key: Int32Array.from(rows.keys()),
    matches: new Uint8Array(rows.length).fill(1),
    firstValue: new Int32Array(rows.length),
    keys,
    threads: [10, 20, 30].map((tid, i) => ({ tid, ns: 0, row: i < 2 ? i : -1, pid: 10, process: '' })),
  };
  const threads = {
    length: 2,
    tid: Int32Array.of(10, 20),
    incarnation: Int32Array.of(1, 1),
    pid: Int32Array.of(10, 10),
    name: names,
  } as unknown as ThreadRows;
  return { delimiters, threads, toDisplay: (time) => time + shift };
}

const DEFINITION: ExecutionDefinition = {
  begin: 'job:begin',
  end: 'job:end',
  key: ['id'],
  acrossThreads: false,
  where: [],
  minNs: 0,
};

function found(hosts: readonly HostDelimiters[], definition: Partial<ExecutionDefinition> = {}) {
  const executions = executionsOf(hosts, { ...DEFINITION, ...definition }, 0);
  const { length, begin, end, host, thread, counts, withoutThread } = executions;
  const spans = Array.from({ length }, (_, i) => [begin[i], end[i], host[i], thread[i]]);
  return { spans, counts, withoutThread };
}

const JOBS: readonly Row[] = [
  [1, 1, 0, 'a'],
  [2, 1, 1, 'a'],
  [5, 0, 1, 'a'],
  [9, 0, 0, 'a'],
];

it.each([
  ['within a program', ['main', 'main-ust'], [[1, 9, 0, 0]]],
  ['with processes of its own', ['lttng-sessiond', 'Client manageme'], []],
])('threads of the tracer %s have none, unless a condition names them', (_, names, spans) => {
  const hosts = [hostOf(JOBS, 0, names)];
  expect(found(hosts)).toMatchObject({
    spans,
    counts: { executions: spans.length, withoutBegin: 0, withoutEnd: 0 },
  });
  const where = [{ field: 'thread', value: names[1] }];
  expect(found(hosts, { where }).spans).toEqual([[2, 5, 0, 1]]);
});

it('pairs by key and thread, in order of begin', () => {
  expect(found([hostOf(JOBS)]).spans).toEqual([
    [1, 9, 0, 0],
    [2, 5, 0, 1],
  ]);
});

it('pairs by the key alone across threads and hosts, by display time', () => {
  const client = hostOf([[1, 1, 0, 'a']]);
  const server = hostOf([[103, 0, 1, 'a']], -100);
  expect(found([client, server], { acrossThreads: true }).spans).toEqual([[1, 3, 1, 1]]);
  expect(found([client, server]).counts).toEqual({
    executions: 0,
    withoutEnd: 1,
    withoutBegin: 1,
    nested: 0,
  });
});

it('takes the events of a time in order of the kernel first, then of the CPU', () => {
  const rows: readonly Row[] = [
    [1, 1, 0, 'a', 1, 1],
    [4, 1, 0, 'a', 0, 1],
    [4, 0, 0, 'a', 3, 0],
    [7, 0, 0, 'a', 0, 1],
  ];
  expect(found([hostOf(rows)]).spans).toEqual([
    [1, 4, 0, 0],
    [4, 7, 0, 0],
  ]);
});

it('leaves out what ends in a thread that the kernel does not know, and says so', () => {
  const rows: readonly Row[] = [
    [1, 1, 2, 'a'],
    [5, 0, 2, 'a'],
  ];
  expect(found([hostOf(rows)])).toMatchObject({ spans: [], counts: { executions: 0 }, withoutThread: 1 });
});

it('reads conditions about threads by the last known names', () => {
  const where = (field: string, value: string) => found([hostOf(JOBS)], { where: [{ field, value }] }).spans;
  expect(where('thread', 'worker')).toEqual([[2, 5, 0, 1]]);
  expect(where('process', 'main')).toHaveLength(2);
  expect(where('process', 'worker')).toEqual([]);
});

it('counts neither the first nor the last event of periods', () => {
  const ticks = [1, 4, 9].flatMap((time): Row[] => [
    [time, 0, 0, ''],
    [time, 1, 0, ''],
  ]);
  const { spans, counts } = found([hostOf(ticks)], { begin: 'tick', end: 'tick', key: [] });
  expect(spans.map(([begin, end]) => [begin, end])).toEqual([
    [1, 4],
    [4, 9],
  ]);
  expect(counts).toEqual({ executions: 2, withoutEnd: 0, withoutBegin: 0, nested: 0 });
});

it('shows executions across threads where more of them fit so', () => {
  const handedOn = hostOf([
    [1, 1, 0, 'a'],
    [2, 1, 0, 'b'],
    [4, 0, 1, 'a'],
    [9, 0, 1, 'b'],
  ]);
  expect(previewOf([handedOn], DEFINITION, 0)).toEqual({
    definition: { ...DEFINITION, acrossThreads: true },
    counts: { executions: 2, withoutEnd: 0, withoutBegin: 0, nested: 0 },
    durations: Float64Array.of(3, 7),
  });
  // Each thread has its own job `a`.
  expect(previewOf([hostOf(JOBS)], DEFINITION, 0)).toMatchObject({
    definition: { acrossThreads: false },
    counts: { executions: 2, nested: 0 },
  });
});

it('shows 1000 durations of many, the shortest and the longest among them', () => {
  const jobs = Array.from({ length: 1500 }, (_, i): Row[] => [
    [1e4 * i, 1, 0, 'a'],
    [1e4 * i + 1500 - i, 0, 0, 'a'],
  ]);
  const { counts, durations } = previewOf([hostOf(jobs.flat())], DEFINITION, 0);
  expect(counts.executions).toBe(1500);
  expect([durations.length, durations[0], durations[999]]).toEqual([1000, 1, 1500]);
  expect(durations).toEqual(durations.slice().sort());
});
