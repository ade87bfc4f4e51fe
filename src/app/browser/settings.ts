/** Settings of the page, by name in localStorage. The page works without storage, too. */
const PREFIX = 'wakepath.';

type Setting = string | number | boolean | readonly (string | object)[];

/** Reads a setting; undefined when none is stored that `is` accepts. */
export function readSetting<T>(name: string, is: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    return is(value) ? value : undefined;
  } catch {
    return undefined; // no storage, or not JSON
  }
}

/** Stores a setting. False: it was not stored, which callers may ignore for settings of the look. */
export function writeSetting(name: string, value: Setting): boolean {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Removes a setting. False: it could not be removed. */
export function forgetSetting(name: string): boolean {
  try {
    localStorage.removeItem(PREFIX + name);
    return true;
  } catch {
    return false;
  }
}

/** Calls when another tab may have changed this setting; the function returned ends that. */
export function watchSetting(name: () => string, heard: () => void): () => void {
  const listen = ({ key }: StorageEvent) => {
    // A null key: the whole storage was cleared.
    if (key === null || key === PREFIX + name()) heard();
  };
  window.addEventListener('storage', listen);
  return () => window.removeEventListener('storage', listen);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
