/** The decoder alone: one thread, the trace in memory, warm, as a ratio to babeltrace2 in the same run. */
import { createChunkDecoder } from '../src/engine/ctf/decode/chunk-decoder.ts';
import type { ChunkInput } from '../src/engine/ctf/decode/decoder-input.ts';
import { EVERYTHING } from '../src/engine/ctf/decode/program/stream-programs.ts';
import { type DecoderKind, openDecodeMemory } from '../src/engine/ctf/decode/wasm/decode-memory.ts';
import { SESSION_IDS, analysisSet } from '../src/engine/registry.ts';
import type { Chunk, Experiment } from '../src/engine/trace/types.ts';
import { babeltraceMs, median } from './measure.mjs';
import { type MemoryTrace, openInMemory } from './memory-trace.ts';

const WARM_UP = 12;

/** What is asked of the decoder: everything there is. */
const ALL_FIELDS = 'all';

/**
 * @param analysis whose projection is decoded: `counts` or `kernel-state`; or `all`: every field
 * @param label of the trace, in the figures' names; '': the largest recorded one
 */
export async function decodeBench(
  decoder: DecoderKind,
  analysis: string,
  folder: string,
  rounds: number,
  label = '',
): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const started = performance.now();
  const pass = decodePass(trace, analysis, decoder);
  const prepared = performance.now();
  pass();
  const firstPass = performance.now();
  for (let i = 0; i < WARM_UP; i++) pass();
  const theirs: number[] = [];
  const ours: number[] = [];
  let decoded = { events: 0, rows: 0, handedOver: 0 };
  for (let round = 0; round < rounds; round++) {
    theirs.push(babeltraceMs(folder));
    // Caches are babeltrace2's now: a pass that is not measured takes them back.
    pass();
    const begin = performance.now();
    decoded = pass();
    ours.push(performance.now() - begin);
  }
  const ms = median(ours);
  const name = `decode${label}.${decoder}.${analysis}`;
  return {
    [`${name}.ratio`]: median(theirs) / ms,
    [`${name}.nsPerEvent`]: (ms * 1e6) / decoded.events,
    [`${name}.events`]: decoded.events,
    [`${name}.rows`]: decoded.rows,
    [`${name}.handedOver`]: decoded.handedOver,
    [`${name}.prepareMs`]: prepared - started,
    [`${name}.firstPassMs`]: firstPass - prepared,
    [`${name}.babeltraceMs`]: median(theirs),
  };
}

/** A function that decodes all chunks once. */
function decodePass({ experiment, chunks, files }: MemoryTrace, analysis: string, kind: DecoderKind) {
  const [trace] = experiment.traces;
  const bytesOf = new Map(
    files.map((ref) => [ref.path, ref.kind === 'memory' ? ref.bytes : new Uint8Array(0)]),
  );
  const request = analysis === ALL_FIELDS ? EVERYTHING : analysisSet([analysis]).plan.request;
  const memory = openDecodeMemory(kind);
  const decoders = trace.model.streams.map(({ clock }, streamClass) =>
    createChunkDecoder(
      trace.model,
      streamClass,
      request,
      clock === undefined ? undefined : trace.clocks[clock],
      memory,
    ),
  );
  const inputOf = (chunk: Chunk): ChunkInput => {
    const [{ file, first, count }] = chunk.extents;
    const { source, packets } = trace.streams[chunk.stream].files[file];
    const bytes = (bytesOf.get(source.path) ?? new Uint8Array(0)).subarray(packets.offset[first]);
    return {
      bytes: bytes.subarray(0, chunk.bytes),
      extents: [{ table: packets, first, count, byteOffset: 0, path: source.path }],
    };
  };
  const work = chunks.map((chunk) => {
    return { decoder: decoders[trace.streams[chunk.stream].streamClass], input: inputOf(chunk) };
  });
  return () => {
    let events = 0;
    let rows = 0;
    for (const { decoder, input } of work) {
      const decoded = decoder.decode(input);
      for (const count of decoded.packets.events) events += count;
      rows += decoded.rows.length;
    }
    return { events, rows, handedOver: decoders.reduce((sum, decoder) => sum + decoder.handedOver, 0) };
  };
}

/** Making a worker's decoder for all that a page asks of a trace with so many event classes, in a fresh process. */
export async function compileBench(folder: string, classes: number): Promise<Record<string, number>> {
  const { experiment } = await openInMemory(folder);
  const { model } = withClasses(experiment, classes).traces[0];
  const { request } = analysisSet(SESSION_IDS).plan;
  const began = performance.now();
  const memory = openDecodeMemory('wasm');
  for (let stream = 0; stream < model.streams.length; stream++)
    createChunkDecoder(model, stream, request, experiment.traces[0].clocks[0], memory);
  return {
    'compile.ms': performance.now() - began,
    'compile.classes': model.streams.reduce((sum, { events }) => sum + events.length, 0),
  };
}

/** The same experiment with the first event classes of each stream only. */
function withClasses(experiment: Experiment, classes: number): Experiment {
  const traces = experiment.traces.map((trace) => {
    const streams = trace.model.streams.map((stream) => {
      return { ...stream, events: stream.events.slice(0, classes) };
    });
    return { ...trace, model: { ...trace.model, streams } };
  });
  return { ...experiment, traces };
}
