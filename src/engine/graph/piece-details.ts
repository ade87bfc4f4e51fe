/**
 * Details of pieces that a replay needs beside their edges: which kind of timer ended a wait, how long it was for a disk,
 * and who ran meanwhile where a thread waited for a CPU. Read from the histories.
 */
import { addTo } from '../base/group-by.ts';
import { CAUSE_DISK, CAUSE_TIMER, causeOf } from '../linux/events/values.ts';
import type { Closure } from './closure.ts';
import { type DiskRequest, madeAt } from './disk-log.ts';
import { type DiskQueues, diskQueues } from './disk-queues.ts';
import { DiskWaits } from './disk-waits.ts';
import type { GraphWorker } from './execution-graph.ts';
import { nextTask } from './find-path.ts';
import { waitsForEvents } from './folding.ts';
import type { HistoryGraph, HostData } from './history-graph.ts';
import { valueIn } from './interval-lists.ts';
import { BLOCKED, PREEMPTED } from './path-codes.ts';
import { QueueRunners } from './queue-runners.ts';
import { TIMER_END, TIMER_LENGTH, TIMER_NOT_KNOWN } from './replay.ts';

export interface PieceDetails {
  /** TIMER_* by piece; 0: no timer ended it. */
  readonly timers: Uint8Array;
  /** ns of each piece in which a request of a disk was queued or served; of others 0. */
  readonly atDisk: Float64Array;
  readonly disks: DiskQueues;
  /** Threads that ran meanwhile, and for how long, by row of each piece that waited for a CPU. */
  readonly meanwhile: ReadonlyMap<number, ReadonlyMap<GraphWorker, number>>;
}

/** Pieces between two looks at `isWanted`. */
const PIECES_AT_ONCE = 20_000;
/** Ends of sleeps are those of a period where so many are whole periods apart, but for a share of the period. */
const FEWEST_PERIODS = 5;
const PERIOD_SHARE = 0.05;
/** Share of sleeps that are alike where all are for one length: others are woken late. */
const MOST_ALIKE = 0.8;

/** @returns undefined when nobody wanted it any more */
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

/** Whether a call takes the length of its sleep, not its end. */
function keepsLength(call: string): boolean {
  return call === 'nanosleep' || waitsForEvents(call);
}

function isPeriodic(ends: readonly number[]): boolean {
  const apart = ends.slice(1).map((end, i) => end - ends[i]);
  if (apart.length < FEWEST_PERIODS) return false;
  const period = apart.reduce((least, each) => Math.min(least, each), Infinity);
  return apart.every((each) => Math.abs(each - Math.round(each / period) * period) <= PERIOD_SHARE * period);
}

/** Whether most lengths are one, but for a share of it: a time to wait was asked for, not a time to wait for. */
function areAlike(lengths: readonly number[]): boolean {
  const usual = [...lengths].sort((a, b) => a - b)[lengths.length >> 1];
  const alike = lengths.filter((length) => Math.abs(length - usual) <= PERIOD_SHARE * usual).length;
  return lengths.length >= FEWEST_PERIODS && alike >= MOST_ALIKE * lengths.length;
}

/** Name of the system call in which a thread is at a time; '': in none, or none is known. */
async function callAt({ lists, tables, text }: HostData, thread: number, time: number): Promise<string> {
  const value = valueIn(await lists.read(tables.threads.callAttribute[thread], lists.segmentAt(time)), time);
  return value < 0 ? '' : text(value);
}

/** Time of a wait in which the requests that it waited for were queued or at the device. */
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
