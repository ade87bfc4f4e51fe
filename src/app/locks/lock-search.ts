/** Locks, as the search finds them. */
import type { ThingGroup } from '../commands/thing.ts';
import { plural } from '../format/text.ts';
import { LOCKS_TAB, type LocksPage, showLock } from './locks-page.ts';

export const LOCK_NAMES: ThingGroup<LocksPage> = {
  title: 'Locks',
  things: (page) =>
    Promise.resolve(
      page.locks.locks.peek().map(({ id, shownName, contended }) => ({
        name: shownName,
        detail: plural(contended, 'wait'),
        open: () => {
          page.app.drawer.show(LOCKS_TAB);
          showLock(page, id);
        },
      })),
    ),
};
