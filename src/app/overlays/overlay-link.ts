/** The overlays that are shown, in the page's link. */
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import { areNames, isName } from '../layers/linked-definitions.ts';
import type { LinkedLayer } from '../layers/linked-layer.ts';
import { commandsOf, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';

export const OVERLAYS_IN_LINK: LinkedLayer<OverlayDefinition> = {
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

/** Commands of keyboard and palette about overlays. */
const TITLE = 'Choose overlays: pairs of events as rows below their threads…';

export function overlayCommands({ dialog }: App): readonly Command[] {
  return [commandsOf('Rows')('overlays', TITLE, 'O', () => (dialog.value = { kind: 'overlays' }))];
}
