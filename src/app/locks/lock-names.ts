/**
 * Names that the reader gave to locks of the open experiment, kept in this browser under the experiment's fingerprint.
 * Other tabs may change them, so each change is made to the stored names.
 */
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { forgetSetting, readSetting, watchSetting, writeSetting } from '../browser/settings.ts';

/** Most UTF-16 units of a name. */
export const LONGEST_NAME = 60;
/** Largest number of names of one experiment. */
const MOST_NAMES = 500;
const LONGEST_ID = 1000;

interface GivenName {
  readonly lock: string;
  readonly name: string;
}

/** @param trace fingerprint of the experiment that is open; undefined: none is */
export function createLockNames(trace: ReadonlySignal<string | undefined>) {
  /** Names by the locks' ids. If the browser stores nothing, they last as long as the page. */
  const given = signal<ReadonlyMap<string, string>>(new Map());
  const stored = (): ReadonlyMap<string, string> => {
    const open = trace.peek();
    return open === undefined ? new Map() : readNames(readSetting(settingOf(open), Array.isArray));
  };
  const read = () => (given.value = stored());
  const stops = [
    effect(() => {
      void trace.value;
      read();
    }),
    watchSetting(() => settingOf(trace.peek() ?? ''), read),
  ];
  return {
    given,
    /** @param name '' removes the name */
    give: (lock: string, name: string): void => {
      const open = trace.peek();
      if (open === undefined) return;
      const known = stored();
      const names = new Map(known.size === 0 ? given.peek() : known);
      const text = nameText(name).trim();
      if (text === '') names.delete(lock);
      else if (names.has(lock) || names.size < MOST_NAMES) names.set(lock, text);
      const kept: GivenName[] = [...names].map(([id, own]) => ({ lock: id, name: own }));
      if (kept.length === 0) forgetSetting(settingOf(open));
      else writeSetting(settingOf(open), kept);
      given.value = names;
    },
    dispose: () => stops.forEach((stop) => stop()),
  };
}

/** Reads stored names, which anybody may have written. */
function readNames(stored: readonly unknown[] | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const value of stored ?? []) {
    if (names.size === MOST_NAMES) break;
    if (typeof value !== 'object' || value === null) continue;
    const { lock, name } = value as Partial<Readonly<Record<keyof GivenName, unknown>>>;
    if (typeof lock !== 'string' || lock.length > LONGEST_ID) continue;
    if (typeof name === 'string' && name.trim() !== '') names.set(lock, nameText(name));
  }
  return names;
}

function nameText(typed: string): string {
  return typed.replace(/\s/g, ' ').slice(0, LONGEST_NAME);
}

function settingOf(trace: string): string {
  return `lock-names.${trace}`;
}
