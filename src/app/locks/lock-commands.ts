/** Commands of the keyboard and the palette for locks. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';
import type { ThingGroup } from '../commands/thing.ts';
import { plural } from '../format/text.ts';
import { LOCKS_TAB, type LocksPage, showLock } from './locks-page.ts';

const TITLE = 'Choose which events are about locks…';

export function lockCommands({ dialog }: App): readonly Command[] {
  return [commandsOf('Rows')('lock-events', TITLE, '', () => (dialog.value = { kind: 'lock-events' }))];
}

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
