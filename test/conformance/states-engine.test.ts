/** Kernel state as the engine has it against the goldens: causes of waits, problems, delays; see `states.test.ts`. */
import { describe, expect } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { checkKernelHistory } from '../../src/engine/linux/states/read/check.ts';
import { LONGEST } from '../../src/engine/linux/sums/duration-sums.ts';
import { RUN_TIMER } from '../../src/engine/linux/sums/interrupts/interrupt-chunk.ts';
import { interrupts, type CpuInterrupts } from '../../src/engine/linux/sums/interrupts/interrupts.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import {
  withDeadTime,
  meantCpuValue,
  meantThreadValue,
  type KernelTables,
  type ThreadRows,
} from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../src/engine/linux/states/reduce/thread-table.ts';
import { schedDelays } from '../../src/engine/linux/states/read/sched-delays.ts';
import * as values from '../../src/engine/linux/events/values.ts';
import { HIDES_SWITCHES } from '../../src/engine/trace/loss-subjects.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { sharedDir } from '../support/shared.ts';
import { type MemoryHistory, checked, memoryHistory, queryOf } from '../support/state-run.ts';
import {
  readStates,
  snapshotFiles,
  statesFiles,
  statesNames,
  type GoldenRows,
  type StatesGolden,
} from '../support/states-goldens.ts';
import {
  blockingText,
  expectNone,
  memberDifferences,
  rowDifference,
  sha256,
} from '../support/states-difference.ts';

describe('states in the engine', () => {
  testEach('states-engine', statesNames(), async (name) => {
    await expectStates(name, statesFiles(name));
  });

  // The second snapshot holds all of the first. Skipped where the folder with recorded traces is not there.
  describe.skipIf(sharedDir() === undefined)('two snapshots that overlap', () => {
    testEach('states-engine', ['snapshot-second'], async (name) => {
      await expectStates(name, snapshotFiles(['snapshot-first', name]));
    });
  });
});

async function expectStates(name: string, files: TraceFiles): Promise<void> {
  const golden = readStates(name);
  const found = await compute(files);
  expectNone([
    ...memberDifferences('violations', [], found.violations),
    ...memberDifferences('length', golden.length_ns, found.length),
    ...memberDifferences('losses', golden.counts.loss_pieces, found.losses),
    ...memberDifferences('CPU', golden.cpus, found.cpus),
    ...memberDifferences('threads', golden.threads_total, Object.keys(found.threads).length),
    ...memberDifferences('thread', withKernel(golden.threads), found.threads),
    ...memberDifferences('problems', golden.checks.problems, found.problems),
    ...blockingDifferences(golden, found.blockings),
    ...memberDifferences('digest of intervals', golden.all_intervals_sha256, sha256(found.intervals)),
    ...memberDifferences(
      'digest of blockings',
      golden.all_blockings_sha256,
      sha256(blockingLines(name, golden, found.blockings, Object.keys(found.threads))),
    ),
  ]);
  expect(Object.keys(found.cpus)).toEqual(Object.keys(golden.cpus));
  expect(Object.keys(found.problems).sort()).toEqual(Object.keys(golden.checks.problems).sort());
  expectDelays(golden, found.waits);
  if (golden.counts.loss_pieces.length > 0) return;
  // The vector of the local timer, where it is recorded, is a timer on the CPU's row too.
  if (Object.keys(golden.counts.by_name).some((name) => name.includes('local_timer'))) return;
  // Nothing interrupts a timer's function: on the CPU's row it is the innermost one.
  for (const [cpu, ns] of found.timers) expect(ns, `timers of CPU ${cpu}`).toBe(golden.cpus[cpu].timer);
}

/** Of some threads the golden says that nothing but their calls tells what they are: they are not the kernel's. */
function withKernel(threads: StatesGolden['threads']): StatesGolden['threads'] {
  return Object.fromEntries(
    Object.entries(threads).map(([key, thread]) => [
      key,
      thread && { ...thread, kernel: thread.kernel === true },
    ]),
  );
}

/** The first wait of each studied thread that differs. */
function blockingDifferences(golden: StatesGolden, found: readonly Blocking[]): string[] {
  return Object.entries(golden.blockings).flatMap(([key, expected]) => {
    if (expected === undefined) return [];
    const ours = found.filter((row) => row.key === key).map(blockingRow);
    const rows = expected.rows.filter((row) => !isWithoutLength(row));
    const count = expected.count - expected.rows.length + rows.length;
    return rowDifference(`waits of ${key}`, { count, rows }, ours, blockingText);
  });
}

function expectDelays(golden: StatesGolden, waits: Awaited<ReturnType<typeof compute>>['waits']): void {
  expect(waits.length > 0).toBe(golden.threads_total > 0);
  for (const { key, count, total, lengths } of waits) {
    const thread = golden.threads[key];
    if (thread === undefined) continue;
    // A wake-up that is not followed by a switch-in is no delay: so it is at the end, and before a loss.
    expect(count).toBeLessThanOrEqual(Number(thread.wakeups));
    if (count === thread.wakeups) expect(total, key).toBe(thread.time[values.STATE_WOKEN]);
    const rows = golden.intervals[key];
    if (rows !== undefined && rows.count === rows.rows.length)
      expect(lengths, key).toEqual(longestWaits(rows.rows as readonly (readonly number[])[]));
  }
}

