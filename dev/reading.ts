/** What the bench of reading (`bench/reading.mjs`) does within a browser: passes over chosen files by one worker. */
import { wrap } from 'comlink';
import { blobTempFiles } from '../src/engine/io/browser-temp-files.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import type { SourceRef } from '../src/engine/io/byte-source.ts';
import { kernelState } from '../src/engine/linux/states/kernel-state.ts';
import type { SessionEnvironment } from '../src/engine/open/environment.ts';
import type { StateChunk } from '../src/engine/linux/states/map/transitions.ts';
import { planChunks } from '../src/engine/trace/chunk-plan.ts';
import { openExperiment } from '../src/engine/trace/open-experiment.ts';
import type { Chunk } from '../src/engine/trace/types.ts';
import { BrowserWorkers } from '../src/workers/browser-pool.ts';
import type { Pool } from '../src/workers/pool.ts';
import { Rehearsal } from '../src/workers/rehearsal.ts';
import type { ReadService } from './read-worker.ts';

/** ms. */
export interface Passes {
  /** From the files to the last row: metadata, packet index, start of the worker, one pass. */
  readonly first: number;
  /** Each round: reading, decoding and mapping what the kernel's states need; and only reading the same slices. */
  readonly map: readonly number[];
  readonly read: readonly number[];
}

declare global {
  interface Window {
    prepare?: () => Promise<void>;
    readPasses?: (rounds: number) => Promise<Passes>;
  }
}

const workers = new BrowserWorkers();
window.prepare = prepare;
window.readPasses = readPasses;

/** Reads the chosen files as the start page reads an example while it waits, with one worker. */
function prepare(): Promise<void> {
  const environment: SessionEnvironment = {
    openSource,
    tempFiles: blobTempFiles(),
    openStore: () => Promise.reject(new Error('a rehearsal has a store of its own')),
    startExecutor: (experiment, analyses, count) =>
      Promise.resolve(workers.lendPool(count, { experiment, analyses })),
    workers: 1,
  };
  return new Rehearsal(environment, chosenFiles()).ended;
}

async function readPasses(rounds: number): Promise<Passes> {
  const files = chosenFiles();
  const began = performance.now();
  workers.prepare(1);
  const experiment = await openExperiment(files, openSource);
  const chunks = planChunks(experiment);
  const pool = workers.lendPool(1, { experiment, analyses: [kernelState.id] });
  await mapAll(chunks, pool);
  const first = performance.now() - began;
  const reader = wrap<ReadService>(
    new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' }),
  );
  await reader.init(experiment);
  const readAll = () => inLanes(chunks, pool.parallel, (chunk) => reader.read(chunk));
  await readAll();
  const map: number[] = [];
  const read: number[] = [];
  for (let round = 0; round < rounds; round++) {
    map.push(await msOf(() => mapAll(chunks, pool)));
    read.push(await msOf(readAll));
  }
  pool.dispose();
  return { first, map, read };
}

function chosenFiles(): SourceRef[] {
  const { files } = document.querySelector('input') ?? {};
  return Array.from(files ?? [], (file) => {
    return { kind: 'file', path: file.webkitRelativePath, size: file.size, file };
  });
}

function mapAll(chunks: readonly Chunk[], pool: Pool): Promise<void> {
  return inLanes(chunks, pool.parallel, async (chunk) => {
    const answer = await pool.run({ chunk, goesOn: true });
    if (!answer.ok) throw new Error(answer.fault.code);
    // Used up, as a session's are when they are reduced.
    for (const leaf of answer.value.chunkResults) pool.reuse(leaf as StateChunk);
  });
}

/** Has `task` done for all chunks in order, so many at a time. */
async function inLanes(
  chunks: readonly Chunk[],
  lanes: number,
  task: (chunk: Chunk) => Promise<unknown>,
): Promise<void> {
  const rest = chunks.values();
  const lane = async () => {
    for (const chunk of rest) await task(chunk);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function msOf(action: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
