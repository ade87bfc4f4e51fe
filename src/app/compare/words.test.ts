import { expect, it } from 'vitest';
import { executionsAnswer } from '../../../test/support/execution-answer.ts';
import type { CauseKind } from '../../engine/layers/executions/ranking/node-ranking.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import { definitionMistake, definitionText, proposalText } from './definition-words.ts';
import { causeOf, frameWords, partWords } from './explanation-words.ts';
import { metricColumns, metricText, metricTitle } from './metric-columns.ts';
import { ownTime } from './own-time.ts';

const EVENTS = ['app:begin', 'app:end', 'sched_switch'].map((name): EventShape => {
  return { name, domain: 'ust', fields: [] };
});
const PLAIN = { begin: 'app:begin', end: 'app:end', key: [], acrossThreads: false, where: [], minNs: 0 };

it('a definition is said in a line, and events that are not there are named', () => {
  expect(definitionText({ ...PLAIN, key: ['id'], minNs: 1e6 })).toBe(
    'app:begin to app:end, key id, 1.000\u2009ms or longer',
  );
  expect(definitionText({ ...PLAIN, end: 'app:begin' })).toBe('from app:begin to the next one');
  const mistake = (part: Partial<typeof PLAIN>) => definitionMistake({ ...PLAIN, ...part }, EVENTS);
  expect(mistake({})).toBeUndefined();
  expect(mistake({ begin: '*:beg*n', end: 'sched_*' })).toBeUndefined();
  expect(mistake({ begin: 'app:*:begin' })).toBe('No event of this trace is called app:*:begin.');
  expect(mistake({ end: '' })).toBe('Name both events.');
  expect(mistake({ acrossThreads: true })).toMatch(/by fields alone/);
});

it('a proposal is said with how many there are and how long they take', () => {
  const counts = { executions: 3, withoutEnd: 2, withoutBegin: 0, nested: 0 };
  expect(proposalText({ counts, durations: Float64Array.of(1e6, 2e6, 9e6) })).toBe(
    '3 executions, half of them up to 2.000\u2009ms, the longest 9.000\u2009ms; 2 without end',
  );
});

it('frames are said in words', () => {
  expect(['→ thread maintenance', 'syscall futex', 'preempted', 'parse'].map(frameWords)).toEqual([
    'Waiting for thread maintenance',
    'System call futex',
    'Waiting for a CPU',
    'parse',
  ]);
});

it('a cause is said with the functions that have a name, its thread, and who waited for that', () => {
  const said = (folded: string, kind: CauseKind = 'frame', isElapsed = false) => {
    const { what, where } = causeOf({ frames: folded.split(';'), kind }, isElapsed);
    return `${what}${where.map(({ text }) => text).join('')}`;
  };
  expect(said('libc.so.6+0x891f5;worker;lookup;[unknown];syscall futex')).toBe(
    'System call futex, in worker ▸ lookup',
  );
  expect(said('apache2')).toBe('apache2');
  expect(said('worker;lookup;syscall futex;→ thread maintenance')).toBe(
    'Waiting for thread maintenance, in worker ▸ lookup ▸ syscall futex',
  );
  expect(said('tick;filter;preempted;→ thread house;libc.so.6+0x1;rebuild;sort')).toBe(
    'sort, in rebuild of thread house, which ran instead of tick ▸ filter',
  );
  expect(said('tick;filter;preempted;→ thread house')).toBe('Thread house ran instead of tick ▸ filter');
  expect(said('tick;filter;preempted')).toBe('Waiting for a CPU, in tick ▸ filter');
  expect(said('load;syscall pread64;disk;→ thread logger')).toBe(
    'Thread logger used the disk while load ▸ syscall pread64 waited for it',
  );
  expect(said('load;syscall pread64;disk;→ thread logger;append;syscall fsync')).toBe(
    'System call fsync, in append of thread logger, which used the disk while load ▸ syscall pread64 waited for it',
  );
  expect(said('syscall epoll_wait;→ thread postgres;syscall fdatasync;→ thread jbd2;disk')).toBe(
    'Waiting for the disk, in thread jbd2, for which syscall fdatasync of thread postgres waited, for which syscall epoll_wait waited',
  );
  expect(said('→ thread postgres;→ thread jbd2;disk')).toBe(
    'Waiting for the disk, in thread jbd2, for which thread postgres waited, for which the execution waited',
  );
  expect(said('apache2', 'noStacks')).toBe('CPU time where no call stack was recorded, of apache2');
  expect(said('worker;parse;libc.so.6+0x1', 'cpu')).toBe('CPU time in no named function, in worker ▸ parse');
  expect(said('worker;parse', 'spread')).toBe('Spread over many things, below worker ▸ parse');
  expect(said('100', 'noStacks', true)).toBe('Time where no call stack was recorded, of 100');
});

