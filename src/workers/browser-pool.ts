/** Decode workers of the browser. */
import { wrap } from 'comlink';
import script from './decode-worker.ts?worker&url';
import type { DecodeService, DecodeSetup } from './decode-service.ts';
import { WorkerScript } from './worker-script.ts';
import { type DecodeWorker, Pool } from './pool.ts';

/** Time after which idle workers end, ms. */
const IDLE_MS = 30_000;

export class BrowserWorkers {
  readonly #idle: DecodeWorker[] = [];
  #idleEnd: ReturnType<typeof setTimeout> | undefined;
  readonly #script = new WorkerScript(script);

  /** Keeps the workers' script, so that they can be started when the server is gone. */
  keepScript(): Promise<void> {
    return this.#script.keep();
  }

  /**
   * Starts workers for the next pool, before it is known what they decode: a worker takes as long to start as metadata
   * to be read, and does not begin while the thread that started it is busy.
   * @returns a function that ends those that no pool has taken
   */
  prepare(count: number): () => void {
    while (this.#idle.length < count) {
      const worker = startWorker(this.#script);
      // Its new owner gets an error when it dies.
      worker.death.catch(() => undefined);
      this.#idle.push(worker);
    }
    return () => this.#endIdle();
  }

  /** Makes a pool whose workers are for the next one when it ends, for `idleMs` ms: what they have run is fast. */
  lendPool(size: number, setup: DecodeSetup, idleMs = IDLE_MS): Pool {
    const lend = (): DecodeWorker => {
      const worker = this.#idle.pop() ?? startWorker(this.#script);
      return { ...worker, giveBack: () => this.#takeBack(worker, idleMs) };
    };
    return new Pool(lend, size, setup);
  }

  #takeBack(worker: DecodeWorker, idleMs: number): void {
    // Its new owner hears what fails.
    worker.service.rest().catch(() => undefined);
    this.#idle.push(worker);
    clearTimeout(this.#idleEnd);
    if (idleMs < Infinity) this.#idleEnd = setTimeout(() => this.#endIdle(), idleMs);
  }

  #endIdle(): void {
    for (const worker of this.#idle.splice(0)) worker.terminate();
  }
}

function startWorker(script: WorkerScript): DecodeWorker {
  const worker = script.start();
  let hasAnswered = false;
  worker.addEventListener('message', () => (hasAnswered = true), { once: true });
  const death = new Promise<never>((_, reject) => {
    worker.onerror = (event) => {
      // Else it would be an error of this worker too, and end the page, while the pool tries again.
      event.preventDefault();
      if (!hasAnswered) script.lost();
      const what = hasAnswered
        ? 'the decode worker stopped'
        : 'the script of the decode worker was not loaded';
      reject(new Error(event.message || what));
    };
    worker.onmessageerror = () => reject(new Error('an answer of the decode worker could not be read'));
  });
  return { service: wrap<DecodeService>(worker), sent: {}, death, terminate: () => worker.terminate() };
}
