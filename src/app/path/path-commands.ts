/** What the keyboard and the palette can do with active paths. */
import type { Command } from '../commands/command.ts';
import type { Drawer } from '../context/drawer-state.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import type { PathState } from './path-state.ts';

const group = 'Path';

/** @param arePossible whether there are threads with states */
export function pathCommands(
  view: ViewModel,
  drawer: Drawer,
  path: PathState,
  arePossible: () => boolean,
): readonly Command[] {
  const isShown = () => view.path.value !== undefined;
  return [
    {
      id: 'path',
      group,
      title: 'Why did this wait? The path of what is selected',
      keys: ['P'],
      enabled: arePossible,
      run: () => {
        void path.explain();
        drawer.show('path');
      },
    },
    {
      id: 'path-previous',
      group,
      title: 'The segment before on the path',
      keys: ['['],
      enabled: isShown,
      run: () => view.stepAlongPath(-1),
    },
    {
      id: 'path-next',
      group,
      title: 'The next segment on the path',
      keys: [']'],
      enabled: isShown,
      run: () => view.stepAlongPath(1),
    },
    { id: 'path-leave', group, title: 'Leave the path', enabled: isShown, run: () => path.leave() },
  ];
}
