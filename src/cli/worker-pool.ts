/** Decode workers of Node. */
import { wrap } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { Worker } from 'node:worker_threads';
import type { DecodeService, DecodeSetup } from '../workers/decode-service.ts';
import { type DecodeWorker, Pool } from '../workers/pool.ts';

type NodeWorker = DecodeWorker & Pick<Worker, 'ref' | 'unref'>;

/** Workers that no pool has. They do not keep the process from ending. */
export type IdleWorkers = NodeWorker[];

/**
 * Makes a pool of idle workers, and of others where these are too few.
 * @param idle gets them when it ends, since what a worker has run is fast; undefined: they end with it
 */
export function startPool(setup: DecodeSetup, workers: number, idle?: IdleWorkers): Pool {
  const start = (): DecodeWorker => {
    const worker = idle?.pop() ?? startWorker();
    worker.ref();
    return idle === undefined ? worker : { ...worker, giveBack: () => takeBack(idle, worker) };
  };
  return new Pool(start, workers, setup);
}

function takeBack(idle: IdleWorkers, worker: NodeWorker): void {
  // Its new owner hears what fails.
  worker.service.rest().catch(() => undefined);
  worker.unref();
  idle.push(worker);
}

function startWorker(): NodeWorker {
  // The build puts it beside this file under this name (vite.cli.config.ts).
  const worker = new Worker(new URL('./decode-worker.js', import.meta.url));
  const death = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the decode worker stopped with code ${code}`)));
  });
  return {
    service: wrap<DecodeService>(nodeEndpoint(worker)),
    sent: {},
    death,
    terminate: () => void worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}
