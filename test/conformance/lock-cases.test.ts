/**
 * Traces of a few events about locks from public reports of wrong answers (`fixtures/cases`), each with what is right,
 * through the command line. `locks.test.ts` compares all that is known of them. Times are ns since the first event.
 */
import { describe, expect, test } from 'vitest';
import { holdPartsOf } from '../../src/engine/layers/locks/results/lock-sums.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { lockCaseNames } from '../support/lock-goldens.ts';
import { lockModelsOf } from '../support/lock-models.ts';
import { casePath } from '../support/states-goldens.ts';

interface LockAnswer {
  readonly lock: string;
  readonly requests: number;
  readonly contended: number;
  readonly wait: { readonly totalNs: number };
  readonly uncontendedNs: number;
  readonly hold: { readonly totalNs: number };
  readonly counts: { readonly releaseWithoutAcquire: number; readonly lateReleases: number };
  readonly matrix: readonly unknown[];
  readonly rows: readonly LockRow[];
}

/** thread, request, end, to, outcome, mode, way, contended, by, link, via, late, open. */
type LockRow = readonly [string, number, number, number | null, ...unknown[]];

interface LocksAnswer {
  readonly locks: readonly LockAnswer[];
  readonly matrix: readonly unknown[];
  readonly inversions: readonly unknown[];
  readonly futexes: readonly { readonly waits: number; readonly woken: number; readonly rows: unknown[][] }[];
}

const CASES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  // 12 came before those of the round before had gone: 10 and 11 met, then 12 and 13.
  'barrier-of-a-subset': async (path) => {
    const { lock } = await onlyLock(path);
    expect(lock.matrix).toEqual([
      ['10', '11', 4_004_000, 1],
      ['12', '13', 4_003_000, 1],
    ]);
    expect(handOvers(lock)).toEqual([
      ['10', '11', 5_000_500, 'wake-up'],
      ['12', '13', 9_000_500, 'wake-up'],
    ]);
    expect([lock.contended, lock.wait.totalNs]).toEqual([2, 8_007_000]);
  },

  // pthread_cond_wait gave the mutex back where it began to sleep, without an event of the wrapper.
  'cond-in-stock-wrapper': async (path) => {
    const { lock, answer } = await onlyLock(path);
    expect([lock.requests, lock.contended, lock.hold.totalNs]).toEqual([4, 0, 3_400]);
    expect([lock.matrix, answer.matrix]).toEqual([[], []]);
    expect(lock.rows[0].slice(0, 4)).toEqual(['10', expect.any(Number), 2_100, 2_500]);
    expect(lock.counts).toMatchObject({ releaseWithoutAcquire: 1, lateReleases: 0 });
    const [model] = await lockModelsOf(path);
    expect(holdPartsOf(model, 0)).toMatchObject({ running: 3_400, thread: 0 });
  },

  // The lock belongs to what open made; copies of the descriptor, and other descriptors of the file, may be closed.
  'flock-dup-closed': async (path) => {
    const { lock } = await onlyLock(path);
    expect([lock.lock, lock.hold.totalNs]).toEqual(['file:/run/app.lock', 5_993_500]);
    expect(holds(lock)).toEqual([
      ['10', 2_500, 5_000_000],
      ['11', 5_004_000, 6_000_000],
    ]);
    expect(lock.matrix).toEqual([['11', '10', 4_004_000, 1]]);
  },

  // A broadcast moved the second waiter to the mutex's futex, where an unlock woke it.
  'futex-requeued-waiter': async (path) => {
    expect(await futexWakers(path)).toEqual([
      ['10', '12', 5_000_500],
      ['11', '10', 7_000_500],
    ]);
  },

  // F_OFD_SETLKW keeps threads of one process apart.
  'ofd-lock-threads': async (path) => {
    const { lock } = await onlyLock(path);
    expect([lock.requests, lock.contended, lock.wait.totalNs]).toEqual([2, 1, 4_004_000]);
    expect(lock.matrix).toEqual([['11', '10', 4_004_000, 1]]);
    expect(handOvers(lock)).toEqual([['11', '10', 5_001_000, 'wake-up']]);
    expect(holds(lock)).toEqual([
      ['10', 3_500, 5_000_000],
      ['11', 5_004_000, 6_000_000],
    ]);
  },

  // One mutex in memory that two processes share.
  'process-shared-mutex': async (path) => {
    const { lock } = await onlyLock(path);
    expect([lock.requests, lock.contended, lock.uncontendedNs]).toMatchObject([2, 1, expect.any(Number)]);
    expect(lock.matrix).toEqual([['20', '10', 4_004_000, 1]]);
    expect(handOvers(lock)).toEqual([['20', '10', 5_000_500, 'wake-up']]);
    expect(holds(lock)).toEqual([
      ['10', 10_100, 5_000_500],
      ['20', 5_004_000, 6_000_000],
    ]);
    expect(await futexWakers(path)).toEqual([['20', '10', 5_000_500]]);
  },

  // The end of the thread woke who waited for it.
  'pthread-join-waker': async (path) => {
    expect(await futexWakers(path)).toEqual([['10', '11', 5_000_500]]);
    // Events of locks would tell nothing more.
    expect((await inspect('locks', path)).stdout).toContain('futexes: waits for threads to end\n');
  },

  // Readers do not stop each other.
  'rwlock-readers-inversion': async (path) => {
    expect((await inspectJson<LocksAnswer>('locks', path)).inversions).toEqual([]);
  },
};

/** Options by which a trace is cut and read otherwise. */
const OTHERWISE = [
  ['--chunk-bytes', '1'],
  ['--chunk-bytes', '100', '--decoder', 'ts'],
] as const;

describe('cases of locks', () => {
  testEach('lock-cases', Object.keys(CASES), (name) => CASES[name](casePath(name)));

  test.each(lockCaseNames())('%s is the same however it is cut and read', async (name) => {
    const whole = await inspectJson('locks', casePath(name));
    for (const options of OTHERWISE)
      expect(await inspectJson('locks', casePath(name), ...options)).toEqual(whole);
  });

  test('every case has its values here', () => {
    expect(Object.keys(CASES).sort()).toEqual(lockCaseNames().sort());
  });
});

async function onlyLock(path: string): Promise<{ lock: LockAnswer; answer: LocksAnswer }> {
  const answer = await inspectJson<LocksAnswer>('locks', path);
  expect(answer.locks).toHaveLength(1);
  return { lock: answer.locks[0], answer };
}

/** Thread, begin and end of each hold. */
function holds({ rows }: LockAnswer) {
  return rows.map(([thread, , end, to]) => [thread, end, to]);
}

/** Waiter, who handed over, when, by what. */
function handOvers({ rows }: LockAnswer) {
  return rows.filter((row) => row[7] === 1).map((row) => [row[0], row[8], row[9], row[10]]);
}

/** Waiter, waker and time of the wake-up of each wait for a futex. */
async function futexWakers(path: string) {
  const { futexes } = await inspectJson<LocksAnswer>('locks', path);
  expect(futexes.map(({ waits, woken }) => woken - waits)).toEqual(futexes.map(() => 0));
  return futexes.flatMap(({ rows }) => rows.map((row) => [row[0], row[5], row[6]]));
}
