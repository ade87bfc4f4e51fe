/**
 * The mix of a bucket of ids: how long it has any value, and which value lasts longest without interruption (the last
 * one of equal length). So that mixes of neighbouring parts give that of both, exactly, the runs at both ends are part
 * of it: a run is a range of one value, or of none.
 *
 * Stored: a byte of flags; value and ns of the first run, of the last, and of the longest where that is another one;
 * where some of the time has no value, the ns of that. Varints; values are 1 more, GAP 0.
 */
import type { HostNs } from '../base/units.ts';
import { readVarint, VARINT_BYTES } from './bytes.ts';
import type { MixForm } from './mix.ts';
import { GAP } from './intervals.ts';

/** ns of the part, and of these ns with a value. */
const LENGTH = 0;
export const MIX_HELD = 1;
/** Place of the first run; each has its value, then its ns. */
const FIRST = 2;
const FIRST_NS = 3;
const LAST = 4;
const LAST_NS = 5;
export const MIX_LONGEST_ID = 6;
const LONGEST_NS = 7;

const LONGEST_IS_FIRST = 1;
const LONGEST_IS_LAST = 2;
const HAS_GAPS = 4;

export const ID_MIX: MixForm = {
  add,
  join(mix, others, at) {
    const firstNs = others[at + FIRST_NS];
    add(mix, others[at + FIRST], firstNs);
    if (firstNs === others[at + LENGTH]) return;
    const heldFirst = others[at + FIRST] === GAP ? 0 : firstNs;
    mix[LENGTH] += others[at + LENGTH] - firstNs;
    mix[MIX_HELD] += others[at + MIX_HELD] - heldFirst;
    mix[LAST] = others[at + LAST];
    mix[LAST_NS] = others[at + LAST_NS];
    if (others[at + LONGEST_NS] < mix[LONGEST_NS]) return;
    mix[MIX_LONGEST_ID] = others[at + MIX_LONGEST_ID];
    mix[LONGEST_NS] = others[at + LONGEST_NS];
  },
  end(mix, length) {
    if (mix[LENGTH] < length) add(mix, GAP, length - mix[LENGTH]);
  },
  write(mixes, at, length, out) {
    const first = mixes[at + FIRST];
    const firstNs = mixes[at + FIRST_NS];
    const last = mixes[at + LAST];
    const lastNs = mixes[at + LAST_NS];
    const longest = mixes[at + MIX_LONGEST_ID];
    const longestNs = mixes[at + LONGEST_NS];
    const gapNs = length - mixes[at + MIX_HELD];
    let flags = gapNs > 0 ? HAS_GAPS : 0;
    if (longest === last && longestNs === lastNs) flags |= LONGEST_IS_LAST;
    else if (longest === first && longestNs === firstNs) flags |= LONGEST_IS_FIRST;
    out.reserve(1 + MOST_VARINTS * VARINT_BYTES);
    out.byte(flags);
    out.reservedVarint(first + 1);
    out.reservedVarint(firstNs);
    out.reservedVarint(last + 1);
    out.reservedVarint(lastNs);
    if (gapNs > 0) out.reservedVarint(gapNs);
    if (flags & (LONGEST_IS_FIRST | LONGEST_IS_LAST)) return;
    out.reservedVarint(longest + 1);
    out.reservedVarint(longestNs);
  },
  read(cursor, length, mix) {
    const flags = cursor.bytes[cursor.at++];
    mix[LENGTH] = length;
    mix[FIRST] = readVarint(cursor) - 1;
    mix[FIRST_NS] = readVarint(cursor);
    mix[LAST] = readVarint(cursor) - 1;
    mix[LAST_NS] = readVarint(cursor);
    mix[MIX_HELD] = length - (flags & HAS_GAPS ? readVarint(cursor) : 0);
    if (flags & (LONGEST_IS_FIRST | LONGEST_IS_LAST)) {
      const run = flags & LONGEST_IS_LAST ? LAST : FIRST;
      mix[MIX_LONGEST_ID] = mix[run];
      mix[LONGEST_NS] = mix[run + 1];
    } else {
      mix[MIX_LONGEST_ID] = readVarint(cursor) - 1;
      mix[LONGEST_NS] = readVarint(cursor);
    }
  },
  settle(mix, value) {
    if (mix[MIX_LONGEST_ID] === mix[LAST] && mix[LONGEST_NS] === mix[LAST_NS]) mix[MIX_LONGEST_ID] = value;
    mix[LAST] = value;
  },
  resolver: (resolve) => (mix) => {
    if (mix[FIRST] !== GAP) mix[FIRST] = resolve(mix[FIRST]);
    if (mix[LAST] !== GAP) mix[LAST] = resolve(mix[LAST]);
    mix[MIX_LONGEST_ID] = resolve(mix[MIX_LONGEST_ID]);
  },
};

const MOST_VARINTS = 7;

function add(mix: Float64Array, value: number, length: HostNs): void {
  if (mix[LENGTH] > 0 && value === mix[LAST]) {
    if (mix[FIRST_NS] === mix[LENGTH]) mix[FIRST_NS] += length;
    mix[LAST_NS] += length;
  } else {
    if (mix[LENGTH] === 0) {
      mix[FIRST] = value;
      mix[FIRST_NS] = length;
    }
    mix[LAST] = value;
    mix[LAST_NS] = length;
  }
  mix[LENGTH] += length;
  if (value === GAP) return;
  mix[MIX_HELD] += length;
  if (mix[LAST_NS] < mix[LONGEST_NS]) return;
  mix[MIX_LONGEST_ID] = value;
  mix[LONGEST_NS] = mix[LAST_NS];
}
