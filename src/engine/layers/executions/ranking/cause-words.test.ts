import { expect, it } from 'vitest';
import {
  causes,
  causeOf,
  causeSentence,
  causeSets,
  commonCause,
  frameWords,
  partsText,
} from './cause-words.ts';
import type { CauseKind, RankedNode } from './node-ranking.ts';

const time = (ns: number) => `${ns / 1e6} ms`;

function node(folded: string, kind: CauseKind = 'frame', part: Partial<RankedNode> = {}): RankedNode {
  const contrast = { meanA: 1e6, meanB: 3e6, difference: 2e6, effect: 1, share: 0.5, inA: 4, inB: 2 };
  return { frames: folded.split(';'), kind, parts: [], ...contrast, explains: [7, 9], ...part };
}

function said(folded: string, kind: CauseKind = 'frame', isElapsed = false): string {
  const { what, where } = causeOf(node(folded, kind), isElapsed);
  return `${what}${where.map(({ text }) => text).join('')}`;
}

it('frames are said in words', () => {
  expect(['→ thread maintenance', 'syscall futex', 'preempted', 'parse'].map(frameWords)).toEqual([
    'Waiting for thread maintenance',
    'System call futex',
    'Waiting for a CPU',
    'parse',
  ]);
});

it('a cause is said with the functions that have a name, its thread, and who waited for that', () => {
  expect(said('libc.so.6+0x891f5;worker;lookup;[unknown];syscall futex')).toBe(
    'System call futex, in worker ▸ lookup',
  );
  expect(said('worker;lookup;syscall futex;→ thread maintenance')).toBe(
    'Waiting for thread maintenance, in worker ▸ lookup ▸ futex',
  );
  expect(said('worker;page_in;hazard_pointer_wait;libc.so.6+0xcf545;syscall clock_nanosleep;timer')).toBe(
    'Sleeping (clock_nanosleep), in worker ▸ page_in ▸ hazard_pointer_wait',
  );
  expect(said('tick;filter;preempted;→ thread house;libc.so.6+0x1;rebuild;sort')).toBe(
    'sort, in rebuild of thread house, which ran instead of tick ▸ filter',
  );
  expect(said('tick;filter;preempted;→ thread house')).toBe('Thread house ran instead of tick ▸ filter');
  expect(said('tick;filter;preempted')).toBe('Waiting for a CPU, in tick ▸ filter');
  expect(said('load;syscall pread64;disk;→ thread logger')).toBe(
    'Thread logger used the disk while load ▸ pread64 waited for it',
  );
  expect(said('load;syscall pread64;disk;→ thread logger;append;syscall fsync')).toBe(
    'System call fsync, in append of thread logger, which used the disk while load ▸ pread64 waited for it',
  );
  expect(said('append;syscall fsync;→ thread jbd2;disk')).toBe(
    'Waiting for the disk, in thread jbd2, for which append ▸ fsync waited',
  );
});

it('who waited for whom is a chain where there are several', () => {
  expect(said('syscall epoll_wait;→ thread postgres;syscall fdatasync;→ thread jbd2;disk')).toBe(
    'Waiting for the disk, epoll_wait → postgres in fdatasync → jbd2',
  );
  expect(said('→ thread postgres;→ thread jbd2;disk')).toBe(
    'Waiting for the disk, the execution → postgres → jbd2',
  );
  expect(said('poll;preempted;→ thread a;run;syscall futex;→ thread b;work')).toBe(
    'work, poll → a in run ▸ futex → b',
  );
});

it('a frame without a name is no cause: time of one is said as such, with what was not recorded', () => {
  const sentence = (folded: string, kind: CauseKind, isElapsed = false) =>
    causeSentence(node(folded, kind), { sizeB: 3, isElapsed }, time);
  expect(sentence('apache2', 'noStacks')).toBe(
    'Its own CPU time: 3 ms against 1 ms in A; no call stacks recorded. Explains 2 of 3.',
  );
  expect(sentence('libc.so.6+0x891f5', 'cpu')).toBe(
    'Its own CPU time: 3 ms against 1 ms in A; in no function that has a name. Explains 2 of 3.',
  );
  expect(sentence('worker;parse;libc.so.6+0x1', 'cpu')).toBe(
    'Its own CPU time, in worker ▸ parse: 3 ms against 1 ms in A; in no function that has a name. Explains 2 of 3.',
  );
  expect(sentence('syscall futex;→ thread b;[unknown]', 'cpu')).toMatch(/^CPU time of thread b: /);
  expect(sentence('worker;parse', 'spread')).toMatch(/^Spread over many things, below worker ▸ parse: 3 ms/);
  expect(sentence('100', 'noStacks', true)).toMatch(/^Its own time: /);
});

