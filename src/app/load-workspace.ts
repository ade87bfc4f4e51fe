/** Parts of the page that the start page does not need: loaded when they are needed, or before when it has nothing else to do. */
import { useEffect } from 'preact/hooks';
import { LaterPart } from './browser/later-part.ts';

export const workspace = new LaterPart(() => import('./workspace-parts.ts'));

export const laterDialogs = new LaterPart(() => import('./later-dialogs.ts'));

export const executionsPage = new LaterPart(() => import('./compare/executions-page.tsx'));

export const recordingGuide = new LaterPart(() => import('./recording/recording-guide.tsx'));

/**
 * Loads a part once it is needed.
 * @returns undefined while it is not there; its `failure` says that it did not come
 */
export function useLater<Part>(part: LaterPart<Part>, isNeeded: boolean): Part | undefined {
  useEffect(() => {
    if (isNeeded) part.need();
  }, [isNeeded]);
  return part.loaded.value;
}
