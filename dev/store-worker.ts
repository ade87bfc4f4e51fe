/** A store in a worker, as the page's session has it. */
import { expose, proxy, type ProxyMarked } from 'comlink';
import { openIdbStore } from '../src/engine/store/idb-store.ts';
import type { Store } from '../src/engine/store/types.ts';

export interface StoreService {
  /** @param hasFiles false: as in a browser without files of the page's own */
  open(database: string, hasFiles: boolean): Promise<Store & ProxyMarked>;
  /** From now on the browser aborts every transaction in which a record is read. */
  abortReads(): void;
}

// As in the session's worker, where it ends in a page that tells of a crash.
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));

const service: StoreService = {
  async open(database, hasFiles) {
    if (!hasFiles)
      navigator.storage.getDirectory = () => Promise.reject(new DOMException('', 'SecurityError'));
    const opened = await openIdbStore({ database });
    if (!opened.ok) throw new Error(opened.fault.found);
    return proxy(opened.value);
  },

  abortReads() {
    const { get, getAll } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.get = function (query) {
      return aborted(get.call(this, query));
    };
    IDBObjectStore.prototype.getAll = function () {
      return aborted(getAll.call(this));
    };
  },
};

function aborted<T>(request: IDBRequest<T>): IDBRequest<T> {
  request.transaction?.abort();
  return request;
}

expose(service);
