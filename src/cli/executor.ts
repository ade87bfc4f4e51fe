/** Decodes under Node: in this thread or in worker threads. */
import { wrap } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { Worker } from 'node:worker_threads';
import { openNodeSource } from '../engine/io/node-source.ts';
import type { SessionExecutor } from '../engine/open/environment.ts';
import { createLocalExecutor, type DecodeService, type DecodeSetup } from '../workers/decode-service.ts';
import { createPool, type DecodeWorker } from '../workers/pool.ts';

/**
 * Starts what decodes chunks.
 * @param workers 0: this thread
 */
export async function startExecutor(setup: DecodeSetup, workers: number): Promise<SessionExecutor> {
  if (workers > 0) return createPool(startWorker, workers, setup);
  return { ...(await createLocalExecutor(setup, openNodeSource)), dispose: () => undefined };
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
