/**
 * Locks by place: who asks for each, who holds it and who releases it to others, by call stack where one was recorded,
 * else by system call. A stack from before the request may be another one, so a stack counts for a lock of the program
 * only if it was recorded with the request, or in the system call in which the thread waited. Sums are those of the
 * tables of locks.
 */
import { addTo } from '../../base/group-by.ts';
import { stableOrder } from '../../base/stable-order.ts';
import type { HostNs } from '../../base/units.ts';
import { isFutexCall } from '../../graph/folding.ts';
import { firstEndingAfter } from '../../graph/interval-lists.ts';
import type { HostData } from '../../graph/history-graph.ts';
import { ThreadContexts } from '../../layers/executions/ecct/thread-contexts.ts';
import { threadName } from '../../layers/executions/ecct/thread-contexts.ts';
import { isLibraryFrame, isUnnamedFrame } from '../../layers/executions/frames.ts';
import { ROOT, UnionTree } from '../../layers/executions/union-tree.ts';
import { CONTENDED } from '../../layers/locks/model/lock-model.ts';
import { waitParts } from '../../layers/locks/results/wait-parts.ts';
import { callOfFrame, isCallFrame } from '../../layers/stacks/call-frame.ts';
import { frameWords } from '../../layers/stacks/frame-names.ts';
import { type KernelStacks, NO_STACKS } from '../../layers/stacks/kernel-stacks.ts';
import { wakerFrame } from '../../layers/stacks/profile.ts';
import type { LockPlaceLine } from '../../protocol/locks.ts';
import type { AnswerTo } from '../context/query.ts';
import { hasCalls } from '../context/recorded.ts';
import { type HolderlessColumns, kernelLockPlace, kernelWaitCalls } from '../locks/holderless-locks.ts';
import { type LockHost, lockHosts } from '../locks/lock-hosts.ts';
import { ProfileSums } from './profile-sums.ts';
import { stacksOf } from './stacks-of.ts';

const NOT_RECORDED = 'not recorded';
const NO_CALL = 'outside of system calls';
const NOBODY_KNOWN = 'nobody known';

export const lockPlaces: AnswerTo<'lockPlaces'> = async (context, request) => {
  const hosts = await lockHosts(context);
  const known = await context.trace.paths.graph();
  if (hosts === undefined || known.hosts.length === 0) return undefined;
  const sums = new ProfileSums();
  const lines: LockPlaceLine[][] = [];
  for (const [place, { index, clock }] of known.hosts.entries()) {
    const host = hosts.find((each) => each.index === index);
    if (host === undefined) continue;
    const stacks = await stacksOf(context, index, { withInlined: true });
    const atGraph = stacks?.atTimes((time) => clock.toExperiment(time));
    const isCalled = host.history !== undefined && hasCalls(host.history);
    const sites = sitesOf(known.graph.hostData(place), stacks, atGraph, isCalled ? NO_CALL : NOT_RECORDED);
    for (const lock of await locksOfHost(host)) {
      context.signal?.throwIfAborted();
      if (request.lock === undefined || request.lock === lock.id)
        lines.push(await placesOf(lock, sites, sums));
    }
  }
  const waitNs = (places: readonly LockPlaceLine[]) => places.reduce((sum, line) => sum + line.waitNs, 0);
  const places = lines.sort((a, b) => waitNs(b) - waitNs(a)).flat();
  return { places, tree: sums.profile().tree };
};

/** A request, which may have waited. Threads are rows of the kernel's table; -1: not known. */
interface Asked {
  readonly thread: number;
  readonly from: HostNs;
  readonly to: HostNs;
  readonly isWait: boolean;
  readonly waitNs: number;
  /** NaN: not acquired, or the length of the hold is not known. */
  readonly holdNs: number;
  /**
   * Whether it is a program's lock: the request is no system call, but waits are in one for futexes, unless it is a
   * file's.
   */
  readonly isOfProgram: boolean;
  readonly isInFutex: boolean;
  /** Calls `take` for each part of the wait, with the holder's request, or with who woke the waiter and when. */
  readonly parts: (take: (by: Giver, ns: number) => void) => void;
}

interface Giver {
  /** Row of the holder's request among those of the lock; -1: none of these. */
  readonly request: number;
  readonly thread: number;
  /** HostNs at which it woke the waiter; NaN: `request` gives the place, or not known. */
  readonly time: HostNs;
}

