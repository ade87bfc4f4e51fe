import { describe, expect, it } from 'vitest';
import type { LifeState, Machine, Thread } from './machine.ts';
import { settingsOf, simulate } from './simulation.ts';

/** States (`THREAD_STATES`) that a reader may see a thread in, by what it really does. */
const SEEN: Readonly<Record<LifeState, readonly number[]>> = {
  new: [11],
  runnable: [4, 5],
  running: [1, 2, 3],
  blocked: [6, 7, 8, 9, 10],
  waking: [5],
  zombie: [12, 13],
};

const UNKNOWN = 0;
/** Woken, dead. */
const GUESSED: readonly number[] = [5, 13];

describe('simulate', () => {
  it('is a function of its settings', () => {
    expect(simulate(settingsOf(11)).files).toEqual(simulate(settingsOf(11)).files);
  });

  it('shows nothing but what really is the case, while nothing is lost', () => {
    const wrong: string[] = [];
    let compared = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const settings = { ...settingsOf(seed), losses: 0, lostPackets: 0, waking: true };
      const before = new Map<Thread, number>();
      // A wake-up or free that finds an unknown thread tells its state, though it may be running.
      const misjudged = new Set<Thread>();
      const watch = ({ threads, truth, now }: Machine): void => {
        for (const thread of threads) {
          const state = truth.stateOf(thread) ?? UNKNOWN;
          if (!GUESSED.includes(state)) misjudged.delete(thread);
          else if (before.get(thread) === UNKNOWN) misjudged.add(thread);
          before.set(thread, state);
          if (state === UNKNOWN || misjudged.has(thread)) continue;
          compared++;
          if (!SEEN[thread.state].includes(state))
            wrong.push(`${seed} ${now} ${thread.tid} ${thread.state} ${state}`);
        }
      };
      simulate(settings, watch);
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(10_000);
  });
});
