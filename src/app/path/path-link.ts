/** A path in the parameters of a link: whose, and how waits are followed. What is as in a new page is left out. */
import { readTime, setTime } from '../browser/link-parts.ts';
import type { LinkedPath } from './path-target.ts';
import { DEFAULT_CRITERION, isCriterion } from './path-words.ts';

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
