/** Details of pieces for a replay: the kind of timer that ended a wait, its time at a disk, who ran while a thread was ready. */
import { addTo } from '../base/group-by.ts';
import { CAUSE_DISK, CAUSE_TIMER, causeOf } from '../linux/events/values.ts';
import { type DiskRequest, madeAt, DiskWaits } from './disk-waits.ts';
import type { GraphWorker } from './execution-graph.ts';
import { nextTask } from '../base/next-task.ts';
import { waitsForEvents } from './folding.ts';
import type { HistoryGraph, HostData } from './history-graph.ts';
import { valueIn } from './interval-lists.ts';
import { BLOCKED, PREEMPTED } from './path-codes.ts';
import { QueueRunners } from './queue-runners.ts';
import { type Closure, pieceBefore } from './closure.ts';

/** Timers: the wait keeps its length, or its end, or it is not known which. */
const TIMER_LENGTH = 1;
export const TIMER_END = 2;
export const TIMER_NOT_KNOWN = 3;

export interface PieceDetails {
  /** TIMER_* by piece; 0: no timer ended it. */
  readonly timers: Uint8Array;
  /** Time in each piece during which a disk request was queued or served, ns; 0 for others. */
  readonly atDisk: Float64Array;
  readonly disks: DiskQueues;
  /** Threads that ran meanwhile, and how long (ns), by row of each piece that waited for a CPU. */
  readonly meanwhile: ReadonlyMap<number, ReadonlyMap<GraphWorker, number>>;
}

/** Pieces between two looks at `isWanted`. */
const PIECES_AT_ONCE = 20_000;
/** Sleeps are periodic if so many of their ends are whole periods apart, within a share of the period. */
const FEWEST_PERIODS = 5;
const PERIOD_SHARE = 0.05;
/** Least share of sleeps that are alike if all are for one length; others are woken late. */
const MOST_ALIKE = 0.8;

/** @returns undefined: nobody wanted it any more */
export async function pieceDetails(
  graph: HistoryGraph,
  closure: Closure,
  isWanted: () => boolean = () => true,
): Promise<PieceDetails | undefined> {
  const { pieces, workers, from, to } = closure;
  const { owner, begin, end, label, cause } = pieces;
  const timers = new Uint8Array(pieces.length);
  const atDisk = new Float64Array(pieces.length);
  const waits = new Map<number, DiskRequest>();
  const meanwhile = new Map<number, ReadonlyMap<GraphWorker, number>>();
  const disks = new Map<number, DiskWaits>();
  /** Rows of waits that a timer ended, by worker and call. */
  const sleeps = new Map<string, number[]>();
  for (let row = 0; row < pieces.length; row++) {
    if (row % PIECES_AT_ONCE === PIECES_AT_ONCE - 1) {
      await nextTask();
      if (!isWanted()) return undefined;
    }
    const worker = workers.worker[owner[row]];
    const { thread, host: hostNumber } = graph.place(worker);
    if (thread < 0) continue;
    const host = graph.dataOf(worker);
    const kind = label[row] === BLOCKED && pieces.lockWait[row] < 0 ? causeOf(cause[row]) : -1;
    if (label[row] === PREEMPTED) meanwhile.set(row, await runnersOf(host, thread, begin[row], end[row]));
    else if (kind === CAUSE_TIMER) {
      const call = await callAt(host, thread, begin[row]);
      const key = `${owner[row]} ${call}`;
      timers[row] = keepsLength(call) ? TIMER_LENGTH : TIMER_NOT_KNOWN;
      if (timers[row] === TIMER_LENGTH) continue;
      addTo(sleeps, key, row);
    } else if (kind === CAUSE_DISK) {
      const ofHost = disks.get(hostNumber) ?? (await DiskWaits.read(host, from, to));
      disks.set(hostNumber, ofHost);
      const found = await diskTime(host, ofHost, worker, begin[row], end[row]);
      if (found === undefined) continue;
      atDisk[row] = found.ns;
      waits.set(row, found.request);
    }
  }
  for (const rows of sleeps.values()) {
    const isEnd = isPeriodic(rows.map((row) => end[row]));
    if (isEnd || areAlike(rows.map((row) => end[row] - begin[row])))
      for (const row of rows) timers[row] = isEnd ? TIMER_END : TIMER_LENGTH;
  }
  const hosts = [...disks].map(([host, { requests }]) => ({ host, requests }));
  return { timers, atDisk, disks: diskQueues(closure, hosts, waits), meanwhile };
}

/** Whether a call is given the length of its sleep, not its end. */
function keepsLength(call: string): boolean {
  return call === 'nanosleep' || waitsForEvents(call);
}

function isPeriodic(ends: readonly number[]): boolean {
  const apart = ends.slice(1).map((end, i) => end - ends[i]);
  if (apart.length < FEWEST_PERIODS) return false;
  const period = apart.reduce((least, each) => Math.min(least, each), Infinity);
  return apart.every((each) => Math.abs(each - Math.round(each / period) * period) <= PERIOD_SHARE * period);
}

/** Whether most lengths are equal within a share: the thread asked for a length of time, not for a point in time. */
function areAlike(lengths: readonly number[]): boolean {
  const usual = [...lengths].sort((a, b) => a - b)[lengths.length >> 1];
  const alike = lengths.filter((length) => Math.abs(length - usual) <= PERIOD_SHARE * usual).length;
  return lengths.length >= FEWEST_PERIODS && alike >= MOST_ALIKE * lengths.length;
}

