/**
 * Changes that would help a thread: its range replayed with waits, work or devices gone or faster (`engine/graph/replay`). A saving
 * is a range, [careful, hopeful]: it is a model, which keeps the order in which locks were got and queues served.
 */
import { addTo, groupBy } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { type Closure, firstPieceEndingAfter, readClosure, type TogetherWith } from '../../graph/closure.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { findPath, nextTask } from '../../graph/find-path.ts';
import type { HostData } from '../../graph/history-graph.ts';
import { firstEndingAfter, NO_INTERVAL_LIST } from '../../graph/interval-lists.ts';
import { BLOCKED, PREEMPTED, RUNNING } from '../../graph/path-codes.ts';
import { pathTotals } from '../../graph/path-totals.ts';
import { type PieceDetails, pieceDetails } from '../../graph/piece-details.ts';
import { type Change, Replayer, type ReplayMode } from '../../graph/replay.ts';
import { ReplayedGraph } from '../../graph/replayed-graph.ts';
import type {
  Saving,
  WhatIfAnswer,
  WhatIfKind,
  WhatIfLimit,
  WhatIfLine,
  WhatIfRequest,
  WhatIfTarget,
} from '../../protocol/what-if.ts';
import { processesOf } from '../../layers/locks/graph-lock-waits.ts';
import { futexWords, kernelLockWords, processNames } from '../../layers/locks/lock-names.ts';
import type { FutexWaits } from '../../layers/locks/model/lock-model.ts';
import { CauseList } from '../paths/path-answer.ts';
import type { PathFinder, PathGraph, PathLocks } from '../paths/path-finder.ts';
import { type LocksOfHosts, pathLocks } from '../paths/path-locks.ts';
import { WorkerList } from '../paths/path-workers.ts';

/** Targets of each kind that are replayed, those that take most time: so many, or as many as there is time for. */
const MOST_OF_A_KIND = 50;
const FEWEST_OF_A_KIND = 5;
/** Pieces that are replayed for the targets of a kind. */
const MOST_REPLAYED = 5_000_000;
/** Least share of the range that a target in the list saves when it is gone. */
const LEAST_SHARE = 0.01;
/** Threads set free together whose pieces are read. */
const MOST_TOGETHER = 256;
/** Shares of the path after a change that are named. */
const MOST_LIMITS = 5;

/** A thing that may be changed: rows of pieces, or workers whose running time is. */
interface Target extends WhatIfTarget {
  readonly label: string;
  /** ns that it takes. */
  readonly ns: number;
  /** ns of a piece that are changed, 0: none. */
  readonly timeIn: (row: number) => number;
  /** Workers whose work is changed; none for other kinds. */
  readonly workers: ReadonlySet<GraphWorker>;
  /** Whether a changed wait ends by itself, not by its signal. */
  readonly isOwn: boolean;
}

/** A closure with all that is needed to change it. */
interface Replayed {
  readonly known: PathGraph;
  readonly closure: Closure;
  readonly details: PieceDetails;
  readonly replayer: Replayer;
  readonly locks: PathLocks | undefined;
  readonly ofHosts: LocksOfHosts;
  readonly groups: readonly Group[];
}

/**
 * @param locks undefined: they are not known
 * @returns undefined: there is no such thread, no such target, or nobody waits for the answer any more
 */
