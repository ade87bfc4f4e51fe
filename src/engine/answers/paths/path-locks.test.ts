import { describe, expect, it } from 'vitest';
import { streamsOf } from '../../../../test/support/batches.ts';
import { lockModel, type ToldLocks } from '../../../../test/support/lock-model.ts';
import { scenario } from '../../../../test/support/scenario.ts';
import { LABELS } from '../../graph/path-codes.ts';
import * as m from '../../layers/locks/model/lock-model.ts';
import { DisplayTime } from '../context/display-time.ts';
import { unpackParts } from './packed-parts.ts';
import { PathAnswers } from './path-answer.ts';
import type { PathAnswer, PathCriterion } from '../../protocol/paths.ts';
import { PathFinder } from './path-finder.ts';
import type { LocksOfHosts } from './path-locks.ts';
import { kernelHostOf } from '../../../../test/support/stored-states.ts';

const ANN = 10;
const BOB = 20;

/** Ann is blocked from 30 to 70, when bob wakes her; bob runs all the time. */
const STORY = scenario()
  .switch(0, 0, 0, 0, ANN, 'ann')
  .switch(0, 1, 0, 0, BOB, 'bob')
  .switch(30, 0, ANN, 1, 0)
  .waking(70, 1, ANN)
  .switch(75, 0, 0, 0, ANN, 'ann');

const MUTEX = { kind: 'mutex', process: ANN, address: '0x55d0c1a0f260' } as const;
const FILE = { kind: 'file', process: -1, address: '/tmp/a' } as const;

function opened() {
  const host = kernelHostOf(streamsOf(STORY.events), 100);
  const time = new DisplayTime([{ name: 'host', baseNs: 0n, offsetNs: 0n, firstEvent: 0 }]);
  const rowOf = (tid: number) => host.tables.threads.tid.indexOf(tid);
  const threads = [
    { row: rowOf(ANN), tid: ANN, pid: ANN, process: 'ann' },
    { row: rowOf(BOB), tid: BOB, pid: ANN },
    { row: -1, tid: 30 },
  ];
  const locks = (twoLocks: Omit<ToldLocks, 'threads'>): LocksOfHosts => [
    { index: 0, tables: { model: lockModel({ threads, ...twoLocks }) } },
  ];
  return { answers: new PathAnswers(new PathFinder([host], () => undefined, time)), locks };
}

type Opened = ReturnType<typeof opened>;

async function ask(
  { answers, locks }: Opened,
  twoLocks: Omit<ToldLocks, 'threads'>,
  criterion: PathCriterion = 'lock-holder',
): Promise<PathAnswer> {
  const answer = await answers.answer({ row: `thread:0:${ANN}`, criterion }, undefined, locks(twoLocks));
  if (answer === undefined) throw new Error('an answer is expected');
  return answer;
}

function linesOf({ segments: s, workers, causes }: PathAnswer): string[] {
  return Array.from({ length: s.length }, (_, i) => {
    const cause = s.cause[i] < 0 ? '' : ` ${causes[s.cause[i]]}`;
    return `${workers[s.worker[i]].name} ${s.from[i]}-${s.to[i]} ${LABELS[s.label[i]]}${cause}`;
  });
}

/** Waits of ann (0) and bob (1) for the mutex (0) and the file (1). */
const locks = [MUTEX, FILE];
const HANDED_OVER = { thread: 0, lock: 0, request: 20, end: 76, link: 70, by: 1 };
const FOR_EVER = { ...HANDED_OVER, outcome: m.UNFINISHED, end: 100, link: NaN };
/** Bob has the mutex until he hands it over, or for ever. */
const BOBS = { thread: 1, lock: 0, request: 5, end: 5, to: 70, flags: 0 };
const BOBS_FOR_EVER = { ...BOBS, to: 100 };

