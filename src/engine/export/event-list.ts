/** Single events as text for people, decoded again from their packet. */
import type { Fault } from '../base/fault.ts';
import type { HostNs } from '../base/units.ts';
import { createChunkDecoder } from '../ctf/decode/chunk-decoder.ts';
import type { ChunkInput } from '../ctf/decode/decoder-input.ts';
import type { ClockMap } from '../ctf/decode/run/clock-map.ts';
import type { Rows } from '../ctf/decode/rows/rows.ts';
import type { DecodeMemory } from '../ctf/decode/wasm/decode-memory.ts';
import { EVERYTHING } from '../ctf/decode/program/stream-programs.ts';
import type { TraceModel } from '../ctf/model.ts';
import { CANONICAL, CanonicalWriter, type FieldTexts, type ValueTexts } from './canonical.ts';

interface EventText {
  /** 0 in streams without clock. */
  readonly timeNs: HostNs;
  readonly name: string;
  /** Canonical text, except that numbers are written for people. */
  readonly fields: FieldTexts;
}

export interface EventReader {
  /** Texts of the chunk's events with these numbers, in that order. */
  of(input: ChunkInput, wanted: readonly number[]): EventText[];
  /** Faults of the chunk read last. */
  faults(): readonly Fault[];
}

/**
 * Text for people: integers in the base that the trace asks for, as C writes them (addresses hexadecimal, file modes
 * octal); otherwise canonical.
 */
export const READABLE: ValueTexts = { ...CANONICAL, isBased: true, float: String };

/**
 * JSON: integers have all their digits; bytes become hexadecimal text, two digits each; NaN and infinities become text.
 */
export const JSON_TEXTS: ValueTexts = {
  isBased: false,
  float: (value) => (Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`),
  bits: '',
  blob: (hex) => `"${hex}"`,
  hasLabels: false,
};

/** Parameters as of `createChunkDecoder`. */
export function createEventReader(
  model: TraceModel,
  streamClass: number,
  clock: ClockMap | undefined,
  memory?: DecodeMemory,
): EventReader {
  const decoder = createChunkDecoder(model, streamClass, EVERYTHING, clock, memory);
  const writer = new CanonicalWriter(model, streamClass, undefined, READABLE);
  const { events } = model.streams[streamClass];
  let faults: readonly Fault[] = [];
  const textOf = (rows: Rows, row: number): EventText => {
    const name = events[rows.eventClass[row]].name ?? '-';
    return { timeNs: rows.time[row], name, fields: writer.fields(rows, row) };
  };
  return {
    of(input, wanted) {
      const { rows, faults: found } = decoder.decode(input);
      faults = found;
      return wanted.filter((row) => row < rows.length).map((row) => textOf(rows, row));
    },
    faults: () => faults,
  };
}
