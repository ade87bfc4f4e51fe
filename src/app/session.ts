/** The connection to the session worker, which does all the reading. */
import { wrap } from 'comlink';
import { signal, type ReadonlySignal } from '@preact/signals';
import { workerCrash } from './errors/crash-report.ts';
import type { WorkerSessionApi } from '../workers/session-api.ts';

export interface SessionLink {
  /** Callbacks given to it must be comlink proxies. */
  readonly api: WorkerSessionApi;
  /** Why the worker ended, when it did: nothing is answered from then on. */
  readonly crash: ReadonlySignal<string | undefined>;
}

export function connectSession(): SessionLink {
  const crash = signal<string | undefined>(undefined);
  const worker = new Worker(new URL('../workers/session-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    crash.value = workerCrash(event);
  });
  worker.addEventListener('messageerror', () => (crash.value = 'A message of the worker could not be read'));
  return { api: wrap<WorkerSessionApi>(worker), crash };
}
