import { expect, it } from 'vitest';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import { segmentAt, shownPath } from './shown-path.ts';
import { plainRow } from '../../../../test/support/timeline/plain-row.ts';

const ROWS = [
  plainRow('host:0', -1, 'host'),
  plainRow('cpu:0:1', 0, 'cpu'),
  plainRow('process:0:5', 0, 'process'),
  plainRow('thread:0:5', 2, 'thread'),
  plainRow('thread:0:6', 2, 'thread'),
];

const ANSWER = {
  row: 'thread:0:6',
  workers: [
    { row: 'thread:0:5', name: 'a', tid: 5, host: 0, cpu: undefined },
    { row: 'thread:0:6', name: 'b', tid: 6, host: 0, cpu: undefined },
    { row: undefined, name: 'Interrupts of CPU 1', tid: undefined, host: 0, cpu: 1 },
  ],
  segments: {
    length: 4,
    worker: Int32Array.of(0, 1, 2, 0),
    from: Float64Array.of(10, 20, 35, 40),
    to: Float64Array.of(20, 35, 40, 50),
  },
} as unknown as PathAnswer;

it('lies in the rows of its workers, interrupts in those of their CPUs', () => {
  const path = shownPath(ANSWER, ROWS);
  expect(path.rowOf).toEqual(['thread:0:5', 'thread:0:6', 'cpu:0:1', 'thread:0:5']);
  expect(path.segmentsOf.get('thread:0:5')).toEqual([0, 3]);
  expect(Object.fromEntries(path.timeOn)).toEqual({
    'thread:0:5': 20,
    'thread:0:6': 15,
    'cpu:0:1': 5,
    'process:0:5': 35,
    'host:0': 40,
  });
  expect([...path.order].filter(([, time]) => time === Infinity).map(([id]) => id)).toEqual([
    'thread:0:6',
    'process:0:5',
    'host:0',
  ]);
  expect(path.isWait).toBe(true);
});

it('finds the segment of a time', () => {
  expect([5, 10, 19, 20, 36, 49, 50].map((time) => segmentAt(ANSWER, time))).toEqual([0, 0, 0, 1, 2, 3, 4]);
});
