/** What the keyboard and the palette can do with active paths. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { Drawer } from '../context/drawer-state.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import type { PathState } from './path-state.ts';

const command = commandsOf('Path');

/** @param arePossible whether there are threads with states */
export function pathCommands(
  view: ViewModel,
  drawer: Drawer,
  path: PathState,
  arePossible: () => boolean,
): readonly Command[] {
  const isShown = () => view.path.value !== undefined;
  const explain = () => {
    void path.explain();
    drawer.show('path');
  };
  return [
    command('path', 'Why did this wait? The path of what is selected', 'P', explain, arePossible),
    command('path-previous', 'The segment before on the path', '[', () => view.stepAlongPath(-1), isShown),
    command('path-next', 'The next segment on the path', ']', () => view.stepAlongPath(1), isShown),
    command('path-leave', 'Leave the path', '', () => path.leave(), isShown),
  ];
}
