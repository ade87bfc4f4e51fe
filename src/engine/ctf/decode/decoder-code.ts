/**
 * Code that all decoders of a stream class share: it depends on metadata and request alone. Making it takes longer than
 * decoding the first chunks, so it is made once and posted to every worker.
 */
import type { TraceModel } from '../model.ts';
import type { ClockMap } from './run/clock-map.ts';
import type { DecodeRequest } from './rows/rows.ts';
import { compileStream, type EVERYTHING, type StreamPrograms } from './program/stream-programs.ts';
import { clockScale, NO_SCALE } from './run/tick-clock.ts';
import { compileModule, type StreamModule } from './wasm/stream-module.ts';

export interface DecoderCode {
  readonly programs: StreamPrograms;
  /** undefined: the interpreter decodes all chunks. */
  readonly module: StreamModule | undefined;
}

/** Compiles what `createChunkDecoder` needs. @param generates whether generated code may decode */
export function compileDecoder(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
  clock: ClockMap | undefined,
  generates: boolean,
): DecoderCode {
  const stream = model.streams[streamClass];
  const programs = compileStream(model, streamClass, request);
  const hasClock = clock !== undefined && stream.clock !== undefined;
  const scale = hasClock ? clockScale(clock.frequency) : NO_SCALE;
  return { programs, module: generates ? compileModule(stream, programs, scale, false) : undefined };
}
