/** Parts of the page that the start page does not need: loaded when needed, or earlier when the page is idle. */
import { useEffect } from 'preact/hooks';
import { LaterPart } from './browser/later-part.ts';

export const workspace = new LaterPart(() => import('./workspace-parts.ts'));

export const laterDialogs = new LaterPart(() => import('./later-dialogs.ts'));

export const executionsPage = new LaterPart(() => import('./compare/executions-page.tsx'));

export const recordingGuide = new LaterPart(() => import('./recording/recording-guide.tsx'));

/**
 * Loads a part once it is needed.
 * @returns the part; undefined before it is loaded, or if it failed (`failure`)
 */
export function useLater<Part>(part: LaterPart<Part>, isNeeded: boolean): Part | undefined {
  useEffect(() => {
    if (isNeeded) part.need();
  }, [isNeeded]);
  return part.loaded.value;
}
