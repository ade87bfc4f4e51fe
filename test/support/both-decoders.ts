/** The same chunk decoded by the interpreter and by generated code, and how far they agree. */
import { expect } from 'vitest';
import { createChunkDecoder, type ChunkInput } from '../../src/engine/ctf/decode/chunk-decoder.ts';
import type { ClockMap } from '../../src/engine/ctf/decode/clock-map.ts';
import type { DecodedChunk, DecodeRequest } from '../../src/engine/ctf/decode/rows.ts';
import type { EVERYTHING } from '../../src/engine/ctf/decode/stream-programs.ts';
import { DecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';

export interface BothDecoders {
  /** Decodes with both, and expects the same of them. */
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
      expectSame(generated.decode(input), expected);
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

/** As `toEqual`, which takes minutes for columns of a million rows. */
function expectSame(actual: DecodedChunk, expected: DecodedChunk): void {
  const { rows, ...rest } = actual;
  const { rows: expectedRows, ...expectedRest } = expected;
  expect(rest).toEqual(expectedRest);
  expect(rows.bytes).toBe(expectedRows.bytes);
  expect(rows.length).toBe(expectedRows.length);
  for (const column of ['time', 'meaning', 'eventClass', 'at', 'words'] as const) {
    const same = firstDifference(rows[column], expectedRows[column]);
    if (same < 0) continue;
    const [ours, theirs] = [rows[column][same], expectedRows[column][same]];
    throw new Error(`rows.${column}[${same}] is ${ours} and not ${theirs}`);
  }
}

function firstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) if (!Object.is(a[i], b[i])) return i;
  return -1;
}
