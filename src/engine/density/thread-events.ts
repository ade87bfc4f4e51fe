/**
 * Events of each thread over time, where user-space contexts give the thread (`vtid`, with `vpid` and `procname`), or
 * the fields that perf adds (`perf_tid`, `perf_pid`): the timeline of hosts without a kernel trace. Other events count
 * for their stream.
 */
import { keepRows } from '../analysis/clip-rows.ts';
import type { Analysis, EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { byHost } from '../base/group-by.ts';
import { cachedByKey } from '../base/cached-by-key.ts';
import { findMembers } from '../ctf/decode/program/members.ts';
import type { FieldWant, Rows } from '../ctf/decode/rows/rows.ts';
import type { EventClass } from '../ctf/model.ts';
import { type FieldPlace, placesOf, RowReader } from '../linux/events/row-reader.ts';
import { textOfBytes } from '../linux/events/text-table.ts';
import { nestedNamespace } from '../linux/namespaces/facts.ts';
import { isKind } from '../trace/event-kinds.ts';
import type { Experiment, Trace } from '../trace/types.ts';
import {
  bucketOf,
  findKey,
  KEY,
  type Lanes,
  lanesOf,
  mergeLanes,
  noLanes,
  scaleOf,
  sumCells,
  type TimeScale,
  uniqueKeys,
} from './lanes.ts';
import { mergeProcessNames, type ProcessNames, processNames } from './process-names.ts';

/** Events of one host; all lanes have one scale. */
export interface HostEvents {
  readonly host: number;
  readonly scale: TimeScale;
  /** Keys are [tid, pid, namespace]; pid -1: not known; the pid namespace of both as in `nestedNamespace`. */
  readonly threads: Lanes;
  /** Names of threads by lane, from the last event that has one, '' none; and the HostNs of that event. */
  readonly names: readonly string[];
  readonly namedAt: Float64Array;
  /** Dumped names of processes, for threads that have no name. */
  readonly processes: ProcessNames;
  /** Events without a thread; keys are [stream of the trace, trace, 0]. */
  readonly streams: Lanes;
}

/** Events of the hosts, in order of host. */
export type ThreadEventsChunk = readonly HostEvents[];

/** Maximum number of threads with a lane of their own, those with the least ids. A hostile trace has one per event. */
export const MOST_THREADS = 16_384;
/** Maximum number of threads that are distinguished; above it their number is not known. */
export const MOST_KNOWN = 2 ** 20;
const ALL = 2 ** 31;

const KIND = 'thread-event';
/** Event that gives the name of its process. */
const DUMP = 'lttng_ust_statedump:procname';
const FIELDS = {
  vtid: { names: ['vtid', 'perf_tid'], kind: 'int', only: 'context' },
  vpid: { names: ['vpid', 'perf_pid'], kind: 'int', only: 'context' },
  pid_ns: { names: ['pid_ns'], kind: 'int', only: 'context' },
  procname: { names: ['procname'], kind: 'string', only: 'context' },
  /** Name in the event DUMP. */
  dumped: { names: ['procname'], kind: 'string', only: 'payload' },
  /** Fields of events of kind `thread-name`. */
  comm: { names: ['comm'], kind: 'string', only: 'payload' },
  commTid: { names: ['tid'], kind: 'int', only: 'payload' },
  commPid: { names: ['pid'], kind: 'int', only: 'payload' },
} as const satisfies Record<string, FieldWant>;

export const threadEvents: Analysis<ThreadEventsChunk, ThreadEventsChunk> = {
  id: 'thread-events',
  version: 4,
  reads: { kinds: [{ kind: KIND, events: [], fields: FIELDS, takes: tellsThreads }] },
  map: (batch) => mapperOf(batch.plan).map(batch),
  merge: mergeChunkResults,
  empty: [],
  finish: (chunkResult) => chunkResult,
};

/** Indices of the event classes that dump a process's name. */
const dumpsOf = cachedByKey(
  (eventClasses: readonly EventClass[]): ReadonlySet<number> =>
    new Set(
      eventClasses.flatMap(({ name = '' }, index) =>
        name === DUMP || isKind('thread-name', name) ? [index] : [],
      ),
    ),
);

const mapperOf = cachedByKey((plan: ProjectionPlan) => new ThreadEventMapper(plan));

/** Lanes of threads among those of `keys`, by row of events that `threadEvents` reads; NO_LANE: no thread. */
export function lanesOfEvents(
  batch: Pick<EventBatch, 'rows' | 'plan' | 'environment'>,
  keys: Int32Array,
): Int32Array {
  return mapperOf(batch.plan).lanes(batch, keys);
}

/** Whether events of a stream class are counted here. Where there is a kernel trace, that one describes threads. */
export function tellsThreads(experiment: Experiment, { host, model }: Trace, streamClass: number): boolean {
  const stream = model.streams[streamClass];
  return (
    stream.clock !== undefined &&
    experiment.hosts[host].traces.every((index) => experiment.traces[index].domain !== 'kernel') &&
    stream.events.some((event) => findMembers(FIELDS.vtid, stream, event).length > 0)
  );
}

const NO_PID = -1;
/** Lane of a row that is not counted: without a thread, or with one where only rows without are counted. */
export const NO_LANE = -1;

/** Maps one chunk after the other, each of one stream. */
class ThreadEventMapper {
  readonly #kind: number;
  readonly #places: Readonly<Record<keyof typeof FIELDS, FieldPlace>>;
  readonly #rows = new RowReader();
  /** Pid of the process that the trace was recorded of; NO_PID: of several. */
  #pid = NO_PID;

  constructor(plan: ProjectionPlan) {
    this.#kind = plan.kind(KIND);
    this.#places = placesOf(plan, KIND, Object.keys(FIELDS) as (keyof typeof FIELDS)[]);
  }

  map(batch: EventBatch): ThreadEventsChunk {
    const { chunk, environment, hostLength, domain } = batch;
    // `tellsThreads` is false for streams of the kernel.
    if (domain === 'kernel') return [];
    const own = this.#ownRows(batch);
    if (own.length === 0) return [];
    this.#open({ rows: own, environment });
    const scale = this.#scale(scaleOf(0, hostLength, 0).level);
    const keys = this.#keys();
    const lane = this.#lanesOfRows(keys);
    const threads = this.#lanes(keys, lane, scale);
    const streams = lane.includes(NO_LANE)
      ? this.#lanes(Int32Array.of(chunk.stream, chunk.trace, 0), withoutThread(lane), scale)
      : noLanes();
    const named = this.#names(threads.events.length, lane, environment.procname ?? '');
    const processes = this.#processes(dumpsOf(batch.eventClasses));
    this.#rows.close();
    return [{ host: chunk.host, scale, threads, ...named, processes, streams }];
  }

  /** Rows of this analysis's kind, usually all. */
  #ownRows(batch: EventBatch): Rows {
    const { rows } = batch;
    const isOwn = (row: number): boolean => rows.kind[row] === this.#kind;
    let row = 0;
    while (row < rows.length && isOwn(row)) row++;
    return row === rows.length ? rows : keepRows(batch, isOwn).rows;
  }

  lanes(batch: Pick<EventBatch, 'rows' | 'environment'>, keys: Int32Array): Int32Array {
    this.#open(batch);
    const lanes = this.#lanesOfRows(keys);
    this.#rows.close();
    return lanes;
  }

  #open({ rows, environment }: Pick<EventBatch, 'rows' | 'environment'>): void {
    this.#rows.open(rows);
    this.#pid = /^\d+$/.test(environment.vpid ?? '') ? Number(environment.vpid) | 0 : NO_PID;
  }

  #scale(level: number): TimeScale {
    const { time, length } = this.#rows;
    let from = Infinity;
    let to = -Infinity;
    for (let row = 0; row < length; row++) {
      if (time[row] < from) from = time[row];
      if (time[row] > to) to = time[row];
    }
    return scaleOf(from, to, level);
  }

  #isThread(row: number): boolean {
    return this.#rows.has(row, this.#places.vtid);
  }

  #tidOf(row: number): number {
    return this.#rows.int(row, this.#places.vtid);
  }

  #pidOf(row: number): number {
    const { vpid } = this.#places;
    return this.#rows.has(row, vpid) ? this.#rows.int(row, vpid) : this.#pid;
  }

  #namespaceOf(row: number): number {
    const { pid_ns } = this.#places;
    return this.#rows.has(row, pid_ns) ? nestedNamespace(this.#rows.int(row, pid_ns)) : 0;
  }

  /** Distinct keys of the chunk's threads. */
  #keys(): Int32Array {
    const { length } = this.#rows;
    const keys = new Int32Array(KEY * length);
    let at = 0;
    for (let row = 0; row < length; row++) {
      if (!this.#isThread(row)) continue;
      const tid = this.#tidOf(row);
      const pid = this.#pidOf(row);
      const ns = this.#namespaceOf(row);
      if (at > 0 && keys[at - 3] === tid && keys[at - 2] === pid && keys[at - 1] === ns) continue;
      keys[at++] = tid;
      keys[at++] = pid;
      keys[at++] = ns;
    }
    return uniqueKeys(keys.subarray(0, at)).slice(0, KEY * MOST_KNOWN);
  }

  /** Lanes of the threads, by row; NO_LANE: no thread. */
  #lanesOfRows(keys: Int32Array): Int32Array {
    const { length } = this.#rows;
    const lanes = new Int32Array(length).fill(NO_LANE);
    let key = -1;
    for (let row = 0; row < length; row++) {
      if (!this.#isThread(row)) continue;
      const tid = this.#tidOf(row);
      const pid = this.#pidOf(row);
      const ns = this.#namespaceOf(row);
      const at = KEY * key;
      if (key < 0 || keys[at] !== tid || keys[at + 1] !== pid || keys[at + 2] !== ns)
        key = findKey(keys, tid, pid, ns);
      lanes[row] = key < 0 || key > MOST_THREADS ? MOST_THREADS : key;
    }
    return lanes;
  }

  #lanes(keys: Int32Array, laneOfRow: Int32Array, scale: TimeScale): Lanes {
    if (keys.length === 0) return noLanes();
    const { time } = this.#rows;
    const rows = laneOfRow.length;
    const length = lanesOf(keys, MOST_THREADS);
    const events = new Float64Array(length);
    const from = new Float64Array(length).fill(Infinity);
    const to = new Float64Array(length).fill(-Infinity);
    const lane = new Int32Array(rows);
    const bucket = new Uint16Array(rows);
    let cells = 0;
    for (let row = 0; row < rows; row++) {
      const at = laneOfRow[row];
      if (at === NO_LANE) continue;
      events[at]++;
      if (time[row] < from[at]) from[at] = time[row];
      if (time[row] > to[at]) to[at] = time[row];
      lane[cells] = at;
      bucket[cells++] = bucketOf(time[row], scale);
    }
    const count = new Uint32Array(cells).fill(1);
    const sums = sumCells(
      { lane: lane.subarray(0, cells), bucket: bucket.subarray(0, cells), count },
      length,
    );
    return { keys, events, from, to, ...sums };
  }

  #names(lanes: number, laneOfRow: Int32Array, otherwise: string): Pick<HostEvents, 'names' | 'namedAt'> {
    const rows = this.#rows;
    const namedAt = new Float64Array(lanes).fill(-Infinity);
    const last = new Int32Array(lanes).fill(-1);
    const names = new Array<string>(lanes).fill(otherwise);
    if (lanes > MOST_THREADS) names[MOST_THREADS] = '';
    for (let row = 0; row < rows.length; row++) {
      const lane = laneOfRow[row];
      if (lane === NO_LANE || lane === MOST_THREADS || !rows.has(row, this.#places.procname)) continue;
      last[lane] = last[lane] < 0 ? row : this.#laterName(last[lane], row, this.#places.procname);
    }
    last.forEach((row, lane) => {
      if (row < 0) return;
      names[lane] = this.#textOf(row, this.#places.procname);
      namedAt[lane] = rows.time[row];
    });
    return { names, namedAt };
  }

  /** @param dumps event classes that dump names of processes */
  #processes(dumps: ReadonlySet<number>): ProcessNames {
    const rows = this.#rows;
    /** Row of the name that counts, by process. */
    const last = new Map<string, number>();
    for (let row = 0; dumps.size > 0 && row < rows.length; row++) {
      const place = dumps.has(rows.eventClass[row]) ? this.#dumpedName(row) : undefined;
      if (place === undefined) continue;
      const pid = this.#dumpedPid(row);
      const process = `${pid} ${this.#namespaceOf(row)}`;
      const before = last.get(process);
      if (pid !== NO_PID) last.set(process, before === undefined ? row : this.#laterName(before, row, place));
    }
    return processNames(
      Array.from(last.values(), (row) => ({
        pid: this.#dumpedPid(row),
        ns: this.#namespaceOf(row),
        name: this.#textOf(row, this.#dumpedName(row) ?? this.#places.dumped),
        namedAt: rows.time[row],
      })),
    );
  }

  /** Place of the process name in an event that dumps names; undefined: none. */
  #dumpedName(row: number): FieldPlace | undefined {
    const rows = this.#rows;
    const { dumped, comm, commTid, commPid } = this.#places;
    if (rows.has(row, dumped)) return dumped;
    const isMain = rows.has(row, comm) && rows.int(row, commTid) === rows.int(row, commPid);
    return isMain ? comm : undefined;
  }

  #dumpedPid(row: number): number {
    const { dumped, commPid } = this.#places;
    return this.#rows.has(row, dumped) ? this.#pidOf(row) : this.#rows.int(row, commPid);
  }

  /** The row whose name counts: the later one, at equal times the one with the greater name. */
  #laterName(a: number, b: number, place: FieldPlace): number {
    const { time } = this.#rows;
    if (time[a] !== time[b]) return time[a] > time[b] ? a : b;
    return this.#textOf(a, place) > this.#textOf(b, place) ? a : b;
  }

  #textOf(row: number, { offset }: FieldPlace): string {
    const { at, words, bytes } = this.#rows;
    const place = at[row] + offset;
    return textOfBytes(bytes.subarray(words[place], words[place] + words[place + 1]));
  }
}

