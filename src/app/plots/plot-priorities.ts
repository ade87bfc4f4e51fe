/** Adds the plot of priorities to those that are shown. */
import type { App } from '../context/app-context.ts';
import { keyOf } from '../layers/choices.ts';
import { showInstead } from '../layers/linked-layer.ts';
import { PLOTS_IN_LINK } from './plot-link.ts';

/** Does nothing where it is shown already, or the trace does not have its events. */
export async function plotPriorities(app: Pick<App, 'session' | 'choices'>): Promise<void> {
  const info = await app.session.ask('plots', {});
  const found = info?.suggestions.find(({ definition }) => definition.isOfThreads === true)?.definition;
  if (info === undefined || found === undefined) return;
  const isShown = info.definitions.some((definition) => keyOf(definition) === keyOf(found));
  if (!isShown) await showInstead(app, PLOTS_IN_LINK, [...info.definitions, found]);
}
