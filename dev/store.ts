/** What the test of the store in IndexedDB (`test/browser/store.deep.test.ts`) does within a browser. */
import { wrap } from 'comlink';
import { STORE_SCENARIOS, type OpenedStore } from '../test/support/store-scenarios.ts';
import type { StoreService } from './store-worker.ts';

declare global {
  interface Window {
    runStoreScenario?: (name: string, hasFiles: boolean) => Promise<void>;
  }
}

window.runStoreScenario = async (name, hasFiles) => {
  const database = `test-${crypto.randomUUID()}`;
  const workers: Worker[] = [];
  let crash: (error: Error) => void;
  const crashed = new Promise<never>((_, reject) => (crash = reject));
  const open = async (withFiles = hasFiles): Promise<OpenedStore> => {
    const worker = new Worker(new URL('./store-worker.ts', import.meta.url), { type: 'module' });
    workers.push(worker);
    worker.addEventListener('error', ({ message }) => crash(new Error(message)));
    const service = wrap<StoreService>(worker);
    const store = await service.open(database, withFiles);
    return { store, abortReads: () => service.abortReads(), crash: () => worker.terminate() };
  };
  const scenario = STORE_SCENARIOS.find((one) => one.name === name);
  try {
    const scene = {
      open,
      files: () => filesOf(database),
      damageFiles: (at: number | 'all') => damageFiles(database, at),
    };
    await Promise.race([scenario?.run(scene), crashed]);
  } finally {
    for (const worker of workers) worker.terminate();
  }
};

/** Changes one byte of each file that a store made, or removes them all. */
async function damageFiles(folder: string, at: number | 'all'): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const files = await root.getDirectoryHandle(folder);
  for await (const [name, entry] of files.entries()) {
    if (at === 'all') {
      await files.removeEntry(name);
      continue;
    }
    const handle = entry as FileSystemFileHandle;
    const [byte] = new Uint8Array(await (await handle.getFile()).slice(at, at + 1).arrayBuffer());
    const writable = await handle.createWritable({ keepExistingData: true });
    await writable.write({ type: 'write', position: at, data: Uint8Array.of(byte ^ 1) });
    await writable.close();
  }
}

/** Sizes of the files that a store made. */
async function filesOf(folder: string): Promise<readonly number[]> {
  const root = await navigator.storage.getDirectory();
  const sizes: number[] = [];
  const entries = (await root.getDirectoryHandle(folder, { create: true })).values();
  for await (const entry of entries) {
    if (entry.kind === 'file') sizes.push((await (entry as FileSystemFileHandle).getFile()).size);
  }
  return sizes;
}
