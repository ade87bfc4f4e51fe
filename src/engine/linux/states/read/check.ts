/**
 * Checks the invariants of a finished state history (engine/linux/states/RULES.md), except the seventh, equal bytes
 * however the work is cut, which is a property test. Loads all intervals of one attribute at a time: linear in the
 * intervals.
 */
import { addTo, groupBy } from '../../../base/group-by.ts';
import type { HistoryQuery, Interval } from '../../../history/query-types.ts';
import { HIDES_SWITCHES } from '../../../trace/loss-subjects.ts';
import type { LossPiece } from '../reduce/losses.ts';
import { type StateInterval, withDeadTime, type CpuRow, type StateTables } from '../reduce/kernel-tables.ts';
import { NO_SOFTIRQS, SOFTIRQ_RAISED, type SoftirqRows } from '../reduce/softirq-rows.ts';
import { isSoftirqThread } from '../map/kernel-texts.ts';
import { threadKey } from '../reduce/thread-table.ts';
import * as values from '../../events/values.ts';

export interface Violation {
  /** Number in engine/linux/states/RULES.md. */
  readonly invariant: number;
  /** '1234#2', 'cpu 3'. */
  readonly worker: string;
  /** HostNs. */
  readonly at: number;
  readonly text: string;
}

/** Part of a history that the check uses. */
export type CheckedHistory = Pick<HistoryQuery, 'intervals' | 'text'>;

interface Span {
  readonly from: number;
  to: number;
}

interface Run extends Span {
  readonly thread: number;
  /** Index in `StateTables.cpus`. */
  readonly cpu: number;
}

/** All violations; none in a sound history. */
export async function checkKernelHistory(
  history: CheckedHistory,
  tables: StateTables,
  softirqs: SoftirqRows = NO_SOFTIRQS,
): Promise<Violation[]> {
  const check = new Check(history, tables);
  for (const [index, cpu] of tables.cpus.entries()) await check.cpu(cpu, index);
  for (let thread = 0; thread < tables.threads.length; thread++) await check.thread(thread);
  check.sums();
  check.softirqs(softirqs);
  check.interrupts();
  return check.found;
}

/** Interrupt time of a CPU between its first and last event, and the threads that account for it. */
interface InterruptSums {
  readonly union: number;
  /** Time of its current threads in state `interrupted`, including idle threads, and of softirqs as their own work; ns. */
  threads: number;
  /** Time over an unknown thread, ns. */
  readonly unexplained: number;
  /** Softirqs by the thread whose own work they may be, and timer functions: they are where the thread is not interrupted. */
  readonly softirqs: ReadonlyMap<number, readonly Span[]>;
  /** ns in each state of the CPU. */
  readonly states: Float64Array;
  /** Time of threads on it in each of its states, ns, without softirqs as their own work. */
  readonly ofThreads: Float64Array;
}

class Check {
  readonly found: Violation[] = [];
  readonly #history: CheckedHistory;
  readonly #tables: StateTables;
  /** Times on CPUs, by thread. */
  readonly #runs: readonly Run[][];
  /** Sums by index in `StateTables.cpus`. */
  readonly #interrupts: InterruptSums[] = [];

  constructor(history: CheckedHistory, tables: StateTables) {
    this.#history = history;
    this.#tables = tables;
    this.#runs = Array.from({ length: tables.threads.length }, () => []);
  }

