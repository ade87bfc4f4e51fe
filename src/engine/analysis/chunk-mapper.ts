/**
 * The work of a decode worker: reads the bytes of one chunk, decodes them, and maps the rows with every analysis. It
 * needs only the experiment and the chunk, so any worker can do any chunk.
 */
import { ok, type Result } from '../base/fault.ts';
import { cachedByKey } from '../base/cached-by-key.ts';
import { joinBytes } from '../base/byte-arrays.ts';
import { openDecoder, type ChunkDecoder } from '../ctf/decode/chunk-decoder.ts';
import type { ChunkExtent, ChunkInput } from '../ctf/decode/decoder-input.ts';
import { packetAfter, type PacketBefore } from '../ctf/decode/rows/packet-spans.ts';
import type { DecodedChunk, DecodeRequest } from '../ctf/decode/rows/rows.ts';
import { openDecodeMemory, type DecodeMemory, type DecoderKind } from '../ctf/decode/wasm/decode-memory.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { SequentialReads } from '../io/sequential-reads.ts';
import { findDisorder, type PacketDisorder } from '../trace/stream-disorder.ts';
import { repeatsIn } from '../trace/repeats.ts';
import { clockOf } from '../trace/trace-clocks.ts';
import type { Chunk, Experiment, Stream, Trace } from '../trace/types.ts';
import { isAggregateMap, type AnyMap, type MapSet } from './analysis-set.ts';
import { clipRows, type TimeWindow } from './clip-rows.ts';
import type { EventBatch } from './contract.ts';
import { decoderKey, compileCode, type CompiledDecoders } from './compiled-decoders.ts';
import { hasEventCpus } from '../trace/untold.ts';
import { byCpu, cpusOfRows, inRuns } from './rows-by-cpu.ts';
import { readPackets } from './read-packets.ts';
import { hostLength } from './reduced-host.ts';

export interface ChunkJob {
  readonly chunk: Chunk;
  /** Range of the events that count, HostNs, half-open; default: all. */
  readonly window?: TimeWindow;
  /** Ids of the wanted analyses; default: all. */
  readonly analyses?: readonly string[];
  /** Whether the next chunk of the stream will be read directly after this one; default: no. */
  readonly goesOn?: boolean;
  /** See `EventBatch.takeSpare`. */
  readonly spare?: ArrayBuffer;
}

export interface ChunkAnswer extends Pick<DecodedChunk, 'packets' | 'faults' | 'faultCount'> {
  /** Index = index of the analysis in `MapSet.all`; undefined where it was not wanted. */
  readonly chunkResults: readonly unknown[];
  readonly events: number;
  readonly disorder: readonly PacketDisorder[];
  /** ms spent. */
  readonly times: { readonly read: number; readonly decode: number; readonly map: number };
}

export interface ChunkMapper {
  /** Fails when the files cannot be read. */
  run(job: ChunkJob): Promise<Result<ChunkAnswer>>;
  /** Closes the files: no further chunk will be read. */
  close(): void;
}

/**
 * @param kind kind of decoder; default: `wasm` where it is available
 * @param compiled decoders that are being compiled elsewhere; bytes are read meanwhile
 */
export function createChunkMapper(
  experiment: Experiment,
  set: MapSet,
  open: SourceOpener,
  kind?: DecoderKind,
  compiled: Promise<CompiledDecoders> = Promise.resolve(new Map()),
): ChunkMapper {
  const decoders = new Map<string, ChunkDecoder>();
  const contexts = batchContexts(experiment);
  const reads = new SequentialReads(open);
  let isPrepared = false;
  let memory: DecodeMemory | undefined;

  /** Makes what all chunks need: one memory for all decoders, compiled readers. A mapper without chunks needs none. */
  const prepare = (): void => {
    if (isPrepared) return;
    isPrepared = true;
    memory = openDecodeMemory(kind);
    for (const analysis of set.all) analysis.reader?.(set.plan);
  };

  const decoderOf = (trace: Trace, { streamClass }: Stream, known: CompiledDecoders): ChunkDecoder => {
    const key = decoderKey(trace, streamClass);
    const own = decoders.get(key);
    if (own !== undefined) return own;
    const code =
      known.get(key) ?? compileCode(experiment, trace, streamClass, set.plan, memory !== undefined);
    const made = openDecoder(trace.model.streams[streamClass], code, clockOf(trace, streamClass), memory);
    decoders.set(key, made);
    return made;
  };

  return {
    async run({ chunk, window, analyses, goesOn, spare }) {
      const trace = experiment.traces[chunk.trace];
      const stream = trace.streams[chunk.stream];
      const started = performance.now();
      const reading = readChunk(stream, chunk, reads, goesOn);
      // While the first bytes are being read.
      prepare();
      const read = await reading;
      if (!read.ok) return read;
      const readDone = performance.now();
      const known = await compiled;
      const decodeBegin = performance.now();
      const before = packetBefore(stream, chunk);
      const decoded = decoderOf(trace, stream, known).decode({
        ...read.value,
        before,
        floor: chunk.floor,
        window,
        repeats: repeatsIn(trace, stream.streamClass, chunk),
      });
      const decodeDone = performance.now();
      const cpuRequest = hasEventCpus(trace)
        ? set.plan.requestOf(experiment, trace, stream.streamClass)
        : undefined;
      const takeSpare = () => {
        const taken = spare;
        spare = undefined;
        return taken;
      };
      const batch = { ...batchOf(decoded, trace, chunk, set, contexts[trace.index]), cpuRequest, takeSpare };
      const chunkResults = mapBatch(batch, set, window, analyses);
      const times = {
        read: readDone - started,
        decode: decodeDone - decodeBegin,
        map: performance.now() - decodeDone,
      };
      reads.giveBack(read.value.bytes);
      const { packets, faults, faultCount } = decoded;
      const events = packets.events.reduce((sum, count) => sum + count, 0);
      const disorder = findDisorder(decoded, read.value.extents);
      return ok({ chunkResults, packets, events, faults, faultCount, disorder, times });
    },
    close() {
      reads.close();
    },
  };
}

