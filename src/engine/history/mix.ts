/**
 * Mixes: summaries of buckets with several changes inside, as `MIX` numbers whose meaning depends on the `MixForm`. A
 * mix of states (`state-mix.ts`) holds how long each group lasted; one of ids (`id-mix.ts`) which value lasted longest.
 */
import type { HostNs } from '../base/units.ts';
import type { ByteCursor, ByteWriter } from './bytes.ts';

/** Numbers of a mix. */
export const MIX = 10;

export interface MixForm {
  /** Adds `length` ns of a value, or of GAP, directly after the time added before; the mix is 0 at first. */
  add(mix: Float64Array, value: number, length: HostNs, groups: GroupTable): void;
  /** Appends the mix at `others[at …]`. */
  join(mix: Float64Array, others: Float64Array, at: number): void;
  /** Completes the mix of a part of `length` ns; time that was not added has no value. */
  end(mix: Float64Array, length: HostNs): void;
  /** Writes the mix at `mixes[at …]` of a part of `length` ns. */
  write(mixes: Float64Array, at: number, length: HostNs, out: ByteWriter): void;
  /** Reads one back. */
  read(cursor: ByteCursor, length: HostNs, mix: Float64Array): void;
  /** Sets the value of the interval at the mix's end, which was still open when written. */
  settle(mix: Float64Array, value: number, groups: GroupTable): void;
  /** Makes a function that converts a mix of stored values to their present meanings, in place. */
  resolver(resolve: (value: number) => number, groups: GroupTable): (mix: Float64Array) => void;
}
export interface GroupTable {
  readonly mix: MixForm;
  /** Drawn group of each state, or GROUP_NONE. */
  readonly groupOfState: Uint8Array;
  causeOf(value: number): number;
}