  #report(invariant: number, worker: string, at: number, text: string): void {
    this.found.push({ invariant, worker, at, text });
  }

  async cpu(cpu: CpuRow, index: number): Promise<void> {
    const worker = `cpu ${cpu.cpu}`;
    const states = await this.#history.intervals(cpu.stateAttribute, -Infinity, Infinity);
    const currents = await this.#history.intervals(cpu.threadAttribute, -Infinity, Infinity);
    for (const intervals of [states, currents]) {
      this.#checkTiling(intervals, beginOfCpu(cpu, intervals), this.#tables.end, worker);
      // Nothing is guaranteed for a CPU without events.
      if (Number.isNaN(cpu.first)) continue;
      const known = intervals.reduce((sum, { from, to }) => sum + clipped(from, to, cpu), 0);
      const length = cpu.parts.reduce((sum, { from, to }) => sum + to - from, 0);
      if (known !== length) this.#report(4, worker, cpu.first, `${known} ns told of ${length}`);
    }
    for (const { from, to, value } of currents) {
      if (value > 0) this.#runs[value - 1].push({ from, to, thread: value - 1, cpu: index });
      else if (from > cpu.firstSwitch && !isExplained(this.#tables, cpu.cpu, from))
        this.#report(5, worker, from, 'its thread is unknown without a loss');
    }
    this.#interrupts.push(interruptSums(this.#tables, cpu, states, currents));
  }

  async thread(thread: number): Promise<void> {
    const { threads } = this.#tables;
    const runs = this.#runs[thread];
    const worker = threadKey(threads, thread);
    const stateIntervals = await this.#history.intervals(threads.stateAttribute[thread], -Infinity, Infinity);
    const states = withDeadTime(stateIntervals, threads, thread);
    this.#checkTiling(states, threads.first[thread], threads.last[thread], worker);
    this.#checkEndsOfWaits(states, worker);

    runs.sort((a, b) => a.from - b.from);
    for (let i = 1; i < runs.length; i++)
      if (runs[i].from < runs[i - 1].to) this.#report(2, worker, runs[i].from, 'is current on two CPUs');
    const running = joined(states.filter(({ value }) => values.isRunning(values.stateOf(value))));
    const current = joined(runs);
    for (let i = 0; i < Math.max(running.length, current.length); i++) {
      if (running[i]?.from === current[i]?.from && running[i]?.to === current[i]?.to) continue;
      const at = running[i]?.from ?? current[i].from;
      this.#report(3, worker, at, 'its running states are not its stays on CPUs');
      break;
    }
    this.#addTimes(thread, states);
    await this.#checkDump(thread, worker);
  }

  /** Adds the time of a thread on each CPU. */
  #addTimes(thread: number, states: readonly StateInterval[]): void {
    const { threads, cpus } = this.#tables;
    const runs = this.#runs[thread];
    const inState = groupBy(states, ({ value }) => values.stateOf(value));
    for (const index of new Set(runs.map(({ cpu }) => cpu))) {
      const sums = this.#interrupts[index];
      const cpu = cpus[index];
      const onCpu = runs.filter((run) => run.cpu === index);
      const softirqs = sums.softirqs.get(thread) ?? [];
      sums.threads += overlap(onCpu, inState.get(values.STATE_INTERRUPTED) ?? [], cpu);
      for (const state of values.OWN_TIME_STATES) {
        const spans = inState.get(state) ?? [];
        const ofSoftirqs = overlap(softirqs, spans, cpu);
        sums.threads += ofSoftirqs;
        const cpuState = threads.tid[thread] === 0 ? values.CPU_IDLE : CPU_OF_STATE[state];
        sums.ofThreads[cpuState] += overlap(onCpu, spans, cpu) - ofSoftirqs;
      }
    }
  }

  /** Invariant 9: the times of a CPU are those of the threads that ran on it. */
  sums(): void {
    for (const [index, { cpu, last }] of this.#tables.cpus.entries()) {
      const { states, union, ofThreads } = this.#interrupts[index];
      const check = (what: string, ofCpu: number, counted: number) => {
        if (ofCpu !== counted)
          this.#report(9, `cpu ${cpu}`, last, `${what}: ${ofCpu} ns, of its threads ${counted}`);
      };
      for (const state of [values.CPU_IDLE, ...Object.values(CPU_OF_STATE)])
        check(values.CPU_STATES[state], states[state], ofThreads[state]);
      const inInterrupts = [values.CPU_HARDIRQ, values.CPU_SOFTIRQ, values.CPU_TIMER];
      check(
        'interrupts',
        inInterrupts.reduce((sum, state) => sum + states[state], 0),
        union,
      );
    }
  }

  /** Invariant 10: a softirq is raised before it is entered, and switched out only behind that, once at a time. */
  softirqs({ length, frame, kind, from, to }: SoftirqRows): void {
    const rows = Array.from({ length }, (_, row) => row).sort(
      (a, b) => frame[a] - frame[b] || kind[a] - kind[b] || from[a] - from[b],
    );
    rows.forEach((row, i) => {
      const before = i > 0 && frame[rows[i - 1]] === frame[row] ? rows[i - 1] : -1;
      const isRaisedTwice = before >= 0 && kind[row] === SOFTIRQ_RAISED;
      if (from[row] <= to[row] && !isRaisedTwice && !(before >= 0 && from[row] < to[before])) return;
      this.#report(10, `softirq ${frame[row]}`, from[row], `it waits until ${to[row]}, before it can`);
    });
  }

  /** Invariant 6. */
  interrupts(): void {
    for (const [index, { cpu, last }] of this.#tables.cpus.entries()) {
      const { union, threads, unexplained } = this.#interrupts[index];
      const stateIntervals = `${union} ns of interrupts, ${threads} + ${unexplained} ns accounted for`;
      if (union !== threads + unexplained) this.#report(6, `cpu ${cpu}`, last, stateIntervals);
    }
  }

  /** Invariant 1, for an attribute that exists from `first` to `last`, except unrecorded times. */
  #checkTiling(intervals: readonly StateInterval[], first: number, last: number, worker: string): void {
    let at = first;
    intervals.forEach(({ from, to, value }, i) => {
      at = this.#tables.gaps.find((gap) => gap.from === at && gap.to === from)?.to ?? at;
      if (from !== at || to <= from)
        this.#report(1, worker, from, `an interval begins at ${from}, expected ${at}`);
      const isNext = i > 0 && intervals[i - 1].to === from;
      if (isNext && intervals[i - 1].value === value && !mayRepeat(value))
        this.#report(1, worker, from, 'neighbours are equal');
      at = to;
    });
    if (at !== last) this.#report(1, worker, at, `ends at ${at}, expected ${last}`);
  }

  /** Invariant 5: how a wait may end. */
  #checkEndsOfWaits(states: readonly StateInterval[], worker: string): void {
    const { problems, losses, program } = this.#tables;
    for (let i = 0; i + 1 < states.length; i++) {
      const { to, value } = states[i];
      if (!values.isAsleep(value) || states[i + 1].from > to) continue;
      const next = values.stateOf(states[i + 1].value);
      if (next === values.STATE_WOKEN || next === values.STATE_ZOMBIE || next === values.STATE_DEAD) continue;
      // Switched in without a wake-up: the cause says so, or names a waking that was logged before the wait.
      if (values.isRunning(next) && values.causeOf(value) !== values.CAUSE_NONE) continue;
      // Switched in by the last event before a loss, or woken in one and not seen since.
      if (next === values.STATE_UNKNOWN && losses.some((piece) => isIn(piece, to))) continue;
      if ('blocked thread leaves a CPU' in problems) continue;
      if (next === values.STATE_UNKNOWN && program !== undefined) continue;
      this.#report(5, worker, to, `a wait ends with ${values.THREAD_STATES[next]}`);
    }
  }

  /** Invariant 8: a thread's name in the state dump is one of its names. */
  async #checkDump(thread: number, worker: string): Promise<void> {
    const { first, last, dumpName, name, nameAttribute } = this.#tables.threads;
    const dumped = dumpName[thread];
    if (dumped === '') return;
    const names = await this.#history.intervals(nameAttribute[thread], -Infinity, Infinity);
    const isNamed = names.some(({ value }) => this.#history.text(value) === dumped);
    if (first[thread] !== last[thread] && !isNamed && name[thread] !== dumped)
      this.#report(8, worker, first[thread], `the state dump calls it ${dumped}, the history does not`);
  }
}

