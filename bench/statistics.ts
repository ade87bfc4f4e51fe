/** What the statistics of a selection cost while it is dragged, asked of a session as the page asks. */
import { median, quantile } from './measure.mjs';
import { openSession } from './open-session.ts';

const STEPS = 101;

export async function statisticsBench(folder: string): Promise<Record<string, number>> {
  const { session, lengthNs } = await openSession(folder);
  // The right edge is dragged; its ends fall within segments.
  const ranges = Array.from({ length: STEPS }, (_, i) => {
    return { from: lengthNs * 0.1, to: lengthNs * (0.2 + (0.7 * i) / STEPS) };
  });
  const cpu = await times(ranges, (range) => session.ask('cpu', { range }));
  // The first answer joins the calls of the whole trace; nobody drags before it is there.
  const [first] = await times([undefined], (whole) => session.ask('io', { range: whole }));
  const io = await times(ranges, (range) => session.ask('io', { range }));
  return {
    'statistics.cpuMsMedian': median(cpu),
    'statistics.cpuMsP95': quantile(cpu, 0.95),
    'statistics.ioFirstMs': first,
    'statistics.ioMsMedian': median(io),
    'statistics.ioMsP95': quantile(io, 0.95),
  };
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
