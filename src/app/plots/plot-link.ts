/** The plots that are shown, in the page's link. */
import { fieldPlot, type PlotDefinition } from '../../engine/layers/plots/definition.ts';
import type { PlotInfo } from '../../engine/layers/plots/layer.ts';
import { isName, keyOf, type LinkedLayer, showInstead } from '../layers/linked-layer.ts';
import type { App } from '../context/app-context.ts';

export const PLOTS_IN_LINK: LinkedLayer<PlotDefinition, PlotInfo> = {
  choice: 'plots.shown',
  words: ({ name, events, field, by, change }) => [name, events[0], field, by, change === 'add'],
  own([, event, field, by, isSummed]) {
    const isKnown = isName(event) && isName(field) && isName(by) && event !== '' && field !== '';
    return isKnown ? fieldPlot(event, field, by, isSummed === true) : undefined;
  },
  offered: (session) => session.ask('plots', {}),
  change: (session, definitions) => session.changeLayer('resource', definitions),
};

/** Shows the plot of priorities, unless it is shown already or the trace does not have its events. */
export async function plotPriorities(app: Pick<App, 'session' | 'choices'>): Promise<void> {
  const info = await app.session.ask('plots', {});
  const found = info?.suggestions.find(({ definition }) => definition.isOfThreads === true)?.definition;
  if (info === undefined || found === undefined) return;
  const isShown = info.definitions.some((definition) => keyOf(definition) === keyOf(found));
  if (!isShown) await showInstead(app, PLOTS_IN_LINK, [...info.definitions, found]);
}
