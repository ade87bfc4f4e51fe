/** Commands of the palette for executions, there also where the trace suggests none. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';
import { COMPARE_TAB } from './compare-page.ts';
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
