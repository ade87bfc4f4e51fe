/** Decode workers of the browser. */
import { wrap } from 'comlink';
import type { DecodeService, DecodeSetup } from './decode-service.ts';
import { createPool } from './pool.ts';
import type { DecodeWorker, Pool } from './pool.ts';

export function createBrowserPool(size: number, setup: DecodeSetup): Pool {
  return createPool(startWorker, size, setup);
}

function startWorker(): DecodeWorker {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), { type: 'module' });
  const death = new Promise<never>((_, reject) => {
    worker.onerror = (event) => reject(new Error(event.message || 'the decode worker stopped'));
    worker.onmessageerror = () => reject(new Error('an answer of the decode worker could not be read'));
  });
  return { service: wrap<DecodeService>(worker), death, terminate: () => worker.terminate() };
}
