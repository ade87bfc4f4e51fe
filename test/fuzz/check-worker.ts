/** A thread that checks cases one after the other; who started it ends it when it takes too long. */
import { parentPort } from 'node:worker_threads';
import type { MemoryFiles } from '../support/memory-files.ts';
import { countAllocations } from './allocations.ts';
import type { Checked } from './check.ts';

export interface CheckJob {
  readonly files: MemoryFiles;
  /** Bytes of typed arrays that it may make. */
  readonly mostBytes: number;
}

export interface CheckAnswer extends Checked {
  /** ms. */
  readonly time: number;
  /** Bytes of typed arrays made. */
  readonly allocated: number;
}

if (parentPort === null) throw new Error('this file is a worker');
const port = parentPort;
const allocations = countAllocations();
// Behind the counting, since modules make arrays too.
const { checkFiles } = await import('./check.ts');

port.on('message', ({ files, mostBytes }: CheckJob) => {
  const started = performance.now();
  allocations.begin(mostBytes);
  const answer = (checked: Checked): void => {
    const allocated = allocations.total();
    port.postMessage({ ...checked, time: performance.now() - started, allocated } satisfies CheckAnswer);
  };
  checkFiles(files).then(answer, (error: unknown) => {
    answer({
      problem: error instanceof Error ? String(error.stack) : String(error),
      packets: [],
      faults: [],
    });
  });
});
