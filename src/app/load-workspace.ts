/** Loads the parts of the page that the start page does not need. */
import { useEffect } from 'preact/hooks';
import { LaterPart } from './browser/later-part.ts';

export type WorkspaceParts = typeof import('./workspace-parts.ts');

const workspace = new LaterPart<WorkspaceParts>(() => import('./workspace-parts.ts'));

/** Loads them once. Rejects if the server does not send them; the next call tries again. */
export function loadWorkspace(): Promise<WorkspaceParts> {
  return workspace.load();
}

/**
 * @param isNeeded loads them, if nobody did
 * @returns no `parts` while they are not there; `failure`: they were needed and did not come
 */
export function useWorkspace(isNeeded: boolean): {
  readonly parts?: WorkspaceParts;
  readonly failure: unknown;
} {
  useEffect(() => {
    if (isNeeded) workspace.need();
  }, [isNeeded]);
  return { parts: workspace.loaded.value, failure: workspace.failure.value };
}