export async function whatIf(
  finder: PathFinder,
  request: WhatIfRequest,
  locks: LocksOfHosts | undefined,
  isWanted: () => boolean = () => true,
): Promise<WhatIfAnswer | undefined> {
  const known = await finder.graph();
  const worker = known.workerOfRow(request.row);
  if (worker === undefined) return undefined;
  const range = await finder.rangeOf(known, worker, request.range);
  const ofPaths = locks && pathLocks(known, locks);
  const groups = await setFreeTogether(known, locks ?? []);
  const question = { worker, ...range, locks: ofPaths?.graph.waits, togetherWith: togetherIn(groups) };
  const closure = await readClosure(known.graph, question, isWanted);
  const details = closure && (await pieceDetails(known.graph, closure, isWanted));
  if (closure === undefined || details === undefined) return undefined;
  const replayer = new Replayer(closure, details.timers);
  const replayed = { known, closure, details, replayer, locks: ofPaths, ofHosts: locks ?? [], groups };
  const { factor, target: wanted } = request;
  const targets = wanted === undefined ? targetsOf(replayed) : onlyOne(targetsOf(replayed, Infinity), wanted);
  const lines: WhatIfLine[] = [];
  const least = wanted === undefined ? LEAST_SHARE * (range.to - range.from) : -Infinity;
  for (const target of targets) {
    await nextTask();
    if (!isWanted()) return undefined;
    const { kind, name, label, ns } = target;
    const gone = savingOf(replayed, target, 0);
    if (gone.hopeful < least) continue;
    lines.push({
      kind,
      name,
      label,
      ns,
      saved: factor === 0 ? gone : savingOf(replayed, target, factor),
      gone,
    });
  }
  if (wanted !== undefined && lines.length === 0) return undefined;
  lines.sort((a, b) => b.saved.careful - a.saved.careful || (a.label < b.label ? -1 : 1));
  const limits = wanted === undefined ? [] : await limitsOf(replayed, targets[0], factor);
  return { ...range, factor, lines, limits, threads: closure.workers.length, leftOut: closure.leftOut };
}

/** Waits of threads of a host at a futex that one call of another thread ended, as at a barrier. */
interface Group {
  readonly host: number;
  /** Row of `futexes` of its model. */
  readonly futex: number;
  readonly waits: readonly { readonly worker: GraphWorker; readonly time: number; readonly to: number }[];
}

async function setFreeTogether({ graph, hosts }: PathGraph, ofHosts: LocksOfHosts): Promise<Group[]> {
  const found: Group[] = [];
  for (const { index, tables } of ofHosts) {
    const host = hosts.findIndex((each) => each.index === index);
    if (host < 0) continue;
    const { threads, futexWaits: w } = tables.model;
    const data = graph.hostData(host);
    const isKnown = (thread: number): boolean => thread >= 0 && threads[thread].row >= 0;
    const rows = Array.from({ length: w.length }, (_, row) => row).filter(
      (row) => w.byEnd[row] === 0 && isKnown(w.waker[row]) && isKnown(w.thread[row]),
    );
    for (const ofFutex of groupBy(rows, (row) => `${w.futex[row]} ${w.waker[row]}`).values()) {
      ofFutex.sort((a, b) => w.at[a] - w.at[b]);
      for (let first = 0, next = 1; first < ofFutex.length; first = next++) {
        if (next === ofFutex.length) break;
        const waker = threads[w.waker[ofFutex[first]]].row;
        const end = await endOfCall(data, waker, data.toGraph(w.at[ofFutex[first]]));
        while (next < ofFutex.length && data.toGraph(w.at[ofFutex[next]]) < end) next++;
        if (next - first === 1 || next - first > MOST_TOGETHER) continue;
        const waits = ofFutex.slice(first, next).map((row) => ({
          worker: graph.workerOfThread(host, threads[w.thread[row]].row),
          time: data.toGraph(w.from[row]),
          to: data.toGraph(w.to[row]),
        }));
        found.push({ host, futex: w.futex[ofFutex[first]], waits });
      }
    }
  }
  return found;
}

/** Time at which a thread's system call of a time ends, as far as the segment of history says; -Infinity: it is in none. */
async function endOfCall({ lists, tables }: HostData, thread: number, time: number): Promise<number> {
  const attribute = tables.threads.callAttribute[thread];
  const segment = lists.segmentAt(time);
  if (lists.at(attribute, segment) === undefined) await lists.load(segment);
  const calls = lists.at(attribute, segment) ?? NO_INTERVAL_LIST;
  const at = firstEndingAfter(calls, time);
  return at < calls.length && calls.begin[at] <= time ? calls.end[at] : -Infinity;
}

/** Finder of who came to a barrier together: the last one sets all others free, and none goes on before all have come. */
function togetherIn(groups: readonly Group[]): TogetherWith {
  interface Wait {
    readonly time: number;
    readonly to: number;
    readonly waits: Group['waits'];
  }
  const byWorker = new Map<GraphWorker, Wait[]>();
  for (const { waits } of groups)
    for (const { worker, time, to } of waits) addTo(byWorker, worker, { time, to, waits });
  for (const waits of byWorker.values()) waits.sort((a, b) => a.time - b.time);
  return (worker, time) => {
    const waits = byWorker.get(worker) ?? [];
    const at = firstWhere(0, waits.length, (i) => waits[i].time >= time) - 1;
    return at < 0 || waits[at].to < time ? undefined : waits[at].waits;
  };
}

