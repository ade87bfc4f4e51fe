import { expect, test } from 'vitest';
import { batchesOf, streamsOf } from '../../../../test/support/batches.ts';
import { resultOf } from '../../../../test/support/merge-trees.ts';
import { checked, runStates } from '../../../../test/support/state-run.ts';
import { scenario } from '../../../../test/support/scenario.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import { STATE_KINDS } from '../../linux/states/map/state-rules.ts';
import { withCutRuns } from './irq-stats.ts';
import { interrupts } from '../../linux/sums/interrupts/interrupts.ts';

const A = 1001;
const B = 2001;

test('what was switched out took the time in which its thread was on the CPU', async () => {
  const { events } = scenario()
    .switch(0, 0, 0, 0, A)
    .enter(2, 0, 'softirq', 4)
    .leave(5, 0, 'softirq', 4)
    .enter(10, 0, 'softirq', 4)
    .switch(12, 0, A, 2, B)
    .switch(20, 0, B, 0, A)
    .switch(24, 0, A, 0, B)
    .switch(50, 0, B, 0, A)
    .leave(51, 0, 'softirq', 4)
    .switch(60, 0, A, 1, 0);
  const { history, tables } = runStates(batchesOf(streamsOf(events), STATE_KINDS), {}, 100);
  const all = checked({ history, tables });
  const query: Pick<HistoryQuery, 'intervals'> = {
    intervals: async (attribute, from, to) =>
      (await all.intervals(attribute, from, to)).filter((one) => one.to > from && one.from < to),
  };
  const [ofCpu] = resultOf(interrupts, events);
  const { keys, sums } = await withCutRuns(query, tables, ofCpu);
  expect(keys).toEqual([{ kind: 1, id: 4, name: '' }]);
  expect([sums.count[0], sums.total[0], sums.max[0], sums.min[0]]).toEqual([2, 3 + 2 + 4 + 1, 7, 3]);
  expect([...sums.longestBegin]).toEqual([10, 2]);
});
