/** Sealing of segments, as WebAssembly and as JavaScript, over the pieces of a recorded kernel trace. */
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import { outlineLevel } from '../src/engine/history/levels.ts';
import { Sealer, type SealJob, type SegmentSealer } from '../src/engine/history/seal.ts';
import { WasmSealer } from '../src/engine/history/wasm-sealer.ts';
import { kernelState } from '../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../src/engine/linux/events/schemes.ts';
import { schemeById } from '../src/engine/maps.ts';
import { median } from './measure.mjs';
import { mapperOf, openInMemory, runHere } from './memory-trace.ts';
import { threadMs } from './thread-time.ts';

const WARM_UP = 3;
const STATE = [kernelState.id];

/** ns of CPU a piece, one thread, warm; the first round of a fresh process too; and bytes a piece, all included. */
export async function sealBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const jobs = await jobsOf(folder);
  const tiles = jobs.reduce((sum, { length }) => sum + length, 0);
  const figures: Record<string, number> = { 'seal.tiles': tiles };
  const sealers = { wasm: new WasmSealer(schemeById), js: new Sealer(schemeById) };
  const times = { wasm: [] as number[], js: [] as number[] };
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const name of ['wasm', 'js'] as const) times[name].push(timeOf(sealers[name], jobs));
  }
  for (const name of ['wasm', 'js'] as const) {
    figures[`seal.${name}NsPerTile`] = (median(times[name].slice(WARM_UP)) * 1e6) / tiles;
    figures[`seal.${name}ColdNsPerTile`] = (times[name][0] * 1e6) / tiles;
  }
  const sealed = jobs.map((job) => sealers.wasm.seal(job));
  const bytes = sealed.reduce(
    (sum, one) => sum + one.directory.length + one.blocks.length + one.outline.length,
    0,
  );
  return { ...figures, 'seal.bytesPerTile': bytes / tiles };
}

/** ms of CPU in which the segments are sealed. */
function timeOf(sealer: SegmentSealer, jobs: readonly SealJob[]): number {
  const begin = threadMs();
  for (const job of jobs) sealer.seal(job);
  return threadMs() - begin;
}

/** What a builder would have sealed. */
async function jobsOf(folder: string): Promise<SealJob[]> {
  const trace = await openInMemory(folder);
  const jobs: SealJob[] = [];
  const sealer = new Sealer(schemeById);
  const builder = new HistoryBuilder({
    schemeOf: kernelSchemeOf,
    outlineLevel: outlineLevel(60e9),
    seal: (job) => {
      jobs.push(structuredClone(job));
      return Promise.resolve(sealer.seal(job));
    },
  });
  const outcome = await runHere(trace, STATE, mapperOf(trace, STATE), builder);
  builder.finish((outcome.histories[0].get(kernelState.id) as KernelTables).end);
  await builder.ready();
  return jobs;
}
