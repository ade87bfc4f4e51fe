/**
 * Time per state over a range, with later knowledge (a kernel thread was never in user mode; `LateRows`) applied to
 * the sums of the history, which are by stored state.
 */
import type { TimeWindow } from '../../../analysis/clip-rows.ts';
import type { HistoryQuery, Totals } from '../../../history/query-types.ts';
import type { AttributeId } from '../../../history/types.ts';
import {
  deadTime,
  type CpuRow,
  type StateTables,
  meantCpuValue,
  meantThreadValue,
  modeOf,
  modeOfLate,
} from '../reduce/kernel-tables.ts';
import { LATE_USER } from '../reduce/late-log.ts';
import * as values from '../../events/values.ts';
import type { OwnMode } from '../../events/values.ts';

/** Time per state number of each thread of the tables within a range (HostNs), ns. */
export async function threadTotals(
  query: HistoryQuery,
  tables: StateTables,
  range: TimeWindow,
): Promise<Totals> {
  const { threads, late, overruled } = tables;
  const totals = await query.totals(threads.stateAttribute, range.from, range.to);
  const { ns, states } = totals;
  for (let thread = 0; thread < threads.length; thread++) {
    const at = thread * states;
    ns[at + values.STATE_DEAD] = deadTime(threads, thread, range);
    for (const [stored, counted] of movesOf(modeOf(threads, thread))) moveTime(ns, at, stored, counted);
  }
  const recount = async (thread: number, begin: number, end: number) => {
    const own = ns.subarray(thread * states, (thread + 1) * states);
    await addMeant(query, threads.stateAttribute[thread], cut(range, { from: begin, to: end }), own, {
      moved: movesOf(modeOf(threads, thread)),
      meant: (value) => meantThreadValue(tables, thread, value),
    });
  };
  for (let row = 0; row < late.length; row++) {
    const isMeant = late.mode[row] === LATE_USER || modeOf(threads, late.thread[row]) === values.STATE_KERNEL;
    if (!isMeant) await recount(late.thread[row], late.from[row], late.until[row]);
  }
  for (const [row, thread] of overruled.thread.entries())
    await recount(thread, overruled.from[row], overruled.until[row]);
  return totals;
}

/**
 * Time per state number of each CPU of the tables within a range (HostNs) and between the CPU's first and last event
 * of each recording, ns; the sum is the length of these. `late` is resolved and always 0.
 */
export async function cpuTotals(
  query: HistoryQuery,
  tables: StateTables,
  range: TimeWindow,
): Promise<Float64Array[]> {
  const totals = await storedCpuTotals(query, tables, range);
  const meant = (value: number) => meantCpuValue(tables, value);
  for (const { cpu, ...piece } of await misjudged(query, tables, range))
    for (const part of tables.cpus[cpu].parts)
      await addMeant(query, tables.cpus[cpu].stateAttribute, cut(piece, part), totals[cpu], {
        moved: CPU_MOVES,
        meant,
      });
  return totals;
}

/** Busy time of each CPU of the tables, ns, within the same bounds, without regard to modes. */
export async function busyTimes(
  query: HistoryQuery,
  tables: StateTables,
  range: TimeWindow,
): Promise<number[]> {
  const totals = await storedCpuTotals(query, tables, range);
  return totals.map(
    (ns) => ns.reduce((sum, time) => sum + time, 0) - ns[values.CPU_IDLE] - ns[values.CPU_UNKNOWN],
  );
}

/** Time per stored state of each CPU, ns. */
async function storedCpuTotals(
  query: HistoryQuery,
  tables: StateTables,
  range: TimeWindow,
): Promise<Float64Array[]> {
  const attributes = tables.cpus.map(({ stateAttribute }) => stateAttribute);
  const whole = await query.totals(attributes, range.from, range.to);
  const totals: Float64Array[] = [];
  for (const [i, cpu] of tables.cpus.entries()) {
    const ns = new Float64Array(values.CPU_STATES.length);
    totals.push(ns);
    if (!cpu.parts.map((part) => cut(range, part)).some(({ from, to }) => from < to)) continue;
    addStates(ns, whole, i, 1);
    // Summaries cover the whole range; reading only between first and last event would cost more.
    for (const around of timeAround(cpu, range))
      addStates(ns, await query.totals([cpu.stateAttribute], around.from, around.to), 0, -1);
    for (const [stored, meant] of CPU_MOVES) moveTime(ns, 0, stored, meant);
  }
  return totals;
}

