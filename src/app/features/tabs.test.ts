import { computed, signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { isEnabled } from '../commands/command.ts';
import { LaterPart } from '../browser/later-part.ts';
import type { Tab } from '../controls/tabs.tsx';
import type { Feature, OpenPage } from './feature.ts';
import { FEATURES } from './registry.ts';
import { tabCommands, tabsOf } from './tabs.ts';

it('keys of the tabs are their places among those that are shown', () => {
  const shown = (...ids: string[]): Tab<string>[] => ids.map((id) => ({ id, title: id }));
  const tabs = signal(shown('summary', 'selection', 'path', 'statistics', 'events', 'sync', 'info'));
  const commands = tabCommands(FEATURES, { show: () => undefined }, tabs);
  const keyed = () =>
    commands
      .filter(isEnabled)
      .map(({ id, keys }) => `${keys?.[0]} ${id.replace('tab-', '')}`)
      .sort();
  expect(keyed()).toEqual([
    '1 summary',
    '2 selection',
    '3 path',
    '4 statistics',
    '5 events',
    '6 sync',
    '7 info',
  ]);
  tabs.value = shown('summary', 'selection', 'statistics', 'events', 'notes', 'info');
  expect(keyed()).toEqual(['1 summary', '2 selection', '3 statistics', '4 events', '5 notes', '6 info']);
  expect(commands.filter(({ keys }) => keys === undefined).map(({ id }) => id)).toEqual([
    'tab-path',
    'tab-sync',
    'tab-recordings',
    'tab-compare',
    'tab-locks',
    'tab-flame',
  ]);
});

it('a feature in the list has a tab while the trace has it, a command, and a place', () => {
  const isThere = signal(false);
  const dummy: Feature = {
    id: 'dummy',
    tab: {
      title: 'Dummy',
      command: 'Show the dummy',
      panel: new LaterPart(() => Promise.resolve(() => null)),
      isThere: () => isThere.value,
      note: () => '7',
    },
  };
  const features = [...FEATURES, dummy];
  const page = {
    app: { experiment: { info: signal(undefined), progress: signal(undefined), rows: signal([]) } },
    notes: { all: signal([]), said: signal('') },
    locks: { isThere: signal(false), locks: signal([]) },
    compare: { isThere: signal(false), comparison: signal(undefined) },
  } as unknown as OpenPage;
  const tabs = computed(() => tabsOf(features, page));
  const shown: string[] = [];
  const command = tabCommands(features, { show: (id) => void shown.push(id) }, tabs).at(-1);
  // Without a kernel's trace, a second host and notes.
  expect(tabs.value.map(({ id }) => id)).toEqual(['summary', 'selection', 'statistics', 'events', 'info']);
  expect([command?.title, command?.keys, command?.enabled?.()]).toEqual(['Show the dummy', undefined, false]);
  isThere.value = true;
  expect(tabs.value.at(-1)).toMatchObject({ id: 'dummy', title: 'Dummy', note: '7' });
  expect([command?.keys, command?.enabled?.()]).toEqual([['6'], true]);
  command?.run();
  expect(shown).toEqual(['dummy']);
  expect(new Set(features.map(({ id }) => id)).size).toBe(features.length);
});
