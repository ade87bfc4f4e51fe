/** Entry of the browser's session worker. */
import { expose, transfer } from 'comlink';
import { buffersOf, detachOnce } from '../engine/base/buffers.ts';
import type { Fault } from '../engine/base/fault.ts';
import { browserSpills } from '../engine/io/browser-spills.ts';
import { openSource } from '../engine/io/open-source.ts';
import { createSession, type SessionStore } from '../engine/session/session.ts';
import { FallbackStore } from '../engine/store/fallback-store.ts';
import { openIdbStore } from '../engine/store/idb-store.ts';
import { BrowserWorkers } from './browser-pool.ts';
import type { SessionApi } from '../engine/session/api.ts';
import { download } from './download.ts';

// What workers answer is given back once it is merged.
detachOnce();
// A bug in what nobody waits for, such as the reading of a trace, reaches the page, too.
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));
const decoders = new BrowserWorkers();
const session = createSession({
  openSource,
  spills: browserSpills(),
  download,
  openStore: openSessionStore,
  startExecutor: (experiment, analyses, workers) =>
    Promise.resolve(decoders.createPool(workers, { experiment, analyses })),
  prepareWorkers: (workers) => decoders.prepare(workers),
  workers: Math.max(1, navigator.hardwareConcurrency),
});

// What is asked for every frame is made for the asker alone: it is handed over, not copied.
const exposed: SessionApi = {
  ...session,
  tile: async (...request) => handOver(await session.tile(...request)),
  overlayTile: async (...request) => handOver(await session.overlayTile(...request)),
  load: async (...request) => handOver(await session.load(...request)),
  path: async (...request) => handOver(await session.path(...request)),
  pathParts: async (...request) => handOver(await session.pathParts(...request)),
  density: async (...request) => handOver(await session.density(...request)),
};
expose(exposed);

function handOver<T>(answer: T): T {
  return transfer(answer, buffersOf(answer));
}

async function openSessionStore(): Promise<SessionStore> {
  let fault: Fault | undefined;
  const store = new FallbackStore(await openIdbStore(), (found) => (fault = found));
  return {
    store,
    fault: () => fault,
    estimate: async () => {
      const { usage = 0, quota = 0 } = (await navigator.storage?.estimate()) ?? {};
      return { usedBytes: usage, quotaBytes: quota };
    },
  };
}
