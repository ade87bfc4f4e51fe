/** A stand-in for the browser's storage of settings, as far as the page uses it. */
import { afterEach, beforeEach, vi } from 'vitest';

/** Shared by tabs, which learn of each other's changes by `tell`. */
export class StoredSettings {
  readonly items = new Map<string, string>();
  isFull = false;
  getItem = (name: string) => this.items.get(name) ?? null;
  setItem = (name: string, value: string) => {
    if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
    this.items.set(name, value);
  };
  removeItem = (name: string) => void this.items.delete(name);

  /** @param key null: the storage was cleared */
  tell(key: string | null): void {
    window.dispatchEvent(Object.assign(new Event('storage'), { key }));
  }
}

/** An empty storage, and a window, for each test of a file. The function returned gives the one of the test that runs. */
export function stubSettings(): () => StoredSettings {
  let stored: StoredSettings;
  beforeEach(() => {
    stored = new StoredSettings();
    vi.stubGlobal('localStorage', stored);
    vi.stubGlobal('window', new EventTarget());
  });
  afterEach(() => vi.unstubAllGlobals());
  return () => stored;
}
