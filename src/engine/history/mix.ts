/**
 * Mixes: summaries of buckets with several changes inside, `MIX` numbers, of which `MixForm`s know the meaning. A mix
 * of states (`state-mix.ts`) is how long each group lasted; one of ids (`id-mix.ts`) which value lasted longest.
 */
import type { HostNs } from '../base/units.ts';
import type { ByteCursor, ByteWriter } from './bytes.ts';

/** Numbers of a mix. */
export const MIX = 10;

export interface MixForm {
  /** Adds `length` ns of a value, or of GAP, to a mix that was 0 at first: what touches the time added before. */
  add(mix: Float64Array, value: number, length: HostNs, groups: GroupTable): void;
  /** Adds the mix at `others[at …]` of the time that follows. */
  join(mix: Float64Array, others: Float64Array, at: number): void;
  /** The mix is complete, of a part of `length` ns; what was not added has no value. */
  end(mix: Float64Array, length: HostNs): void;
  /** Writes the mix at `mixes[at …]` of a part of `length` ns. */
  write(mixes: Float64Array, at: number, length: HostNs, out: ByteWriter): void;
  /** Reads one back. */
  read(cursor: ByteCursor, length: HostNs, mix: Float64Array): void;
  /** The interval at the mix's end, which was open when it was written, turned out to have this value. */
  settle(mix: Float64Array, value: number, groups: GroupTable): void;
  /** Makes the function that turns a mix of stored values into one of their present meanings. */
  resolver(resolve: (value: number) => number, groups: GroupTable): (mix: Float64Array) => void;
}
export interface GroupTable {
  readonly mix: MixForm;
  /** Drawn group of each state, or GROUP_NONE. */
  readonly groupOfState: Uint8Array;
  causeOf(value: number): number;
}
