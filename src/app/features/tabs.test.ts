import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { isEnabled } from '../commands/command.ts';
import type { Tab } from '../controls/tabs.tsx';
import { FEATURES } from './registry.ts';
import { tabCommands } from './tabs.ts';

it('keys of the tabs are their places among those that are shown', () => {
  const shown = (...ids: string[]): Tab<string>[] => ids.map((id) => ({ id, title: id }));
  const tabs = signal(shown('selection', 'path', 'statistics', 'events', 'sync', 'info'));
  const commands = tabCommands(FEATURES, { show: () => undefined }, tabs);
  const keyed = () =>
    commands
      .filter(isEnabled)
      .map(({ id, keys }) => `${keys?.[0]} ${id.replace('tab-', '')}`)
      .sort();
  expect(keyed()).toEqual(['1 selection', '2 path', '3 statistics', '4 events', '5 sync', '6 info']);
  tabs.value = shown('selection', 'statistics', 'events', 'notes', 'info');
  expect(keyed()).toEqual(['1 selection', '2 statistics', '3 events', '4 notes', '5 info']);
  expect(commands.filter(({ keys }) => keys === undefined).map(({ id }) => id)).toEqual([
    'tab-path',
    'tab-sync',
  ]);
});
