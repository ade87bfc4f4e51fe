import { describe, expect, test } from 'vitest';
import { scenario, tell } from '../../../../../test/support/scenario.ts';
import { checked } from '../../../../../test/support/state-run.ts';
import { type CheckedHistory, checkKernelHistory } from './check.ts';
import * as values from '../../events/values.ts';

const A = 1001;
const B = 2001;

const reduced = () => {
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .switch(0, 1, 0, 0, B)
    .add(30, 1, 'x')
    .enter(5, 0, 'irq', 1, 'x')
    .leave(7, 0, 'irq', 1);
  return tell(story.switch(10, 0, A, 1, 0).waking(20, 0, A).switch(25, 0, 0, 0, A).add(30, 0, 'x'), 30);
};

/** The same history with one interval of an attribute replaced. */
function changed(path: string, from: number, change: { from?: number; to?: number; value?: number }) {
  const run = reduced();
  const history = checked(run);
  const attribute = run.history.attributes.findIndex((one) => one.path.join('/') === path);
  const altered: CheckedHistory = {
    ...history,
    intervals: async (id, begin, end) => {
      const intervals = await history.intervals(id, begin, end);
      return id === attribute
        ? intervals.map((one) => (one.from === from ? { ...one, ...change } : one))
        : intervals;
    },
  };
  return checkKernelHistory(altered, run.tables);
}

describe('invariants', () => {
  test('hold for a sound history', async () => {
    const run = reduced();
    expect(await checkKernelHistory(checked(run), run.tables)).toEqual([]);
  });

  const cases = [
    [1, `threads/${A}/state`, 10, { to: 19 }],
    [1, `threads/${A}/state`, 7, { value: values.STATE_INTERRUPTED }],
    [2, 'cpus/1/thread', 0, { value: 2 }], // A's index, plus 1
    [3, `threads/${A}/state`, 20, { value: values.STATE_KERNEL }],
    [4, 'cpus/0/state', 25, { to: 28 }],
    [5, `threads/${A}/state`, 20, { value: values.STATE_PREEMPTED }],
    [5, 'cpus/0/thread', 10, { value: 0 }],
    [6, 'cpus/0/state', 5, { value: values.CPU_KERNEL }],
    [9, 'cpus/0/state', 7, { value: values.CPU_KERNEL }],
    [9, `threads/${A}/state`, 7, { value: values.STATE_KERNEL }],
    [9, 'cpus/0/state', 10, { value: values.CPU_USER }],
  ] as const;
  test.each(cases)('%i is violated by %s at %i: %j', async (invariant, path, from, change) => {
    const violations = await changed(path, from, change);
    expect(violations.map((one) => one.invariant)).toContain(invariant);
  });

  test('10 is violated by a softirq that is entered before it is raised, or switched out twice at a time', async () => {
    const run = reduced();
    const violated = async (...rows: readonly (readonly [kind: number, from: number, to: number])[]) => {
      const columns = {
        kind: Uint8Array.from(rows, ([kind]) => kind),
        frame: new Int32Array(rows.length).fill(7),
        vec: new Int32Array(rows.length).fill(3),
        from: Float64Array.from(rows, ([, from]) => from),
        to: Float64Array.from(rows, ([, , to]) => to),
      };
      const found = await checkKernelHistory(checked(run), run.tables, { length: rows.length, ...columns });
      return found.map(({ invariant, at }) => [invariant, at]);
    };
    expect(await violated([0, 2, 5], [1, 6, 8], [1, 9, 11])).toEqual([]);
    expect(await violated([0, 5, 2])).toEqual([[10, 5]]);
    expect(await violated([0, 2, 5], [1, 4, 8])).toEqual([[10, 4]]);
    expect(await violated([1, 6, 9], [1, 8, 11])).toEqual([[10, 8]]);
  });
});
