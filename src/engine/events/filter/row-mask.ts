/** Rows of a chunk that a filter accepts: each event class has a test of what the class alone does not decide. */
import type { EventBatch } from '../../analysis/contract.ts';
import { cpusOfRows } from '../../analysis/rows-by-cpu.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { FieldPlace, Rows } from '../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../ctf/model.ts';
import { findKey } from '../../density/lanes.ts';
import { nestedNamespace } from '../../linux/namespaces/facts.ts';
import { isKind } from '../../trace/event-kinds.ts';
import { comparesNumber, type HostThreads, type LaneNode, type ResolvedFilter } from './filter.ts';
import { containsTest, fieldTest, type RowTest } from './field-tests.ts';
import {
  type EventOfStream,
  fieldPlace,
  hasField,
  PID_NS,
  textFieldsOf,
  verdict,
  VPID,
  VTID,
} from './field-wants.ts';

/** Test of the rows of an event class; true or false for all rows of the class. */
type ClassTest = RowTest | boolean;

interface StreamTests {
  /** Tests by event class, made at its first row: fields of other classes may not have been read. */
  readonly tests: (ClassTest | undefined)[];
  readonly now: Current;
}

/** The current chunk. */
interface Current {
  batch: FilteredRows;
  /** CPUs by row, once asked for; -1: unknown. */
  cpus: Int32Array | undefined;
}

export class RowFilter {
  /** Stream classes by index of their trace. */
  readonly #streams: Map<readonly EventClass[], StreamTests>[] = [];

  constructor(private readonly filter: ResolvedFilter) {}

  mask(batch: FilteredRows): RowMask {
    const { rows, packets, host, domain, cpuRequest } = batch;
    const stream = this.#streamOf(batch);
    stream.now.batch = batch;
    stream.now.cpus = undefined;
    const mask = new Uint8Array(rows.length);
    for (let packet = 0; packet < packets.length; packet++) {
      const [first, end] = [packets.firstRow[packet], packets.firstRow[packet + 1]];
      if (first === end) continue;
      const known = verdict(this.filter, undefined, {
        host,
        cpu: cpuRequest === undefined ? packets.cpu[packet] : -1,
        isOfProgram: domain === 'ust',
        from: rows.time[first],
        to: rows.time[end - 1],
      });
      if (known === true) mask.fill(1, first, end);
      else if (known === undefined) this.#test(batch, stream, mask, first, end);
    }
    return mask;
  }

  /** Fills the mask of the rows [first, end). */
  #test(batch: FilteredRows, { tests, now }: StreamTests, mask: RowMask, first: number, end: number): void {
    const { rows, eventClasses, eventContext } = batch;
    for (let row = first; row < end; row++) {
      const index = rows.eventClass[row];
      const test = (tests[index] ??= testOf(
        this.filter,
        { event: eventClasses[index], stream: { eventContext } },
        now,
      ));
      if (test === true || (test !== false && test(rows, row))) mask[row] = 1;
    }
  }

  #streamOf(batch: FilteredRows): StreamTests {
    const ofTrace = (this.#streams[batch.trace] ??= new Map<readonly EventClass[], StreamTests>());
    const known = ofTrace.get(batch.eventClasses);
    if (known !== undefined) return known;
    const tests = batch.eventClasses.map(() => undefined);
    const made: StreamTests = { tests, now: { batch, cpus: undefined } };
    ofTrace.set(batch.eventClasses, made);
    return made;
  }
}

function testOf(filter: ResolvedFilter, of: EventOfStream, now: Current): ClassTest {
  const known = verdict(filter, of);
  if (known !== undefined) return known;
  const { host, plan } = now.batch;
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(
        filter.parts.map((part) => testOf(part, of, now)),
        filter.kind === 'or',
      );
    case 'not': {
      const test = testOf(filter.part, of, now);
      return typeof test === 'boolean' ? !test : (rows, row) => !test(rows, row);
    }
    case 'names':
      return false;
    case 'hosts':
      return filter.hosts.includes(host);
    case 'times': {
      const [from, to] = filter.hosts[host];
      return ({ time }, row) => time[row] >= from && time[row] < to;
    }
    case 'cpus':
      return (_, row) => {
        const cpu = cpusOf(now)[row];
        return cpu >= 0 && comparesNumber(cpu, filter.compare, filter.values);
      };
    case 'threads': {
      const threads = filter.hosts[host];
      return threads === null ? testOf(filter.otherwise, of, now) : threadTest(threads, of, now);
    }
    case 'lanes':
      return laneTest(filter, of, now);
    case 'field':
      return fieldTest(filter, of, plan) ?? false;
    case 'text':
      return containsTest(filter.text, of, textFieldsOf(of), plan);
  }
}

