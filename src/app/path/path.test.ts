import { describe, expect, it } from 'vitest';
import {
  BLOCKED,
  BLOCKED_ON_HOST,
  NO_STATE,
  NOBODY_BUT,
  PACKET_ON_ITS_WAY,
  PREEMPTED_BY_HOST,
  RUNNING,
} from '../../engine/graph/path-codes.ts';
import {
  blockedValue,
  CAUSE_DISK,
  CAUSE_LOCK,
  CAUSE_THREAD,
  STATE_BLOCKED_D,
  STATE_BLOCKED_S,
  STATE_KERNEL,
  STATE_PREEMPTED,
  STATE_USER,
} from '../../engine/linux/events/values.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { PathPart } from '../../engine/protocol/paths.ts';
import { sentenceText, THIN } from '../format/numbers.ts';
import { DRAW_DISK, DRAW_USER } from '../draw/draw-codes.ts';
import { type OwnerKind, pathOwners, pathVerdict } from '../../engine/answers/paths/path-owners.ts';
import { ownerStates, pathRows } from './path-rows.ts';
import { pathSentence } from './path-sentence.ts';
import { awayNs } from './path-comparison.ts';
import type { ExplainedPath } from './path-state.ts';

const MS = 1_000_000;
const DISK = blockedValue(STATE_BLOCKED_D, CAUSE_DISK, -1);
const part = (worker: number, value: number, ms: number, detail = ''): PathPart => {
  return { worker, value, detail, ns: ms * MS, segments: 1, blockers: [], served: [] };
};

const thread = (host: number, tid: number, name: string, pid = tid, process = name) => ({
  ...{ row: `thread:${host}:${tid}`, name, label: name, tid, host, cpu: undefined },
  process: { id: `thread:${host}:${pid}`, name: process, pid },
});
const interrupts = (host: number) => ({
  ...{ row: undefined, name: 'Interrupts of CPU 1', label: 'Interrupts of CPU 1', tid: undefined },
  ...{ host, cpu: 1 },
});

/** A client that waits for a server, which writes to a disk. */
const ANSWER: ExplainedPath = {
  id: 1,
  row: 'thread:0:10',
  from: 0,
  to: 100 * MS,
  criterion: 'main-task',
  workers: [thread(0, 10, 'client'), thread(1, 20, 'server'), interrupts(0)],
  causes: ['disk'],
  segments: {
    length: 4,
    worker: Int32Array.of(0, 1, 1, 2),
    from: Float64Array.of(0, 10 * MS, 40 * MS, 98 * MS),
    to: Float64Array.of(10 * MS, 40 * MS, 98 * MS, 100 * MS),
    label: Uint8Array.of(RUNNING, RUNNING, BLOCKED, RUNNING),
    cause: Int32Array.of(-1, -1, 0, -1),
    depth: Int32Array.of(0, 1, 1, 1),
    via: new Uint8Array(4),
  },
  states: Int32Array.of(STATE_USER, STATE_KERNEL, DISK, STATE_KERNEL),
  parts: [
    part(1, DISK, 58),
    part(1, STATE_KERNEL, 28, 'fsync'),
    part(1, STATE_USER, 2),
    part(0, STATE_USER, 10),
    part(2, STATE_KERNEL, 2),
  ],
  waitsFor: {
    length: 0,
    parent: new Int32Array(0),
    worker: new Int32Array(0),
    value: new Int32Array(0),
    text: new Int32Array(0),
    texts: [],
    ns: new Float64Array(0),
  },
  unexplainedNs: 0,
  vainWaits: [],
  lockWaits: [],
  kernelWaits: [],
  foldedWaits: 0,
  missing: [],
};

const INFO = {
  hosts: [0, 1].map((index) => ({ index, name: `host ${index}` })),
} as unknown as ExperimentInfo;

/** A build: make with two threads, two processes of a compiler here and one on another host. */
const COMPILING: ExplainedPath = {
  ...ANSWER,
  workers: [
    thread(0, 10, 'make'),
    thread(0, 20, 'make-jobs', 10, 'make'),
    thread(0, 11, 'cc'),
    thread(0, 12, 'cc'),
    thread(1, 11, 'cc'),
    interrupts(1),
  ],
  row: 'thread:0:10',
  parts: [
    part(2, STATE_USER, 40),
    part(0, STATE_USER, 25),
    part(3, DISK, 15),
    part(4, STATE_KERNEL, 8),
    part(1, STATE_USER, 5),
    part(3, STATE_USER, 5),
    part(5, PACKET_ON_ITS_WAY, 2),
  ],
};
const said = (answer: ExplainedPath, wait?: Parameters<typeof pathSentence>[2]): string =>
  pathSentence(answer, 0, wait)
    .map(({ text }) => text)
    .join('')
    .replaceAll(THIN, ' ')
    .trim();

