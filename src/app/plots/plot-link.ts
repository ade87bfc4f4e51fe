/** The plots that are shown, in the page's link. */
import { fieldPlot, type PlotDefinition } from '../../engine/layers/plots/definition.ts';
import { isName } from '../layers/linked-definitions.ts';
import type { LinkedLayer } from '../layers/linked-layer.ts';

export const PLOTS_IN_LINK: LinkedLayer<PlotDefinition> = {
  choice: 'plots.shown',
  words: ({ name, events, field, by, change }) => [name, events[0], field, by, change === 'add'],
  own([, event, field, by, isSummed]) {
    const isKnown = isName(event) && isName(field) && isName(by) && event !== '' && field !== '';
    return isKnown ? fieldPlot(event, field, by, isSummed === true) : undefined;
  },
  offered: (session) => session.ask('plots', {}),
  change: (session, definitions) => session.changeLayer('resource', definitions),
};