/** Name of the system call in which a thread is at a time; '': none, or not known. */
async function callAt({ lists, tables, text }: HostData, thread: number, time: number): Promise<string> {
  const value = valueIn(await lists.read(tables.threads.callAttribute[thread], lists.segmentAt(time)), time);
  return value < 0 ? '' : text(value);
}

/** Time of a wait in which the requests that it waited for were queued or at the device, ns. */
async function diskTime(host: HostData, disks: DiskWaits, worker: GraphWorker, from: number, to: number) {
  let request = disks.endedBy(to, worker);
  for (; disks.missing >= 0; request = disks.endedBy(to, worker)) await host.lists.load(disks.missing);
  if (request === undefined) return undefined;
  let at = from;
  let ns = 0;
  for (const each of disks.leadingTo(request, from, worker)) {
    const begin = Math.max(at, madeAt(each));
    at = Math.max(at, Math.min(to, each.completed));
    ns += Math.max(0, at - begin);
  }
  return { ns, request };
}

async function runnersOf(
  host: HostData,
  thread: number,
  from: number,
  to: number,
): Promise<Map<GraphWorker, number>> {
  const { lists, firstWorker } = host;
  const runners = new QueueRunners(host);
  const found = new Map<GraphWorker, number>();
  for (let at = from; at < to;) {
    const segment = lists.segmentAt(at);
    const end = Math.min(to, lists.beginOf(segment + 1));
    if (!runners.read(thread, segment, at, end)) {
      await lists.load(segment);
      continue;
    }
    for (let i = 0; i < runners.length; i++) {
      if (runners.thread[i] < 0) continue;
      const worker = firstWorker + runners.thread[i];
      found.set(worker, (found.get(worker) ?? 0) + runners.to[i] - runners.from[i]);
    }
    at = end;
  }
  return found;
}

/** Requests completed within the range at all disks of which a request ended a wait, in order of completion. */
export interface DiskQueues {
  readonly length: number;
  readonly requests: readonly DiskRequest[];
  /** Number of its host in the graph. */
  readonly host: Int32Array;
  /** Time when it was made, ns. */
  readonly made: Float64Array;
  readonly completed: Float64Array;
  /** Request that its device completed before it, -1: none. */
  readonly before: Int32Array;
  /** Request whose completion let it be made, as within a journal commit; -1: none. */
  readonly after: Int32Array;
  /** Piece in which it was made, or of its waiter if its maker is not in the closure; -1: its time is fixed. */
  readonly piece: Int32Array;
  /** Request that ended a piece, by row of the piece; -1: none. */
  readonly ofPiece: Int32Array;
}

/**
 * Queues of disks, to find when each request would have been completed if its maker had reached it at another time or
 * the device were faster. The order of completion at a device stays as recorded.
 * @param waits requests that ended pieces, by row of the piece; objects of `hosts`
 */
function diskQueues(
  closure: Closure,
  hosts: readonly { readonly host: number; readonly requests: readonly DiskRequest[] }[],
  waits: ReadonlyMap<number, DiskRequest>,
): DiskQueues {
  const { pieces, workers, from } = closure;
  const list = hosts.flatMap(({ requests, host }) =>
    requests
      .filter(({ completed }) => completed > from)
      .map((request) => ({ request, host, queue: `${host} ${request.device}` })),
  );
  list.sort((a, b) => a.request.completed - b.request.completed);
  const { length } = list;
  const requests = list.map(({ request }) => request);
  const rows = new Map(requests.map((request, row) => [request, row]));
  const made = Float64Array.from(requests, madeAt);
  const completed = Float64Array.from(requests, (request) => request.completed);
  const piece = new Int32Array(length).fill(-1);
  const ofPiece = new Int32Array(pieces.length).fill(-1);
  for (const [at, request] of waits) {
    const row = rows.get(request) ?? -1;
    ofPiece[at] = row;
    // Requests that a worker outside made since the waiter's last wait were made for the waiter.
    let first = at;
    while (first > workers.first[pieces.owner[at]] && pieces.label[first - 1] !== BLOCKED) first--;
    const since = pieces.begin[first];
    for (let i = row; i >= 0 && completed[i] > since; i--)
      if (requests[i].worker === request.worker && requests[i].device === request.device && made[i] >= since)
        piece[i] = pieceBefore(closure, pieces.owner[at], made[i] + 1);
  }
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  const before = new Int32Array(length).fill(-1);
  const after = new Int32Array(length).fill(-1);
  const newest = new Map<string, number>();
  const newestOf = new Map<string, number>();
  list.forEach(({ request, queue }, row) => {
    const maker = numbers.get(request.worker);
    const own = maker === undefined ? -1 : pieceBefore(closure, maker, made[row]);
    if (own >= 0) piece[row] = own;
    before[row] = newest.get(queue) ?? -1;
    newest.set(queue, row);
    const last = newestOf.get(`${queue} ${request.worker}`) ?? -1;
    newestOf.set(`${queue} ${request.worker}`, row);
    const at = piece[row];
    const isWithin = last >= 0 && completed[last] <= made[row] && at >= 0 && pieces.label[at] === BLOCKED;
    if (isWithin && completed[last] > pieces.begin[at]) after[row] = last;
  });
  const host = Int32Array.from(list, (each) => each.host);
  return { length, requests, host, made, completed, before, after, piece, ofPiece };
}
