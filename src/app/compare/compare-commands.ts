/** Commands of the palette for executions, there also where the trace suggests none. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { ThingGroup } from '../commands/thing.ts';
import type { App } from '../context/app-context.ts';
import { formatDuration } from '../format/numbers.ts';
import { type ComparePage, COMPARE_TAB, showExecution } from './compare-page.ts';
import type { CompareState } from './compare-state.ts';

const TITLE = 'Compare other executions: choose what begins and ends them…';

export function compareCommands(
  { drawer }: App,
  { isWanted, definition }: CompareState,
  isEnabled: () => boolean,
): readonly Command[] {
  const choose = () => {
    isWanted.value = true;
    definition.value = undefined;
    drawer.show(COMPARE_TAB);
  };
  return [commandsOf('Details')('executions', TITLE, '', choose, isEnabled)];
}

/** Executions that the search offers: by number it finds few of many, and the tab has them all. */
const MOST = 10_000;

/** Executions, as the search finds them by number and thread: the longest first. */
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