describe('the answer in words', () => {
  it('names who took most of the time, and what they did', () => {
    expect(said(ANSWER)).toBe(
      'It ran 10.000 ms. Then it depended on server, which waited 58.000 ms for the disk and ran 30.000 ms mostly ' +
        'in the kernel (fsync). Interrupts took 2.000 ms.',
    );
    expect(pathSentence(ANSWER, 0, undefined).filter(({ worker }) => worker !== undefined)).toEqual([
      { text: 'server', worker: 1 },
    ]);
  });

  it('takes the time in the kernel for all of it only where it is', () => {
    const saidOf = (...parts: PathPart[]) => said({ ...ANSWER, parts });
    const kernel = [part(0, STATE_KERNEL, 80, 'read'), part(0, STATE_KERNEL, 5)];
    expect(saidOf(...kernel, part(0, STATE_USER, 15))).toBe('It ran 100.000 ms mostly in the kernel (read).');
    expect(saidOf(...kernel)).toBe('It ran 85.000 ms in the kernel (read).');
    expect(saidOf(part(0, STATE_KERNEL, 79, 'read'), part(0, STATE_USER, 21))).toBe('It ran 100.000 ms.');
  });

  it('names no call that the tracer did not know', () => {
    const unknown = part(0, STATE_KERNEL, 60, 'unknown');
    expect(said({ ...ANSWER, parts: [unknown, part(0, STATE_KERNEL, 40, 'read')] })).toBe(
      'It ran 100.000 ms in the kernel (read).',
    );
    expect(said({ ...ANSWER, parts: [unknown] }, { syscall: 'unknown', causeText: 'ended by a timer' })).toBe(
      'It waited, ended by a timer. It ran 60.000 ms in the kernel.',
    );
  });

  it('tells the time of those not named, however little it is', () => {
    const workers = [
      ...ANSWER.workers,
      { ...ANSWER.workers[1], row: 'thread:1:21', name: 'other', label: 'other' },
    ];
    const parts = [part(1, STATE_USER, 99.99), part(3, STATE_USER, 0.01)];
    expect(said({ ...ANSWER, workers, parts })).toMatch(/ One more took 10\.00 µs\.$/);
  });

  it('begins with what kind of wait it was', () => {
    const parts = [part(1, STATE_USER, 100)];
    expect(said({ ...ANSWER, parts }, { syscall: 'futex', causeText: 'woken by server (tid 20)' })).toBe(
      'It waited in futex, woken by server (tid 20). It depended on server, which ran 100.000 ms.',
    );
    expect(said({ ...ANSWER, parts }, { causeText: 'ended by a timer' })).toMatch(
      /^It waited, ended by a timer\. It/,
    );
  });

  it('names who took most of the time of a thread that could not go on', () => {
    const blockers = [
      { text: 'hog-b', ns: 70 * MS },
      { text: 'kworker/0:1', ns: 10 * MS },
    ];
    const waiting = { ...part(0, STATE_PREEMPTED, 80), blockers };
    const parts = [waiting, part(0, STATE_USER, 20)];
    expect(said({ ...ANSWER, parts })).toBe(
      'It was ready but did not run for 80.000 ms (hog-b ran) and ran 20.000 ms.',
    );
    // All that an idle CPU may have been is in the table.
    const text = `${NOBODY_BUT}CPU 1 was idle, waking up, or throttled by a cgroup's CPU limit`;
    const idle = { ...waiting, blockers: [{ text, ns: 70 * MS }] };
    expect(said({ ...ANSWER, parts: [idle] })).toBe(
      'It was ready but did not run for 80.000 ms (CPU 1 was idle).',
    );
  });

  it('tells what the host took of a virtual machine', () => {
    const taken = { ...part(0, PREEMPTED_BY_HOST, 40), blockers: [{ text: 'qemu-b', ns: 40 * MS }] };
    const stood = { ...part(0, BLOCKED_ON_HOST, 25), blockers: [{ text: 'disk', ns: 25 * MS }] };
    const parts = [taken, part(0, STATE_USER, 35), stood];
    expect(said({ ...ANSWER, parts })).toBe(
      'It was preempted by its host for 40.000 ms (qemu-b ran), ran 35.000 ms and stood still for 25.000 ms while its ' +
        'host waited (disk).',
    );
    const waiting = part(0, STATE_PREEMPTED, 35);
    expect(
      pathRows({ ...ANSWER, parts: [taken, waiting, stood] }, 'cause', INFO).map(({ state, ns, longest }) => [
        state,
        ns / MS,
        longest,
      ]),
    ).toEqual([
      ['Preempted by the host', 40, 0],
      ['Runnable, not running', 35, -1],
      ['Blocked on the host', 25, 0],
    ]);
  });

  it('says what is not explained', () => {
    const parts = [part(0, DISK, 60), part(0, 0, 40)];
    expect(said({ ...ANSWER, parts, unexplainedNs: 40 * MS })).toBe(
      'It waited 60.000 ms for the disk. 40.000 ms (40.0 %) is unexplained.',
    );
  });
});