/** The chunk results of one batch; also used for chunks that could not be read (`driver.ts`). */
export function mapBatch(
  batch: EventBatch,
  set: MapSet,
  window?: TimeWindow,
  analyses?: readonly string[],
): unknown[] {
  const wanted = set.all.map((analysis) =>
    analyses?.includes(analysis.id) === false ? undefined : analysis,
  );
  const clipped = window === undefined ? batch : clipRows(batch, window);
  return batch.cpuRequest === undefined
    ? mapWith(wanted, clipped)
    : mapByCpu(wanted, clipped, batch.cpuRequest);
}

/** Maps the rows of each CPU: histories get runs of rows of one CPU, aggregates all rows of a CPU at once. */
function mapByCpu(
  analyses: readonly (AnyMap | undefined)[],
  batch: EventBatch,
  request: DecodeRequest,
): unknown[] {
  const cpus = cpusOfRows(batch.rows, request);
  const runs = inRuns(batch, cpus);
  const parts = byCpu(batch, cpus);
  return analyses.map((analysis) => {
    if (analysis === undefined) return undefined;
    if (!isAggregateMap(analysis)) return analysis.map(runs);
    return analysis.merge(parts.map((part) => analysis.map(part)));
  });
}

/** The chunk result of each analysis that is defined; those with a reader take turns, packet by packet. */
function mapWith(analyses: readonly (AnyMap | undefined)[], batch: EventBatch): unknown[] {
  const readers = analyses.map((analysis) => analysis?.reader?.(batch.plan));
  const read = readPackets(
    readers.filter((reader) => reader !== undefined),
    batch,
  );
  return analyses.map((analysis, i) => (readers[i] === undefined ? analysis?.map(batch) : read.shift()));
}

export function batchOf(
  decoded: DecodedChunk,
  trace: Trace,
  chunk: Chunk,
  set: MapSet,
  context: BatchContext,
): EventBatch {
  const stream = trace.streams[chunk.stream];
  const { events, eventContext } = trace.model.streams[stream.streamClass];
  return {
    ...decoded,
    chunk,
    domain: trace.domain,
    streamRank: stream.rank,
    cpu: stream.cpu,
    plan: set.plan,
    eventClasses: events,
    eventContext,
    ...context,
  };
}

/** Part of a batch that is the same for all batches of a trace. */
type BatchContext = Pick<EventBatch, 'environment' | 'hostLength'>;

/** The common part of the batches of each trace. */
export const batchContexts = cachedByKey((experiment: Experiment): BatchContext[] => {
  const lengths = experiment.hosts.map((host) => hostLength(experiment, host));
  return experiment.traces.map((trace) => {
    return { environment: environmentOf(trace), hostLength: lengths[trace.host] };
  });
});

export function environmentOf(trace: Trace): Readonly<Record<string, string>> {
  return Object.fromEntries(trace.model.environment.map(({ name, value }) => [name, String(value)]));
}

/** All extents of a chunk in one buffer. */
async function readChunk(
  stream: Stream,
  chunk: Chunk,
  reads: SequentialReads,
  goesOn?: boolean,
): Promise<Result<ChunkInput>> {
  const pieces: Uint8Array[] = [];
  const extents: ChunkExtent[] = [];
  let byteOffset = 0;
  for (const { file, first, count } of chunk.extents) {
    const { source: ref, packets: table } = stream.files[file];
    const last = first + count - 1;
    const length = table.offset[last] + table.size[last] - table.offset[first];
    const bytes = await reads.read(ref, table.offset[first], length, goesOn);
    if (!bytes.ok) return bytes;
    pieces.push(bytes.value);
    extents.push({ table, first, count, byteOffset, path: ref.path });
    byteOffset += length;
  }
  if (pieces.length === 1) return ok({ bytes: pieces[0], extents });
  const bytes = joinBytes(pieces);
  pieces.forEach((piece) => reads.giveBack(piece));
  return ok({ bytes, extents });
}

/** The loss counters of the packet before the chunk; undefined for the stream's first chunk. */
function packetBefore(stream: Stream, chunk: Chunk): PacketBefore | undefined {
  const { file, first } = chunk.extents[0];
  if (first > 0) return packetAfter(stream.files[file].packets, first - 1);
  for (let at = file - 1; at >= 0; at--) {
    const { packets } = stream.files[at];
    if (packets.length > 0) return packetAfter(packets, packets.length - 1);
  }
  return undefined;
}
