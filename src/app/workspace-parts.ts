/** The parts of the page that every open trace needs. Loaded by `load-workspace.ts`. */
import { FEATURES } from './features/registry.ts';
import { loadPanels } from './features/tabs.ts';

export { Workspace } from './layout/workspace.tsx';
export { prepareTimeline } from './timeline/timeline.tsx';

export const loadAllPanels = (): Promise<void> => loadPanels(FEATURES);