interface AskedLock {
  readonly id: string;
  readonly name: string;
  readonly requests: readonly Asked[];
}

/** Locks of programs, then futexes outside of these, then locks of the kernel. */
async function locksOfHost(host: LockHost): Promise<AskedLock[]> {
  const { model } = host.results;
  const { waits, futexWaits, kernelWaits } = model;
  const rowOf = (thread: number) => model.threads[thread]?.row ?? -1;
  const parts = waitParts(model);
  const found = host.results.known().map((lock): AskedLock => {
    const rows = host.results.rowsOf(lock);
    const isInFutex = model.locks[lock].kind !== 'file';
    const places = new Map([...rows].map((row, place) => [row, place]));
    const requests = Array.from(rows, (row): Asked => {
      const isWait = (waits.flags[row] & CONTENDED) !== 0;
      const [from, to] = [waits.request[row], waits.end[row]];
      return {
        ...{ thread: rowOf(waits.thread[row]), from, to, isWait, isOfProgram: true, isInFutex },
        waitNs: isWait ? to - from : 0,
        holdNs: waits.to[row] - to,
        parts: (take) =>
          isWait &&
          parts.each(row, (holder, begin, end, _, hold) =>
            take({ request: places.get(hold) ?? -1, thread: rowOf(holder), time: NaN }, end - begin),
          ),
      };
    });
    return { id: host.lockId(lock), name: host.lockName(lock), requests };
  });
  const given = (columns: HolderlessColumns, row: number, ns: number): Asked => ({
    ...{ thread: rowOf(columns.thread[row]), from: columns.from[row], to: columns.to[row] },
    ...{ isWait: ns > 0, waitNs: ns, holdNs: NaN, isOfProgram: false, isInFutex: false },
    parts: (take) => take({ request: -1, thread: rowOf(columns.waker[row]), time: columns.at[row] }, ns),
  });
  const byLock = new Map<string, { name: string; requests: Asked[] }>();
  const requestsOf = (id: string, name: () => string): Asked[] => {
    const lock = byLock.get(id) ?? { name: name(), requests: [] };
    byLock.set(id, lock);
    return lock.requests;
  };
  for (let row = 0; row < futexWaits.length; row++) {
    const futex = futexWaits.futex[row];
    if (host.lockOfFutex(futex) >= 0) continue;
    const requests = requestsOf(host.futexId(futex), () => host.futexName(futex));
    requests.push(given(futexWaits, row, futexWaits.blocked[row]));
  }
  const calls = await kernelWaitCalls(host);
  for (let row = 0; row < kernelWaits.length; row++) {
    const lock = kernelWaits.lock[row];
    const name = () => `${host.kernelLockName(lock)} (${kernelLockPlace(host, lock, calls)})`;
    const requests = requestsOf(host.kernelLockId(lock), name);
    requests.push(given(kernelWaits, row, kernelWaits.to[row] - kernelWaits.from[row]));
  }
  return [...found, ...Array.from(byLock, ([id, lock]) => ({ id, ...lock }))];
}

type Sums = { -readonly [Key in keyof LockPlaceLine]: LockPlaceLine[Key] };

async function placesOf({ id, name, requests }: AskedLock, sites: Sites, sums: ProfileSums) {
  const stacks: (readonly string[])[] = [];
  for (const row of stableOrder(Float64Array.from(requests, ({ from }) => from)))
    stacks[row] = await sites.ofRequest(requests[row]);
  const lines = new Map<string, Sums>();
  const lineOf = (stack: readonly string[]): Sums => {
    const place = placeText(stack);
    const numbers = { requests: 0, waits: 0, waitNs: 0, maxNs: 0, holds: 0, holdNs: 0, blameNs: 0 };
    const line = lines.get(place) ?? { lock: id, name, place, ...numbers };
    lines.set(place, line);
    return line;
  };
  /** Parts of waits by the place of their giver, which is looked up after this loop, as it takes time. */
  const parts = new Map<number, { readonly by: Giver; readonly ns: number }[]>();
  for (const [row, request] of requests.entries()) {
    const line = lineOf(stacks[row]);
    line.requests++;
    if (request.isWait) line.waits++;
    line.waitNs += request.waitNs;
    line.maxNs = Math.max(line.maxNs, request.waitNs);
    if (!Number.isNaN(request.holdNs)) {
      line.holds++;
      line.holdNs += request.holdNs;
    }
    request.parts((by, ns) => ns > 0 && addTo(parts, row, { by, ns }));
  }
  for (const [row, pieces] of parts)
    for (const { by, ns } of pieces) {
      const stack = by.request >= 0 ? stacks[by.request] : await sites.ofGiver(by);
      lineOf(stack).blameNs += ns;
      const givers = by.thread < 0 ? [] : [...stack, sites.threadFrame(by.thread)].reverse();
      const above = by.thread < 0 ? [NOBODY_KNOWN] : [...givers.slice(1), givers[0]];
      sums.add([frameWords(`waits for ${name}`), ...stacks[row], ...above.map(wakerFrame)], ns, 0);
    }
  return [...lines.values()].sort(
    (a, b) => b.waitNs - a.waitNs || b.blameNs - a.blameNs || b.requests - a.requests,
  );
}

