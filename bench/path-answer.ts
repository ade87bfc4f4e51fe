/**
 * What the page's answer of a path costs, asked of a session as the page asks: over the whole lives of the thread that
 * lived longest and of that of a program which did, first the path, then what its time consists of.
 */
import { buffersOf } from '../src/engine/base/buffers.ts';
import type { SessionApi } from '../src/engine/protocol/session.ts';
import type { RowInfo } from '../src/engine/protocol/rows.ts';
import { median } from './measure.mjs';
import { openSession } from './open-session.ts';

const ROUNDS = 7;

export async function pathAnswerBench(folder: string): Promise<Record<string, number>> {
  const { session, rows } = await openSession(folder);
  const threads = rows.filter(({ kind, ran }) => kind === 'thread' && ran);
  const lifeOf = ({ firstNs, lastNs }: RowInfo) => lastNs - firstNs;
  threads.sort((a, b) => lifeOf(b) - lifeOf(a));
  const program = threads.find(({ kernelThread }) => !kernelThread) ?? threads[0];
  return {
    ...(await timesOf('pathAnswer.longest', session, threads[0].id)),
    ...(await timesOf('pathAnswer.program', session, program.id)),
  };
}

/** Medians, the first time left out; what is sent to the page is copied as it would be. */
async function timesOf(name: string, session: SessionApi, row: string): Promise<Record<string, number>> {
  const pathMs: number[] = [];
  const partsMs: number[] = [];
  let segments = 0;
  const request = { row, criterion: 'main-task' } as const;
  for (let round = 0; round <= ROUNDS; round++) {
    const begin = performance.now();
    const answer = await session.ask('path', request);
    segments = answer?.segments.length ?? 0;
    structuredClone(answer, { transfer: buffersOf(answer) });
    const middle = performance.now();
    const parts = answer && (await session.ask('pathParts', { path: answer.id }));
    structuredClone(parts, { transfer: buffersOf(parts) });
    pathMs.push(middle - begin);
    partsMs.push(performance.now() - middle);
  }
  return {
    [`${name}.segments`]: segments,
    [`${name}.firstMs`]: pathMs[0],
    [`${name}.pathMs`]: median(pathMs.slice(1)),
    [`${name}.partsMs`]: median(partsMs.slice(1)),
  };
}
