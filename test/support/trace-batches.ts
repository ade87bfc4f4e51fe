/** The batches of a recorded kernel trace, in one thread and without the driver: for comparing analyses with goldens. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventBatch, MeaningRequest } from '../../src/engine/analysis/contract.ts';
import { compileProjections } from '../../src/engine/analysis/projection.ts';
import { createChunkDecoder } from '../../src/engine/ctf/decode/chunk-decoder.ts';
import type { ChunkDecoder } from '../../src/engine/ctf/decode/chunk-decoder.ts';
import type { ClockMap } from '../../src/engine/ctf/decode/clock-map.ts';
import { readMetadata } from '../../src/engine/ctf/metadata/metadata.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { findTraces } from '../../src/engine/trace/find-traces.ts';
import { assembleStreams } from '../../src/engine/trace/stream-assembly.ts';
import type { AssembledStream } from '../../src/engine/trace/stream-assembly.ts';
import { clockMaps, mainClock } from '../../src/engine/trace/trace-clocks.ts';
import type { StreamFile } from '../../src/engine/trace/types.ts';

export interface OpenedTrace {
  readonly model: TraceModel;
  readonly environment: Readonly<Record<string, string>>;
  /** By CPU, then class and instance: index = rank. */
  readonly streams: readonly AssembledStream[];
  readonly clock: ClockMap | undefined;
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/**
 * Opens the folders that hold `metadata`: one trace, or the chunks of one, whose streams go on from one to the next.
 * TimeNs 0 is the least packet begin.
 */
export async function openTrace(folders: readonly string[]): Promise<OpenedTrace> {
  const bytes = new Map<string, Uint8Array>();
  const refs = folders.flatMap((folder, i) =>
    readdirSync(folder)
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => {
        const path = `${i}/${name}`;
        const content = new Uint8Array(readFileSync(join(folder, name)));
        bytes.set(path, content);
        return { kind: 'memory' as const, path, size: content.length, bytes: content };
      }),
  );
  const data = findTraces(refs).flatMap((trace) => trace.data);
  const metadata = readMetadata(bytes.get('0/metadata') ?? new Uint8Array(0), 'metadata');
  if (!metadata.ok) throw new Error(JSON.stringify(metadata.fault));
  const { model } = metadata.value;
  const files: StreamFile[] = [];
  for (const source of data) {
    const indexed = await indexStreamFile(
      model,
      memorySource(source.path, bytes.get(source.path) ?? new Uint8Array(0)),
    );
    if (indexed.ok && indexed.value.packets.length > 0)
      files.push({ source, packets: indexed.value.packets });
  }
  const streams = assembleStreams(files).sort((a, b) => a.cpu - b.cpu);
  const reference = mainClock(model);
  const origin = clockMaps(model.clocks, reference, 0n)[0] as ClockMap | undefined;
  const begins = files.map((file) => (origin === undefined ? 0n : nsOf(file.packets.begin[0], origin)));
  const base = begins.reduce((least, begin) => (begin < least ? begin : least), begins[0] ?? 0n);
  const environment = Object.fromEntries(model.environment.map(({ name, value }) => [name, String(value)]));
  return { model, environment, streams, clock: clockMaps(model.clocks, reference, base)[0], bytes };
}

function nsOf(cycles: bigint, map: ClockMap): bigint {
  return ((map.ticksOffset + cycles) * 1_000_000_000n) / map.frequency;
}

/** Each chunk of at most `chunkBytes`, decoded; stream by stream. A batch is valid until the next one is asked for. */
export function* traceBatches(
  trace: OpenedTrace,
  reads: readonly MeaningRequest[],
  chunkBytes = 4 << 20,
): Generator<EventBatch> {
  const plan = compileProjections([{ meanings: reads }]);
  const decoders = new Map<number, ChunkDecoder>();
  let id = 0;
  for (const [rank, stream] of trace.streams.entries()) {
    const { streamClass } = stream;
    let decoder = decoders.get(streamClass);
    if (decoder === undefined) {
      decoder = createChunkDecoder(trace.model, streamClass, plan.request, trace.clock);
      decoders.set(streamClass, decoder);
    }
    let sequence = 0;
    for (const { input, before } of inputsOf(trace, stream, chunkBytes)) {
      const decoded = decoder.decode({ ...input, before });
      yield {
        ...decoded,
        chunk: {
          id: id++,
          host: 0,
          trace: 0,
          stream: rank,
          sequence: sequence++,
          extents: [],
          bytes: input.bytes.length,
          from: NaN,
          to: NaN,
        },
        domain: 'kernel',
        streamRank: rank,
        plan,
        eventClasses: trace.model.streams[streamClass].events,
        environment: trace.environment,
      };
    }
  }
}

function* inputsOf(trace: OpenedTrace, stream: AssembledStream, chunkBytes: number) {
  let before: { end: bigint; discarded: bigint; sequence: bigint } | undefined;
  for (const { source, packets: table } of stream.files) {
    const bytes = trace.bytes.get(source.path) ?? new Uint8Array(0);
    for (let first = 0; first < table.length;) {
      let count = 1;
      let size = table.size[first];
      while (first + count < table.length && size + table.size[first + count] <= chunkBytes) {
        size += table.size[first + count++];
      }
      const last = first + count - 1;
      const piece = bytes.slice(table.offset[first], table.offset[last] + table.size[last]);
      yield {
        input: { bytes: piece, extents: [{ table, first, count, byteOffset: 0, path: source.path }] },
        before,
      };
      before = { end: table.end[last], discarded: table.discarded[last], sequence: table.sequence[last] };
      first += count;
    }
  }
}
