/** Commands of the keyboard and the palette for active paths. */
import { commandsOf, inMenu, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { drawCodeOf, isWaiting } from '../draw/draw-codes.ts';
import type { PathState } from './path-state.ts';
import { threadAt } from './path-target.ts';

const command = commandsOf('Path');

interface PathPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly path: PathState;
}

/** @param arePossible whether there are threads with states */
export function pathCommands({ app, view, path }: PathPage, arePossible: () => boolean): readonly Command[] {
  const { drawer, experiment } = app;
  const isShown = () => view.path.value !== undefined;
  const explain = () => {
    void path.explain();
    drawer.show('path');
  };
  const hasThread = () => threadAt(experiment.rows.value, view.question.value.row ?? '') !== undefined;
  const waits = () => {
    const info = view.question.value.interval?.info;
    const kind = info?.layer === undefined ? 'thread' : 'layer';
    return info !== undefined && info.isCall !== true && isWaiting(drawCodeOf(kind, info.value));
  };
  return [
    inMenu(
      command('path', 'Why did this wait? The path of what is selected', 'P', explain, arePossible),
      'ask',
      () => (waits() ? 'Why did it wait?' : 'Where did its time go?'),
      hasThread,
    ),
    command('path-previous', 'The segment before on the path', '[', () => view.stepAlongPath(-1), isShown),
    command('path-next', 'The next segment on the path', ']', () => view.stepAlongPath(1), isShown),
    command('path-leave', 'Leave the path', '', () => path.leave(), isShown),
  ];
}