/** ANSWER, in which the client waited 60 ms for a lock that the server and a third held, and 20 ms for the server. */
function lockAnswer(): ExplainedPath {
  const lock = blockedValue(STATE_BLOCKED_S, CAUSE_LOCK, 3);
  const thread = blockedValue(STATE_BLOCKED_S, CAUSE_THREAD, -1);
  const frames = [
    [-1, 0, NO_STATE, '', 100],
    [0, -1, STATE_USER, '', 20],
    [0, -1, lock, 'mutex 0x1 of app', 60],
    [2, 1, NO_STATE, '', 45],
    [3, -1, STATE_USER, '', 15],
    [3, -1, DISK, '', 30],
    [2, 3, NO_STATE, '', 15],
    [6, -1, STATE_USER, '', 15],
    [0, -1, thread, '', 20],
    [8, 1, NO_STATE, '', 20],
    [9, -1, STATE_KERNEL, '', 20],
  ] as const;
  return {
    ...ANSWER,
    workers: [...ANSWER.workers, { ...ANSWER.workers[1], row: 'thread:1:21', name: 'other', label: 'other' }],
    parts: [
      part(1, DISK, 30),
      part(1, STATE_USER, 15),
      part(1, STATE_KERNEL, 20, 'fsync'),
      part(3, STATE_USER, 15),
      part(0, STATE_USER, 20),
    ],
    lockWaits: [
      {
        ...{ lock: 'mutex 0x1 of app', waits: 1, ns: 60 * MS, freeNs: 0, ready: [] },
        turns: [
          { holder: 1, times: 1, ns: 45 * MS },
          { holder: 3, times: 1, ns: 15 * MS },
        ],
      },
    ],
    waitsFor: {
      length: frames.length,
      parent: Int32Array.from(frames, ([parent]) => parent),
      worker: Int32Array.from(frames, ([, worker]) => worker),
      value: Int32Array.from(frames, ([, , value]) => value),
      text: Int32Array.from(frames, (_, i) => i),
      texts: frames.map(([, , , text]) => text),
      ns: Float64Array.from(frames, ([, , , , ms]) => ms * MS),
    },
  };
}

describe('the verdict', () => {
  const verdictOf = (answer: ExplainedPath) => pathVerdict(answer, INFO.hosts);
  const textOf = (answer: ExplainedPath) =>
    sentenceText(verdictOf(answer)?.sentence ?? []).replaceAll(THIN, ' ');

  it('names what took most: programs as the table has them, what the thread did itself, and most of a wait', () => {
    expect(textOf(ANSWER)).toBe(
      '88.0 % of 100.000 ms was server on host 1, of which 58.0 % waiting for the disk.',
    );
    expect(textOf(COMPILING)).toBe('60.0 % of 100.000 ms was cc, 25.0 % its own work.');
  });

  it('has all of the path as its subjects, to the ns', () => {
    expect(verdictOf(COMPILING)?.subjects.map(({ name, ns }) => [ns / MS, name])).toEqual([
      [60, 'cc'],
      [25, 'its own work'],
      [8, 'cc on host 1'],
      [5, 'other threads of make'],
      [2, 'the network'],
    ]);
  });

  it('says so where one took all, and leaves out what took little', () => {
    expect(textOf({ ...ANSWER, parts: [part(0, STATE_PREEMPTED, 100)] })).toBe(
      'All of 100.000 ms was waiting for a CPU.',
    );
    expect(textOf({ ...ANSWER, parts: [part(0, STATE_USER, 99), part(0, DISK, 1)] })).toBe(
      '99.0 % of 100.000 ms was its own work.',
    );
    expect(verdictOf({ ...ANSWER, parts: [] })).toBeUndefined();
  });
});

