/**
 * Vectors of other tools (what they are: golden/README). Where this program means something else, the difference is
 * listed in test/conformance/README.md and encoded here, so that nothing else may differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DurationSums } from '../../src/engine/linux/sums/duration-sums.ts';
import { RAISED, RUN_IRQ, RUN_SOFTIRQ } from '../../src/engine/linux/sums/interrupts/interrupt-chunk.ts';
import { interrupts } from '../../src/engine/linux/sums/interrupts/interrupts.ts';
import { ioUsage } from '../../src/engine/linux/sums/io/io.ts';
import { network } from '../../src/engine/linux/sums/network/network.ts';
import { STATE_KINDS } from '../../src/engine/linux/states/map/state-rules.ts';
import { cpuUsage } from '../support/cpu-usage/cpu-usage.ts';
import { stateOf } from '../../src/engine/linux/events/values.ts';
import { batchesOf, streamsOf, type PlainEvent } from '../support/batches.ts';
import { resultOf } from '../support/merge-trees.ts';
import { sharedDir } from '../support/shared.ts';
import { runStates, type StateRun } from '../support/state-run.ts';

const shared = sharedDir();

interface StatusFixture {
  readonly events: readonly PlainEvent[];
  readonly rows: readonly {
    readonly tid: number;
    readonly states: readonly {
      start: number;
      duration: number;
      status: string | null;
      syscall: string | null;
    }[];
  }[];
  readonly queries: Readonly<
    Record<string, readonly { readonly args: readonly number[]; readonly result: unknown }[]>
  >;
}

/** undefined: the vectors are not there. */
function fixture<T>(file: string, id: string): T | undefined {
  if (shared === undefined) return undefined;
  const { fixtures } = JSON.parse(readFileSync(join(shared, 'golden', file), 'utf8'));
  return fixtures.find((candidate: { id: string }) => candidate.id === id);
}

/** The statuses of the vectors that each state number stands for. */
const STATUS: readonly (string | null)[] = [
  'Wait', // unknown: the state dump's status gives no state here
  'Usermode',
  'System call',
  'Interrupted',
  'Wait for CPU',
  'Wait for CPU',
  'Wait blocked',
  'Wait blocked',
  'Wait',
  'Wait',
  'Wait',
  'Wait for CPU', // new
  null, // zombie
  null,
];

describe.skipIf(shared === undefined)('thread_status', () => {
  const vectors = fixture<StatusFixture>('kernel-state-vectors.json', 'thread_status');
  const events = (vectors?.events ?? []).map((event) => withoutType(event));
  const run = () => runStates(batchesOf(streamsOf(events), STATE_KINDS), { kernelRelease: '4.4.0' }, 81);

  test('states of every thread', () => {
    const states = run();
    for (const { tid, states: expected } of vectors?.rows ?? []) {
      const found = expected.map(({ start, duration }) => statusOver(states, tid, start, start + duration));
      expect(found, `thread ${tid}`).toEqual(expected.map(({ status, syscall }) => ({ status, syscall })));
    }
  });

  test('current threads', () => {
    const { history, tables } = run();
    for (const { args, result } of vectors?.queries['thread_on_cpu(cpu,t)'] ?? []) {
      const [cpu, time] = args;
      const at = history.intervals(`cpus/${cpu}/thread`).find(({ from, to }) => from <= time && time < to);
      const tid = at === undefined || at.value === 0 ? null : tables.threads.tid[at.value - 1];
      expect(tid, `CPU ${cpu} at ${time}`).toBe(result);
    }
  });

  test('pid and parent', () => {
    const { threads } = run().tables;
    const known = Array.from(threads.tid, (tid, i) => [tid, threads.pid[i], threads.ppid[i]]);
    expect(known.sort((a, b) => a[0] - b[0])).toEqual([
      [10, 10, 0],
      [11, 10, 10],
      [12, 10, 11],
      [20, 20, 0],
      [21, 20, 20],
      [30, 30, 0],
      [100, -1, -1],
    ]);
  });
});

/** ns in the CPUs' thread attributes within [from, to), by the names of the vectors. */
function usageIn(run: StateRun, cpus: readonly number[], from: number, to: number): Record<string, number> {
  const found: Record<string, number> = { total: 0 };
  const add = (key: string, ns: number) => (found[key] = (found[key] ?? 0) + ns);
  for (const cpu of cpus) {
    for (const interval of run.history.intervals(`cpus/${cpu}/thread`)) {
      const ns = Math.min(interval.to, to) - Math.max(interval.from, from);
      if (ns <= 0 || interval.value === 0) continue;
      const tid = run.tables.threads.tid[interval.value - 1];
      for (const key of [`${cpu}/${tid}`, String(cpu), `total/${tid}`, 'total']) add(key, ns);
    }
  }
  return found;
}

