/** What the statistics of a selection cost while it is dragged, asked of a session as the page asks. */
import { blobSpills } from '../src/engine/io/blob-spill.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { createSession } from '../src/engine/session/session.ts';
import { MemoryStore } from '../src/engine/store/memory-store.ts';
import { createLocalExecutor } from '../src/workers/decode-service.ts';
import { median, quantile } from './measure.mjs';
import { openInMemory } from './memory-trace.ts';

const STEPS = 101;

export async function statisticsBench(folder: string): Promise<Record<string, number>> {
  const { files } = await openInMemory(folder);
  const session = createSession({
    openSource,
    spills: blobSpills(),
    openStore: () =>
      Promise.resolve({
        store: new MemoryStore(),
        fault: () => undefined,
        estimate: () => Promise.resolve({ usedBytes: 0, quotaBytes: 0 }),
      }),
    startExecutor: async (experiment, analyses) => {
      return {
        ...(await createLocalExecutor({ experiment, analyses }, openSource)),
        dispose: () => undefined,
      };
    },
    workers: 1,
  });
  const lengthNs = await new Promise<number>((resolve, reject) => {
    const opened = session.open(files, {}, ({ progress, info }) => {
      if (progress.phase === 'done') resolve(info?.lengthNs ?? 0);
    });
    opened.then((outcome) => void (outcome.ok || reject(new Error(outcome.fault.code))), reject);
  });
  // The right edge is dragged; its ends fall within segments.
  const ranges = Array.from({ length: STEPS }, (_, i) => {
    return { from: lengthNs * 0.1, to: lengthNs * (0.2 + (0.7 * i) / STEPS) };
  });
  const cpu = await times(ranges, (range) => session.cpuStats(range));
  return { 'statistics.cpuMsMedian': median(cpu), 'statistics.cpuMsP95': quantile(cpu, 0.95) };
}

async function times<T>(questions: readonly T[], ask: (question: T) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (const question of questions) {
    const begin = performance.now();
    await ask(question);
    all.push(performance.now() - begin);
  }
  return all;
}
