/** Kernel state against the truth files: an independent computation by the same rules. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { checkKernelHistory } from '../../src/engine/kernel/check.ts';
import { LONGEST } from '../../src/engine/kernel/duration-sums.ts';
import { RUN_TIMER } from '../../src/engine/kernel/interrupts/interrupt-leaf.ts';
import { interrupts } from '../../src/engine/kernel/interrupts/interrupts.ts';
import type { CpuInterrupts } from '../../src/engine/kernel/interrupts/interrupts.ts';
import { kernelState } from '../../src/engine/kernel/kernel-state.ts';
import { withDeadTime } from '../../src/engine/kernel/reduce/dead-time.ts';
import { isKernelThread } from '../../src/engine/kernel/reduce/kernel-tables.ts';
import type { KernelTables, ThreadRows } from '../../src/engine/kernel/reduce/kernel-tables.ts';
import { threadKey } from '../../src/engine/kernel/reduce/thread-table.ts';
import { isRunning, schedDelays } from '../../src/engine/kernel/sched-delays.ts';
import * as v from '../../src/engine/kernel/values.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { sharedDir } from '../support/shared.ts';
import type { MemoryHistory } from '../support/state-run.ts';
import { checked, memoryHistory, queryOf } from '../support/state-run.ts';
import { readTruth, snapshotFiles, truthFiles, truthNames } from '../support/truth-files.ts';

interface Truth {
  readonly origin_ns: string;
  readonly length_ns: number;
  readonly counts: { readonly loss_pieces: readonly (readonly number[])[] };
  readonly cpus: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly threads_total: number;
  readonly threads: Readonly<
    Record<string, (Record<string, unknown> & { readonly time: readonly number[] }) | undefined>
  >;
  readonly all_intervals_sha256: string;
  readonly all_blockings_sha256: string;
  readonly intervals: Readonly<
    Record<string, { readonly count: number; readonly rows: readonly (readonly number[])[] } | undefined>
  >;
  readonly checks: { readonly problems: Readonly<Record<string, number>> };
}

const shared = sharedDir();

// Skipped where the folder with recorded traces is not there.
describe.skipIf(shared === undefined)('truth files', () => {
  test.each(truthNames())('%s', async (name) => {
    await expectTruth(name, truthFiles(name));
  });

  // The second snapshot holds all of the first.
  test('two snapshots that overlap', async () => {
    await expectTruth('snapshot-second', snapshotFiles(['snapshot-first', 'snapshot-second']));
  });
});

async function expectTruth(name: string, files: TraceFiles): Promise<void> {
  const truth: Truth = readTruth(name);
  const found = await compute(files);
  expect(found.violations).toEqual([]);
  expect(found.length).toBe(truth.length_ns);
  expect(found.cpus).toEqual(truth.cpus);
  expect(found.losses).toEqual(truth.counts.loss_pieces);
  expect(Object.keys(found.threads).length).toBe(truth.threads_total);
  const listed = Object.keys(truth.threads);
  expect(Object.fromEntries(listed.map((key) => [key, found.threads[key]]))).toEqual(truth.threads);
  expect(found.problems).toEqual(truth.checks.problems);
  expect(sha256(found.intervals)).toBe(truth.all_intervals_sha256);
  expect(sha256(withoutLength(name, found.blockings))).toBe(truth.all_blockings_sha256);
  expect(found.waits.length).toBeGreaterThan(0);
  for (const { key, count, total, lengths } of found.waits) {
    const thread = truth.threads[key];
    if (thread === undefined) continue;
    // A wake-up that is not followed by a switch-in is no delay: so it is at the end, and before a loss.
    expect(count).toBeLessThanOrEqual(Number(thread.wakeups));
    if (count === thread.wakeups) expect(total, key).toBe(thread.time[v.STATE_WOKEN]);
    const rows = truth.intervals[key];
    if (rows !== undefined && rows.count === rows.rows.length)
      expect(lengths, key).toEqual(longestWaits(rows.rows));
  }
  if (truth.counts.loss_pieces.length > 0) return;
  // Nothing interrupts a timer's function: on the CPU's row it is the innermost one.
  for (const [cpu, ns] of found.timers) expect(ns, `timers of CPU ${cpu}`).toBe(truth.cpus[cpu].timer);
}

/** The longest times from wake-up to switch-in of a thread whose intervals are all listed. */
function longestWaits(rows: readonly (readonly number[])[]): readonly number[] {
  return rows
    .filter(([state, , to], i) => {
      const next = rows.at(i + 1);
      return state === v.STATE_WOKEN && next !== undefined && next[1] === to && isRunning(next[0]);
    })
    .map(([, from, to]) => to - from)
    .sort((a, b) => b - a)
    .slice(0, LONGEST);
}

/** Waits that begin and end in the same nanosecond: the truth files list them, the history has no such intervals. */
const WITHOUT_LENGTH: Readonly<Record<string, string>> = {
  // The trace's last event is this switch-out.
  'snapshot-first': '15 1570961008 1570961008 9 not ended in the trace',
};

function withoutLength(name: string, blockings: readonly string[]): readonly string[] {
  const line = WITHOUT_LENGTH[name];
  if (line === undefined) return blockings;
  const key = line.slice(0, line.indexOf(' ') + 1);
  const after = blockings.findLastIndex((other) => other.startsWith(key)) + 1;
  return blockings.toSpliced(after, 0, line);
}