/** The target of a name; none where several have it. */
function onlyOne(targets: readonly Target[], wanted: WhatIfTarget): Target[] {
  const found = targets.filter((each) => isNamed(each, wanted));
  return found.length === 1 ? found : [];
}

function isNamed({ kind, name, label }: Target, wanted: WhatIfTarget): boolean {
  if (kind !== wanted.kind) return false;
  return (
    wanted.name === name || wanted.name === label || (wanted.name !== '' && name.endsWith(`:${wanted.name}`))
  );
}

function savingOf(replayed: Replayed, target: Target, factor: number): Saving {
  const change = changeOf(replayed, target, factor);
  const saved = MODES.map((mode) => savedBy(replayed, change, mode));
  // Where something takes longer, what keeps its end costs less.
  return { careful: Math.min(...saved), hopeful: Math.max(...saved) };
}

const MODES: readonly ReplayMode[] = ['careful', 'hopeful'];

/** ns by which the range of the thread studied gets shorter. */
function savedBy({ closure, replayer }: Replayed, change: Change, mode: ReplayMode): number {
  const last = closure.workers.first[1] - 1;
  if (last < 0) return 0;
  return Math.round(closure.pieces.end[last] - replayer.replay(change, mode).end[last]);
}

function changeOf({ closure, details }: Replayed, target: Target, factor: number): Change {
  const { length } = closure.pieces;
  const removed = new Float64Array(length);
  const isOwn = new Uint8Array(length);
  const removedMeanwhile = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const ns = target.timeIn(row);
    if (ns === 0) continue;
    removed[row] = (1 - factor) * ns;
    if (target.isOwn) isOwn[row] = 1;
  }
  if (target.workers.size > 0)
    for (const [row, runners] of details.meanwhile)
      for (const [worker, ns] of runners)
        if (target.workers.has(worker)) removedMeanwhile[row] += (1 - factor) * ns;
  return { removed, isOwn, removedMeanwhile };
}

const NOBODY_WORKS: ReadonlySet<GraphWorker> = new Set();

/** All that could be changed, of each kind what takes most time. */
function targetsOf(replayed: Replayed, most = mostFor(replayed.closure.pieces.length)): Target[] {
  const { closure, details } = replayed;
  const { pieces } = closure;
  const { label, begin, end, transit } = pieces;
  const lengthOf = (row: number): number => end[row] - begin[row];
  const found: Target[] = [
    ...lockTargets(replayed, most),
    ...spanTargets(replayed, most),
    ...workTargets(replayed, most),
  ];
  const add = (kind: WhatIfKind, words: string, timeIn: Target['timeIn'], isOwn = false, name = ''): void => {
    let ns = 0;
    for (let row = 0; row < pieces.length; row++) ns += timeIn(row);
    if (ns > 0) found.push({ kind, name, label: words, ns, timeIn, workers: NOBODY_WORKS, isOwn });
  };
  add('cpu', 'waits for a CPU', (row) => (label[row] === PREEMPTED ? lengthOf(row) : 0));
  const { known } = replayed;
  const deviceOf = (row: number): string => {
    const { host } = known.graph.place(closure.workers.worker[pieces.owner[row]]);
    return prefixOf(known, host) + (details.devices.get(row) ?? '');
  };
  for (const [device, rows] of groupBy([...details.devices.keys()], deviceOf)) {
    const own = new Set(rows);
    add('disk', `disk ${device}`, (row) => (own.has(row) ? details.atDisk[row] : 0), false, device);
  }
  add('network', 'packets on their way', (row) => transit[row]);
  add('timer', 'sleeps', (row) => (details.timers[row] > 0 ? lengthOf(row) : 0), true);
  return found;
}

