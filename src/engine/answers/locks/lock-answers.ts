/** Answers to `locks` and `lock`. */
import { CONTENDED, OUTCOMES, LOCK_COUNTS } from '../../layers/locks/model/lock-model.ts';
import {
  episodesOf,
  type Episode,
  type LockResults,
  type MatrixCell,
  type ThreadSums,
  bargingOf,
  jainPpm,
} from '../../layers/locks/results/lock-results.ts';
import { lockCycles } from '../../layers/locks/results/lock-order.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import type * as protocol from '../../protocol/locks.ts';
import { type LockHost, lockById, lockHosts } from './lock-hosts.ts';
import { holdersOf, waitLine } from './lock-waits.ts';
import { RECORD_LOCKS } from '../../words/recording-commands.ts';
import { futexLines, isOnlyEnds, kernelLockLines } from './holderless-locks.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addNumber } from '../../base/group-by.ts';
import { lockColours } from '../../layers/locks/results/colours.ts';
import { holdPartsOf, isIdle, sumsOf } from '../../layers/locks/results/lock-sums.ts';
import { criticalSections } from '../../layers/locks/results/critical-sections.ts';

/** Maximum number of chains and episodes that are listed; all are counted. */
const MOST_LISTED = 200;
/** undefined: locks are still being read. */
export const locksAnswer: AnswerTo<'locks'> = async (context, request) => {
  const all = await lockHosts(context);
  if (all === undefined) return undefined;
  const isWhole = request.isWhole === true;
  const hosts = all.filter(({ index }) => request.hosts?.includes(index) !== false);
  const { wanted, faults = [] } = context.layers?.info('lock') ?? {};
  const locks = hosts.flatMap((host) => host.results.known().map((lock) => lockLine(host, lock)));
  const futexes = hosts.flatMap((host) => futexLines(host, isWhole));
  const kernelLocks = (await Promise.all(hosts.map((host) => kernelLockLines(host, isWhole)))).flat();
  return {
    threads: all.flatMap((host) => host.threads()),
    locks,
    threadSums: hosts.flatMap((host) => threadLines(host, host.results.threadSums())),
    matrix: matrixOf(hosts.map((host) => ({ host, cells: host.results.matrix() }))),
    deadlocks: hosts.flatMap(deadlocksOf),
    inversions: hosts.flatMap(inversionLines),
    chains: chainsOf(hosts, isWhole),
    convoys: hosts.flatMap(convoysOf),
    futexes,
    kernelLocks,
    problems: problemsOf(hosts),
    recordCommand:
      locks.length === 0 && doFutexesMatter(futexes, kernelLocks, context.trace.lengthNs())
        ? RECORD_LOCKS
        : undefined,
    own: wanted?.own ?? [],
    faults,
  };
};

/** Share of a trace's length above which waits for futexes matter. */
const LEAST_SHARE = 0.01;

/**
 * Whether holders of futexes should be recorded: threads were blocked long, and longer than for locks of the kernel.
 */
function doFutexesMatter(
  futexes: readonly protocol.FutexLine[],
  kernelLocks: readonly protocol.KernelLockLine[],
  lengthNs: number,
): boolean {
  const mayBeLocks = futexes.filter((futex) => !isOnlyEnds(futex));
  const blockedNs = mayBeLocks.reduce((sum, futex) => sum + futex.blockedNs, 0);
  const kernelNs = kernelLocks.reduce((sum, { wait }) => sum + wait.totalNs, 0);
  return blockedNs > Math.max(LEAST_SHARE * lengthNs, kernelNs);
}

/** One lock; undefined: there is no such lock, or locks are still being read. */
export const lockAnswer: AnswerTo<'lock'> = async (context, request) => {
  const found = lockById((await lockHosts(context)) ?? [], request.lock);
  if (found === undefined) return undefined;
  const { host, lock } = found;
  const { results } = host;
  const rows = results.rowsOf(lock);
  const episodes = episodesOf(results.model, rows);
  const largest = [...episodes].sort((a, b) => b.handOvers - a.handOvers || a.from - b.from);
  return {
    lock: lockLine(host, lock),
    threadSums: threadLines(host, results.threadSumsOf(lock)),
    matrix: matrixOf([{ host, cells: results.matrixOf(lock) }]),
    episodes: {
      count: episodes.length,
      largest: largest
        .slice(0, request.isWhole === true ? undefined : MOST_LISTED)
        .sort((a, b) => a.from - b.from)
        .map((episode) => shownEpisode(host, episode)),
    },
    longestWait: longestWait(host, rows),
  };
};

function longestWait(host: LockHost, rows: Int32Array): protocol.LockAnswer['longestWait'] {
  const { request, end, flags } = host.results.model.waits;
  let [longest, ns] = [-1, -1];
  for (const row of rows) {
    if ((flags[row] & CONTENDED) === 0 || end[row] - request[row] <= ns) continue;
    [longest, ns] = [row, end[row] - request[row]];
  }
  return longest < 0 ? undefined : { ...waitLine(host, longest, ns), ...holdersOf(host, longest) };
}

function deadlocksOf(host: LockHost): protocol.Deadlock[] {
  const { thread, lock } = host.results.model.waits;
  return lockCycles(host.results).deadlocks.map(({ from, to, outcome, waits }) => ({
    from: host.shown(from),
    to: host.shown(to),
    ended: OUTCOMES[outcome] === 'failed' ? 'failed' : 'unfinished',
    threads: waits.map((row) => host.thread(thread[row])),
    locks: waits.map((row) => host.lockId(lock[row])),
  }));
}

