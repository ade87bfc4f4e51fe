/** The tabs of the features, and the commands that show them. */
import type { ReadonlySignal } from '@preact/signals';
import type { Command } from '../commands/command.ts';
import type { Drawer } from '../context/drawer-state.ts';
import type { Tab } from '../controls/tabs.tsx';
import type { Feature, OpenPage } from './feature.ts';

/** Tabs of the open trace, in the order of the features. Reads signals. */
export function tabsOf(features: readonly Feature[], page: OpenPage): readonly Tab<string>[] {
  return features.flatMap(({ id, tab }) => {
    if (tab === undefined || tab.isThere?.(page) === false) return [];
    return [{ id, title: tab.title, note: tab.note?.(page), warns: tab.warns }];
  });
}

/**
 * Commands that show the tabs. Their keys are the positions of the shown tabs.
 * @param shown result of `tabsOf`
 */
export function tabCommands(
  features: readonly Feature[],
  drawer: Pick<Drawer, 'show'>,
  shown: ReadonlySignal<readonly Tab<string>[]>,
): readonly Command[] {
  return features.flatMap(({ id, tab }) => {
    if (tab === undefined) return [];
    const place = () => shown.value.findIndex((one) => one.id === id) + 1;
    return {
      id: `tab-${id}`,
      group: 'Details',
      title: tab.command,
      get keys() {
        return place() > 0 ? [String(place())] : undefined;
      },
      enabled: () => place() > 0,
      run: () => drawer.show(id),
    };
  });
}

/** Loads the panels one after the other while the page is idle, so that tabs are shown at once. */
export async function loadPanels(features: readonly Feature[]): Promise<void> {
  for (const { tab } of features) {
    await nextIdle();
    // A panel that fails is loaded again when its tab is shown.
    await tab?.panel.load().catch(() => undefined);
  }
}

/** ms between two panels in a browser that does not say when it is idle. */
const PAUSE_MS = 100;

function nextIdle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(resolve) : setTimeout(resolve, PAUSE_MS),
  );
}
