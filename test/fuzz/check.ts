/** Opens files as a user would, in memory, and says what is wrong with what we do: nothing, whatever the files. */
import { isDeepStrictEqual } from 'node:util';
import { FAULT_MEANINGS } from '../../src/engine/base/fault-meanings.ts';
import { faultText } from '../../src/engine/base/fault-text.ts';
import type { Fault } from '../../src/engine/base/fault.ts';
import { EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import { DecodeMemory, type DecoderKind } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { summariseTraces } from '../../src/engine/export/canonical-streams.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { openSource } from '../../src/engine/io/open-source.ts';
import { SESSION_IDS, analysisSet } from '../../src/engine/registry.ts';
import { planChunks } from '../../src/engine/trace/chunk-plan.ts';
import { openExperiment } from '../../src/engine/trace/open-experiment.ts';
import type { Experiment } from '../../src/engine/trace/types.ts';
import { localSession } from '../support/local-session.ts';
import { memoryRefs, type MemoryFiles } from '../support/memory-files.ts';
import { statisticsOf } from '../support/session-statistics.ts';
import { decodeAll, type PacketRead } from './decode-check.ts';
import { eventsFrom } from '../support/events-from.ts';
import { unpackToMemory } from '../support/unpack-to-memory.ts';
import { createChunkMapper } from '../../src/engine/analysis/chunk-mapper.ts';
import { runAnalyses, type RunOutcome } from '../../src/engine/analysis/driver.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';

export interface Checked {
  /** undefined: nothing is wrong. */
  readonly problem: string | undefined;
  readonly packets: readonly PacketRead[];
  /** Codes of the faults. */
  readonly faults: readonly string[];
}

/** One memory for all cases, as a worker has. */
const memory = new DecodeMemory();
const ANALYSES = analysisSet(SESSION_IDS);
/** A session takes long; most of what it does is checked without. */
const SESSION_EACH = 8;

/** Small and not the same for all cases, but always the same for a case. */
function chunkBytesOf(bytes: number): number {
  return 1 + (bytes % 3001);
}

/** @throws whatever the engine throws: it should not */
export async function checkFiles(given: MemoryFiles): Promise<Checked> {
  const unpacked = await unpackToMemory(Object.fromEntries(given));
  const isRecording = unpacked.refs.some(({ path }) => !given.has(path));
  if (!isRecording) return checkTraces(given);
  // Of a recording no packet is told: those of the imported trace lie elsewhere.
  const { problem, faults } = await checkTraces(unpacked.files);
  return {
    problem: faultProblem(unpacked.faults, given) ?? problem,
    packets: [],
    faults: [...unpacked.codes, ...faults],
  };
}

async function checkTraces(files: MemoryFiles): Promise<Checked> {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  const experiment = await openExperiment(memoryRefs(files), openSource);
  const opening = [...experiment.faults, ...experiment.traces.flatMap(({ faults }) => faults)];
  const whole = decodeAll(experiment, files, planChunks(experiment), ANALYSES.plan.request, memory);
  const chunks = planChunks(experiment, chunkBytesOf(bytes));
  const pieces = decodeAll(experiment, files, chunks, EVERYTHING, memory);
  const canonical = await summariseAll(experiment, files);
  const analysed = await analyseAll(experiment, undefined, 'wasm');
  const problem =
    faultProblem([...opening, ...whole.faults, ...canonical, ...analysed.outcome.faults], files) ??
    packetsProblem(whole.packets, pieces.packets) ??
    (whole.faultCount === pieces.faultCount ? undefined : 'chunks change how many faults there are') ??
    resultsProblem(resultsDifference(analysed, await analyseAll(experiment, chunkBytesOf(bytes), 'ts'))) ??
    (bytes % SESSION_EACH === 0 ? await sessionProblem(files) : undefined);
  const faults = [...opening, ...whole.faults].map(({ code }) => code);
  return { problem, packets: whole.packets, faults };
}

function resultsProblem(name: string | undefined): string | undefined {
  return name && `chunks or decoders change the ${name}`;
}

async function summariseAll(experiment: Experiment, files: MemoryFiles): Promise<readonly Fault[]> {
  const traces = experiment.traces.map(({ model, streams }) => ({
    model,
    streams: streams.map((stream) =>
      stream.files.map(({ source, packets }) => {
        return { source: memorySource(source.path, files.get(source.path) ?? new Uint8Array(0)), packets };
      }),
    ),
  }));
  return (await summariseTraces(traces, undefined, memory)).faults;
}

function packetsProblem(whole: readonly PacketRead[], pieces: readonly PacketRead[]): string | undefined {
  if (isDeepStrictEqual(whole, pieces)) return undefined;
  const at = whole.findIndex((packet, index) => !isDeepStrictEqual(packet, pieces[index]));
  return `chunks change a packet: ${JSON.stringify(whole[at])} and ${JSON.stringify(pieces[at])}`;
}

/** Every fault is one of ours, with a place in the input, and can be said in words. */
function faultProblem(faults: readonly Fault[], files: MemoryFiles): string | undefined {
  for (const fault of faults) {
    const { code, place } = fault;
    const size = files.get(place.file ?? '')?.length;
    const isPlaced = place.file !== undefined || code === 'empty-folder';
    const isInside = place.byte === undefined || (place.byte >= 0 && place.byte <= (size ?? Infinity));
    const isCounted = [place.line, place.column].every((number) => number === undefined || number >= 1);
    const isKnown = code in FAULT_MEANINGS && code !== 'worker-failed' && faultText(fault).length > 0;
    if (!isKnown || !isPlaced || !isInside || !isCounted) return `a fault as ${JSON.stringify(fault)}`;
  }
  return undefined;
}

/** With a store, and some questions that the page asks. */
async function sessionProblem(files: MemoryFiles): Promise<string | undefined> {
  const session = localSession();
  const opened = await session.begin(memoryRefs(files));
  if (!opened.ok) return undefined;
  const { phase, info, rows } = await session.ended();
  if (phase !== 'done') return `a session that ended ${phase}: ${JSON.stringify(info.faults)}`;
  const middle = { from: info.lengthNs / 4, to: info.lengthNs / 2 };
  const { api } = session;
  for (const range of [undefined, middle]) await statisticsOf(api, range);
  for (const row of rows.slice(0, 20)) await api.ask('interval', { row: row.id, timeNs: info.lengthNs / 3 });
  await eventsFrom(api, info.lengthNs / 3, 20);
  for (const row of rows.slice(0, 5)) await eventsFrom(api, 0, 20, { row: row.id });
  await api.ask('sync', {});
  await api.close();
  return undefined;
}

interface AnalysedAll {
  readonly outcome: RunOutcome;
  /** Everything that is compared, by name. */
  readonly results: Readonly<Record<string, unknown>>;
}

/** All analyses, as a session runs them: what comes out must not depend on chunks nor decoders. */
async function analyseAll(
  experiment: Experiment,
  chunkBytes: number | undefined,
  decoder: DecoderKind,
): Promise<AnalysedAll> {
  const mapper = createChunkMapper(experiment, ANALYSES, openSource, decoder);
  const builders = experiment.hosts.map(
    () => new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals: SEGMENT_INTERVALS }),
  );
  const outcome = await runAnalyses({
    experiment,
    chunks: planChunks(experiment, chunkBytes),
    analyses: ANALYSES,
    executor: { parallel: 1, run: (job) => mapper.run(job) },
    sinkOf: (host) => builders[host],
  });
  const results: Record<string, unknown> = { events: outcome.events, faultCount: outcome.faultCount };
  for (const { index } of experiment.hosts) {
    const histories = outcome.histories[index] ?? new Map<string, unknown>();
    for (const [id, tables] of histories) results[`${id} of host ${index}`] = tables;
    const state = histories.get(kernelState.id) as KernelTables | undefined;
    builders[index].finish(state?.end ?? 0);
    results[`history of host ${index}`] = await blocksSha256(builders[index]);
    for (const analysis of ANALYSES.aggregates) {
      const chunkResult = outcome.chunkResults.whole(analysis, index);
      results[`${analysis.id} of host ${index}`] = analysis.finish(chunkResult);
    }
  }
  return { outcome, results };
}

/** Few, so that segments are cut. */
const SEGMENT_INTERVALS = 2000;

/** What differs; undefined: nothing. */
function resultsDifference(a: AnalysedAll, b: AnalysedAll): string | undefined {
  return Object.keys(a.results).find((name) => !isDeepStrictEqual(a.results[name], b.results[name]));
}