/** States that are counted as other ones. */
type Moves = readonly (readonly [stored: number, counted: number])[];

const CPU_MOVES: Moves = [[values.CPU_LATE, values.CPU_USER]];

/** Moves for a thread by its mode. */
function movesOf(mode: OwnMode): Moves {
  return [
    [values.STATE_RUNNING, values.STATE_USER],
    [values.STATE_USER, mode],
  ];
}

function cut(a: TimeWindow, b: TimeWindow): TimeWindow {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
}

/** Parts of a range before, between and after a CPU's parts. */
function timeAround({ parts }: CpuRow, range: TimeWindow): TimeWindow[] {
  const begins = [-Infinity, ...parts.map((part) => part.to)];
  const ends = [...parts.map((part) => part.from), Infinity];
  return begins.map((from, i) => cut(range, { from, to: ends[i] })).filter(({ from, to }) => from < to);
}

function moveTime(ns: Float64Array, at: number, stored: number, meant: number): void {
  if (stored === meant) return;
  ns[at + meant] += ns[at + stored];
  ns[at + stored] = 0;
}

/** Adds the time in each state of a row of totals, multiplied by `times`. */
function addStates(ns: Float64Array, { ns: all, states }: Totals, row: number, times: number): void {
  for (let state = 0; state < ns.length; state++) ns[state] += times * all[row * states + state];
}

interface Kind {
  /** States that are counted as another one. */
  readonly moved: Moves;
  /** True value of a stored or already resolved value. */
  meant(value: number): number;
}

/** Adds to `ns` the time of an attribute within the span by true instead of stored states. */
async function addMeant(
  query: HistoryQuery,
  attribute: AttributeId,
  { from, to }: TimeWindow,
  ns: Float64Array,
  { moved, meant }: Kind,
): Promise<void> {
  if (!(from < to)) return;
  const counted = await query.totals([attribute], from, to);
  for (const [stored, state] of moved) moveTime(counted.ns, 0, stored, state);
  addStates(ns, counted, 0, -1);
  await query.scan([attribute], from, to, (_, { begin, end, value }) => {
    ns[values.stateOf(meant(value))] += Math.min(to, end) - Math.max(from, begin);
  });
}

interface Misjudged extends TimeWindow {
  /** Index in `StateTables.cpus`. */
  readonly cpu: number;
}

/**
 * Times in which CPUs may be counted in a wrong mode: threads ran before their kind, or that they were in a call, was
 * known. Few, mostly at the begin of a trace.
 */
async function misjudged(query: HistoryQuery, tables: StateTables, range: TimeWindow): Promise<Misjudged[]> {
  const { threads, late } = tables;
  const found: Misjudged[] = [];
  const add = async (thread: number, begin: number, end: number) => {
    const within = cut(range, { from: begin, to: end });
    if (!(within.from < within.to) || threads.ran[thread] === 0) return;
    const pieces = await query.intervals(threads.stateAttribute[thread], within.from, within.to);
    if (pieces.length === 0) return;
    const stays = await query.intervals(threads.cpuAttribute[thread], pieces[0].from, within.to);
    let stay = 0;
    for (const piece of pieces) {
      if (!OWN_TIME.has(values.stateOf(piece.value))) continue;
      while (stay < stays.length && stays[stay].to <= piece.from) stay++;
      const on = stays.at(stay);
      if (on === undefined || on.from > piece.from) continue;
      const cpu = tables.cpus.findIndex((row) => row.cpu === on.value);
      if (cpu >= 0) found.push({ cpu, ...cut(piece, within) });
    }
  };
  for (let thread = 0; thread < threads.length; thread++)
    await add(thread, threads.first[thread], threads.modeSince[thread]);
  for (let row = 0; row < late.length; row++) {
    if (modeOfLate(tables, row) === values.STATE_USER) continue;
    const since = threads.modeSince[late.thread[row]];
    await add(late.thread[row], since > late.from[row] ? since : late.from[row], late.until[row]);
  }
  return found;
}

/** States of threads in such pieces, stored or resolved. */
const OWN_TIME: ReadonlySet<number> = new Set(values.OWN_TIME_STATES);