/** The longest times from wake-up to switch-in of a thread whose intervals are all listed. */
function longestWaits(rows: readonly (readonly number[])[]): readonly number[] {
  return rows
    .filter(([state, , to], i) => {
      const next = rows.at(i + 1);
      return (
        state === values.STATE_WOKEN && next !== undefined && next[1] === to && values.isRunning(next[0])
      );
    })
    .map(([, from, to]) => to - from)
    .sort((a, b) => b - a)
    .slice(0, LONGEST);
}

/** A wait that begins with the trace's last event: the goldens list it, the history has no such interval. */
function isWithoutLength([from, to]: GoldenRows['rows'][number]): boolean {
  return from === to;
}

/** Such waits of threads that are not studied, which only the digest counts. */
const WITHOUT_LENGTH: Readonly<Record<string, GoldenRows['rows']>> = {
  'snapshot-first 15': [[1570961008, 1570961008, 9, 'not ended in the trace']],
};

/** The lines that the digest of all waits is made of. */
function blockingLines(
  name: string,
  golden: StatesGolden,
  found: readonly Blocking[],
  keys: readonly string[],
) {
  return keys.flatMap((key) => {
    const ours = found.filter((row) => row.key === key).map(blockingRow);
    const listed = golden.blockings[key]?.rows ?? WITHOUT_LENGTH[`${name} ${key}`] ?? [];
    const rows = [...ours, ...listed.filter(isWithoutLength)];
    return rows.map(([from, to, state, cause]) => `${key} ${from} ${to} ${state} ${cause}`);
  });
}

async function compute(files: TraceFiles) {
  const history = memoryHistory();
  const run = await runEngine(
    files,
    [kernelState, interrupts] as readonly unknown[] as AnyAnalysis[],
    history,
  );
  const tables = kernelTables(run);
  history.close(tables.end, tables);
  const { threads } = tables;
  const origin = Math.min(...tables.cpus.map((cpu) => cpu.first));
  const keys = Array.from({ length: threads.length }, (_, thread) => threadKey(threads, thread));
  const order = keys.map((_, thread) => thread).sort((a, b) => compareThreads(threads, a, b));
  const read = order.map((thread) => readThread(history, tables, keys, thread, origin));
  const { woken } = await schedDelays(queryOf({ history, tables }), tables, {
    from: -Infinity,
    to: Infinity,
  });
  const served = interrupts.finish(
    run.outcome.chunkResults.whole(interrupts as unknown as AnyAggregate, 0) as never,
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
      .filter(({ hidden }) => (hidden & HIDES_SWITCHES) !== 0)
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

/** A wait; times are ns since the trace's first event. */
interface Blocking {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly state: number;
  readonly cause: string;
}

function blockingRow({ from, to, state, cause }: Blocking): GoldenRows['rows'][number] {
  return [from, to, state, cause];
}

function readThread(
  history: MemoryHistory,
  tables: KernelTables,
  keys: readonly string[],
  thread: number,
  origin: number,
) {
  const { threads } = tables;
  const key = keys[thread];
  const time = new Array<number>(values.THREAD_STATES.length).fill(0);
  const intervals: { state: number; from: number; to: number }[] = [];
  const blockings: Blocking[] = [];
  const stored = history.intervals(`threads/${key}/state`);
  for (const { from, to, value } of withDeadTime(stored, threads, thread)) {
    const state = values.stateOf(meantThreadValue(tables, thread, value));
    time[state] += to - from;
    const last = intervals.at(-1);
    if (last !== undefined && last.state === state && last.to === from) last.to = to;
    else intervals.push({ state, from, to });
    if (state < values.STATE_BLOCKED_S || state > values.STATE_PARKED) continue;
    const cause = causeText(history, keys, value);
    blockings.push({ key, from: from - origin, to: to - origin, state, cause });
  }
  const row = {
    name: threads.name[thread] || null,
    pid: threads.pid[thread] < 0 ? null : threads.pid[thread],
    kernel: threads.mode[thread] === values.STATE_KERNEL,
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

/** The label that the goldens give a cause. */
function causeText(history: MemoryHistory, keys: readonly string[], value: number): string {
  const detail = values.detailOf(value);
  switch (values.causeOf(value)) {
    case values.CAUSE_NONE:
      return 'not ended in the trace';
    case values.CAUSE_THREAD:
      return `direct(${keys[detail]})`;
    case values.CAUSE_OTHER:
      return history.texts[detail];
    case values.CAUSE_UNKNOWN:
      return `unknown: ${history.texts[detail]}`;
    default:
      return values.CAUSES[values.causeOf(value)];
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
    guest: 0,
    running: 0,
  };
  for (const { from, to, value } of history.intervals(`cpus/${cpu.cpu}/state`)) {
    const read = meantCpuValue(tables, value);
    time[values.CPU_STATES[values.stateOf(read)]] += Math.max(0, Math.min(to, last) - Math.max(from, first));
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