/** The vectors give every thread type 1, which LTTng writes for kernel threads: those are never in user mode. */
function withoutType(event: PlainEvent): PlainEvent {
  const fields = { ...event.fields };
  delete fields.type;
  return { ...event, fields };
}

/** The one status and call that a thread has over [from, to). */
function statusOver(run: StateRun, tid: number, from: number, to: number) {
  const inside = (path: string) => run.history.intervals(path).filter((i) => i.from < to && i.to > from);
  const statuses = new Set(inside(`threads/${tid}/state`).map(({ value }) => STATUS[stateOf(value)]));
  const calls = inside(`threads/${tid}/syscall`).map(({ value }) => run.history.texts[value]);
  expect(statuses.size, `thread ${tid} from ${from} to ${to}`).toBeLessThanOrEqual(1);
  return { status: [...statuses][0] ?? null, syscall: calls[0] ?? null };
}

interface UsageFixture {
  readonly events: readonly PlainEvent[];
  readonly cases: readonly {
    readonly cpus: readonly number[];
    readonly range: readonly [number, number];
    readonly expected: Readonly<Record<string, number>>;
  }[];
}

describe.skipIf(shared === undefined)('cpu_usage_in_range', () => {
  const vectors = fixture<UsageFixture>('kernel-state-vectors.json', 'cpu_usage_in_range');
  const events = vectors?.events ?? [];

  test('the whole trace, from switches alone', () => {
    const { executions, cpus } = resultOf(cpuUsage, events);
    const found: Record<string, number> = {};
    for (const { cpu, busyNs } of cpus) found[cpu] = busyNs;
    for (const { cpu, tid, ns } of executions) found[`${cpu}/${tid}`] = ns;
    // The stream of CPU 1 begins at 2 and ends at 20: what lies outside counts in the vectors only.
    expect(found).toEqual({ 0: 24, '0/1': 0, '0/2': 19, '0/3': 5, 1: 18, '1/1': 5, '1/3': 5, '1/4': 8 });
  });

  test.each(vectors?.cases ?? [])('range $range of CPUs $cpus', ({ range: [from, to], cpus, expected }) => {
    const run = runStates(batchesOf(streamsOf(events), STATE_KINDS), {}, 25);
    const found = usageIn(run, cpus.length === 0 ? [0, 1] : cpus, from, to);
    // Before the first switch of CPU 1, at 2, its thread is unknown here: 1 less for thread 3 where 1 is in the range.
    const early = from < 2 && (cpus.length === 0 || cpus.includes(1)) ? 1 : 0;
    for (const key of ['1/3', '1', 'total/3', 'total'])
      if (key in expected) found[key] = (found[key] ?? 0) + early;
    for (const [key, ns] of Object.entries(expected)) expect(found[key] ?? 0, key).toBe(ns);
  });
});

interface TopFixture {
  readonly events: readonly PlainEvent[];
  readonly expected: {
    readonly per_tid_percent: readonly {
      readonly tid: number;
      readonly comm: string;
      readonly percent: number;
    }[];
  };
}

describe.skipIf(shared === undefined)('cputop', () => {
  const vectors = fixture<TopFixture>('lttng-analyses-vectors.json', 'cputop');
  /** Percent of the range [1 s, 11 s], as in the vectors. */
  const percent = (ns: number) => ns / 1e8;

  test('threads', () => {
    const { executions } = resultOf(cpuUsage, vectors?.events ?? []);
    const found = executions.map(({ tid, name, ns }) => ({ tid, comm: name, percent: percent(ns) }));
    const byTid = (a: { tid: number }, b: { tid: number }) => a.tid - b.tid;
    const expected = (vectors?.expected.per_tid_percent ?? []).map(({ tid, comm, percent }) => ({
      tid,
      comm,
      percent,
    }));
    expect(found.sort(byTid)).toEqual(expected.sort(byTid));
  });

  test('CPUs: what ran before the first switch was idle, since idle left', () => {
    const { cpus } = resultOf(cpuUsage, vectors?.events ?? []);
    expect(cpus.map(({ cpu, busyNs }) => [cpu, percent(busyNs)])).toEqual([
      [0, 20],
      [1, 25],
      [5, 100],
    ]);
  });
});

