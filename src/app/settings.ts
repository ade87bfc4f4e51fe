/**
 * What the page remembers of its own look (drawer, folds, theme): small values in localStorage, by name. Where the
 * browser keeps none (a private window, storage switched off) the page works without.
 */
const PREFIX = 'wakepath.';

/** The stored value when there is one and `is` accepts it. */
export function readSetting<T>(name: string, is: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    return is(value) ? value : undefined;
  } catch {
    return undefined; // no storage, or not ours
  }
}

export function writeSetting(name: string, value: string | number | boolean | readonly string[]): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Not kept: the page only forgets its layout.
  }
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
