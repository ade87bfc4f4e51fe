/** What only an open trace, or an open file of executions, needs of the page. Loaded by `load-workspace.ts` as one file. */
import { FEATURES } from './features/registry.ts';
import { loadPanels } from './features/tabs.ts';

export { ExecutionsPage } from './compare/executions-page.tsx';
export { Workspace } from './layout/workspace.tsx';
export { LockEventsDialog } from './locks/lock-events-dialog.tsx';
export { OverlaysDialog } from './overlays/overlays-dialog.tsx';
export { PlotsDialog } from './plots/plots-dialog.tsx';
export { prepareTimeline } from './timeline/timeline.tsx';

export const loadAllPanels = (): Promise<void> => loadPanels(FEATURES);