/** Flags of a request (`rwbs`) that reads. */
const READ_FLAG = 1 << 2;

/** The vectors give requests that read no flags; LTTng sets one for them, and none for requests of no direction. */
function withReadFlag(event: PlainEvent): PlainEvent {
  return event.fields.rwbs === 0 ? { ...event, fields: { ...event.fields, rwbs: READ_FLAG } } : event;
}

interface Bytes {
  readonly bytes: number;
}

interface IoFixture {
  readonly events: readonly PlainEvent[];
  readonly expected: {
    readonly process_read: readonly (Bytes & { readonly tid: number })[];
    readonly process_write: readonly (Bytes & { readonly tid: number })[];
    readonly file_read: readonly (Bytes & { readonly file: string })[];
    readonly file_write: readonly (Bytes & { readonly file: string })[];
    readonly block_read: readonly (Bytes & { readonly tid: number })[];
    readonly block_write: readonly (Bytes & { readonly tid: number })[];
    readonly disk_sectors: Readonly<Record<string, number>>;
    readonly disk_requests: Readonly<Record<string, number>>;
    readonly disk_average_latency_ns: Readonly<Record<string, number>>;
    readonly net_received: Readonly<Record<string, number>>;
    readonly net_sent: Readonly<Record<string, number>>;
    readonly top_syscalls: readonly {
      readonly op: string;
      readonly begin: number;
      readonly end: number;
      readonly tid: number;
    }[];
  };
}

describe.skipIf(shared === undefined)('iousage', () => {
  const vectors = fixture<IoFixture>('lttng-analyses-vectors.json', 'iousage_iolatencytop');
  const expected = vectors?.expected;
  const usage = () => resultOf(ioUsage, (vectors?.events ?? []).map(withReadFlag));
  /** By key, those with bytes. */
  const table = <Row extends Bytes>(rows: readonly Row[] | undefined, key: (row: Row) => string | number) =>
    Object.fromEntries((rows ?? []).filter(({ bytes }) => bytes > 0).map((row) => [key(row), row.bytes]));

  test.each(['read', 'write'] as const)('%s by threads, files and requests', (direction) => {
    const { threads, files } = usage();
    const bytesOf = (one: { read: Bytes; write: Bytes }) => one[direction].bytes;
    const found = threads.map((one) => ({ tid: one.tid, bytes: bytesOf(one) }));
    expect(table(found, (row) => row.tid)).toEqual(
      table(expected?.[`process_${direction}`], (row) => row.tid),
    );
    const foundFiles = files.map((one) => ({ file: one.path, bytes: bytesOf(one) }));
    expect(table(foundFiles, (row) => row.file)).toEqual(
      table(expected?.[`file_${direction}`], (row) => row.file),
    );
    const requests = threads.map((one) => ({ tid: one.tid, bytes: one.disk[direction] }));
    expect(table(requests, (row) => row.tid)).toEqual(
      table(expected?.[`block_${direction}`], (row) => row.tid),
    );
  });

  test('requests that neither read nor write count for disks, but for no thread', () => {
    const { threads, disks } = resultOf(ioUsage, vectors?.events ?? []);
    const bytes = (direction: 'read' | 'write') =>
      table(
        threads.map((one) => ({ tid: one.tid, bytes: one.disk[direction] })),
        ({ tid }) => tid,
      );
    expect([bytes('read'), bytes('write')]).toEqual([{}, { 101: 10_240 }]);
    expect(disks.map(({ requests, sectors, writes }) => [requests, sectors, writes]).sort()).toEqual([
      [1, 10, 0],
      [1, 20, 1],
    ]);
  });

  test('the longest reads and writes', () => {
    const longest = usage().files.map(({ time }) => [
      time.timed,
      time.longest?.call,
      time.longest?.tid,
      time.total,
    ]);
    const wanted = expected?.top_syscalls.filter(({ op }) => op !== 'open');
    expect(longest.sort()).toEqual(
      wanted?.map(({ op, tid, begin, end }) => [1, op, tid, end - begin]).sort(),
    );
  });

  test('disks', () => {
    const { disks } = usage();
    const name = (dev: string) => `(${dev.replace(':', ',')})`;
    const column = (value: (disk: (typeof disks)[number]) => number) =>
      Object.fromEntries(disks.map((disk) => [name(disk.dev), value(disk)]));
    expect(column((disk) => disk.sectors)).toEqual(expected?.disk_sectors);
    expect(column((disk) => disk.requests)).toEqual(expected?.disk_requests);
    expect(column((disk) => disk.totalLatencyNs / disk.requests)).toEqual(expected?.disk_average_latency_ns);
  });

  test('network interfaces', () => {
    const found = resultOf(network, vectors?.events ?? []);
    const bytes = (direction: 'sent' | 'received') =>
      Object.fromEntries(found.map((one) => [one.interface, one[direction].bytes]));
    expect(bytes('sent')).toEqual(expected?.net_sent);
    expect(bytes('received')).toEqual(expected?.net_received);
  });
});