/** "cache_lookup › futex": the innermost function of the program that has a name, and the system call. */
function placeText(stack: readonly string[]): string {
  const call = stack.find(isCallFrame);
  const before = call === undefined ? stack : stack.slice(0, stack.indexOf(call));
  const named =
    before.findLast((frame) => !isUnnamedFrame(frame) && !isLibraryFrame(frame)) ??
    before.findLast((frame) => !isUnnamedFrame(frame)) ??
    before.at(-1);
  const isStack = named !== undefined && !named.startsWith('[');
  return [...(isStack ? [named] : []), ...(call === undefined ? [] : [callOfFrame(call)])].join(' › ');
}

/** Call stacks of a host's threads at the times of their requests. */
type Sites = ReturnType<typeof sitesOf>;

/**
 * @param atGraph converts to the graph's time, in which stacks are
 * @param noCall place of a thread outside of system calls
 */
function sitesOf(
  data: HostData,
  stacks: KernelStacks | undefined,
  atGraph: KernelStacks | undefined,
  noCall: string,
) {
  const { lists, tables, text, toGraph } = data;
  const contexts = new UnionTree();
  const reader = new ThreadContexts(data, atGraph ?? NO_STACKS, contexts);
  const above = contexts.child(ROOT, '');

  /** Whether a stack was recorded exactly then. */
  const isCertain = (thread: number, time: HostNs): boolean =>
    stacks?.isEntered(thread) === true || stacks?.since(thread, time) === time;

  /** First time of the graph within [from, to] at which a thread is in a call, or in a futex call; undefined: none. */
  const callFrom = async (thread: number, from: number, to: number, isFutex: boolean) => {
    const attribute = tables.threads.callAttribute[thread];
    for (let segment = lists.segmentAt(from); lists.beginOf(segment) <= to; segment++) {
      const calls = await lists.read(attribute, segment);
      for (let at = firstEndingAfter(calls, from); at < calls.length; at++) {
        if (calls.begin[at] > to) return undefined;
        if (!isFutex || isFutexCall(text(calls.value[at]))) return Math.max(from, calls.begin[at]);
      }
    }
    return undefined;
  };

  const stackAt = async (thread: number, time: number): Promise<readonly string[]> => {
    while (!reader.find(above, thread, time)) await lists.load(lists.segmentAt(time));
    const { frames, parent, frame } = contexts;
    const texts: string[] = [];
    for (let at = reader.node; at !== above; at = parent[at]) texts.push(frames[frame[at]]);
    return texts.length === 0 ? [noCall] : texts.reverse();
  };

  return {
    threadFrame: (thread: number): string => `thread ${threadName(data, thread)}`,

    async ofRequest({ thread, from, to, isOfProgram, isInFutex }: Asked): Promise<readonly string[]> {
      if (thread < 0) return [NOT_RECORDED];
      if (isCertain(thread, from)) return stackAt(thread, toGraph(from));
      const call = await callFrom(thread, toGraph(from), toGraph(isOfProgram ? to : from), isInFutex);
      if (call === undefined) return [isOfProgram ? NOT_RECORDED : noCall];
      return stackAt(thread, call);
    },

    /** Stack of who woke a waiter. For a thread outside of system calls only a call stack tells. */
    async ofGiver({ thread, time }: Giver): Promise<readonly string[]> {
      if (thread < 0) return [NOBODY_KNOWN];
      if (Number.isNaN(time)) return [NOT_RECORDED];
      const at = toGraph(time);
      const isKnown = isCertain(thread, time) || (await callFrom(thread, at, at, false)) !== undefined;
      return isKnown ? stackAt(thread, at) : [noCall];
    },
  };
}
