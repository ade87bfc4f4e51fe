/** Entry of the browser's session worker. */
import { expose, transfer } from 'comlink';
import { buffersOf, detachOnce } from '../engine/base/buffers.ts';
import type { Fault } from '../engine/base/fault.ts';
import { browserSpills } from '../engine/io/browser-spills.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { openSource } from '../engine/io/open-source.ts';
import type { SessionEnvironment, SessionStore } from '../engine/session/environment.ts';
import { Session } from '../engine/session/session.ts';
import { FallbackStore } from '../engine/store/fallback-store.ts';
import { openIdbStore } from '../engine/store/idb-store.ts';
import { BrowserWorkers } from './browser-pool.ts';
import { download } from './download.ts';
import { Rehearsal } from './rehearsal.ts';
import type { WorkerSessionApi } from './session-api.ts';

// What workers answer is given back once it is merged.
detachOnce();
// A bug in what nobody waits for, such as the reading of a trace, reaches the page, too.
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));
const decoders = new BrowserWorkers();
/** ms: the page comes first. */
const KEEP_SCRIPT_AFTER_MS = 500;
setTimeout(() => void decoders.keepScript(), KEEP_SCRIPT_AFTER_MS);

/** What is asked for often or is large is made for the asker alone: it is handed over, not copied. */
class WorkerSession extends Session implements WorkerSessionApi {
  #rehearsal: Rehearsal | undefined;

  async rehearse(files: readonly SourceRef[]) {
    const lending = { ...environment, prepareWorkers: undefined, startExecutor: lendExecutor };
    this.#rehearsal ??= new Rehearsal(lending, files);
    await this.#rehearsal.ended;
  }

  ping() {
    return Promise.resolve();
  }

  override async open(...request: Parameters<Session['open']>) {
    await this.#rehearsal?.stop();
    return super.open(...request);
  }

  override async reopen(...request: Parameters<Session['reopen']>) {
    await this.#rehearsal?.stop();
    return super.reopen(...request);
  }

  override async tile(...request: Parameters<Session['tile']>) {
    return handOver(await super.tile(...request));
  }

  override async overlayTile(...request: Parameters<Session['overlayTile']>) {
    return handOver(await super.overlayTile(...request));
  }

  override async load(...request: Parameters<Session['load']>) {
    return handOver(await super.load(...request));
  }

  override async density(...request: Parameters<Session['density']>) {
    return handOver(await super.density(...request));
  }

  override async cpuStats(...request: Parameters<Session['cpuStats']>) {
    return handOver(await super.cpuStats(...request));
  }

  override async path(...request: Parameters<Session['path']>) {
    return handOver(await super.path(...request));
  }

  override async pathParts(...request: Parameters<Session['pathParts']>) {
    return handOver(await super.pathParts(...request));
  }
}

const environment: SessionEnvironment = {
  openSource,
  spills: browserSpills(),
  download,
  openStore: openSessionStore,
  startExecutor: (experiment, analyses, workers) =>
    Promise.resolve(decoders.createPool(workers, { experiment, analyses })),
  prepareWorkers: (workers) => decoders.prepare(workers),
  workers: Math.max(1, navigator.hardwareConcurrency),
};
const session: WorkerSessionApi = new WorkerSession(environment);
expose(session);

/** Of workers that the next trace gets. */
function lendExecutor(...[experiment, analyses, workers]: Parameters<SessionEnvironment['startExecutor']>) {
  return Promise.resolve(decoders.lendPool(workers, { experiment, analyses }));
}

function handOver<T>(answer: T): T {
  // Nothing, where another question came in between: comlink can only transfer what is an object.
  return answer === undefined ? answer : transfer(answer, buffersOf(answer));
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