async function compute(files: TraceFiles) {
  const history = memoryHistory();
  const run = await runEngine(
    files,
    [kernelState, interrupts] as readonly unknown[] as AnyAnalysis[],
    history,
  );
  const tables = kernelTables(run);
  history.close(tables.end);
  const { threads } = tables;
  const origin = Math.min(...tables.cpus.map((cpu) => cpu.first));
  const keys = Array.from({ length: threads.length }, (_, thread) => threadKey(threads, thread));
  const order = keys.map((_, thread) => thread).sort((a, b) => compareThreads(threads, a, b));
  const read = order.map((thread) => readThread(history, tables, keys, thread, origin));
  const { woken } = await schedDelays(queryOf(history), tables, -Infinity, Infinity);
  const served = interrupts.finish(
    run.outcome.leaves.whole(interrupts as unknown as AnyAggregate, 0) as never,
  );
  return {
    waits: order.map((thread) => {
      const lengths = woken.longestNs.slice(woken.longestStart[thread], woken.longestStart[thread + 1]);
      return {
        key: keys[thread],
        count: woken.count[thread],
        total: woken.total[thread],
        lengths: [...lengths],
      };
    }),
    timers: timersOf(served),
    violations: await checkKernelHistory(checked({ history, tables }), tables),
    length: tables.end - origin,
    cpus: Object.fromEntries(tables.cpus.map((cpu) => [cpu.cpu, readCpu(history, tables, cpu, origin)])),
    losses: tables.losses
      .map(({ cpu, from, to }) => [cpu, from - origin, to - origin])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]),
    threads: Object.fromEntries(read.map(({ key, row }) => [key, row])),
    problems: tables.problems,
    intervals: read.flatMap(({ intervals }) => intervals),
    blockings: read.flatMap(({ blockings }) => blockings),
  };
}

/** ns in functions of timers by CPU. */
function timersOf(cpus: readonly CpuInterrupts[]): (readonly [cpu: number, ns: number])[] {
  return cpus.map(({ cpu, keys, sums }) => {
    return [cpu, keys.reduce((ns, { kind }, i) => ns + (kind === RUN_TIMER ? sums.total[i] : 0), 0)];
  });
}

/** In order of tid and life; idle threads by CPU. */
function compareThreads(threads: ThreadRows, a: number, b: number): number {
  return (
    threads.tid[a] - threads.tid[b] ||
    threads.incarnation[a] - threads.incarnation[b] ||
    threads.idleCpu[a] - threads.idleCpu[b]
  );
}

function readThread(
  history: MemoryHistory,
  { threads }: KernelTables,
  keys: readonly string[],
  thread: number,
  origin: number,
) {
  const key = keys[thread];
  const time = new Array<number>(14).fill(0);
  const intervals: { state: number; from: number; to: number }[] = [];
  const blockings: string[] = [];
  const told = history.intervals(`threads/${key}/state`);
  for (const { from, to, value } of withDeadTime(told, threads, thread)) {
    const state = v.stateOf(v.readThreadValue(value, isKernelThread(threads, thread)));
    time[state] += to - from;
    const last = intervals.at(-1);
    if (last !== undefined && last.state === state && last.to === from) last.to = to;
    else intervals.push({ state, from, to });
    if (state < v.STATE_BLOCKED_S || state > v.STATE_PARKED) continue;
    blockings.push(`${key} ${from - origin} ${to - origin} ${state} ${causeText(history, keys, value)}`);
  }
  const kind = threads.kind[thread];
  const row = {
    name: threads.name[thread] || null,
    pid: threads.pid[thread] < 0 ? null : threads.pid[thread],
    kernel: kind === 0 ? null : kind === 2,
    first: threads.first[thread] - origin,
    last: threads.last[thread] - origin,
    ended: Number.isNaN(threads.ended[thread]) ? null : threads.ended[thread] - origin,
    time,
    runs: threads.runs[thread],
    wakeups: threads.wakeups[thread],
    migrations: threads.migrations[thread],
    voluntary: threads.voluntary[thread],
    preemptions: threads.preemptions[thread],
  };
  return {
    key,
    row,
    intervals: intervals.map((i) => `${key} ${i.state} ${i.from - origin} ${i.to - origin}`),
    blockings,
  };
}

/** The label that the truth files give a cause. */
function causeText(history: MemoryHistory, keys: readonly string[], value: number): string {
  const detail = v.detailOf(value);
  switch (v.causeOf(value)) {
    case v.CAUSE_NONE:
      return 'not ended in the trace';
    case v.CAUSE_THREAD:
      return `direct(${keys[detail]})`;
    case v.CAUSE_OTHER:
      return history.texts[detail];
    case v.CAUSE_UNKNOWN:
      return `unknown: ${history.texts[detail]}`;
    default:
      return v.CAUSES[v.causeOf(value)];
  }
}

function readCpu(
  history: MemoryHistory,
  tables: KernelTables,
  cpu: KernelTables['cpus'][number],
  origin: number,
) {
  const { first, last } = cpu;
  const time: Record<string, number> = {
    idle: 0,
    user: 0,
    kernel: 0,
    hardirq: 0,
    softirq: 0,
    timer: 0,
    unknown: 0,
  };
  for (const { from, to, value } of history.intervals(`cpus/${cpu.cpu}/state`)) {
    const read = v.readCpuValue(value, (thread) => isKernelThread(tables.threads, thread));
    time[v.CPU_STATES[v.stateOf(read)]] += Math.max(0, Math.min(to, last) - Math.max(from, first));
  }
  return {
    first: first - origin,
    last: last - origin,
    ...time,
    switches: cpu.switches,
    first_switch: Number.isNaN(cpu.firstSwitch) ? null : cpu.firstSwitch - origin,
    interrupted: time.hardirq + time.softirq + time.timer,
  };
}

function sha256(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest('hex');
}
