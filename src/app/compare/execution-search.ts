/** Executions, as the search finds them by number and thread: the longest first. */
import type { ThingGroup } from '../commands/thing.ts';
import { formatDuration } from '../format/numbers.ts';
import { type ComparePage, showExecution } from './compare-page.ts';

/** More are not offered: a search by number finds few of many, and the tab has them all. */
const MOST = 10_000;

export const EXECUTIONS: ThingGroup<ComparePage> = {
  title: 'Executions',
  things(page) {
    const comparison = page.compare.comparison.peek();
    if (comparison === undefined) return Promise.resolve([]);
    const { answer, others } = comparison;
    const duration = (i: number) => answer.to[i] - answer.from[i];
    const own = Array.from({ length: answer.length - others }, (_, i) => others + i);
    own.sort((a, b) => duration(b) - duration(a));
    return Promise.resolve(
      own.slice(0, MOST).map((number) => ({
        name: `execution ${number - others + 1} of ${answer.threads[answer.thread[number]].name}`,
        detail: formatDuration(duration(number)),
        open: () => showExecution(page, comparison, number),
      })),
    );
  },
};
