import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LockNames, LONGEST_NAME } from './lock-names.ts';

const KEY = 'wakepath.lock-names.k';
const HOT = '0:mutex:231:0x10';

let items: Map<string, string>;
let isFull = false;
beforeEach(() => {
  items = new Map();
  isFull = false;
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new DOMException('full', 'QuotaExceededError');
      items.set(name, value);
    },
    removeItem: (name: string) => items.delete(name),
  });
  vi.stubGlobal('window', new EventTarget());
});
afterEach(() => vi.unstubAllGlobals());

const shown = (names: LockNames) => [...names.given.value];

it('names of locks are those of the trace that is open, and are there again with it', () => {
  const trace = signal<string | undefined>('k');
  const names = new LockNames(trace);
  names.give(HOT, '  m_hot\n');
  expect(shown(names)).toEqual([[HOT, 'm_hot']]);
  trace.value = 'another';
  expect(shown(names)).toEqual([]);
  trace.value = 'k';
  expect(shown(names)).toEqual([[HOT, 'm_hot']]);
  expect(shown(new LockNames(trace))).toEqual([[HOT, 'm_hot']]);
  names.give(HOT, ' ');
  expect(shown(names)).toEqual([]);
  expect(items.size).toBe(0);
});

it('what another tab named stays', () => {
  const [here, there] = [new LockNames(signal('k')), new LockNames(signal('k'))];
  here.give(HOT, 'm_hot');
  there.give('0:mutex:231:0x20', 'm_warm');
  expect(shown(there)).toHaveLength(2);
  window.dispatchEvent(Object.assign(new Event('storage'), { key: KEY }));
  expect(shown(here)).toEqual(shown(there));
});

it('last as long as the page where the browser keeps nothing', () => {
  const names = new LockNames(signal('k'));
  isFull = true;
  names.give(HOT, 'm_hot');
  names.give('0:spin:231:0x20', 'other');
  expect(shown(names)).toHaveLength(2);
});

it('what anybody may have written into the storage does no harm', () => {
  const kept = [1, null, { lock: HOT }, { lock: HOT, name: 'x'.repeat(500) }, { lock: 7, name: 'n' }];
  items.set(KEY, JSON.stringify(kept));
  expect(shown(new LockNames(signal('k')))).toEqual([[HOT, 'x'.repeat(LONGEST_NAME)]]);
  items.set(KEY, '{"lock":1}');
  expect(shown(new LockNames(signal('k')))).toEqual([]);
});
