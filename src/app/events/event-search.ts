/** Names of events, as the search finds them. */
import type { ThingGroup } from '../commands/thing.ts';
import type { App } from '../context/app-context.ts';
import { plural } from '../format/text.ts';
import { quoted, showEvents } from './show-events.ts';

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