function lockTargets({ known, closure, locks }: Replayed, most: number): Target[] {
  if (locks === undefined) return [];
  const { owner, lockWait, cause, begin, end, label } = closure.pieces;
  const rows = Array.from(lockWait.keys()).filter((row) => lockWait[row] >= 0 && label[row] === BLOCKED);
  const workerOf = (row: number): GraphWorker => closure.workers.worker[owner[row]];
  const byLock = groupBy(rows, (row) => locks.idOf(workerOf(row), cause[row]) ?? '');
  return mostOf(
    most,
    Array.from(byLock.values(), (ofLock): Target => {
      const set = new Set(ofLock);
      const timeIn = (row: number): number => (set.has(row) ? end[row] - begin[row] : 0);
      const [worker, first] = [workerOf(ofLock[0]), cause[ofLock[0]]];
      const name = prefixOf(known, known.graph.place(worker).host) + locks.keyOf(worker, first);
      const words = locks.wordsOf(worker, first);
      const ns = ofLock.reduce((sum, row) => sum + timeIn(row), 0);
      return { kind: 'lock', name, label: words, ns, timeIn, workers: NOBODY_WORKS, isOwn: true };
    }),
  );
}

/** Waits of which no holder is known: at futexes, as far as no events tell of the locks behind, and for locks of the kernel. */
function spanTargets({ known, ofHosts, groups, closure }: Replayed, most: number): Target[] {
  const { pieces, workers } = closure;
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  const found: Target[] = [];
  for (const { index, tables } of ofHosts) {
    const host = known.hosts.findIndex((each) => each.index === index);
    if (host < 0) continue;
    const { threads, locks, futexes, futexWaits, kernelLocks, kernelWaits } = tables.model;
    const { toGraph } = known.graph.hostData(host);
    const prefix = prefixOf(known, host);
    const processes = processNames(threads);
    /** Time of the rows within waits, by row, of those for each of `of`. */
    const timesOf = (
      waits: SpanWaits,
      of: ArrayLike<number>,
      isWanted: (wait: number) => boolean = () => true,
    ): Map<number, number>[] => {
      const times: Map<number, number>[] = [];
      for (let wait = 0; wait < waits.length; wait++) {
        const { row } = threads[waits.thread[wait]];
        const owner = row < 0 ? undefined : numbers.get(known.graph.workerOfThread(host, row));
        if (owner === undefined || !isWanted(wait)) continue;
        const [from, to] = [toGraph(waits.from[wait]), toGraph(waits.to[wait])];
        const ofWait = (times[of[wait]] ??= new Map<number, number>());
        for (let at = firstPieceEndingAfter(closure, owner, from); at < workers.first[owner + 1]; at++) {
          const ns = Math.min(to, pieces.end[at]) - Math.max(from, pieces.begin[at]);
          if (!(pieces.begin[at] < to)) break;
          const before = ofWait.get(at) ?? 0;
          if (ns > 0) ofWait.set(at, Math.min(pieces.end[at] - pieces.begin[at], before + ns));
        }
      }
      return times;
    };
    const add = (kind: WhatIfKind, name: string, label: string, times: ReadonlyMap<number, number>): void => {
      const ns = Array.from(times.values()).reduce((sum, each) => sum + each, 0);
      const timeIn = (row: number): number => times.get(row) ?? 0;
      if (ns > 0) found.push({ kind, name, label, ns, timeIn, workers: NOBODY_WORKS, isOwn: true });
    };
    const covered = processesOf(locks);
    // At a barrier or a condition there is nothing that could be gone.
    const together = new Set(groups.filter((each) => each.host === host).map(({ futex }) => futex));
    // Who waits for a thread's end waits for no lock, nor who gives up.
    const isOfLock = (wait: number): boolean => futexWaits.waker[wait] >= 0 && futexWaits.byEnd[wait] === 0;
    timesOf(futexWaits, futexWaits.futex, isOfLock).forEach((times, row) => {
      const futex = futexes[row];
      if (covered.has(futex.process) || together.has(row)) return;
      const words = futexWords(futex, processes.get(futex.process) ?? '');
      add('futex', `${prefix}${futex.process}:${futex.address}`, `${words}, if it is a lock`, times);
    });
    const flags: Set<number>[] = [];
    for (let wait = 0; wait < kernelWaits.length; wait++)
      (flags[kernelWaits.lock[wait]] ??= new Set<number>()).add(kernelWaits.flags[wait]);
    timesOf(kernelWaits, kernelWaits.lock).forEach((times, row) => {
      add('lock', prefix + kernelLocks[row].address, kernelLockWords(kernelLocks[row], flags[row]), times);
    });
  }
  return mostOf(most, found);
}

