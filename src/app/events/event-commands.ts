/** Commands about events, of the palette and of the menu of the selection. */
import { commandsOf, inMenu, type Command, type ThingGroup } from '../commands/command.ts';
import { rowById, type ViewModel } from '../timeline/timeline.tsx';
import type { EventsState } from './events-state.ts';
import { filterOfRow, showEventsOf, quoted, showEvents } from './show-events.ts';
import type { App } from '../context/app-context.ts';
import { plural } from '../format/text.ts';

interface EventsPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly events: EventsState;
}

export function eventCommands({ app, view, events }: EventsPage): readonly Command[] {
  const rowNow = () => rowById(app.experiment.rows.value, view.question.value.row ?? '');
  const hasEvents = () => {
    const row = rowNow();
    return row !== undefined && filterOfRow(row, app.experiment.info.value?.hosts ?? []) !== undefined;
  };
  const show = () => {
    const row = rowNow();
    const { interval, range } = view.question.value;
    if (row !== undefined) showEventsOf(app, view, row, interval ?? range);
  };
  const command = commandsOf('Details');
  const hasFilter = () => events.filter.value.trim() !== '';
  const step = (by: -1 | 1) => () => void events.step(by);
  return [
    command('next-match', 'Go to the next event of the filter', 'N', step(1), hasFilter),
    command('previous-match', 'Go to the previous event of the filter', 'Shift+N', step(-1), hasFilter),
    inMenu(
      command('events-of', 'Show the events of what is selected', '', show, hasEvents),
      'ask',
      'Events of this',
      hasEvents,
    ),
  ];
}

export const EVENT_NAMES: ThingGroup<{ readonly app: App }> = {
  title: 'Events',
  async things({ app }) {
    const { events } = await app.session.ask('counts', {});
    const byCount = events.toSorted((a, b) => b.count - a.count);
    return byCount.map(({ name, count }) => ({
      name,
      detail: plural(count, 'event'),
      open: () => showEvents(app, `name=${quoted(name)}`),
    }));
  },
};
