/** The overlays that are shown, in the page's link. */
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import type { OverlayInfo } from '../../engine/layers/overlays/layer.ts';
import { areNames, isName, type LinkedLayer } from '../layers/linked-layer.ts';

export const OVERLAYS_IN_LINK: LinkedLayer<OverlayDefinition, OverlayInfo> = {
  choice: 'overlays.shown',
  words: ({ name, begin, end, key, acrossThreads, label }) => [name, begin, end, key, acrossThreads, label],
  own([name, begin, end, key, acrossThreads, label]) {
    const isKnown = isName(name) && isName(begin) && isName(end) && areNames(key) && areNames(label);
    if (!isKnown || begin === '' || end === '') return undefined;
    return { name, begin, end, key, acrossThreads: acrossThreads === true, label };
  },
  offered: (session) => session.ask('overlays', {}),
  change: (session, definitions) => session.changeLayer('overlay', definitions),
};
