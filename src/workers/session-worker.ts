/** Entry of the browser's session worker. */
import { expose, wrap } from 'comlink';
import { detachOnce } from '../engine/base/buffers.ts';
import type { Fault } from '../engine/base/fault.ts';
import { loadLaterCode } from '../engine/base/later-code.ts';
import { browserTempFiles } from '../engine/io/browser-temp-files.ts';
import { openSource } from '../engine/io/open-source.ts';
import type { SessionEnvironment, SessionStore } from '../engine/open/environment.ts';
import { FallbackStore } from '../engine/store/fallback-store.ts';
import { openIdbStore } from '../engine/store/idb-store.ts';
import { BrowserWorkers } from './browser-pool.ts';
import { downloadBy } from './download.ts';
import type { Server } from './fetched-server.ts';
import { readToEnd, Rehearsal, throwawayEnvironment } from './rehearsal.ts';
import type { AskServer } from './session-api.ts';
import { sessionService } from './session-service.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { Session } from '../engine/open/session.ts';

// What workers answer is given back once it is merged.
detachOnce();
// A bug in what nobody waits for, such as the reading of a trace, reaches the page, too.
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));
const decoders = new BrowserWorkers();
let whenCodeIsBack: () => Promise<void> = () => Promise.reject(new Error('the page does not wait for code'));
let askServer: AskServer = () => Promise.reject(new Error('the page asks no other server'));
/** Delay before the script is kept, ms: the page comes first. */
const KEEP_SCRIPT_AFTER_MS = 500;
setTimeout(() => void decoders.keepScript(), KEEP_SCRIPT_AFTER_MS);

/** Time without a question after which later code is loaded, ms: a trace that is opened comes first. */
const QUIET_MS = 3000;
let quiet = setTimeout(loadLater, QUIET_MS);
addEventListener('message', delayLater);

function delayLater(): void {
  clearTimeout(quiet);
  quiet = setTimeout(loadLater, QUIET_MS);
}

function loadLater(): void {
  removeEventListener('message', delayLater);
  void loadLaterCode();
}

const environment: SessionEnvironment = {
  openSource,
  tempFiles: browserTempFiles(),
  download: downloadBy(async (address) => wrap<Server>(await askServer(address))),
  openStore: openSessionStore,
  whenCodeIsBack: () => whenCodeIsBack(),
  startExecutor: (experiment, analyses, workers) =>
    Promise.resolve(decoders.lendPool(workers, { experiment, analyses })),
  prepareWorkers: (workers) => decoders.prepare(workers),
  workers: Math.max(1, navigator.hardwareConcurrency),
};
/** The same with pools whose workers go to the next trace, whenever that is opened. */
const lending: SessionEnvironment = {
  ...environment,
  prepareWorkers: undefined,
  startExecutor: (experiment, analyses, workers) =>
    Promise.resolve(decoders.lendPool(workers, { experiment, analyses }, Infinity)),
};
const service = sessionService(new Session(environment), {
  startRehearsal: (files) => new Rehearsal(lending, files),
  async useServers(ask) {
    askServer = ask;
  },
  async waitForCode(wait) {
    whenCodeIsBack = wait;
  },
  readingTime: (files, workers) => readingTime(environment, files, workers),
});
expose(service);

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

/** Time from the files to the last row and statistic, without pictures and storage, ms; undefined: not readable. */
async function readingTime(
  environment: SessionEnvironment,
  files: readonly SourceRef[],
  workers: number,
): Promise<number | undefined> {
  const session = new Session({ ...throwawayEnvironment(environment), layers: {}, makesPictures: false });
  try {
    const begin = performance.now();
    const read = await readToEnd(session, files, { workers });
    return read?.phase === 'done' ? performance.now() - begin : undefined;
  } finally {
    await session.close();
  }
}
