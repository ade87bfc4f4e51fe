/** The way from other parts of the page to a statistic. */
import type { StatisticName } from '../../engine/protocol/statistics.ts';
import type { App } from '../context/app-context.ts';

/** @param chosen choices of its table by name; undefined: as in a page just opened */
export function showStatistic(
  { choices, drawer }: Pick<App, 'choices' | 'drawer'>,
  section: StatisticName,
  chosen: Readonly<Record<string, string | undefined>>,
): void {
  choices.choose('statistics.section', section);
  for (const [name, text] of Object.entries(chosen)) choices.choose(name, text);
  drawer.show('statistics');
}