/** Begin of a CPU's states, which may precede its first event, if any, by facts from other CPUs or a loss. */
function beginOfCpu({ first }: CpuRow, intervals: readonly Interval[]): number {
  const begin = intervals[0]?.from ?? first;
  return begin > first ? first : begin;
}

/** Problems from contradictions in damaged traces. */
const CONTRADICTIONS = [
  'switch: prev is not the current thread',
  'thread leaves a CPU it was not on',
  'thread enters a CPU while on another',
  'fork of a thread that never exited: new incarnation',
];

function isExplained(tables: StateTables, cpu: number, at: number): boolean {
  if (CONTRADICTIONS.some((problem) => problem in tables.problems)) return true;
  // Threads of other programs may run.
  if (tables.program !== undefined || tables.gaps.some(({ to }) => to === at)) return true;
  return tables.losses.some(
    (piece) => piece.cpu === cpu && piece.from === at && (piece.hidden & HIDES_SWITCHES) !== 0,
  );
}

function interruptSums(
  tables: StateTables,
  cpu: CpuRow,
  states: readonly Interval[],
  currents: readonly Interval[],
): InterruptSums {
  let union = 0;
  let unexplained = 0;
  let at = 0;
  const softirqs = new Map<number, Span[]>();
  const time = new Float64Array(values.CPU_STATES.length);
  for (const { from, to, value } of states) {
    const state = values.stateOf(value);
    time[state] += clipped(from, to, cpu);
    if (!values.isInterrupt(value)) continue;
    union += clipped(from, to, cpu);
    while (at < currents.length && currents[at].to <= from) at++;
    for (let i = at; i < currents.length && currents[i].from < to; i++) {
      const span = { from: Math.max(from, currents[i].from), to: Math.min(to, currents[i].to) };
      const thread = currents[i].value - 1;
      if (thread < 0) unexplained += clipped(span.from, span.to, cpu);
      else if (state !== values.CPU_HARDIRQ && runsSoftirqs(tables, thread)) addTo(softirqs, thread, span);
    }
  }
  const ofThreads = new Float64Array(values.CPU_STATES.length);
  return { union, threads: 0, unexplained, softirqs, states: time, ofThreads };
}

