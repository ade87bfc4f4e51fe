/** Everything that can be changed in a closure, of each kind what takes most time. */
import { addTo, groupBy } from '../../base/group-by.ts';
import { type Closure, firstPieceEndingAfter } from '../../graph/closure.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { BLOCKED, PREEMPTED, RUNNING } from '../../graph/path-codes.ts';
import type { PieceDetails } from '../../graph/piece-details.ts';
import type { WhatIfKind, WhatIfTarget } from '../../protocol/what-if.ts';
import { processesOf } from '../../layers/locks/graph-lock-waits.ts';
import type { FutexWaits } from '../../layers/locks/model/lock-model.ts';
import { callOfFrame } from '../../layers/stacks/call-frame.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import { name as nameOf, said, word } from '../../words/sentence.ts';
import type { LockHost } from '../locks/lock-hosts.ts';
import type { PathGraph, PathLocks } from '../paths/path-finder.ts';
import { WorkerList } from '../paths/path-workers.ts';
import type { Group } from './together.ts';
import { type Work } from './work-shares.ts';

/** Something that can be changed: time of pieces, or of requests at a disk. */
export interface Target extends WhatIfTarget {
  readonly label: readonly NamedPart[];
  /** ns that it takes. */
  readonly ns: number;
  /** Calls `take` with the ns of each piece that change, possibly in several parts. */
  readonly eachPart: (take: (row: number, ns: number) => void) => void;
  /** Whether a changed wait ends by itself, not by a signal. */
  readonly isOwn: boolean;
  /** Disk requests whose service time changes; other kinds have none. */
  readonly requests?: readonly number[];
}

/** Parts of a closure that can be changed. */
export interface Changeable {
  readonly known: PathGraph;
  readonly closure: Closure;
  readonly details: PieceDetails;
  readonly work: Work;
  readonly locks: PathLocks | undefined;
  readonly lockHosts: readonly LockHost[];
  /** Display names of locks by id: from symbols, and from the user. */
  readonly lockNames: ReadonlyMap<string, string>;
  readonly groups: readonly Group[];
}

/**
 * @param most targets of a kind; then, of functions that ran in the same stacks, only the innermost, and none without a
 * name; undefined: all
 */
export function targetsOf(of: Changeable, most?: number): Target[] {
  const names = new Names(of);
  const found = [
    ...lockTargets(of, names),
    ...spanTargets(of),
    ...workerTargets(of, names),
    ...frameTargets(of, most !== undefined),
    ...waitTargets(of, names),
  ].filter(({ ns }) => ns > 0);
  found.sort((a, b) => b.ns - a.ns);
  return [...groupBy(found, ({ kind }) => kind).values()].flatMap((ofKind) => ofKind.slice(0, most));
}

/** Names of the workers of a closure, by their numbers there. */
class Names {
  readonly #list: WorkerList;

  constructor(private readonly changeable: Changeable) {
    this.#list = new WorkerList(changeable.known);
  }

  of(worker: GraphWorker) {
    const { known } = this.changeable;
    const described = this.#list.list[this.#list.indexOf(worker)];
    const prefix = prefixOf(known, known.graph.place(worker).host);
    const key = described.row?.split(':').slice(2).join(':') ?? '';
    const program = prefix + (described.process?.name ?? described.name);
    return {
      prefix,
      key: prefix + key,
      label: described.label,
      program,
      isThread: described.tid !== undefined,
      isIdle: described.tid === 0,
    };
  }

  ofRow(row: number) {
    const { pieces, workers } = this.changeable.closure;
    return this.of(workers.worker[pieces.owner[row]]);
  }
}

function prefixOf({ hosts, names }: PathGraph, host: number): string {
  return names.length === 1 ? '' : `${names[hosts[host].index]}:`;
}

/** A target of whole pieces, or of the time that `nsOf` returns. */
function ofRows(
  { closure: { pieces } }: Changeable,
  target: Pick<Target, 'kind' | 'name' | 'label' | 'isOwn'>,
  rows: readonly number[],
  nsOf = (row: number): number => pieces.end[row] - pieces.begin[row],
): Target {
  const ns = rows.reduce((sum, row) => sum + nsOf(row), 0);
  const eachPart: Target['eachPart'] = (take) => {
    for (const row of rows) take(row, nsOf(row));
  };
  return { ...target, ns, eachPart };
}

function rowsWhere({ closure: { pieces } }: Changeable, isWanted: (row: number) => boolean): number[] {
  const rows: number[] = [];
  for (let row = 0; row < pieces.length; row++) if (isWanted(row)) rows.push(row);
  return rows;
}

function lockTargets(of: Changeable, names: Names): Target[] {
  const { closure, locks } = of;
  if (locks === undefined) return [];
  const { owner, lockWait, cause, label } = closure.pieces;
  const workerOf = (row: number): GraphWorker => closure.workers.worker[owner[row]];
  const rows = rowsWhere(of, (row) => lockWait[row] >= 0 && label[row] === BLOCKED);
  const byLock = groupBy(rows, (row) => locks.idOf(workerOf(row), cause[row]) ?? '');
  return Array.from(byLock.values(), (ofLock) => {
    const [worker, first] = [workerOf(ofLock[0]), cause[ofLock[0]]];
    const name = names.of(worker).prefix + locks.keyOf(worker, first);
    const label = said`${nameOf(locks.wordsOf(worker, first), 'lock')}`;
    return ofRows(of, { kind: 'lock', name, label, isOwn: true }, ofLock);
  });
}

