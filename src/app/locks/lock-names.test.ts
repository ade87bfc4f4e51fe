import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { stubSettings } from '../../../test/support/stored-settings.ts';
import { createLockNames, LONGEST_NAME } from './lock-names.ts';

const KEY = 'wakepath.lock-names.k';
const HOT = '0:mutex:231:0x10';

const storage = stubSettings();
const shown = (names: ReturnType<typeof createLockNames>) => [...names.given.value];

it('names of locks are those of the trace that is open, and are there again with it', () => {
  const trace = signal<string | undefined>('k');
  const names = createLockNames(trace);
  names.give(HOT, '  m_hot\n');
  expect(shown(names)).toEqual([[HOT, 'm_hot']]);
  trace.value = 'another';
  expect(shown(names)).toEqual([]);
  trace.value = 'k';
  expect(shown(names)).toEqual([[HOT, 'm_hot']]);
  expect(shown(createLockNames(trace))).toEqual([[HOT, 'm_hot']]);
  names.give(HOT, ' ');
  expect(shown(names)).toEqual([]);
  expect(storage().items.size).toBe(0);
});

it('what another tab named stays', () => {
  const [here, there] = [createLockNames(signal('k')), createLockNames(signal('k'))];
  here.give(HOT, 'm_hot');
  there.give('0:mutex:231:0x20', 'm_warm');
  expect(shown(there)).toHaveLength(2);
  storage().tell(KEY);
  expect(shown(here)).toEqual(shown(there));
});

it('last as long as the page where the browser keeps nothing', () => {
  const names = createLockNames(signal('k'));
  storage().isFull = true;
  names.give(HOT, 'm_hot');
  names.give('0:spin:231:0x20', 'other');
  expect(shown(names)).toHaveLength(2);
});

it('what anybody may have written into the storage does no harm', () => {
  const kept = [1, null, { lock: HOT }, { lock: HOT, name: 'x'.repeat(500) }, { lock: 7, name: 'n' }];
  storage().items.set(KEY, JSON.stringify(kept));
  expect(shown(createLockNames(signal('k')))).toEqual([[HOT, 'x'.repeat(LONGEST_NAME)]]);
  storage().items.set(KEY, '{"lock":1}');
  expect(shown(createLockNames(signal('k')))).toEqual([]);
});