/** Whether softirqs over a thread may be its own work. */
function runsSoftirqs({ threads, realTime }: StateTables, thread: number): boolean {
  return threads.tid[thread] !== 0 && (realTime || isSoftirqThread(threads.name[thread]));
}

/** State of a CPU by state of its current thread. */
const CPU_OF_STATE = { ...values.CPU_OF_MODE, [values.STATE_GUEST]: values.CPU_GUEST } as const;

/** Whether equal values may follow each other: two waits may have ended alike with nothing known in between, after a loss. */
function mayRepeat(value: number): boolean {
  return values.isAsleep(value) && values.causeOf(value) !== values.CAUSE_NONE;
}

/** Whether a piece that may hide switches begins at a time or covers it. */
function isIn({ from, to, hidden }: LossPiece, time: number): boolean {
  return from <= time && (time === from || time < to) && (hidden & HIDES_SWITCHES) !== 0;
}

/** Spans in order of time with adjacent ones merged. */
function joined(spans: readonly Span[]): Span[] {
  const joinedSpans: Span[] = [];
  for (const { from, to } of spans) {
    const last = joinedSpans.at(-1);
    if (last !== undefined && last.to === from) last.to = to;
    else joinedSpans.push({ from, to });
  }
  return joinedSpans;
}

/** ns of [from, to) between the CPU's first and last event of each recording. */
function clipped(from: number, to: number, { parts }: CpuRow): number {
  return parts.reduce((sum, part) => sum + Math.max(0, Math.min(to, part.to) - Math.max(from, part.from)), 0);
}

/** Overlap of two lists of disjoint spans in order of time, between the CPU's first and last event, ns. */
function overlap(xs: readonly Span[], ys: readonly Span[], cpu: CpuRow): number {
  let sum = 0;
  for (let i = 0, j = 0; i < xs.length && j < ys.length;) {
    sum += clipped(Math.max(xs[i].from, ys[j].from), Math.min(xs[i].to, ys[j].to), cpu);
    if (xs[i].to < ys[j].to) i++;
    else j++;
  }
  return sum;
}