/** @param decisive result of one test that decides the whole: true for `or`, false for `and` */
function joined(parts: readonly ClassTest[], decisive: boolean): ClassTest {
  if (parts.includes(decisive)) return decisive;
  const tests = parts.filter((part) => typeof part !== 'boolean');
  if (tests.length === 0) return !decisive;
  if (tests.length === 1) return tests[0];
  return (rows, row) => {
    for (const test of tests) if (test(rows, row) === decisive) return decisive;
    return !decisive;
  };
}

function cpusOf(now: Current): Int32Array {
  return (now.cpus ??= rowCpus(now.batch));
}

/** CPUs by row; -1: unknown. */
function rowCpus({ rows, packets, cpuRequest }: FilteredRows): Int32Array {
  if (cpuRequest !== undefined) return cpusOfRows(rows, cpuRequest);
  const cpus = new Int32Array(rows.length).fill(-1);
  for (let packet = 0; packet < packets.length; packet++)
    cpus.fill(packets.cpu[packet], packets.firstRow[packet], packets.firstRow[packet + 1]);
  return cpus;
}

/** Test of the thread: events of programs name it themselves, others happened in the thread on their CPU. */
function threadTest(threads: HostThreads, of: EventOfStream, now: Current): RowTest {
  const { domain, plan } = now.batch;
  const tells = domain === 'ust' && !threads.isNested && hasField(of, VTID, 'wide');
  const place = tells ? fieldPlace(plan, of, VTID, 'wide') : undefined;
  if (place !== undefined) return (rows, row) => isAlive(threads, lowWord(rows, row, place), rows.time[row]);
  const times = intervalsOf(threads);
  // A switch belongs to the thread that leaves the CPU.
  const leaves = isKind('switch', of.event.name ?? '');
  let near = 0;
  return (rows, row) => {
    const ofCpu = times.get(cpusOf(now)[row]);
    if (ofCpu === undefined) return false;
    near = edgesBefore(ofCpu, rows.time[row], leaves, near);
    return near % 2 === 1;
  };
}

/** Intervals by CPU; cached for all chunks. */
const intervalsOf = cachedByKey(
  ({ cpus }: HostThreads) => new Map(cpus.map(({ cpu, times }) => [cpu, Float64Array.from(times)])),
);

function isAlive({ lives }: HostThreads, tid: number, time: number): boolean {
  return lives.some(([of, from, to]) => of === tid && time >= from && time <= to);
}

/** Number of edges around a neighbouring time's that are tried first. */
const NEAR = 8;

/**
 * The number of edges (begins and ends of intervals) before a time, or up to it; odd within an interval.
 * @param leaves whether the end of an interval belongs to it, and its begin does not
 * @param near result for a neighbouring time, usually similar
 */
function edgesBefore(times: Float64Array, time: number, leaves: boolean, near: number): number {
  const isBehind = (at: number): boolean => !(leaves ? times[at] < time : times[at] <= time);
  const from = near - NEAR;
  const to = near + NEAR;
  const isNear = from >= 0 && to < times.length && !isBehind(from) && isBehind(to);
  return isNear ? firstWhere(from, to, isBehind) : firstWhere(0, times.length, isBehind);
}

function laneTest({ of, keys, pids }: LaneNode, event: EventOfStream, { batch }: Current): RowTest {
  const [vtid, vpid, space] = [VTID, VPID, PID_NS].map((field) =>
    fieldPlace(batch.plan, event, field, 'wide'),
  );
  const sorted = Int32Array.from(keys);
  const ownPid = pids[batch.trace];
  return (rows, row) => {
    if (vtid === undefined || !isThere(rows, row, vtid)) return of === 'none';
    if (of === 'none') return false;
    const pid = vpid !== undefined && isThere(rows, row, vpid) ? lowWord(rows, row, vpid) : ownPid;
    const ns = space !== undefined && isThere(rows, row, space) ? lowWord(rows, row, space) : 0;
    const isFound = findKey(sorted, lowWord(rows, row, vtid), pid, nestedNamespace(ns)) >= 0;
    return isFound === (of === 'these');
  };
}

function isThere({ words, at }: Rows, row: number, { presence, bit }: FieldPlace): boolean {
  return ((words[at[row] + presence] >>> bit) & 1) === 1;
}

function lowWord({ words, at }: Rows, row: number, { offset }: FieldPlace): number {
  return words[at[row] + offset];
}

/** Rows of one stream, with what they have in common. */

interface FilteredRows extends Pick<
  EventBatch,
  'rows' | 'packets' | 'plan' | 'eventClasses' | 'eventContext' | 'domain' | 'cpuRequest'
> {
  /** Index in `Experiment.traces`; index of its host in `Experiment.hosts`. */
  readonly trace: number;
  readonly host: number;
}

/** Mask by row; 1: the filter accepts it. */

type RowMask = Uint8Array;
