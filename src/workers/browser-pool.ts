/** Decode workers of the browser. */
import { wrap } from 'comlink';
import type { DecodeService, DecodeSetup } from './decode-service.ts';
import { createPool } from './pool.ts';
import type { DecodeWorker, Pool } from './pool.ts';

export class BrowserWorkers {
  readonly #idle: DecodeWorker[] = [];

  /**
   * Starts workers for the next pool, before it is known what they decode: a worker takes as long to start as metadata
   * to be read, and does not begin while who started it is busy.
   * @returns ends those that no pool has taken
   */
  prepare(count: number): () => void {
    while (this.#idle.length < count) {
      const worker = startWorker();
      // Whoever takes it hears of its death.
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

  /** A pool whose workers are for the next one when it ends. */
  lendPool(size: number, setup: DecodeSetup): Pool {
    const lend = (): DecodeWorker => {
      const worker = this.#take();
      return { ...worker, giveBack: () => this.#idle.push(worker) };
    };
    return createPool(lend, size, setup);
  }

  #take(): DecodeWorker {
    return this.#idle.pop() ?? startWorker();
  }
}

function startWorker(): DecodeWorker {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), { type: 'module' });
  const death = new Promise<never>((_, reject) => {
    worker.onerror = (event) => {
      // Else it would be an error of this worker too, and end the page, while the pool tries again.
      event.preventDefault();
      reject(new Error(event.message || 'the decode worker stopped'));
    };
    worker.onmessageerror = () => reject(new Error('an answer of the decode worker could not be read'));
  });
  return { service: wrap<DecodeService>(worker), death, terminate: () => worker.terminate() };
}
