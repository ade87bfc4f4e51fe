import { expect, it } from 'vitest';
import { executionsAnswer } from '../../../test/support/execution-answer.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import { definitionMistake, definitionText, proposalText } from './definition-words.ts';
import { metricColumns, metricText, metricTitle } from './metric-columns.ts';
import { ownTime } from './execution-table.tsx';

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