/** One lane of all rows without a thread. */
function withoutThread(laneOfRow: Int32Array): Int32Array {
  const lanes = new Int32Array(laneOfRow.length);
  for (let row = 0; row < lanes.length; row++) lanes[row] = laneOfRow[row] === NO_LANE ? 0 : NO_LANE;
  return lanes;
}

function mergeChunkResults(chunkResults: readonly ThreadEventsChunk[]): ThreadEventsChunk {
  return byHost(chunkResults.flat()).map(([, parts]) => mergeHost(parts));
}

function mergeHost(parts: readonly HostEvents[]): HostEvents {
  if (parts.length === 1) return parts[0];
  let from = Infinity;
  let to = -Infinity;
  let level = 0;
  for (const { threads, streams, scale } of parts) {
    for (const lanes of [threads, streams]) {
      from = lanes.from.reduce((least, time) => Math.min(least, time), from);
      to = lanes.to.reduce((greatest, time) => Math.max(greatest, time), to);
    }
    level = Math.max(level, scale.level);
  }
  const scale = scaleOf(from, to, level);
  const merged = (name: 'threads' | 'streams', most: number, known: number) =>
    mergeLanes(
      parts.map((part) => ({ scale: part.scale, lanes: part[name] })),
      scale,
      most,
      known,
    );
  const threads = merged('threads', MOST_THREADS, MOST_KNOWN);
  const streams = merged('streams', ALL, ALL);
  return {
    host: parts[0].host,
    scale,
    threads: threads.lanes,
    ...mergeNames(parts, threads.places, threads.lanes.events.length),
    processes: mergeProcessNames(parts.map(({ processes }) => processes)),
    streams: streams.lanes,
  };
}

/** The latest name; of several at one time the greatest, so that the order of merges does not matter. */
function mergeNames(
  parts: readonly HostEvents[],
  places: readonly Int32Array[],
  lanes: number,
): Pick<HostEvents, 'names' | 'namedAt'> {
  const names = new Array<string>(lanes).fill('');
  const namedAt = new Float64Array(lanes).fill(-Infinity);
  parts.forEach((part, i) => {
    places[i].forEach((lane, own) => {
      if (lane === MOST_THREADS) return;
      const later = part.namedAt[own] - namedAt[lane];
      if (later > 0 || (part.namedAt[own] === namedAt[lane] && part.names[own] > names[lane])) {
        names[lane] = part.names[own];
        namedAt[lane] = part.namedAt[own];
      }
    });
  });
  return { names, namedAt };
}
