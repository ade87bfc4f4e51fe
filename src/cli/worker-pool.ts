/** Decode workers of Node. */
import { wrap } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { Worker } from 'node:worker_threads';
import type { DecodeService, DecodeSetup } from '../workers/decode-service.ts';
import { createPool, type DecodeWorker, type Pool } from '../workers/pool.ts';

export function startPool(setup: DecodeSetup, workers: number): Pool {
  return createPool(startWorker, workers, setup);
}

function startWorker(): DecodeWorker {
  // The build puts it beside this file under this name (vite.cli.config.ts).
  const worker = new Worker(new URL('./decode-worker.js', import.meta.url));
  const death = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the decode worker stopped with code ${code}`)));
  });
  return {
    service: wrap<DecodeService>(nodeEndpoint(worker)),
    death,
    terminate: () => void worker.terminate(),
  };
}
