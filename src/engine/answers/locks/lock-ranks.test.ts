import { describe, expect, it } from 'vitest';
import { graphOf, lockWaits } from '../../../../test/support/graph-text.ts';
import { LockGraph } from '../../graph/lock-graph.ts';
import { blockedValue, CAUSE_LOCK } from '../../linux/events/values.ts';
import { lockPathTimes } from './lock-ranks.ts';

const GRAPH = `A: 0 run 100
  B: 0 run 100
  C: 0 run 10 wait 50 run 100
  D: 0 run 100
  D@50 wakes C`;

/** Times of locks m (0) and n (1). */
async function timesOf(waits: string, isWanted = () => true) {
  const below = graphOf(GRAPH);
  const ranked = lockWaits(below, waits);
  const cause = ranked.cause.map((each) =>
    blockedValue(0, CAUSE_LOCK, below.causeOf(each) === 'lock m' ? 0 : 1),
  );
  const graph = new LockGraph(below, { ...ranked, cause });
  return lockPathTimes({ graph, hostOf: () => 0 }, isWanted);
}

describe('time of waits for locks on critical paths', () => {
  it('is that of all waits, also of several at once', async () => {
    expect(await timesOf('A m 10-30 by B, A m 60-65 by B, C n 60-70 by B')).toEqual([[25, 10]]);
    expect(await timesOf('A m 10-30 by B, C m 20-30 by B')).toEqual([[30]]);
  });

  it('is due to the lock that the holder waits for meanwhile', async () => {
    // Of 20 that A waits for m, its holder B waits 12 for n; these are counted for B, too.
    expect(await timesOf('A m 10-30 by B, B n 8-22 by C')).toEqual([[8, 12 + 14]]);
  });

  it('is that of waits that never ended, and of the time when nobody held the lock; no futex has any', async () => {
    expect(await timesOf('C m 5-100 unended by B')).toEqual([[95]]);
    expect(await timesOf('C m 5-100 by B: - 50; B 100')).toEqual([[95]]);
    expect(await timesOf('C 5-100 maybe')).toEqual([]);
  });

  it('is given up when nobody wants it', async () => {
    expect(await timesOf('A m 10-30 by B', () => false)).toBeUndefined();
  });
});