describe('a path by lock holder', () => {
  it('comes back to who waited, at the request', async () => {
    const { answers, locks: of } = opened();
    const exact = { row: `thread:0:${ANN}`, criterion: 'exact' } as const;
    const without = await answers.answer(exact, undefined, of({ locks, waits: [BOBS, HANDED_OVER] }));
    expect(without && linesOf(without)).toEqual([
      'bob 0-70 running',
      'ann 70-75 preempted',
      'ann 75-100 running',
    ]);
    expect(linesOf(await ask(opened(), { locks, waits: [BOBS, HANDED_OVER] }))).toEqual([
      'ann 0-20 running',
      'bob 20-70 running',
      'ann 70-75 preempted',
      'ann 75-100 running',
    ]);
  });

  it('names the lock in the tree of what was waited for', async () => {
    const known = opened();
    const { id } = await ask(known, { locks, waits: [BOBS, HANDED_OVER] });
    const tree = (await known.answers.parts({ path: id }))?.waitsFor;
    const frames = Array.from(tree?.parent ?? [], (parent, i) => {
      return `${parent} ${tree?.texts[tree.text[i]]} ${tree?.ns[i]}`;
    });
    expect(frames).toContain('0 mutex 0x…f260 of ann 50');
    const place = frames.findIndex((frame) => frame.includes('mutex'));
    expect(frames.some((frame) => frame.startsWith(`${place} bob`) && frame.endsWith(' 50'))).toBe(true);
  });

  it('has the names that the user gave to locks', async () => {
    const known = opened();
    const request = { row: `thread:0:${ANN}`, criterion: 'lock-holder' } as const;
    const lockNames = new Map([['0:mutex:10:0x55d0c1a0f260', 'm_hot']]);
    const twoLocks = known.locks({ locks, waits: [BOBS, HANDED_OVER] });
    const answer = await known.answers.answer({ ...request, lockNames }, undefined, twoLocks);
    const tree = (await known.answers.parts({ path: answer?.id ?? -1 }))?.waitsFor;
    expect(tree?.texts).toContain('m_hot');
    const vain = known.locks({ locks, waits: [BOBS_FOR_EVER, FOR_EVER] });
    const inVain = await known.answers.answer({ ...request, lockNames }, undefined, vain);
    expect(inVain?.vainWaits[0].chain[0].lock).toBe('m_hot');
  });

  it('changes nothing for waits that are no waits for others, and of threads that the kernel does not know', async () => {
    const { answers, locks: of } = opened();
    const exact = linesOf(await ask({ answers, locks: of }, { locks, waits: [BOBS, HANDED_OVER] }, 'exact'));
    for (const changed of [
      { flags: m.CONTENDED, mode: m.NO_MODE },
      { thread: 2 },
      { outcome: m.FAILED, mode: m.NO_MODE },
    ])
      expect(linesOf(await ask(opened(), { locks, waits: [BOBS, { ...HANDED_OVER, ...changed }] }))).toEqual(
        exact,
      );
  });

  it('divides a wait that failed by who held the lock, too', async () => {
    const waits = [BOBS, { ...HANDED_OVER, outcome: m.FAILED, link: NaN }];
    const lines = linesOf(await ask(opened(), { locks, waits }));
    expect(lines.slice(0, 3)).toEqual(['ann 0-20 running', 'bob 20-70 running', 'ann 70-75 preempted']);
  });

  it('comes back from what a request waited for that nobody is known to have stood in the way of', async () => {
    const bounded = ['ann 0-30 running', 'bob 30-70 running', 'ann 70-75 preempted', 'ann 75-100 running'];
    for (const changed of [{ flags: m.TAKEN }, { link: 20 }])
      expect(linesOf(await ask(opened(), { locks, waits: [BOBS, { ...HANDED_OVER, ...changed }] }))).toEqual(
        bounded,
      );
  });

  it('takes futexes for locks where no events of user space tell of any', async () => {
    const futexes = [{ process: ANN, address: '0x1' }];
    const futexWaits = [{ thread: 0, futex: 0, from: 25, to: 80, waker: 1 }];
    const bounded = ['ann 0-30 running', 'bob 30-70 running', 'ann 70-75 preempted', 'ann 75-100 running'];
    expect(linesOf(await ask(opened(), { futexes, futexWaits }))).toEqual(bounded);
    // Locks of files are told by system calls.
    expect(linesOf(await ask(opened(), { locks: [FILE], futexes, futexWaits }))).toEqual(bounded);
    const exact = ['bob 0-70 running', 'ann 70-75 preempted', 'ann 75-100 running'];
    expect(linesOf(await ask(opened(), { locks: [MUTEX], futexes, futexWaits }))).toEqual(exact);
    expect(linesOf(await ask(opened(), { futexes, futexWaits: [{ ...futexWaits[0], waker: -1 }] }))).toEqual(
      exact,
    );
  });

  it('is no answer where no event is about locks', async () => {
    const { answers, locks: of } = opened();
    const question = { row: `thread:0:${ANN}`, criterion: 'lock-holder' } as const;
    expect(await answers.answer(question)).toBeUndefined();
    expect(await answers.answer(question, undefined, of({}))).toBeUndefined();
    expect(await answers.lockEvents(undefined)).toBe('not read yet');
    expect(await answers.lockEvents(of({}))).toBe('none');
    expect(await answers.lockEvents(of({ locks, waits: [BOBS, HANDED_OVER] }))).toBe('there');
  });
});