interface IrqFigures {
  readonly id: number;
  readonly name: string;
  readonly count: number;
  readonly min_us: number;
  readonly avg_us: number;
  readonly max_us: number;
}

interface IrqFixture {
  readonly events: readonly PlainEvent[];
  readonly expected: {
    readonly hard: readonly IrqFigures[];
    readonly soft: readonly (IrqFigures & {
      readonly raise_count: number;
      readonly raise_min_us: number;
      readonly raise_avg_us: number;
      readonly raise_max_us: number;
    })[];
    readonly log_ns: readonly {
      readonly begin: number;
      readonly end: number;
      readonly cpu: number;
      readonly type: string;
      readonly id: number;
      readonly raised: number | null;
    }[];
  };
}

describe.skipIf(shared === undefined)('irqstats and irqlog', () => {
  const vectors = fixture<IrqFixture>('lttng-analyses-vectors.json', 'irqstats_irqlog');
  /** Sums over the CPUs by number, of one kind. */
  const figures = (kind: number) => {
    const sums = new Map<number, DurationSums>();
    for (const { keys, sums: table } of resultOf(interrupts, vectors?.events ?? [])) {
      keys.forEach((key, i) => {
        if (key.kind !== kind) return;
        const sum = sums.get(key.id) ?? new DurationSums();
        if (sum.length === 0) sum.addGroup();
        sum.addTable(0, table, i);
        sums.set(key.id, sum);
      });
    }
    return [...sums]
      .sort(([a], [b]) => a - b)
      .map(([id, sum]) => {
        const { count, total, min, max } = sum.finish();
        const us = (ns: number) => ns / 1000;
        return { id, count: count[0], min: us(min[0]), avg: us(total[0] / count[0]), max: us(max[0]) };
      });
  };

  // Standard deviations are not computed here: percentiles say more of such distributions.
  test('hard interrupts', () => {
    const expected = vectors?.expected.hard.map((one) => {
      return { id: one.id, count: one.count, min: one.min_us, avg: one.avg_us, max: one.max_us };
    });
    expect(figures(RUN_IRQ)).toEqual(expected);
    const names = resultOf(interrupts, vectors?.events ?? []).flatMap(({ keys }) => keys);
    expect(names.filter(({ kind }) => kind === RUN_IRQ).map(({ name }) => name)).toEqual(['ahci']);
  });

  test('soft interrupts, and from raise to entry', () => {
    const expected = vectors?.expected.soft ?? [];
    expect(figures(RUN_SOFTIRQ)).toEqual(
      expected.map((one) => {
        return { id: one.id, count: one.count, min: one.min_us, avg: one.avg_us, max: one.max_us };
      }),
    );
    expect(figures(RAISED)).toEqual(
      expected.map((one) => ({
        id: one.id,
        count: one.raise_count,
        min: one.raise_min_us,
        avg: one.raise_avg_us,
        max: one.raise_max_us,
      })),
    );
  });

  test('begins and lengths, as far as the longest ones are kept', () => {
    const found = resultOf(interrupts, vectors?.events ?? []).flatMap(({ cpu, keys, sums }) =>
      keys.flatMap(({ kind, id }, i) =>
        Array.from({ length: sums.longestStart[i + 1] - sums.longestStart[i] }, (_, k) => {
          const at = sums.longestStart[i] + k;
          return `${cpu} ${kind} ${id} ${sums.longestBegin[at]} ${sums.longestNs[at]}`;
        }),
      ),
    );
    const expected = (vectors?.expected.log_ns ?? []).flatMap(({ begin, end, cpu, type, id, raised }) => {
      const kind = type === 'IRQ' ? RUN_IRQ : RUN_SOFTIRQ;
      const run = `${cpu} ${kind} ${id} ${begin} ${end - begin}`;
      return raised === null ? [run] : [run, `${cpu} ${RAISED} ${id} ${raised} ${begin - raised}`];
    });
    expect(found.sort()).toEqual(expected.sort());
  });
});
