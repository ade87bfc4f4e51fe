/** A store in a worker, as the page's session has it. */
import { expose, proxy, type ProxyMarked } from 'comlink';
import { openIdbStore } from '../src/engine/store/idb-store.ts';
import type { Store } from '../src/engine/store/types.ts';

export interface StoreService {
  /** @param hasFiles false: as in a browser without files of the page's own */
  open(database: string, hasFiles: boolean): Promise<Store & ProxyMarked>;
}

const service: StoreService = {
  async open(database, hasFiles) {
    if (!hasFiles)
      navigator.storage.getDirectory = () => Promise.reject(new DOMException('', 'SecurityError'));
    const opened = await openIdbStore({ database });
    if (!opened.ok) throw new Error(opened.fault.found);
    return proxy(opened.value);
  },
};
expose(service);
