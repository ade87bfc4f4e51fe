/** Layers whose choice is in the page's link. */
import type { App } from '../context/app-context.ts';
import { followLink } from '../layers/linked-layer.ts';
import { OVERLAYS_IN_LINK } from '../overlays/overlay-link.ts';
import { PLOTS_IN_LINK } from '../plots/plot-link.ts';

/** Another trace shows of its layers what it did before. */
export function forgetLayers({ choices }: App): void {
  for (const { choice } of [PLOTS_IN_LINK, OVERLAYS_IN_LINK]) choices.choose(choice, undefined);
}

/** Has the layers show what links say. The function returned ends that. */
export function followLayers(app: App): () => void {
  const ends = [followLink(app, PLOTS_IN_LINK), followLink(app, OVERLAYS_IN_LINK)];
  return () => ends.forEach((end) => end());
}