function inversionLines(host: LockHost): protocol.Inversion[] {
  return lockCycles(host.results).inversions.map(({ locks, orders }) => ({
    locks: locks.map((lock) => host.lockId(lock)),
    orders: orders.map(({ first, second, by }) => ({
      first: host.lockId(first),
      second: host.lockId(second),
      by: by.map(({ thread, times, first: time }) => ({
        thread: host.thread(thread),
        times,
        firstNs: host.shown(time),
      })),
    })),
  }));
}

function chainsOf(hosts: readonly LockHost[], isWhole: boolean): protocol.LocksAnswer['chains'] {
  const all = hosts.flatMap((host) => lockCycles(host.results).chains.map((chain) => ({ host, chain })));
  const lengthOf = ({ chain }: (typeof all)[number]) => chain.to - chain.from;
  const longest = () => [...all].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST_LISTED);
  return {
    count: all.length,
    listed: (isWhole ? all : longest()).map(
      ({ host, chain: { from, to, wait, next, hold } }): protocol.LockChain => {
        const { thread, lock } = host.results.model.waits;
        return {
          from: host.shown(from),
          to: host.shown(to),
          waiter: host.thread(thread[wait]),
          lock: host.lockId(lock[wait]),
          holder: host.thread(thread[next]),
          nextLock: host.lockId(lock[next]),
          nextHolder: host.thread(thread[hold]),
        };
      },
    ),
  };
}

function convoysOf(host: LockHost): protocol.Convoy[] {
  return host.results
    .known()
    .flatMap((lock) =>
      host.results
        .convoysOf(lock)
        .map((episode) => ({ lock: host.lockId(lock), ...shownEpisode(host, episode) })),
    );
}

function problemsOf(hosts: readonly LockHost[]): protocol.LocksAnswer['problems'] {
  const sums = new Map<string, number>();
  for (const { results } of hosts)
    for (const [text, count] of Object.entries(lockCycles(results).problems)) addNumber(sums, text, count);
  return Array.from(sums, ([text, count]) => ({ text, count }));
}

/** undefined: the trace is still being read. */
export function lockProviders({ layers }: QueryContext): protocol.LockProvidersAnswer | undefined {
  const info = layers?.info('lock');
  if (info === undefined) return undefined;
  const { found, wanted, hasFiles, faults } = info;
  // Without files nothing more will be found.
  if (found === undefined && hasFiles) return undefined;
  const { events = [], program = 0 } = found ?? {};
  const recordCommand = program === 0 ? RECORD_LOCKS : undefined;
  return { own: wanted?.own ?? [], events, known: program, recordCommand, hasFiles, faults };
}

/** Lines of a table about a lock. */
function lockLine(host: LockHost, lock: number): protocol.LockLine {
  const { results, index } = host;
  const { model } = results;
  const { kind, process: pid, address } = model.locks[lock];
  const rows = results.rowsOf(lock);
  const episodes = episodesOf(model, rows);
  const holdParts = holdPartsOf(model, lock);
  return {
    id: host.lockId(lock),
    host: index,
    name: host.lockName(lock),
    kind,
    pid,
    process: host.processName(pid),
    address,
    ...sumsOf(model, rows),
    maxWaiters: episodes.reduce((most, { maxWaiters }) => Math.max(most, maxWaiters), 0),
    jainPpm: jainPpm(model, rows),
    barging: bargingOf(model, rows),
    colour: coloursOfLocks(results)[lock],
    holdParts,
    isIdle: holdParts && isIdle(holdParts),
    counts: Object.fromEntries(
      LOCK_COUNTS.map((name) => [name, model.counts[name][lock]]),
    ) as protocol.LockLine['counts'],
  };
}

const coloursOfLocks = cachedByKey(({ model }: LockResults) => lockColours(model));

function threadLines(host: LockHost, sums: readonly ThreadSums[]): protocol.LocksAnswer['threadSums'] {
  return sums.map(({ thread, sums: own }) => ({ thread: host.thread(thread), ...own }));
}

/** @param cells of each host */
function matrixOf(
  cells: readonly { readonly host: LockHost; readonly cells: readonly MatrixCell[] }[],
): protocol.BlockingMatrix {
  const all = cells.flatMap(({ host, cells: own }) =>
    own.map(({ waiter, holder, ns, waits }) => ({
      waiter: host.thread(waiter),
      holder: host.thread(holder),
      ns,
      waits,
    })),
  );
  return {
    length: all.length,
    waiter: Int32Array.from(all, ({ waiter }) => waiter),
    holder: Int32Array.from(all, ({ holder }) => holder),
    ns: Float64Array.from(all, ({ ns }) => ns),
    waits: Int32Array.from(all, ({ waits }) => waits),
  };
}

function shownEpisode(host: LockHost, { from, to, maxWaiters, handOvers }: Episode): protocol.LockEpisode {
  return { from: host.shown(from), to: host.shown(to), maxWaiters, handOvers };
}

/** undefined: locks are still being read. */
export async function criticalSectionLines(
  context: QueryContext,
): Promise<readonly protocol.CriticalSectionLine[] | undefined> {
  const hosts = await lockHosts(context);
  if (hosts === undefined) return undefined;
  const lines: protocol.CriticalSectionLine[] = [];
  for (const host of hosts) {
    const first = lines.length;
    for (const { parent, kind, of, ns } of criticalSections(host.results.model)) {
      const isThread = kind === 'thread';
      lines.push({
        parent: parent < 0 ? -1 : first + parent,
        kind,
        thread: isThread ? host.thread(of) : lines[first + parent].thread,
        lock: isThread ? '' : host.lockId(of),
        ns,
      });
    }
  }
  return lines;
}
