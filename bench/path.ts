/** Measures paths: the cost of a visited edge of graphs in memory, and of the page's answer by a session. */
import { buffersOf } from '../src/engine/base/buffers.ts';
import type { SessionApi } from '../src/engine/protocol/session.ts';
import type { RowInfo } from '../src/engine/protocol/rows.ts';
import { CRITERIA, type Criterion, type Path } from '../src/engine/graph/path.ts';
import { Walk } from '../src/engine/graph/walk.ts';
import { callGraph, SEGMENTS_PER_ROUND, type CallGraph } from '../test/support/call-graph.ts';
import { median } from './measure.mjs';
import { openSession } from './open-session.ts';

const ROUNDS = 7;
/** Numbers of edges that a path visits, roughly. */
const SIZES = [1e3, 1e4, 1e5, 1e6];
const LONG_SEGMENTS = 1e5;

/**
 * Walks over graphs in memory of four decades of sizes, and a long path. The walks before the first one that counts
 * compile it.
 */
export function pathBench(): Record<string, number> {
  const figures: Record<string, number> = {};
  const long = callGraph(Math.ceil(LONG_SEGMENTS / SEGMENTS_PER_ROUND));
  for (const criterion of CRITERIA) {
    const name = criterion.replace(' ', '-');
    figures[`path.${name}.100kMs`] = medianMs(long, criterion);
  }
  for (const size of SIZES) {
    const graph = callGraph(Math.ceil(size / (2 * SEGMENTS_PER_ROUND)));
    for (const criterion of ['main task', 'exact'] as const) {
      const name = criterion.replace(' ', '-');
      const { visited } = walk(graph, criterion);
      figures[`path.${name}.1e${Math.log10(size)}.nsPerEdge`] = (medianMs(graph, criterion) * 1e6) / visited;
    }
  }
  return figures;
}

function walk({ graph, to }: CallGraph, criterion: Criterion): Path {
  const walker = new Walk(graph, { worker: 0, from: 0, to, criterion });
  walker.run();
  return walker.finish();
}

function medianMs(graph: CallGraph, criterion: Criterion): number {
  const times = Array.from({ length: ROUNDS + 2 }, () => {
    const begin = performance.now();
    walk(graph, criterion);
    return performance.now() - begin;
  });
  return median(times.slice(2));
}

/**
 * Asks a session as the page does, over the whole lives of the thread that lived longest and of that of a program which
 * did: first the path, then its parts.
 */
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

/** Medians without the first time, ms; answers are copied as they are on the way to the page. */
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

/**
 * Processor time of opening a trace, and of the paths of all threads of a name over their lives (Giraldeau 2015, Figure 5.13).
 * The first opening compiles what both need, and is not measured.
 */
export async function requestsBench(folder: string, name: string): Promise<Record<string, number>> {
  await pathsOf(folder, name);
  return pathsOf(folder, name);
}

async function pathsOf(folder: string, name: string): Promise<Record<string, number>> {
  const begin = process.cpuUsage();
  const { session, rows } = await openSession(folder);
  const opened = process.cpuUsage(begin);
  let segments = 0;
  for (const { id, kind, name: ofRow } of rows) {
    if (kind !== 'thread' || ofRow !== name) continue;
    segments += (await session.ask('path', { row: id, criterion: 'main-task' }))?.segments.length ?? 0;
  }
  const all = process.cpuUsage(begin);
  const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  return { openMs: msOf(opened), pathsMs: msOf(all) - msOf(opened), segments };
}
