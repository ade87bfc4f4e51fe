/** Commands of the keyboard and the palette for active paths. */
import { commandsOf, inMenu, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { drawCodeOf, isWaiting } from '../draw/draw-codes.ts';
import type { PathState } from './path-state.ts';
import { threadAt, type LinkedPath } from './path-target.ts';
import { readTime, setTime } from '../format/time-entry.ts';
import { DEFAULT_CRITERION, isCriterion } from './path-words.ts';

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

export function writePath(parts: URLSearchParams, path: LinkedPath | undefined): void {
  if (path === undefined) return;
  const { row, at, isCall, criterion, marked, foldLoops } = path;
  parts.set('path', row);
  setTime(parts, 'path-at', at);
  if (isCall) parts.set('path-call', '1');
  if (criterion !== DEFAULT_CRITERION) parts.set('criterion', criterion);
  for (const unrelated of marked) parts.append('unrelated', unrelated);
  if (foldLoops) parts.set('fold', '1');
}

/** Undefined: the link has no path. */
export function readPath(parts: URLSearchParams): LinkedPath | undefined {
  const row = parts.get('path');
  if (row === null) return undefined;
  const criterion = parts.get('criterion');
  return {
    row,
    at: readTime(parts.get('path-at')),
    isCall: parts.get('path-call') === '1' || undefined,
    criterion: isCriterion(criterion) ? criterion : DEFAULT_CRITERION,
    marked: parts.getAll('unrelated'),
    foldLoops: parts.get('fold') === '1',
  };
}
