/** The same chunk decoded by the interpreter and by generated code, and how far they agree. */
import { createChunkDecoder } from '../../src/engine/ctf/decode/chunk-decoder.ts';
import type { ChunkInput } from '../../src/engine/ctf/decode/decoder-input.ts';
import type { ClockMap } from '../../src/engine/ctf/decode/run/clock-map.ts';
import type { DecodedChunk, DecodeRequest } from '../../src/engine/ctf/decode/rows/rows.ts';
import type { EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import { DecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { decodedDifference } from './decoded-difference.ts';
import { type Chunk, type Trace } from '../../src/engine/trace/types.ts';
import { type MemoryFiles } from './memory-files.ts';

export interface BothDecoders {
  /** Decodes with both; throws where they differ. */
  compare(input: ChunkInput): DecodedChunk;
  /** Whether there is generated code at all; chunks that it left to the interpreter. */
  readonly executor: 'wasm' | 'ts';
  readonly handedOver: number;
}

export function bothDecoders(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
  clock: ClockMap | undefined,
  memory = new DecodeMemory(),
): BothDecoders {
  const reference = createChunkDecoder(model, streamClass, request, clock);
  const generated = createChunkDecoder(model, streamClass, request, clock, memory);
  return {
    compare(input) {
      const expected = reference.decode(input);
      const difference = decodedDifference(generated.decode(input), expected);
      if (difference !== undefined) throw new Error(`generated code gives ${difference}`);
      return expected;
    },
    get executor() {
      return generated.executor;
    },
    get handedOver() {
      return generated.handedOver;
    },
  };
}

/** The bytes of a chunk and where its packets lie in them. */
export function inputOf(trace: Trace, chunk: Chunk, files: MemoryFiles) {
  const pieces: Uint8Array[] = [];
  const extents = [];
  let byteOffset = 0;
  for (const { file, first, count } of chunk.extents) {
    const { source, packets: table } = trace.streams[chunk.stream].files[file];
    const whole = files.get(source.path) ?? new Uint8Array(0);
    const last = first + count - 1;
    const bytes = whole.subarray(table.offset[first], table.offset[last] + table.size[last]);
    extents.push({ table, first, count, byteOffset, path: source.path });
    pieces.push(bytes);
    byteOffset += bytes.length;
  }
  return { bytes: new Uint8Array(Buffer.concat(pieces)), extents };
}
