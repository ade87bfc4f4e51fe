import { expect, test } from 'vitest';
import { withEnd } from './view-commands.ts';

const VIEW = { from: 100.5, to: 199.5 };

test('A begins the range and B ends it, whichever comes first', () => {
  const a = withEnd(undefined, 'from', 120.4, VIEW);
  expect(a).toEqual({ from: 120, to: 200 });
  expect(withEnd(a, 'to', 150, VIEW)).toEqual({ from: 120, to: 150 });
  const b = withEnd(undefined, 'to', 150, VIEW);
  expect(b).toEqual({ from: 100, to: 150 });
  expect(withEnd(b, 'from', 120, VIEW)).toEqual({ from: 120, to: 150 });
});

test('a mark beyond the other one moves that to the end of what is visible', () => {
  expect(withEnd({ from: 120, to: 150 }, 'from', 160, VIEW)).toEqual({ from: 160, to: 200 });
  expect(withEnd({ from: 120, to: 150 }, 'to', 110, VIEW)).toEqual({ from: 100, to: 110 });
  expect(withEnd(undefined, 'from', 300, VIEW)).toEqual({ from: 300, to: 301 });
  expect(withEnd(undefined, 'to', 50, VIEW)).toEqual({ from: 49, to: 50 });
});
