import { expect, it } from 'vitest';
import { formatShare } from '../format/numbers.ts';
import { frameLine, readingLines, speedMarkdown, workerCounts } from './self-bench.tsx';

const SPEED = {
  events: 2_000_000,
  bytes: 80_000_000,
  readings: [
    { workers: 1, ms: 1000 },
    { workers: 2, ms: 625 },
  ],
  frames: [16, 17, 40],
};

it('gives speed-up and efficiency against one worker', () => {
  expect(readingLines(SPEED)).toEqual([
    ['1', '1000', '2.00', '80.0', '1.00', formatShare(1)],
    ['2', '625', '3.20', '128.0', '1.60', formatShare(0.8)],
  ]);
});

it('gives median and 95 % of the frames, or nothing', () => {
  expect(frameLine(SPEED)).toBe('Frames while the view moves: 17.0 ms apart (median), 17.0 ms (95 %)');
  expect(frameLine({ ...SPEED, frames: [] })).toBe('');
});

it('is a table of Markdown', () => {
  const text = speedMarkdown(SPEED, 'Chrome/156', 2);
  expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(4);
  expect(text).toContain('Chrome/156');
});

it.each([
  [1, [1]],
  [2, [1, 2]],
  [12, [1, 2, 4, 8, 12]],
])('of %i processors tries %j', (processors, counts) => {
  expect(workerCounts(processors)).toEqual(counts);
});
