/** The tabs of the features, and the commands that show them. */
import type { ReadonlySignal } from '@preact/signals';
import type { Command } from '../commands/command.ts';
import type { Drawer } from '../context/drawer-state.ts';
import type { Tab } from '../controls/tabs.tsx';
import type { Feature, OpenPage } from './feature.ts';

/** Those that the open trace has, in order of the features. Reads signals. */
export function tabsOf(features: readonly Feature[], page: OpenPage): readonly Tab<string>[] {
  return features.flatMap(({ id, tab }) => {
    if (tab === undefined || tab.isThere?.(page) === false) return [];
    return [{ id, title: tab.title, note: tab.note?.(page), warns: tab.warns }];
  });
}

/**
 * Their keys are the places of the tabs that are shown.
 * @param shown as `tabsOf` gives them
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