it('where most of a cause lies is said in short', () => {
  const said = (folded: string) => partWords(folded.split(';'));
  expect(said('→ thread maintenance')).toBe('thread maintenance');
  expect(said('→ thread logger;append;syscall fsync')).toBe('thread logger, System call fsync');
  expect(said('→ thread jbd2;disk')).toBe('thread jbd2, Waiting for the disk');
  expect(said('disk')).toBe('Waiting for the disk');
});

it('metrics that vary have a histogram; zeros stand alone where it is logarithmic', () => {
  const columns = metricColumns([
    { name: 'begin', values: Float64Array.of(0, 10, 20) },
    { name: 'hosts', values: Float64Array.of(1, 1, 1) },
    { name: 'blocked disk', values: Float64Array.of(0, 1000, 1e6) },
    { name: 'duration', values: Float64Array.of(1000, 2000, NaN) },
  ]);
  expect(columns.map(({ name }) => name)).toEqual(['duration', 'blocked disk', 'begin']);
  const filled = columns.map(({ all }) => [...all.entries()].filter(([, count]) => count > 0));
  expect(filled[1]).toEqual([
    [0, 1],
    [1, 1],
    [35, 1],
  ]);
  expect(filled[0]).toEqual([
    [0, 1],
    [35, 1],
  ]);
  expect(metricText('diskBytes', 2_000_000)).toBe('2.0\u2009MB');
  expect(metricText('systemCalls', 2.5)).toBe('2.50');
  expect(metricTitle('blocked irq 4')).toBe('Blocked, irq 4');
});

it('the time of an execution is what its own thread did: below a thread are others', () => {
  const stacks = [
    ['main', 'run'],
    ['main', 'read', 'syscall futex', '→ thread other', 'disk'],
    ['main', 'preempted', '→ thread other', 'spin'],
    ['main', 'preempted', 'idle'],
    ['main', 'read', 'softirq NET_RX', 'preempted', '→ thread other', 'spin'],
    ['main', 'read', 'softirq NET_RX', 'preempted', 'idle'],
    ['disk', 'write', 'disk'],
    // A function that is called so.
    ['disk', 'seek'],
  ];
  const answer = executionsAnswer({
    definition: { begin: 'b', end: 'e', key: [], acrossThreads: false },
    counts: { executions: 1, withoutBegin: 0, withoutEnd: 0, nested: 0 },
    metrics: [],
    stacks: stacks.map((stack) => stack.join(';')),
    executions: [
      {
        ...{ worker: '1', name: 't', begin: 0, end: 11_111_111, metrics: [] },
        ecct: stacks.map((_, i) => [i, 10 ** i] as const),
      },
    ],
  });
  const parts = ownTime(answer)(0).filter(({ ns }) => ns > 0);
  expect(parts.map(({ label, ns }) => [label, ns])).toEqual([
    ['Running', 10_000_001],
    ['Runnable, not running', 1100],
    ['A softirq waits', 110_000],
    ['Waits for a thread', 10],
    ['Waits for the disk', 1_000_000],
  ]);
});