/** Waits without a known holder: at futexes whose lock no events name, and for locks of the kernel. */
function spanTargets(of: Changeable): Target[] {
  const { known, lockHosts, lockNames, groups, closure } = of;
  const { pieces, workers } = closure;
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  const found: Target[] = [];
  for (const lockHost of lockHosts) {
    const host = known.hosts.findIndex(({ index }) => index === lockHost.index);
    if (host < 0) continue;
    const { threads, locks, futexes, futexWaits, kernelLocks, kernelWaits } = lockHost.results.model;
    const { toGraph } = known.graph.hostData(host);
    const prefix = prefixOf(known, host);
    /** Time of the pieces within waits, by piece, for each of `ofWaits`. */
    const timesOf = (
      waits: SpanWaits,
      ofWaits: ArrayLike<number>,
      isWanted: (wait: number) => boolean = () => true,
    ): Map<number, number>[] => {
      const times: Map<number, number>[] = [];
      for (let wait = 0; wait < waits.length; wait++) {
        const { row } = threads[waits.thread[wait]];
        const owner = row < 0 ? undefined : numbers.get(known.graph.workerOfThread(host, row));
        if (owner === undefined || !isWanted(wait)) continue;
        const [from, to] = [toGraph(waits.from[wait]), toGraph(waits.to[wait])];
        const ofWait = (times[ofWaits[wait]] ??= new Map<number, number>());
        for (let at = firstPieceEndingAfter(closure, owner, from); at < workers.first[owner + 1]; at++) {
          const ns = Math.min(to, pieces.end[at]) - Math.max(from, pieces.begin[at]);
          if (!(pieces.begin[at] < to)) break;
          const before = ofWait.get(at) ?? 0;
          if (ns > 0) ofWait.set(at, Math.min(pieces.end[at] - pieces.begin[at], before + ns));
        }
      }
      return times;
    };
    const add = (
      kind: WhatIfKind,
      name: string,
      label: Target['label'],
      times: ReadonlyMap<number, number>,
    ): void => {
      const nsOf = (row: number): number => times.get(row) ?? 0;
      found.push(ofRows(of, { kind, name, label, isOwn: true }, [...times.keys()], nsOf));
    };
    const covered = processesOf(locks);
    // Waits at a barrier or a condition are for no lock that could be removed.
    const together = new Set(groups.filter((each) => each.host === host).map(({ futex }) => futex));
    // A thread that waits for another's end, or that gives up, waits for no lock.
    const isOfLock = (wait: number): boolean => futexWaits.waker[wait] >= 0 && futexWaits.byEnd[wait] === 0;
    timesOf(futexWaits, futexWaits.futex, isOfLock).forEach((times, row) => {
      const futex = futexes[row];
      if (covered.has(futex.process) || together.has(row)) return;
      const shown = lockNames.get(lockHost.futexId(row)) ?? lockHost.futexName(row);
      const label = said`${nameOf(shown, 'lock')}, if it is a lock`;
      add('futex', `${prefix}${futex.process}:${futex.address}`, label, times);
    });
    timesOf(kernelWaits, kernelWaits.lock).forEach((times, row) => {
      const shown = lockNames.get(lockHost.kernelLockId(row)) ?? lockHost.kernelLockName(row);
      add('lock', prefix + kernelLocks[row].address, said`${nameOf(shown, 'lock')}`, times);
    });
  }
  return found;
}

type SpanWaits = Pick<FutexWaits, 'length' | 'thread' | 'from' | 'to'>;

/** Work of threads, and of programs with several working threads. */
function workerTargets(of: Changeable, names: Names): Target[] {
  const { pieces } = of.closure;
  const rows = rowsWhere(of, (row) => pieces.label[row] === RUNNING && names.ofRow(row).isThread);
  const threads = groupBy(rows, (row) => names.ofRow(row).key);
  const programs = groupBy(threads.values(), ([row]) => names.ofRow(row).program);
  const ofThreads = Array.from(threads, ([name, ofThread]) => {
    const label = said`${nameOf(names.ofRow(ofThread[0]).label, 'thread')}`;
    return ofRows(of, { kind: 'thread', name, label, isOwn: false }, ofThread);
  });
  const ofPrograms = [...programs]
    .filter(([, ofProgram]) => ofProgram.length > 1)
    .map(([name, ofProgram]) => {
      const label = said`program ${nameOf(name, 'program')}`;
      return ofRows(of, { kind: 'program', name, label, isOwn: false }, ofProgram.flat());
    });
  return [...ofThreads, ...ofPrograms];
}

/** End of a frame that is an address without a function. */
const ADDRESS = /0x[0-9a-f]+$/;

