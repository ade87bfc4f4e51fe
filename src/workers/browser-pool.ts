/** Decode workers of the browser. */
import { wrap } from 'comlink';
import script from './decode-worker.ts?worker&url';
import type { DecodeService, DecodeSetup } from './decode-service.ts';
import { WorkerScript } from './worker-script.ts';
import { createPool } from './pool.ts';
import type { DecodeWorker, Pool } from './pool.ts';

export class BrowserWorkers {
  readonly #idle: DecodeWorker[] = [];
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
    return () => {
      for (const worker of this.#idle.splice(0)) worker.terminate();
    };
  }

  createPool(size: number, setup: DecodeSetup): Pool {
    return createPool(() => this.#take(), size, setup);
  }

  /** Makes a pool whose workers are for the next one when it ends. */
  lendPool(size: number, setup: DecodeSetup): Pool {
    const lend = (): DecodeWorker => {
      const worker = this.#take();
      return { ...worker, giveBack: () => this.#idle.push(worker) };
    };
    return createPool(lend, size, setup);
  }

  #take(): DecodeWorker {
    return this.#idle.pop() ?? startWorker(this.#script);
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
  return { service: wrap<DecodeService>(worker), death, terminate: () => worker.terminate() };
}