describe('waits for locks in words', () => {
  it('name the lock, who held it in turn, and what they did; the rest is told once', () => {
    expect(said(lockAnswer())).toBe(
      'It waited 60.000 ms for mutex 0x1 of app, held in turn by server and other while they ran 30.000 ms and ' +
        'waited 30.000 ms for the disk. Beside that it ran 20.000 ms. Then it depended on server, which ran 20.000 ms in the ' +
        'kernel (fsync).',
    );
    const named = pathSentence(lockAnswer(), 0, undefined).filter(({ worker }) => worker !== undefined);
    expect(named).toEqual([
      { text: 'server', worker: 1 },
      { text: 'other', worker: 3 },
      { text: 'server', worker: 1 },
    ]);
  });

  it('say how often one held it in a turn, how long nobody did, and of several waits who held it longest', () => {
    const [wait] = lockAnswer().lockWaits;
    const saidOf = (other: Partial<typeof wait>) =>
      said({ ...lockAnswer(), lockWaits: [{ ...wait, ...other }] }).replace(/ while they .*?(?=[;.] )/, '');
    const turns = [1, 3, 1].map((holder, i) => ({ holder, times: i === 1 ? 2 : 1, ns: 20 * MS }));
    const ready = [{ worker: 0, ns: 9 * MS }];
    expect(saidOf({ turns, freeNs: 10 * MS, ready })).toMatch(
      /^It waited 60.000 ms for mutex 0x1 of app, held in turn by server, other \(twice\) and server; 10.000 ms it was free and client waited for a CPU\. /,
    );
    expect(saidOf({ waits: 4 })).toMatch(
      /^It waited 60.000 ms for mutex 0x1 of app in 4 waits, held longest by server and then by other\. /,
    );
  });

  it('for locks of the kernel are a part of the time of the thread', () => {
    const kernelWaits = [{ lock: 'rwsem 0x…d5f0 of the kernel', ns: 30 * MS, waits: 4, by: 'kc-2' }];
    expect(said({ ...ANSWER, parts: [part(0, STATE_USER, 100)], kernelWaits })).toBe(
      'For 30.000 ms it waited for rwsem 0x…d5f0 of the kernel, mostly until kc-2 released it. It ran 100.000 ms.',
    );
  });

  it('that never ended lead to who held the lock, and on, by every criterion', () => {
    const chain = [
      { lock: 'mutex A', holder: 1 },
      { lock: 'mutex B', holder: 0 },
    ];
    const parts = [part(0, STATE_USER, 100)];
    const vainWaits = [{ worker: 0, ns: 90 * MS, chain, isCircle: true }];
    expect(said({ ...ANSWER, parts, vainWaits })).toBe(
      'It ran 100.000 ms. It waited 90.000 ms in vain for mutex A, held by server, which waited for mutex B, held by ' +
        'client: a deadlock.',
    );
    const open = [{ worker: 0, ns: 90 * MS, chain: [{ lock: 'mutex A', holder: -1 }], isCircle: false }];
    expect(said({ ...ANSWER, parts, vainWaits: open })).toMatch(
      /in vain for mutex A, held by nobody known\.$/,
    );
  });
});

describe('time on the path', () => {
  it('adds up to the range, however it is divided', () => {
    const sum = (rows: readonly { readonly ns: number }[]) => rows.reduce((total, { ns }) => total + ns, 0);
    for (const by of ['thread', 'cause'] as const) expect(sum(pathRows(ANSWER, by, INFO))).toBe(100 * MS);
    for (const by of ['program', 'process', 'host'] as const)
      expect(sum(pathOwners(ANSWER, by, INFO.hosts))).toBe(100 * MS);
  });

  it('is that of programs, processes and hosts with their sums', () => {
    const owners = (by: OwnerKind) =>
      pathOwners(COMPILING, by, INFO.hosts).map(({ name, pid, host, processes, ns }) => {
        return [name, pid, host, processes, ns / MS];
      });
    expect(owners('program')).toEqual([
      ['cc', -1, 0, 2, 60],
      ['make', -1, 0, 1, 30],
      ['cc', -1, 1, 1, 8],
      ['Network', -1, -1, 0, 2],
    ]);
    expect(owners('process')).toEqual([
      ['cc', 11, 0, 1, 40],
      ['make', 10, 0, 1, 30],
      ['cc', 12, 0, 1, 20],
      ['cc', 11, 1, 1, 8],
      ['Network', -1, -1, 0, 2],
    ]);
    expect(owners('host')).toEqual([
      ['host 0', -1, 0, 3, 90],
      ['host 1', -1, 1, 1, 8],
      ['Network', -1, -1, 0, 2],
    ]);
    const [cc] = pathOwners(COMPILING, 'program', INFO.hosts);
    expect(ownerStates(COMPILING, cc).states).toEqual([
      { code: DRAW_USER, ns: 45 * MS },
      { code: DRAW_DISK, ns: 15 * MS },
    ]);
  });

  it('leads to the longest segment of its kind', () => {
    const rows = pathRows(ANSWER, 'thread', INFO);
    expect(rows.map(({ name, longest }) => [name, longest])).toEqual([
      ['server 20', 2],
      ['server 20', 1],
      ['server 20', 1],
      ['client 10', 0],
      ['Interrupts of CPU 1', 3],
    ]);
  });

  it('away from the thread studied is what others took', () => {
    expect(awayNs(ANSWER)).toBe(90 * MS);
  });
});