it('where most of a cause lies is said of what has a name, and B against nothing in A', () => {
  const parts = ['→ thread worker-*;lookup;syscall futex;→ thread maintenance', '[unknown]', 'disk'].map(
    (folded, i) => ({ frames: folded.split(';'), ns: (3 - i) * 1e6 }),
  );
  const lock = node('lookup;syscall futex', 'frame', { parts, meanA: 0 });
  expect(causeSentence(lock, { sizeB: 2, isElapsed: false }, time)).toBe(
    'System call futex, in lookup: 3 ms against none in A. Explains all 2. Of the difference 3 ms thread maintenance; 1 ms waiting for the disk.',
  );
  const words = (folded: string) =>
    /Of the difference 1 ms (.*)\.$/.exec(
      partsText({ parts: [{ frames: folded.split(';'), ns: 1e6 }] }, time),
    )?.[1];
  expect(words('→ thread logger;append;syscall fsync')).toBe('thread logger, system call fsync');
  expect(words('→ thread jbd2;disk')).toBe('thread jbd2, waiting for the disk');
});

it('a cause has a short name, by the function that it lies in', () => {
  const short = (folded: string, kind: CauseKind = 'frame') =>
    causeSets([node(folded, kind, { explains: [1] }), node('other', 'frame', { explains: [1] })], false)[0]
      .causes[0];
  expect(short('worker;hazard_pointer_wait;libc.so.6+0xcf545;syscall clock_nanosleep;timer')).toBe(
    'sleeping in hazard_pointer_wait',
  );
  expect(short('read_block;syscall pread64;disk')).toBe('waiting for the disk in read_block');
  expect(short('syscall read;disk')).toBe('waiting for the disk in read');
  expect(short('lookup;libc.so.6+0x1;syscall futex')).toBe('the system call futex in lookup');
  expect(short('lookup;syscall futex;→ thread maintenance')).toBe('waiting for thread maintenance in lookup');
  expect(short('tick;filter;preempted;→ thread house;rebuild;sort')).toBe('sort of thread house');
  expect(short('tick;filter;preempted;→ thread house')).toBe('thread house ran in filter');
  expect(short('apache2', 'noStacks')).toBe('its own CPU time, no call stacks recorded');
  expect(short('worker;[unknown]', 'cpu')).toBe('its own CPU time in no function that has a name');
  expect(short('main;parse', 'spread')).toBe('many things in parse');
});

it('a cause lies in a function of the program, also where those of its libraries have names', () => {
  const of = (folded: string) => commonCause([node(folded)]);
  const wait = 'syscall futex;→ thread maintenance';
  expect(of(`start_thread;worker;cache_lookup;__GI___lll_lock_wait;${wait};clone3;start_thread`)).toBe(
    'in cache_lookup, waiting for thread maintenance',
  );
  expect(of(`worker;${wait};start_thread;rebuild;std::sort`)).toBe(
    'in worker, waiting for thread maintenance in rebuild',
  );
  expect(of(`libc.so.6+0x1;__clock_nanosleep;syscall clock_nanosleep;timer`)).toBe(
    'in __clock_nanosleep, sleeping',
  );
});

it('executions that have several causes at once are told together', () => {
  const nodes = [
    node('syscall nanosleep;timer', 'frame', { explains: [3, 13, 14] }),
    node('syscall read;disk', 'frame', { explains: [3, 13] }),
    node('parse', 'frame', { explains: [5] }),
  ];
  expect(causeSets(nodes, false)).toEqual([
    { executions: 2, causes: ['sleeping in nanosleep', 'waiting for the disk in read'] },
  ]);
  expect(causes(nodes, false)).toEqual(
    new Map([
      [3, 'sleeping in nanosleep; waiting for the disk in read'],
      [13, 'sleeping in nanosleep; waiting for the disk in read'],
      [14, 'sleeping in nanosleep'],
      [5, 'parse'],
    ]),
  );
});
