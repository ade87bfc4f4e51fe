/**
 * Reads the tape that a decoder made for EVERYTHING leaves of each event: the clock's value, then for each field in
 * the order of its class
 *
 *     integer, float, bits of at most 32 bits: 1 word · wider or variable length: 2 words (low, high)
 *     string, text, blob: 2 words (byte offset into `bytes`, byte length) · array with a length field: its count
 *     variant: index of the option, then its value · optional: 1, then its value, or 0
 *
 * Structs and arrays of constant length have no words of their own. The caller walks the class along the tape.
 */
import { assert } from '../../../base/assert.ts';
import { wideOf } from '../../../base/wide-integer.ts';
import type { BitsClass, FloatClass, IntegerClass } from '../../model.ts';
import type { Rows } from './rows.ts';
import { TAPE_HEADER } from '../program/stream-programs.ts';

/** Where in a tape the next value is. */
export interface Tape {
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  at: number;
}

/** The tape of a row, at its first field. */
export function tapeOf(rows: Rows, row: number): Tape {
  return { words: rows.words, bytes: rows.bytes, at: rows.at[row] + TAPE_HEADER };
}

/** Cycles of the default clock after the event's header. */
export function cyclesOf(rows: Rows, row: number): bigint {
  const at = rows.at[row];
  return wideOf(rows.words[at], rows.words[at + 1]);
}

/** An unsigned or signed integer, or the unsigned number of a bit array: a number where that is exact. */
export function takeInteger(tape: Tape, type: IntegerClass | BitsClass): number | bigint {
  const signed = type.kind === 'integer' && type.signed;
  const low = tape.words[tape.at++];
  if (type.size <= 32) return signed ? low : low >>> 0;
  const high = tape.words[tape.at++];
  if (high === 0) return low >>> 0;
  const value = wideOf(low, high);
  return signed ? BigInt.asIntN(64, value) : value;
}

/** The value as a double, with the NaN of every width as NaN. */
export function takeFloat(tape: Tape, type: FloatClass): number {
  const view = new DataView(new ArrayBuffer(8));
  const low = tape.words[tape.at++];
  view.setInt32(0, low, true);
  if (type.size === 16) return halfToDouble(low);
  if (type.size === 32) return view.getFloat32(0, true);
  view.setInt32(4, tape.words[tape.at++], true);
  return view.getFloat64(0, true);
}

/** Bytes of a text or blob: a view, not a copy. */
export function takeBytes(tape: Tape): Uint8Array {
  const from = tape.words[tape.at++];
  return tape.bytes.subarray(from, from + tape.words[tape.at++]);
}

/** Count of an array, index of an option, or presence. */
export function takeCount(tape: Tape): number {
  assert(tape.at < tape.words.length, 'a tape is walked with its own class');
  return tape.words[tape.at++] >>> 0;
}

/** IEEE 754 binary16. */
function halfToDouble(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
