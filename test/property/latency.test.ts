/**
 * Scheduling latency, system calls, interrupts and failed calls of simulated kernels: those that are read from the
 * history against a plain walk over its intervals, at any cut into segments and for any range; the others the same
 * whatever the chunks; all of them against what the machine did.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAggregate } from '../../src/engine/analysis/analysis-set.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import type { HistoryQuery } from '../../src/engine/history/query-types.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { callFailures, type CallFailure } from '../../src/engine/linux/sums/calls/call-failures.ts';
import { callTimes } from '../../src/engine/linux/states/read/call-times.ts';
import type { DurationTable } from '../../src/engine/linux/sums/duration-sums.ts';
import { type CpuInterrupts, interrupts } from '../../src/engine/linux/sums/interrupts/interrupts.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { threadTotals } from '../../src/engine/linux/states/read/cpu-totals.ts';
import { schedDelays } from '../../src/engine/linux/states/read/sched-delays.ts';
import {
  causeOf,
  CAUSES,
  STATE_BLOCKED_S,
  STATE_PARKED,
  STATE_WOKEN,
  stateOf,
  isRunning,
} from '../../src/engine/linux/events/values.ts';
import { type EngineOptions, runStored } from '../support/engine-run.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate, type Simulation } from '../support/simulator/simulation.ts';
import { lateIntervals } from '../../src/engine/linux/states/read/late-intervals.ts';
import { forAll } from '../support/for-all.ts';

async function analyse({ files }: Simulation, segmentIntervals: number, options: EngineOptions = {}) {
  const run = await runStored(files, options, segmentIntervals, [interrupts, callFailures]);
  const { builder, tables } = run;
  const resultOf = (analysis: unknown): unknown => {
    const aggregate = analysis as AnyAggregate;
    return aggregate.finish(run.outcome.chunkResults.whole(aggregate, 0));
  };
  return {
    query: createQuery(builder, lateIntervals(tables)),
    tables,
    interrupts: resultOf(interrupts) as readonly CpuInterrupts[],
    failures: resultOf(callFailures) as readonly CallFailure[],
  };
}

interface Duration {
  readonly begin: number;
  readonly ns: number;
}

/** COUNT TOTAL MAX, as a table has it of a group. */
function figures(table: DurationTable, group: number): string {
  return `${table.count[group]} ${table.total[group]} ${table.max[group]}`;
}

function figuresOf(durations: readonly Duration[]): string {
  const lengths = durations.map(({ ns }) => ns);
  return `${lengths.length} ${lengths.reduce((sum, ns) => sum + ns, 0)} ${Math.max(0, ...lengths)}`;
}