/** Running time in system calls, in functions with all that they call, and in functions alone. */
function frameTargets({ work }: Changeable, isRanked: boolean): Target[] {
  const { parts, stacks } = work;
  const nsOfStack = new Float64Array(stacks.length);
  for (let i = 0; i < parts.length; i++) nsOfStack[parts.stack[i]] += parts.ns[i];
  const found: Target[] = [];
  const add = (kind: WhatIfKind, name: string, label: Target['label'], ofFrame: readonly number[]): void => {
    const isIn = new Uint8Array(stacks.length);
    for (const stack of ofFrame) isIn[stack] = 1;
    const ns = ofFrame.reduce((sum, stack) => sum + nsOfStack[stack], 0);
    const eachPart: Target['eachPart'] = (take) => {
      for (let i = 0; i < parts.length; i++)
        if (isIn[parts.stack[i]] === 1) take(parts.piece[i], parts.ns[i]);
    };
    found.push({ kind, name, label, ns, eachPart, isOwn: false });
  };
  const within = new Map<string, number[]>();
  const innermost = new Map<string, number[]>();
  stacks.forEach((frames, stack) => {
    for (const frame of new Set(frames)) addTo(within, frame, stack);
    if (frames.length > 0) addTo(innermost, frames[frames.length - 1], stack);
  });
  // Frames of a stack are in order, so the last one with the same stacks is the innermost.
  const last = new Map([...within].map(([frame, ofFrame]) => [ofFrame.join(), frame]));
  for (const [frame, ofFrame] of within) {
    const call = callOfFrame(frame);
    if (call !== undefined) {
      add('call', call, said`system call ${word(call)}`, ofFrame);
      continue;
    }
    if (isRanked && (ADDRESS.test(frame) || last.get(ofFrame.join()) !== frame)) continue;
    const words = said`function ${nameOf(frame, 'function')}`;
    add('function', frame, words, ofFrame);
    const own = innermost.get(frame) ?? [];
    if (own.length > 0 && own.length < ofFrame.length)
      add('function-self', frame, said`${words} itself, without what it calls`, own);
  }
  return found;
}

/** Waits for CPUs, disks, the network and timers, and interrupts. */
function waitTargets(of: Changeable, names: Names): Target[] {
  const { known, closure, details, work } = of;
  const { pieces } = closure;
  const found: Target[] = [];
  /** Adds all of a kind, and those of each thread where several have some. */
  const add = (
    kind: WhatIfKind,
    label: Target['label'],
    ofThread: Target['label'],
    isOwn: boolean,
    rows: readonly number[],
    nsOf?: (row: number) => number,
  ) => {
    const threads = groupBy(rows, (row) => names.ofRow(row).key);
    found.push(ofRows(of, { kind, name: '', label, isOwn }, rows, nsOf));
    if (threads.size < 2) return;
    for (const [name, own] of threads) {
      const ofOne = said`${ofThread} ${nameOf(names.ofRow(own[0]).label, 'thread')}`;
      found.push(ofRows(of, { kind, name, label: ofOne, isOwn }, own, nsOf));
    }
  };
  const ready = rowsWhere(of, (row) => pieces.label[row] === PREEMPTED);
  add('cpu', said`waits for a CPU`, said`waits for a CPU of`, false, ready);
  const asleep = rowsWhere(of, (row) => details.timers[row] > 0);
  add('timer', said`sleeps`, said`sleeps of`, true, asleep);
  const runners = new Map<GraphWorker, number[]>();
  for (const [row, meanwhile] of details.meanwhile)
    for (const runner of meanwhile.keys()) if (!names.of(runner).isIdle) addTo(runners, runner, row);
  for (const [runner, rows] of runners) {
    const { key, label } = names.of(runner);
    const target = {
      kind: 'cpu-taken',
      name: key,
      label: said`waits for a CPU that ${nameOf(label, 'thread')} had`,
      isOwn: false,
    } as const;
    found.push(ofRows(of, target, rows, (row) => details.meanwhile.get(row)?.get(runner) ?? 0));
  }
  const { disks, atDisk } = details;
  const waits = rowsWhere(of, (row) => disks.ofPiece[row] >= 0);
  const deviceOf = (request: number): string =>
    prefixOf(known, disks.host[request]) + disks.requests[request].device;
  const requests = groupBy([...disks.requests.keys()], deviceOf);
  for (const [name, rows] of groupBy(waits, (row) => deviceOf(disks.ofPiece[row]))) {
    const target = ofRows(
      of,
      { kind: 'disk', name, label: said`disk ${nameOf(name, 'disk')}`, isOwn: false },
      rows,
      (row) => atDisk[row],
    );
    found.push({ ...target, requests: requests.get(name) });
  }
  const sent = rowsWhere(of, (row) => pieces.transit[row] > 0);
  const label = said`packets on their way`;
  found.push(
    ofRows(of, { kind: 'network', name: '', label, isOwn: false }, sent, (row) => pieces.transit[row]),
  );
  const { interrupted } = work;
  add(
    'interrupt',
    said`interrupts`,
    said`interrupts of`,
    false,
    [...interrupted.keys()],
    (row) => interrupted.get(row) ?? 0,
  );
  return found;
}
