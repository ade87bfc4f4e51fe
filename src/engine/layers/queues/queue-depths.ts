/** Number of threads that wait for each CPU, and of requests at each disk, from the kernel's states. */
import { GrowingTable } from '../../base/columns.ts';
import { f64, i32, noRows } from '../../base/tables.ts';
import { addTo } from '../../base/group-by.ts';
import type { HistorySink, AttributeId } from '../../history/types.ts';
import type { HistoryQuery, IntervalPart } from '../../history/query-types.ts';
import type { LayerKernel } from '../contract/layer.ts';
import type { CpuRow, StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import { HIDES_REQUESTS, HIDES_SWITCHES, HIDES_WAKE_UPS } from '../../trace/loss-subjects.ts';
import { isRunnable, REQUEST_ISSUED, STATE_UNKNOWN, stateOf } from '../../linux/events/values.ts';
import { QUEUES } from './disk-names.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { plotValue } from '../plots/plot-values.ts';

/** Kinds of spans: one more is counted; the number is not known; there is a number. */
const COUNTED = 0;

const LOST = 1;

/** Bits of a loss that may hide that a thread began or ended to wait for a CPU. */
const HIDES_QUEUE = HIDES_SWITCHES | HIDES_WAKE_UPS;

const RECORDED = 2;

const KINDS = 3;

const STEPS = {
  /** HostNs. */
  time: f64(),
  /** Row and kind. */
  what: i32(),
  /** 1: a span begins; -1: it ends. */
  change: i32(),
};

/** Counts spans that are added in any order; then writes all in order of time. */
class SpanCounter {
  readonly #steps = new GrowingTable(noRows(STEPS));

  /** @param to HostNs, like `from`; Infinity: it does not end */
  add(row: number, kind: number, from: number, to: number): void {
    if (!(from < to)) return;
    this.#step(row, kind, from, 1);
    if (to < Infinity) this.#step(row, kind, to, -1);
  }

  #step(row: number, kind: number, time: number, change: number): void {
    const step = this.#steps.addRow();
    const { rows } = this.#steps;
    rows.time[step] = time;
    rows.what[step] = row * KINDS + kind;
    rows.change[step] = change;
  }

  /** @param attributes of the rows, still empty. Time and memory are linear in the spans. */
  write(sink: HistorySink, attributes: readonly AttributeId[]): void {
    const { time, what, change } = this.#steps.rows;
    const order = stableOrder(time.subarray(0, this.#steps.length));
    const counts = new Int32Array(attributes.length * KINDS);
    /** Present value of each row; NaN: no value. */
    const shown = new Float64Array(attributes.length).fill(NaN);
    for (let first = 0, end = 0; first < order.length; first = end) {
      const now = time[order[first]];
      sink.moveTo(now);
      for (end = first; end < order.length && time[order[end]] === now; end++)
        counts[what[order[end]]] += change[order[end]];
      for (let i = first; i < end; i++) {
        const row = Math.floor(what[order[i]] / KINDS);
        const value = valueOf(counts, row);
        if (Object.is(value, shown[row])) continue;
        shown[row] = value;
        if (Number.isNaN(value)) sink.end(attributes[row]);
        else sink.set(attributes[row], value);
      }
    }
  }
}

function valueOf(counts: Int32Array, row: number): number {
  if (counts[row * KINDS + RECORDED] === 0) return NaN;
  return plotValue('number', counts[row * KINDS + LOST] > 0 ? NaN : counts[row * KINDS + COUNTED]);
}

export interface QueueRow {
  /** Counted things: threads of the host, threads of a CPU, requests of a disk. */
  readonly of: 'host' | 'cpu' | 'disk';
  /** Number of the CPU, or `254:0`; '' of the host. */
  readonly which: string;
  readonly attribute: number;
  /** HostNs of its first number. */
  readonly first: number;
}

/** Writes the numbers of a host into the layer's history, which is still empty. */
export async function writeQueueDepths(
  { tables, query }: LayerKernel,
  sink: HistorySink,
): Promise<QueueRow[]> {
  const cpus = tables.cpus.filter(({ parts }) => parts.length > 0);
  if (cpus.length === 0) return [];
  const slots = diskSlots(query);
  const whose: Pick<QueueRow, 'of' | 'which'>[] = [
    { of: 'host', which: '' },
    ...cpus.map(({ cpu }) => ({ of: 'cpu' as const, which: String(cpu) })),
    ...Array.from(slots.keys(), (which) => ({ of: 'disk' as const, which })),
  ];
  const ofMachine = whose.flatMap(({ of }, row) => (of === 'cpu' ? [] : [row]));
  const counter = new SpanCounter();
  await addRunnable(counter, query, tables, new Map(cpus.map(({ cpu }, i) => [cpu, i + 1])));
  await addRequests(counter, query, [...slots.values()], 1 + cpus.length);
  const starts = addRecorded(counter, tables, cpus, ofMachine);
  await addLost(counter, query, tables, cpus, ofMachine);
  const rows = whose.map(({ of, which }, row) => {
    const attribute = sink.attribute([QUEUES, of, which], 'state');
    return { of, which, attribute, first: starts[row] };
  });
  counter.write(
    sink,
    rows.map(({ attribute }) => attribute),
  );
  return rows;
}

/**
 * Adds threads that wait for a CPU; row 0 is the host's. While one is lost, the numbers of the host and its last CPU
 * are unknown.
 */
async function addRunnable(
  counter: SpanCounter,
  query: HistoryQuery,
  { threads, losses }: StateTables,
  rowOfCpu: ReadonlyMap<number, number>,
): Promise<void> {
  const attributes: number[] = [];
  const isState: boolean[] = [];
  for (let thread = 0; thread < threads.length; thread++) {
    // Idle threads do not wait.
    if (threads.tid[thread] === 0) continue;
    attributes.push(threads.stateAttribute[thread]);
    isState.push(true);
    if (threads.cpuAttribute[thread] < 0) continue;
    attributes.push(threads.cpuAttribute[thread]);
    isState.push(false);
  }
  const { from, to } = query.extent();
  const waits = new ThreadWaits();
  const lost = new ThreadWaits();
  const pieces = losses.filter(({ hidden }) => (hidden & HIDES_SWITCHES) !== 0);
  /** End of the last interval of each attribute in which its thread is lost. */
  const lostUntil = new Float64Array(attributes.length).fill(NaN);
  const isLost = (place: number, { begin, value }: IntervalPart) =>
    stateOf(value) === STATE_UNKNOWN &&
    (begin === lostUntil[place] ||
      pieces.some((piece) => piece.from === begin || (piece.from < begin && begin < piece.to)));
  await query.scan(attributes, from, to, (place, piece) => {
    if (isState[place]) {
      if (pieces.length > 0 && isLost(place, piece)) {
        counter.add(0, LOST, piece.begin, piece.end);
        lost.add(place, piece);
        lostUntil[place] = piece.end;
      }
      if (!isRunnable(piece.value)) return;
      counter.add(0, COUNTED, piece.begin, piece.end);
      waits.add(place, piece);
      return;
    }
    // Within a segment the pieces of a thread's CPU follow those of its state.
    const row = rowOfCpu.get(piece.value);
    if (row === undefined) return;
    if (waits.place === place - 1) waits.addTo(counter, row, COUNTED, piece);
    if (lost.place === place - 1) lost.addTo(counter, row, LOST, piece);
  });
}

/** Waits of one thread within a segment, in order of time. */
class ThreadWaits {
  /** Index of the thread's state among the attributes that are read. */
  place = -1;
  readonly #waits = new GrowingTable({ from: new Float64Array(0), to: new Float64Array(0) });
  /** Number of waits that end before the next pieces. */
  #next = 0;

  add(place: number, { begin, end }: IntervalPart): void {
    if (place !== this.place) this.#waits.length = this.#next = 0;
    this.place = place;
    const wait = this.#waits.addRow();
    this.#waits.rows.from[wait] = begin;
    this.#waits.rows.to[wait] = end;
  }

  /** Counts the waits within an interval on one CPU; intervals come in order of time. */
  addTo(counter: SpanCounter, row: number, kind: number, { begin, end }: IntervalPart): void {
    const { rows, length } = this.#waits;
    const { from, to } = rows;
    while (this.#next < length && to[this.#next] <= begin) this.#next++;
    for (let i = this.#next; i < length && from[i] < end; i++)
      counter.add(row, kind, Math.max(from[i], begin), Math.min(to[i], end));
  }
}

/** Attributes of a disk's slots, each of which has one request at a time, by disk. */
function diskSlots(query: HistoryQuery): Map<string, number[]> {
  const slots = new Map<string, number[]>();
  for (const { id, path } of query.attributes())
    if (path[0] === 'disks' && path.at(-1) === 'state') addTo(slots, path[1], id);
  return slots;
}

/** Adds requests issued to disks and not completed; the first disk has `row`, the others the next rows. */
async function addRequests(
  counter: SpanCounter,
  query: HistoryQuery,
  disks: readonly (readonly number[])[],
  row: number,
): Promise<void> {
  const { from, to } = query.extent();
  const rows = disks.flatMap((slots, disk) => slots.map(() => row + disk));
  await query.scan(disks.flat(), from, to, (place, { begin, end, value }) => {
    if (stateOf(value) === REQUEST_ISSUED) counter.add(rows[place], COUNTED, begin, end);
  });
}

/**
 * Adds the times with known numbers: for a CPU from its first event on, for the host from the first of all. @returns
 * begins, HostNs
 */
function addRecorded(
  counter: SpanCounter,
  { gaps }: StateTables,
  cpus: readonly CpuRow[],
  ofMachine: readonly number[],
): number[] {
  const ends = [...gaps.map(({ from }) => from), Infinity];
  const starts: number[] = [];
  let before = -Infinity;
  for (const end of ends) {
    let all = -Infinity;
    cpus.forEach(({ parts }, i) => {
      const part = parts.find(({ from }) => from > before && from <= end);
      if (part === undefined) return;
      all = Math.max(all, part.from);
      counter.add(i + 1, RECORDED, part.from, end);
      starts[i + 1] ??= part.from;
    });
    for (const row of all === -Infinity ? [] : ofMachine) {
      counter.add(row, RECORDED, all, end);
      starts[row] ??= all;
    }
    before = end;
  }
  return starts;
}

/** Adds losses: until the CPU's thread is known again, the numbers of the CPU and the host are unknown. */
async function addLost(
  counter: SpanCounter,
  query: HistoryQuery,
  { losses }: StateTables,
  cpus: readonly CpuRow[],
  ofMachine: readonly number[],
): Promise<void> {
  for (const { cpu, from, to, hidden } of losses) {
    const hides = (bits: number) => (hidden & bits) !== 0;
    const at = cpus.findIndex((row) => row.cpu === cpu);
    const next = at < 0 ? undefined : await query.at(cpus[at].threadAttribute, to);
    const until = next?.value === 0 ? next.to : to;
    const rows = ofMachine.filter((row) => hides(row === 0 ? HIDES_QUEUE : HIDES_REQUESTS));
    if (at >= 0 && hides(HIDES_QUEUE)) rows.push(at + 1);
    for (const row of rows) counter.add(row, LOST, from, until);
  }
}
