/** What the page's answer of a path costs, asked of a session as the page asks: over whole lives of threads. */
import { median } from './measure.mjs';
import { openSession } from './open-session.ts';

export async function pathAnswerBench(folder: string, ids: string, rounds: number): Promise<Record<string, number>> {
  const { session, rows } = await openSession(folder);
  for (const id of ids.split(',')) {
    const times: number[] = [];
    let segments = 0;
    for (let i = 0; i < rounds; i++) {
      const begin = performance.now();
      const answer = await session.path({ row: id, criterion: 'main-task' });
      times.push(performance.now() - begin);
      segments = answer?.segments.length ?? 0;
    }
    console.error(id, rows.find((row) => row.id === id)?.name, segments, times[0].toFixed(1), median(times).toFixed(1));
  }
  return {};
}
