/** Filters over all events of a trace in memory, in one thread: no filter is new to the decoder in any but its first round. */
import { createAnalysisSet } from '../src/engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import type { EventBatch } from '../src/engine/analysis/contract.ts';
import { parseFilter } from '../src/engine/events/filter/parse.ts';
import { resolveFilter } from '../src/engine/events/filter/resolve.ts';
import {
  eventsOf,
  type MatchChunk,
  scanId,
  scanOf,
  scanSettings,
} from '../src/engine/events/match-counts.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { babeltraceMs, median } from './measure.mjs';
import { openInMemory, type MemoryTrace } from './memory-trace.ts';

const FILTERS = {
  names: 'name=sched_wak*',
  fields: 'name=sched_switch and prev_state != 0 and next_prio >= 20',
  comm: 'next_comm = "no*such"',
  tids: 'tid=4711 or next_tid=4711 or prev_tid=4711',
  number: 'ret < 0',
  time: 'time < 1s',
  cpu: 'cpu=1',
  text: '"no such text"',
};

/** By filter: ns of processor time of an event, and of testing its row; how many times as fast as babeltrace2. */
export async function filterBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const theirs = babeltraceMs(folder);
  const figures: Record<string, number> = { 'filters.babeltraceMs': theirs };
  for (const [name, text] of Object.entries(FILTERS)) {
    const pass = await passOf(trace, text);
    await pass();
    const passes: Pass[] = [];
    for (let round = 0; round < rounds; round++) passes.push(await pass());
    const [{ events, matches }] = passes;
    const middle = (part: 'ms' | 'cpu' | 'map'): number => median(passes.map((one) => one[part]));
    figures[`filters.${name}.matches`] = matches;
    figures[`filters.${name}.ratio`] = theirs / middle('ms');
    figures[`filters.${name}.cpuNsPerEvent`] = (middle('cpu') * 1e6) / events;
    figures[`filters.${name}.testNsPerEvent`] = (middle('map') * 1e6) / events;
  }
  return figures;
}

/** ms of a pass: wall, processor time of all threads, and that of testing rows. */
interface Pass {
  readonly ms: number;
  readonly cpu: number;
  readonly map: number;
  readonly events: number;
  readonly matches: number;
}

async function passOf({ experiment, chunks }: MemoryTrace, text: string): Promise<() => Promise<Pass>> {
  const parsed = parseFilter(text);
  if (!parsed.ok || parsed.filter === undefined) throw new Error(text);
  const resolved = await resolveFilter(parsed.filter, {
    events: eventsOf(experiment.traces),
    hosts: experiment.hosts.map(({ name }) => name),
    toHost: (_, timeNs) => Number(timeNs),
    selection: undefined,
    threads: () => Promise.resolve(experiment.hosts.map(() => null)),
  });
  if (!resolved.ok) throw new Error(resolved.problem.message);
  const analysis = scanOf(scanId(scanSettings(resolved.filter, experiment)));
  if (analysis === undefined) throw new Error(text);
  let mapMs = 0;
  const measured = {
    ...analysis,
    map(batch: EventBatch) {
      const before = process.cpuUsage();
      const chunkResult = analysis.map(batch);
      mapMs += spentSince(before);
      return chunkResult;
    },
  };
  const mapper = createChunkMapper(experiment, createAnalysisSet([measured]), openSource);
  return async () => {
    const [before, begin] = [process.cpuUsage(), performance.now()];
    let [events, matches] = [0, 0];
    mapMs = 0;
    for (const chunk of chunks) {
      const answer = await mapper.run({ chunk });
      if (!answer.ok) throw new Error(answer.fault.code);
      events += answer.value.events;
      matches += (answer.value.chunkResults[0] as MatchChunk).matches.reduce((sum, count) => sum + count, 0);
    }
    return { ms: performance.now() - begin, cpu: spentSince(before), map: mapMs, events, matches };
  };
}

function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}
