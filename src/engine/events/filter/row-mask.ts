/** Rows of a chunk that a filter accepts. */
import type { ProjectionPlan, EventBatch } from '../../analysis/contract.ts';
import { cpusOfRows } from '../../analysis/rows-by-cpu.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { Rows, FieldPlace } from '../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../ctf/model.ts';
import { isKind } from '../../trace/event-kinds.ts';
import { comparesNumber } from './compare-numbers.ts';
import { type EventOfStream, hasField, textFieldsOf, VTID, fieldPlace, PID_NS, VPID } from './field-wants.ts';
import { ContainsTest, fieldTest, type RowTest } from './field-tests.ts';
import type { HostThreads, ResolvedFilter, LaneNode } from './resolved.ts';
import { findKey } from '../../density/lane-keys.ts';
import { nestedNamespace } from '../../linux/namespaces/facts.ts';

export class RowFilter {
  readonly #filter: ResolvedFilter;
  /** Tests of rows, by node and event class; undefined: none of the rows fulfils it. */
  readonly #tests = new Map<ResolvedFilter, Map<EventClass, RowTest | undefined>>();

  constructor(filter: ResolvedFilter) {
    this.#filter = filter;
  }

  mask(batch: FilteredRows): RowMask {
    return this.#mask(this.#filter, batch);
  }

  #mask(filter: ResolvedFilter, batch: FilteredRows): RowMask {
    const { length } = batch.rows;
    switch (filter.kind) {
      case 'and':
      case 'or':
        return this.#joined(filter.kind, filter.parts, batch);
      case 'not':
        return this.#mask(filter.part, batch).map((accepted) => 1 - accepted);
      case 'names':
        return byClass(batch, ({ event }) => filter.names.includes(event.name ?? ''));
      case 'hosts':
        return new Uint8Array(length).fill(filter.hosts.includes(batch.host) ? 1 : 0);
      case 'times':
        return within(batch.rows, filter.hosts[batch.host]);
      case 'cpus':
        return ofCpus(batch, (cpu) => comparesNumber(cpu, filter.compare, filter.values));
      case 'threads': {
        const threads = filter.hosts[batch.host];
        return threads === null ? this.#mask(filter.otherwise, batch) : ofThreads(batch, threads);
      }
      case 'lanes':
        return ofLanes(batch, filter);
      case 'field':
        return this.#tested(filter, batch, (of) => fieldTest(filter, of, batch.plan));
      case 'text':
        return this.#tested(filter, batch, (of) => textTest(filter.text, of, batch.plan));
    }
  }

  #joined(kind: 'and' | 'or', parts: readonly ResolvedFilter[], batch: FilteredRows): RowMask {
    const [first, ...rest] = parts.map((part) => this.#mask(part, batch));
    for (const mask of rest)
      for (let row = 0; row < first.length; row++)
        first[row] = kind === 'and' ? first[row] & mask[row] : first[row] | mask[row];
    return first;
  }

  #tested(
    node: ResolvedFilter,
    batch: FilteredRows,
    testOf: (of: EventOfStream) => RowTest | undefined,
  ): RowMask {
    const tests = this.#tests.get(node) ?? new Map<EventClass, RowTest | undefined>();
    this.#tests.set(node, tests);
    const { rows, eventClasses, eventContext } = batch;
    const ofClasses = eventClasses.map((event) => {
      if (!tests.has(event)) tests.set(event, testOf({ event, stream: { eventContext } }));
      return tests.get(event);
    });
    const mask = new Uint8Array(rows.length);
    for (let row = 0; row < rows.length; row++)
      mask[row] = ofClasses[rows.eventClass[row]]?.holds(rows, row) === true ? 1 : 0;
    return mask;
  }
}

const ALWAYS: RowTest = { holds: () => true };

function textTest(text: string, of: EventOfStream, plan: ProjectionPlan): RowTest | undefined {
  if (of.event.name?.toLowerCase().includes(text.toLowerCase()) === true) return ALWAYS;
  const fields = textFieldsOf(of);
  return fields.length === 0 ? undefined : new ContainsTest(text, of, fields, plan);
}

function byClass(
  { rows, eventClasses, eventContext }: FilteredRows,
  is: (of: EventOfStream) => boolean,
): RowMask {
  const accepted = eventClasses.map((event) => (is({ event, stream: { eventContext } }) ? 1 : 0));
  const mask = new Uint8Array(rows.length);
  for (let row = 0; row < rows.length; row++) mask[row] = accepted[rows.eventClass[row]];
  return mask;
}

function within({ length, time }: Rows, [from, to]: readonly [number, number]): RowMask {
  const mask = new Uint8Array(length);
  for (let row = 0; row < length; row++) mask[row] = time[row] >= from && time[row] < to ? 1 : 0;
  return mask;
}

