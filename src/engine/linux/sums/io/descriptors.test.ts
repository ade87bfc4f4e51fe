import { expect, it } from 'vitest';
import { Descriptors } from './descriptors.ts';

/** Process 1 with so many files, which forks children from 2 on. */
function forked(files: number, children: number, areEnded: boolean): Descriptors {
  const descriptors = new Descriptors();
  for (let fd = 0; fd < files; fd++) descriptors.open(1, fd, { path: `/${fd}` }, false);
  for (let child = 2; child < children + 2; child++) {
    descriptors.fork(1, child);
    if (areEnded) descriptors.end(child);
  }
  return descriptors;
}

it('children have the descriptors of their parents, those that would be too many none', () => {
  const descriptors = forked(2000, 1500, false);
  expect(descriptors.at(2, 1999)?.path).toBe('/1999');
  expect(descriptors.at(1501, 1999)).toBeUndefined();
  expect(descriptors.unknownForks).toBe(501);
  descriptors.end(2);
  descriptors.fork(1, 2);
  expect(descriptors.at(2, 0)?.path).toBe('/0');
});

it('copies that are given back are bounded, too, unless they are few for a fork', () => {
  expect(forked(400, 13_000, true).unknownForks).toBe(0);
  expect(forked(2000, 6000, true).unknownForks).toBe(6000 - 3333);
});
