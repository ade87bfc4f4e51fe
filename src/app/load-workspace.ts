/** Parts of the page that the start page does not need: loaded when they are needed, or before when it has nothing else to do. */
import { useEffect } from 'preact/hooks';
import { LaterPart } from './browser/later-part.ts';

export const workspace = new LaterPart(() => import('./workspace-parts.ts'));

export const laterDialogs = new LaterPart(() => import('./later-dialogs.ts'));

export const executionsPage = new LaterPart(() => import('./compare/executions-page.tsx'));

export const recordingGuide = new LaterPart(() => import('./recording/recording-guide.tsx'));

/**
 * @param isNeeded loads it, if nobody did
 * @returns no `loaded` while it is not there; `failure`: it was needed and did not come
 */
export function useLater<Part>(
  part: LaterPart<Part>,
  isNeeded: boolean,
): { readonly loaded?: Part; readonly failure: unknown } {
  useEffect(() => {
    if (isNeeded) part.need();
  }, [isNeeded]);
  return { loaded: part.loaded.value, failure: part.failure.value };
}
