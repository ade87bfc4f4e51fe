import { describe, expect, it } from 'vitest';
import { simulate, settingsOf } from '../../../test/support/simulator/simulation.ts';
import { join } from 'node:path';
import { filesOfFolder, folderRefs, memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { createAnalysisSet } from '../analysis/analysis-set.ts';
import { createChunkMapper } from '../analysis/chunk-mapper.ts';
import type { PacketClasses } from '../ctf/decode/rows/rows.ts';
import { openSource } from '../io/open-source.ts';
import { planChunks } from '../trace/chunk-plan.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import type { ResolvedFilter } from './filter/filter.ts';
import { allEvents, type MatchChunk, matchesByClass, scanId, scanOf, scanSettings } from './match-counts.ts';
import { counts as classCounts, type CountsChunk } from '../linux/sums/counts.ts';
import { MatchIndex, mayMatch, type StreamMatches } from './match-index.ts';
import { MatchTable } from './match-table.ts';

const SEEDS = [1, 2, 3];

describe('chunks that are not read', () => {
  it.each(SEEDS)('have no match, and most of those that are read have some, seed %i', async (seed) => {
    const experiment = await openExperiment(memoryRefs(simulate(settingsOf(seed)).files), openSource);
    const chunks = planChunks(experiment, 1);
    expect(chunks.length).toBeGreaterThan(10);
    const counts = MatchIndex.of(experiment);
    await run(experiment, chunks, undefined, (chunk, chunkResult) => counts.put(chunk, chunkResult));
    const middle = chunks[chunks.length >> 1].from;
    const times: ResolvedFilter = {
      kind: 'times',
      hosts: experiment.hosts.map(() => [middle, middle + 1e6]),
    };
    const cpus: ResolvedFilter = { kind: 'cpus', compare: '=', values: [0] };
    const names: ResolvedFilter = { kind: 'names', names: ['sched_switch'] };
    const filters: ResolvedFilter[] = [
      times,
      cpus,
      { kind: 'and', parts: [times, cpus] },
      { kind: 'and', parts: [names, { kind: 'not', part: times }] },
      { kind: 'or', parts: [times, { kind: 'and', parts: [names, cpus] }] },
    ];
    for (const filter of filters) {
      const settings = scanSettings(filter, experiment);
      const found = { read: 0, matched: 0, leftOut: 0 };
      await run(experiment, chunks, filter, (chunk, { matches }) => {
        const isMatched = matches.some((count) => count > 0);
        if (mayMatch(settings, experiment, chunk, counts)) found.read++;
        else found.leftOut++;
        if (!isMatched) return;
        found.matched++;
        // Before all was read the packets' headers alone do not rule it out.
        for (const known of [counts, undefined])
          expect(mayMatch(settings, experiment, chunk, known)).toBe(true);
      });
      expect(found.matched).toBeGreaterThan(0);
      expect(found.read).toBeGreaterThanOrEqual(found.matched);
    }
    // Another time, another CPU.
    const leftOut = (filter: ResolvedFilter) =>
      chunks.filter((chunk) => !mayMatch(scanSettings(filter, experiment), experiment, chunk, counts)).length;
    expect(leftOut(times)).toBeGreaterThan(0);
    expect(leftOut(cpus)).toBe(chunks.filter((chunk) => cpuOf(experiment, chunk) !== 0).length);
    expect(leftOut({ kind: 'not', part: cpus })).toBe(
      chunks.filter((chunk) => cpuOf(experiment, chunk) === 0).length,
    );
    expect(leftOut({ kind: 'hosts', hosts: [] })).toBe(chunks.length);
  });
});

it('rows can be asked for while more matches are found, also before them', async () => {
  const experiment = await openExperiment(memoryRefs(simulate(settingsOf(1)).files), openSource);
  const chunks = planChunks(experiment, 1);
  const chunkResults: [Chunk, MatchChunk][] = [];
  await run(experiment, chunks, undefined, (chunk, chunkResult) => chunkResults.push([chunk, chunkResult]));
  const late = chunkResults.filter(([chunk]) => chunk.from > chunks[chunks.length >> 1].from);
  const early = chunkResults.filter((chunkResult) => !late.includes(chunkResult));
  for (const first of [0, 1, 50, 200]) {
    const index = MatchIndex.of(experiment);
    for (const [chunk, chunkResult] of late) index.put(chunk, chunkResult);
    const found = early.slice();
    const read = (stream: StreamMatches, packet: number) => {
      for (const [chunk, chunkResult] of found.splice(0)) index.put(chunk, chunkResult);
      const [begin, length] = [stream.begin(packet), stream.count(packet)];
      const times = Float64Array.from(
        { length },
        (_, i) => begin + (i * (stream.end(packet) - begin)) / length,
      );
      return Promise.resolve({
        times,
        events: Uint32Array.from(times.keys()),
        classes: new Uint16Array(length),
      });
    };
    const table = new MatchTable({ index, toDisplay: (_, time) => time as number, read });
    const rows = await table.rows(first, 10);
    expect(rows).toHaveLength(10);
    // A list that shows rows which a filter left out asks for fewer than none.
    expect(await table.rows(first, -36)).toEqual([]);
    expect(found).toEqual([]);
    expect(rows.map(({ timeNs }) => timeNs)).toEqual(
      rows.map(({ timeNs }) => timeNs).toSorted((a, b) => a - b),
    );
  }
});

it('matches by counts of classes are those of the scan, where classes and CPUs decide', async () => {
  const files = filesOfFolder(join(projectDir(), 'public/examples/disk-io'));
  const experiment = await openExperiment(folderRefs(files), openSource);
  const chunks = planChunks(experiment);
  const counted = await countsOf(experiment, chunks);
  const names: ResolvedFilter = { kind: 'names', names: ['sched_switch', 'sched_waking'] };
  const cpu: ResolvedFilter = { kind: 'cpus', compare: '=', values: [0] };
  const filters: ResolvedFilter[] = [
    names,
    { kind: 'not', part: names },
    { kind: 'and', parts: [names, cpu] },
    { kind: 'or', parts: [names, cpu] },
  ];
  for (const filter of filters) {
    const byClass = matchesByClass(scanSettings(filter, experiment), experiment);
    let known = 0;
    await run(experiment, chunks, filter, (chunk, chunkResult) => {
      const packets = counted.get(chunk);
      if (packets === undefined) return;
      expect(byClass(chunk, packets)).toEqual(chunkResult);
      known += chunkResult.matches.reduce((sum, count) => sum + count, 0);
    });
    expect(known).toBeGreaterThan(100);
  }
  const times: ResolvedFilter = { kind: 'times', hosts: [[0, 1e9]] };
  const byClass = matchesByClass(
    scanSettings({ kind: 'and', parts: [names, times] }, experiment),
    experiment,
  );
  const found = [...counted].map(([chunk, packets]) => packets && byClass(chunk, packets));
  expect(found).toContain(undefined);
});

/** Counts of the event classes of each packet, by chunk; undefined: they are not kept. */
async function countsOf(experiment: Experiment, chunks: readonly Chunk[]) {
  const mapper = createChunkMapper(experiment, createAnalysisSet([classCounts]), openSource);
  const found = new Map<Chunk, PacketClasses | undefined>();
  for (const chunk of chunks) {
    const answer = await mapper.run({ chunk });
    if (!answer.ok) throw new Error(answer.fault.code);
    const [stream] = answer.value.chunkResults[0] as CountsChunk;
    found.set(chunk, stream.packets);
  }
  return found;
}

function cpuOf({ traces }: Experiment, { trace, stream }: Chunk): number {
  return traces[trace].streams[stream].cpu;
}

/** Runs over all chunks. @param filter undefined: every event counts */
async function run(
  experiment: Experiment,
  chunks: readonly Chunk[],
  filter: ResolvedFilter | undefined,
  take: (chunk: Chunk, chunkResult: MatchChunk) => void,
): Promise<void> {
  const scan = filter && scanOf(scanId(scanSettings(filter, experiment)));
  const mapper = createChunkMapper(
    experiment,
    createAnalysisSet(scan === undefined ? [] : [scan]),
    openSource,
  );
  for (const chunk of chunks) {
    const answer = await mapper.run({ chunk });
    if (!answer.ok) throw new Error(answer.fault.code);
    take(
      chunk,
      scan === undefined ? allEvents(answer.value.packets) : (answer.value.chunkResults[0] as MatchChunk),
    );
  }
}
