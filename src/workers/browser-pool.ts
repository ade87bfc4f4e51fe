/** Decode workers of the browser. */
import { wrap } from 'comlink';
import script from './decode-worker.ts?worker&url';
import type { DecodeService, DecodeSetup } from './decode-service.ts';
import { WorkerScript } from './worker-script.ts';
import { type DecodeWorker, Gate, Pool } from './pool.ts';

/** Time after which idle workers end, ms. */
const IDLE_MS = 30_000;

export class BrowserWorkers {
  readonly #idle: DecodeWorker[] = [];
  #idleEnd: ReturnType<typeof setTimeout> | undefined;
  readonly #script = new WorkerScript(script);
  /** Admits one worker at a time: in Firefox `new Worker` of a worker may never return while another one loads. */
  readonly #starting = new Gate(1);

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
      const worker = startWorker(this.#script, this.#starting);
      // Its new owner gets an error when it dies.
      worker.death.catch(() => undefined);
      this.#idle.push(worker);
    }
    return () => this.#endIdle();
  }

  /** Makes a pool whose workers are for the next one when it ends, for `idleMs` ms: what they have run is fast. */
  lendPool(size: number, setup: DecodeSetup, idleMs = IDLE_MS): Pool {
    const lend = (): DecodeWorker => {
      const worker = this.#idle.pop() ?? startWorker(this.#script, this.#starting);
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

/** Starts a worker when those before it have answered or ended; its tasks wait for it. */
function startWorker(script: WorkerScript, starting: Gate): DecodeWorker {
  let worker: Worker | undefined;
  let hasAnswered = false;
  let isEnded = false;
  let die: (error: Error) => void = () => undefined;
  const death = new Promise<never>((_, reject) => (die = reject));
  const start = async () => {
    worker = script.start();
    worker.onerror = (event) => {
      // Else it would be an error of this worker too, and end the page, while the pool tries again.
      event.preventDefault();
      if (!hasAnswered) script.lost();
      const what = hasAnswered
        ? 'the decode worker stopped'
        : 'the script of the decode worker was not loaded';
      die(new Error(event.message || what));
    };
    worker.onmessageerror = () => die(new Error('an answer of the decode worker could not be read'));
    const service = wrap<DecodeService>(worker);
    await Promise.race([service.ping(), death]);
    hasAnswered = true;
    return service;
  };
  const started = starting.pass(() => (isEnded ? death : start()));
  started.catch(() => undefined);
  return {
    service: {
      init: async (setup) => (await started).init(setup),
      rest: async () => (await started).rest(),
      setDecoders: async (decoders) => (await started).setDecoders(decoders),
      run: async (job) => (await started).run(job),
      seal: async (job) => (await started).seal(job),
      ping: async () => (await started).ping(),
    },
    sent: {},
    death,
    terminate: () => {
      isEnded = true;
      die(new Error('the decode worker was ended'));
      worker?.terminate();
    },
  };
}