describe('a wait for a lock that never ended', () => {
  it('is blamed on the lock and who held it', async () => {
    const known = opened();
    const answer = await ask(known, { locks, waits: [BOBS_FOR_EVER, FOR_EVER] });
    expect(linesOf(answer)).toEqual(['ann 0-20 running', 'bob 20-100 running']);
    const { workers } = answer;
    const bob = workers.findIndex(({ name }) => name === 'bob');
    const chain = [{ lock: 'mutex 0x…f260 of ann', holder: bob }];
    expect(answer.vainWaits).toEqual([{ worker: 0, ns: 80, chain, isCircle: false }]);
    const parts = await known.answers.parts({ path: answer.id });
    if (parts === undefined) throw new Error('parts are expected');
    expect(parts.workers).toEqual(workers);
    expect(parts.waitsFor.texts).toContain('mutex 0x…f260 of ann');
  });

  it('is a deadlock where its holder waits for it in turn, by every criterion', async () => {
    const held = [BOBS_FOR_EVER, { ...BOBS_FOR_EVER, thread: 0, lock: 1 }];
    const waits = [
      ...held,
      FOR_EVER,
      { thread: 1, lock: 1, request: 25, end: 90, by: 0, outcome: m.UNFINISHED },
    ];
    const known = opened();
    const answer = await ask(known, { locks, waits });
    expect(linesOf(answer)).toEqual([
      'ann 0-20 running',
      'bob 20-25 running',
      'ann 25-90 blocked in a deadlock for mutex 0x…f260 of ann',
      'bob 90-100 running',
    ]);
    const parts = await known.answers.parts({ path: answer.id });
    const part = parts && unpackParts(parts.parts).find(({ detail }) => detail.startsWith('mutex'));
    expect(part).toMatchObject({ worker: 0, ns: 65, blockers: [{ text: 'bob', ns: 65 }] });
    for (const criterion of ['lock-holder', 'main-task'] as const) {
      const { workers, vainWaits } = await ask(opened(), { locks, waits }, criterion);
      const bob = workers.findIndex(({ name }) => name === 'bob');
      expect(vainWaits).toEqual([
        {
          worker: 0,
          ns: 80,
          chain: [
            { lock: 'mutex 0x…f260 of ann', holder: bob },
            { lock: '/tmp/a', holder: 0 },
          ],
          isCircle: true,
        },
      ]);
    }
  });
});
