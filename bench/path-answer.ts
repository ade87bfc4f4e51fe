/** What the page's answer of a path costs, asked of a session as the page asks: over whole lives of threads. */
import { buffersOf } from '../src/workers/transferables.ts';
import { median } from './measure.mjs';
import { openSession } from './open-session.ts';

export async function pathAnswerBench(
  folder: string,
  ids: string,
  rounds: number,
): Promise<Record<string, number>> {
  const { session, rows } = await openSession(folder);
  const cpu = () => process.cpuUsage().user / 1000;
  for (const row of ids.split(',')) {
    const times: number[][] = [[], [], [], []];
    let text = '';
    for (let i = 0; i < rounds; i++) {
      const t0 = cpu();
      const answer = await session.path({ row, criterion: 'main-task' });
      const t1 = cpu();
      structuredClone(answer, { transfer: buffersOf(answer) });
      const t2 = cpu();
      const parts = await session.pathParts({ row, criterion: 'main-task' });
      const t3 = cpu();
      text = `${answer?.segments.length}->${parts?.parts.length} parts ${parts?.waitsFor.length} frames`;
      structuredClone(parts, { transfer: buffersOf(parts) });
      const t4 = cpu();
      [t1 - t0, t2 - t1, t3 - t2, t4 - t3].forEach((t, k) => times[k].push(t));
    }
    console.error(row, rows.find(({ id }) => id === row)?.name, text, ...times.map((t) => `${t[0].toFixed(0)}/${median(t).toFixed(0)}`));
  }
  return {};
}
