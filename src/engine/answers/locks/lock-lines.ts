/** Locks and threads as lines of tables. */
import { LOCK_COUNTS } from '../../layers/locks/model/lock-model.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { lockColours } from '../../layers/locks/results/colours.ts';
import { type Episode, episodesOf } from '../../layers/locks/results/episodes.ts';
import { bargingOf, jainPpm } from '../../layers/locks/results/fairness.ts';
import { holdPartsOf, isIdle, sumsOf } from '../../layers/locks/results/lock-sums.ts';
import type { LockResults, MatrixCell, ThreadSums } from '../../layers/locks/results/lock-results.ts';
import type { BlockingMatrix, LockEpisode, LockLine, LocksAnswer } from '../../protocol/locks.ts';
import type { LockHost } from './lock-hosts.ts';

export function lockLine(host: LockHost, lock: number): LockLine {
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
    ) as LockLine['counts'],
  };
}

const coloursOfLocks = cachedByKey(({ model }: LockResults) => lockColours(model));

export function threadLines(host: LockHost, sums: readonly ThreadSums[]): LocksAnswer['threadSums'] {
  return sums.map(({ thread, sums: own }) => ({ thread: host.thread(thread), ...own }));
}

/** @param cells of each host */
export function matrixOf(
  cells: readonly { readonly host: LockHost; readonly cells: readonly MatrixCell[] }[],
): BlockingMatrix {
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

export function shownEpisode(host: LockHost, { from, to, maxWaiters, handOvers }: Episode): LockEpisode {
  return { from: host.shown(from), to: host.shown(to), maxWaiters, handOvers };
}