/** Prefix of names of a host where there are several. */
function prefixOf({ hosts, names }: PathGraph, host: number): string {
  return names.length === 1 ? '' : `${names[hosts[host].index]}:`;
}

type SpanWaits = Pick<FutexWaits, 'length' | 'thread' | 'from' | 'to'>;

/** Work of threads, and of programs of which several threads work. */
function workTargets({ known, closure }: Replayed, most: number): Target[] {
  const { pieces, workers } = closure;
  const { owner, label, begin, end } = pieces;
  const list = new WorkerList(known);
  const ran = new Float64Array(workers.length);
  for (let row = 0; row < pieces.length; row++)
    if (label[row] === RUNNING) ran[owner[row]] += end[row] - begin[row];
  const target = (kind: WhatIfKind, name: string, words: string, numbers: readonly number[]): Target => {
    const set = new Set(numbers);
    return {
      kind,
      name,
      label: words,
      ns: numbers.reduce((sum, number) => sum + ran[number], 0),
      timeIn: (row) => (label[row] === RUNNING && set.has(owner[row]) ? end[row] - begin[row] : 0),
      workers: new Set(numbers.map((number) => workers.worker[number])),
      isOwn: false,
    };
  };
  const described = Array.from(ran.keys(), (number) => {
    return { number, ...list.list[list.indexOf(workers.worker[number])] };
  }).filter(({ number, tid }) => ran[number] > 0 && tid !== undefined);
  const placeOf = (number: number): number => known.graph.place(workers.worker[number]).host;
  const threads = described.map(({ number, row, label: words }) => {
    const key = row?.split(':').slice(2).join(':') ?? '';
    return target('thread', prefixOf(known, placeOf(number)) + key, words, [number]);
  });
  const programs = groupBy(
    described,
    ({ number, process, name }) => prefixOf(known, placeOf(number)) + (process?.name ?? name),
  );
  const ofPrograms = [...programs]
    .filter(([, ofProgram]) => ofProgram.length > 1)
    .map(([name, ofProgram]) => {
      const numbers = ofProgram.map(({ number }) => number);
      return target('program', name, `program ${name}`, numbers);
    });
  return [...mostOf(most, threads), ...mostOf(most, ofPrograms)];
}

function mostOf(most: number, targets: readonly Target[]): Target[] {
  return [...targets].sort((a, b) => b.ns - a.ns).slice(0, most);
}

/** Targets of a kind that are replayed for so many pieces. */
function mostFor(pieces: number): number {
  return Math.max(FEWEST_OF_A_KIND, Math.min(MOST_OF_A_KIND, Math.floor(MOST_REPLAYED / pieces)));
}

/** Shares of the critical path after a change, most time first. */
async function limitsOf(replayed: Replayed, target: Target, factor: number): Promise<WhatIfLimit[]> {
  const { known, closure, replayer, locks } = replayed;
  const change = changeOf(replayed, target, factor);
  const mode = factor > 1 ? 'hopeful' : 'careful';
  const graph = new ReplayedGraph(closure, change, replayer.replay(change, mode));
  const [worker] = closure.workers.worker;
  const path = await findPath(graph, { worker, from: closure.from, to: graph.to, criterion: 'main task' });
  if (path === undefined) return [];
  const { segments: s } = path;
  const workers = new WorkerList(known);
  const causes = new CauseList(known, locks, false);
  const totals = pathTotals(
    path,
    (each) => each,
    (i, take) => {
      const index = causes.indexOf(s.worker[i], s.label[i], s.cause[i]);
      take(s.label[i], s.to[i] - s.from[i], causes.list[index] ?? '');
    },
  );
  return totals.slice(0, MOST_LIMITS).map(({ group, value, detail, ns }) => {
    return { text: `${workers.textOf(group)} ${doing(value, detail)}`, ns };
  });
}

function doing(label: number, cause: string): string {
  if (label === RUNNING) return cause === '' ? 'runs' : `runs ${cause}`;
  if (label === PREEMPTED) return 'waits for a CPU';
  if (label === BLOCKED) return `waits, ${cause}`;
  return cause === '' ? 'unknown' : `unknown: ${cause}`;
}
