/** Environment of a session that reads a trace and keeps nothing of it. */
import { blobTempFiles } from '../engine/io/browser-temp-files.ts';
import type { SessionEnvironment } from '../engine/open/environment.ts';
import { MemoryStore } from '../engine/store/memory-store.ts';

/** Copies an environment, with temporary files and a store in memory: a new store for each session. */
export function throwawayEnvironment(environment: SessionEnvironment): SessionEnvironment {
  const openStore = () =>
    Promise.resolve({
      store: new MemoryStore(),
      fault: () => undefined,
      estimate: () => Promise.resolve({ usedBytes: 0, quotaBytes: 0 }),
    });
  // Nobody misses what is not read of it.
  const whenCodeIsBack = () => new Promise<never>(() => undefined);
  return { ...environment, openStore, tempFiles: blobTempFiles(), whenCodeIsBack };
}