/** States of a thread, neighbours of one state joined. */
async function statesOf(query: HistoryQuery, tables: KernelTables, thread: number) {
  const states: { state: number; from: number; to: number; value: number }[] = [];
  for (const { from, to, value } of await query.intervals(
    tables.threads.stateAttribute[thread],
    -Infinity,
    Infinity,
  )) {
    states.push({ state: stateOf(value), from, to, value });
  }
  return states;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

async function expectDelays(query: HistoryQuery, tables: KernelTables, { from, to }: Range): Promise<void> {
  const { woken, preempted } = await schedDelays(query, tables, { from, to });
  const { ns, states: stride } = await threadTotals(query, tables, { from: -Infinity, to: Infinity });
  for (let thread = 0; thread < tables.threads.length; thread++) {
    const states = await statesOf(query, tables, thread);
    const ended = states.filter(({ to: end }, i) => {
      const next = states.at(i + 1);
      return next !== undefined && next.from === end && isRunning(next.state) && end >= from && end < to;
    });
    const delays = (state: number) =>
      ended.filter((one) => one.state === state).map((one) => ({ begin: one.from, ns: one.to - one.from }));
    expect(figures(woken, thread)).toBe(figuresOf(delays(STATE_WOKEN)));
    expect(figures(preempted, thread)).toBe(figuresOf(delays(STATE_WOKEN - 1)));
    if (from !== -Infinity) continue;
    // All time in state 5 is a delay, but for waits that did not end on a CPU.
    const others = states.filter((one) => one.state === STATE_WOKEN && !ended.includes(one));
    const unended = others.reduce((sum, one) => sum + one.to - one.from, 0);
    expect(woken.total[thread] + unended).toBe(ns[thread * stride + STATE_WOKEN]);
  }
}

async function expectCalls(query: HistoryQuery, tables: KernelTables, range: Range): Promise<void> {
  const { from, to } = range;
  const { pairs, names, threads, sums } = await callTimes(query, tables, range, [
    'names',
    'threads',
    'pairs',
  ]);
  const { durations, blocked } = sums.pairs;
  const found = Array.from(pairs.name, (name, pair) => {
    expect(pairs.count[pair]).toBe(durations.count[pair]);
    const ofPair = blocked.subarray(pair * CAUSES.length, (pair + 1) * CAUSES.length);
    return `${pairs.thread[pair]} ${names[name]}: ${figures(durations, pair)} ${ofPair}`;
  });
  const sumOf = (group: number, keys: Int32Array) =>
    keys.reduce((sum, key, pair) => sum + (key === group ? durations.total[pair] : 0), 0);
  expect([...sums.names.durations.total]).toEqual(names.map((_, name) => sumOf(name, pairs.name)));
  expect([...sums.threads.durations.total]).toEqual(
    Array.from(threads, (thread) => sumOf(thread, pairs.thread)),
  );
  const expected: string[] = [];
  for (let thread = 0; thread < tables.threads.length; thread++) {
    if (tables.threads.callAttribute[thread] < 0) continue;
    const states = await statesOf(query, tables, thread);
    const calls = await query.intervals(tables.threads.callAttribute[thread], -Infinity, Infinity);
    const returned = calls.filter(({ to: end }, i) => {
      const state = states.find((one) => one.from <= end && end < one.to)?.state ?? 0;
      return end >= from && end < to && isRunning(state) && calls.at(i + 1)?.from !== end;
    });
    const names = [...new Set(returned.map(({ value }) => query.text(value)))];
    for (const name of names) {
      const own = returned.filter(({ value }) => query.text(value) === name);
      const blocked = CAUSES.map((_, cause) =>
        own
          .flatMap((call) =>
            states.map((one) => ({ one, ns: Math.min(one.to, call.to) - Math.max(one.from, call.from) })),
          )
          .filter(({ one, ns }) => ns > 0 && one.state >= STATE_BLOCKED_S && one.state <= STATE_PARKED)
          .filter(({ one }) => causeOf(one.value) === cause)
          .reduce((sum, { ns }) => sum + ns, 0),
      );
      const lengths = own.map((call) => ({ begin: call.from, ns: call.to - call.from }));
      expected.push(`${thread} ${name}: ${figuresOf(lengths)} ${blocked}`);
    }
  }
  expect(found.sort()).toEqual(expected.sort());
}

describe('what is read from the history', () => {
  const options = fc.record({
    seed: fc.nat(),
    segmentIntervals: fc.constantFrom(20, 300, 100_000),
    begin: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.double({ min: 0, max: 0.6, noNaN: true }),
  });

  it('is what its intervals say, of all and of a range', () =>
    forAll(25, [options], async ({ seed, segmentIntervals, begin, length }) => {
      const simulation = simulate(settingsOf(seed));
      if (simulation.events === 0) return;
      const { query, tables } = await analyse(simulation, segmentIntervals);
      const extent = query.extent();
      const from = Math.floor(extent.from + begin * (extent.to - extent.from));
      const part = { from, to: Math.ceil(from + length * (extent.to - extent.from)) };
      // Where an interval ends, too: what ends there belongs to the range that begins there.
      const states = await statesOf(query, tables, seed % tables.threads.length);
      const edge = states.at(Math.floor(begin * states.length))?.to ?? from;
      const calls = tables.threads.callAttribute.find((attribute) => attribute >= 0);
      const call = calls === undefined ? undefined : (await query.intervals(calls, from, part.to)).at(-1);
      const edges = [edge, call?.to ?? edge].map((time) => ({ from: time, to: time + 1 }));
      for (const range of [{ from: -Infinity, to: Infinity }, part, ...edges]) {
        await expectDelays(query, tables, range);
        await expectCalls(query, tables, range);
      }
    }));
});

describe('interrupts and failed calls', () => {
  const options = fc.record({
    seed: fc.nat(),
    chunkBytes: fc.constantFrom(1, 600, 5_000),
    parallel: fc.constantFrom(1, 2, 7),
  });

  it('do not depend on chunks, their order and the number in flight', () =>
    forAll(25, [options], async ({ seed, chunkBytes, parallel }) => {
      const simulation = simulate(settingsOf(seed));
      const disorder = { parallel, random: randomOf(seed) };
      const whole = await analyse(simulation, 100_000);
      const again = await analyse(simulation, 100_000, { chunkBytes, disorder });
      expect(again.interrupts).toEqual(whole.interrupts);
      expect(again.failures).toEqual(whole.failures);
    }));

  it('and calls are what the machine did', () =>
    forAll(40, [fc.nat()], async (seed) => {
      const simulation = simulate(settingsOf(seed));
      // With losses the counts are of what was recorded only.
      if (simulation.events === 0 || simulation.losses.length > 0) return;
      const { query, tables, failures, interrupts: found } = await analyse(simulation, 100_000);
      // Old tracers do not name the call that returns: after a switch nobody knows which one it was.
      const isOld = simulation.settings.generation === 'old';
      const failed = failures.map(
        ({ tid, call, errno, count }) => `${tid} ${isOld ? '' : call} ${errno} ${count}`,
      );
      expect(addedUp(failed)).toEqual(trueFailures(simulation, isOld));
      const runs = found.flatMap(({ keys, sums }) =>
        keys.map(({ kind }, i) => (kind < 4 ? sums.count[i] : 0)),
      );
      const exits = [...simulation.counts].filter(([name]) => /(irq|expire|vectors).*_exit$/.test(name));
      const exited = exits.reduce((sum, [, count]) => sum + count, 0);
      const counted = runs.reduce((sum, count) => sum + count, 0);
      // An exit without its entry lies at the begin of a CPU's trace: one of each kind, at most.
      expect(counted).toBeLessThanOrEqual(exited);
      expect(counted).toBeGreaterThanOrEqual(exited - 4 * simulation.cpus.length);
      const all = { from: -Infinity, to: Infinity };
      const { pairs, names } = await callTimes(query, tables, all, []);
      const calls = Array.from(
        pairs.name,
        (name, pair) => `${tables.threads.tid[pairs.thread[pair]]} ${names[name]} ${pairs.count[pair]}`,
      );
      expect(addedUp(calls)).toEqual(trueCalls(simulation));
    }));
});

/** TID CALL ERRNO COUNT. */
function trueFailures({ cpus }: Simulation, isOld: boolean): string[] {
  const failed = cpus.flatMap(({ returns }) => returns).filter(({ ret, told }) => ret < 0 && told);
  return addedUp(failed.map(({ tid, call, ret }) => `${tid} ${isOld ? '' : call} ${-ret} 1`));
}

/** TID CALL COUNT. A call that returns with the last event of all goes on to the end of the history. */
function trueCalls({ cpus, last }: Simulation): string[] {
  const timed = cpus.flatMap(({ returns }) => returns).filter((one) => one.timed && one.time < last);
  return addedUp(timed.map(({ tid, call }) => `${tid} ${call} 1`));
}

/** Lines that end with a count, those alike added up; in order of numbers and texts. */
function addedUp(lines: readonly string[]): string[] {
  const sums = new Map<string, number>();
  for (const line of lines) {
    const at = line.lastIndexOf(' ');
    addNumber(sums, line.slice(0, at), Number(line.slice(at)));
  }
  const order = (line: string) => line.split(' ');
  return [...sums]
    .map(([line, count]) => `${line} ${count}`)
    .sort((a, b) => {
      const [x, y] = [order(a), order(b)];
      const at = x.findIndex((word, i) => word !== y[i]);
      if (at < 0) return 0;
      return Number.isNaN(Number(x[at])) ? (x[at] < y[at] ? -1 : 1) : Number(x[at]) - Number(y[at]);
    });
}
