/** Checks cases in a thread of its own, and ends it where a case takes more time or memory than its size explains. */
import { Worker } from 'node:worker_threads';
import type { MemoryFiles } from '../support/memory-files.ts';
import type { CheckAnswer, CheckJob } from './check-worker.ts';

/** Far above what a machine needs that has other things to do too. */
const PATIENCE_MS = 60_000;
const PATIENCE_MS_PER_BYTE = 0.1;
/** Typed arrays made in all the runs of a case, one after the other; most are constant. */
const MOST_BYTES = 2 ** 29;
const MOST_BYTES_PER_BYTE = 4000;
const HEAP_MB = 700;

export class Watchdog {
  readonly #script: URL;
  #worker: Worker | undefined;

  /** @param script the built `check-worker.ts` */
  constructor(script: URL) {
    this.#script = script;
  }

  /**
   * What the check says; a hang, a crash or too much memory is a problem like others.
   * @param end as of `performance.now()`
   * @returns undefined: it was not over then
   */
  async check(files: MemoryFiles, end = Infinity): Promise<CheckAnswer | undefined> {
    if (performance.now() >= end) return undefined;
    const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
    const job: CheckJob = { files, mostBytes: MOST_BYTES + MOST_BYTES_PER_BYTE * bytes };
    const patience = PATIENCE_MS + PATIENCE_MS_PER_BYTE * bytes;
    const left = end - performance.now();
    const worker = (this.#worker ??= new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      stdout: true,
    }));
    const answer = await new Promise<CheckAnswer | string | undefined>((resolve) => {
      const late = left < patience ? undefined : `no answer after ${Math.round(patience)} ms`;
      const timer = setTimeout(() => resolve(late), Math.min(left, patience));
      const done = (outcome: CheckAnswer | string): void => {
        clearTimeout(timer);
        worker.off('message', done).off('error', died);
        resolve(outcome);
      };
      const died = (error: Error): void => done(`the thread died: ${error.stack ?? error.message}`);
      worker.on('message', done).on('error', died);
      worker.postMessage(job);
    });
    if (typeof answer === 'object') return answer;
    await this.close();
    if (answer === undefined) return undefined;
    return { problem: answer, packets: [], faults: [], time: patience, allocated: 0 };
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