/** Rows by their CPU; those of no known one are not accepted. */
function ofCpus(batch: FilteredRows, accepts: (cpu: number) => boolean): RowMask {
  const cpus = rowCpus(batch);
  const known = new Map<number, number>();
  const mask = new Uint8Array(cpus.length);
  for (let row = 0; row < cpus.length; row++) {
    const cpu = cpus[row];
    let accepted = known.get(cpu);
    if (accepted === undefined) known.set(cpu, (accepted = cpu >= 0 && accepts(cpu) ? 1 : 0));
    mask[row] = accepted;
  }
  return mask;
}

/** CPUs by row; -1: unknown. */
function rowCpus({ rows, packets, cpuRequest }: FilteredRows): Int32Array {
  if (cpuRequest !== undefined) return cpusOfRows(rows, cpuRequest);
  const cpus = new Int32Array(rows.length).fill(-1);
  for (let packet = 0; packet < packets.length; packet++)
    cpus.fill(packets.cpu[packet], packets.firstRow[packet], packets.firstRow[packet + 1]);
  return cpus;
}

/** Events of programs by the thread that they name themselves, others by who ran on their CPU. */
function ofThreads(batch: FilteredRows, threads: HostThreads): RowMask {
  const { rows, eventClasses, eventContext, domain, plan } = batch;
  const cpus = rowCpus(batch);
  const times = intervalsOf(threads);
  // A switch happens in the thread that leaves the CPU.
  const leaves = eventClasses.map(({ name = '' }) => isKind('switch', name));
  const named = eventClasses.map((event) => {
    const of = { event, stream: { eventContext } };
    const tells = domain === 'ust' && !threads.isNested && hasField(of, VTID, 'wide');
    return tells ? fieldPlace(plan, of, VTID, 'wide') : undefined;
  });
  const mask = new Uint8Array(rows.length);
  for (let row = 0; row < rows.length; row++) {
    const place = named[rows.eventClass[row]];
    const time = rows.time[row];
    const accepted =
      place === undefined
        ? isInInterval(times.get(cpus[row]), time, leaves[rows.eventClass[row]])
        : isAlive(threads, rows.words[rows.at[row] + place.offset], time);
    mask[row] = accepted ? 1 : 0;
  }
  return mask;
}

/** Intervals by CPU; made once for all chunks. */
const intervalsOf = cachedByKey(
  ({ cpus }: HostThreads) => new Map(cpus.map(({ cpu, times }) => [cpu, Float64Array.from(times)])),
);

function isAlive({ lives }: HostThreads, tid: number, time: number): boolean {
  return lives.some(([of, from, to]) => of === tid && time >= from && time <= to);
}

/** @param leaves what happens at the end of an interval is in it, and not what happens at its begin */
function isInInterval(times: Float64Array | undefined, time: number, leaves: boolean): boolean {
  if (times === undefined) return false;
  let low = 0;
  let high = times.length;
  // The number of ends and begins before the time, or up to it.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (leaves ? times[middle] < time : times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

function ofLanes(batch: FilteredRows, { of, keys, pids }: LaneNode): RowMask {
  const { rows, eventClasses, eventContext, plan } = batch;
  const places = eventClasses.map((event) =>
    [VTID, VPID, PID_NS].map((field) => fieldPlace(plan, { event, stream: { eventContext } }, field, 'wide')),
  );
  const sorted = Int32Array.from(keys);
  const ownPid = pids[batch.trace];
  const mask = new Uint8Array(rows.length);
  for (let row = 0; row < rows.length; row++) {
    const [vtid, vpid, space] = places[rows.eventClass[row]];
    if (vtid === undefined || !isThere(rows, row, vtid)) {
      mask[row] = of === 'none' ? 1 : 0;
      continue;
    }
    if (of === 'none') continue;
    const pid = vpid !== undefined && isThere(rows, row, vpid) ? lowWord(rows, row, vpid) : ownPid;
    const ns = space !== undefined && isThere(rows, row, space) ? lowWord(rows, row, space) : 0;
    const isFound = findKey(sorted, lowWord(rows, row, vtid), pid, nestedNamespace(ns)) >= 0;
    mask[row] = isFound === (of === 'these') ? 1 : 0;
  }
  return mask;
}

function isThere({ words, at }: Rows, row: number, { presence, bit }: FieldPlace): boolean {
  return ((words[at[row] + presence] >>> bit) & 1) === 1;
}

function lowWord({ words, at }: Rows, row: number, { offset }: FieldPlace): number {
  return words[at[row] + offset];
}

/** Rows of one stream, with what is known of all of them. */

interface FilteredRows extends Pick<
  EventBatch,
  'rows' | 'packets' | 'plan' | 'eventClasses' | 'eventContext' | 'domain' | 'cpuRequest'
> {
  /** Index in `Experiment.traces`; that of its host is in `Experiment.hosts`. */
  readonly trace: number;
  readonly host: number;
}

/** Mask by row; 1: the filter accepts it. */

type RowMask = Uint8Array;
