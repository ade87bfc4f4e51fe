/**
 * The mix of a bucket of states: ns of each group, then the length of the longest wait and its cause.
 *
 * Stored: a byte, in which bit 7 says that another one follows, and bit 6 that the shares fill the bucket and the last is
 * left out; its other bits and those of the second byte give the groups present; then a byte for each share (of 255), and the
 * cause where one is of waits. Shares are of the bucket's part in its segment.
 */
import type { HostNs } from '../base/units.ts';
import type { ByteCursor, ByteWriter } from './bytes.ts';
import type { MixForm } from './mix.ts';
import { GAP } from './intervals.ts';
import { GROUP_BLOCKED, GROUP_COUNT, STATES } from './types.ts';

export const MIX_LONGEST = GROUP_COUNT;
export const MIX_CAUSE = GROUP_COUNT + 1;

/** Groups in the first byte. */
export const FIRST_GROUPS = 6;
export const FULL_BIT = 64;
export const MORE_BIT = 128;

/** Added to a double of less than 2^51, it leaves no room for a fraction: the nearest integer, or the even one. */
export const WHOLE = 1.5 * 2 ** 52;

export const STATE_MIX: MixForm = {
  add(mix, value, length, groups) {
    if (value === GAP) return;
    const group = groups.groupOfState[value & (STATES - 1)];
    if (group >= GROUP_COUNT) return;
    mix[group] += length;
    if (group === GROUP_BLOCKED && length > mix[MIX_LONGEST]) {
      mix[MIX_LONGEST] = length;
      mix[MIX_CAUSE] = groups.causeOf(value);
    }
  },
  join(mix, others, at) {
    for (let group = 0; group < GROUP_COUNT; group++) mix[group] += others[at + group];
    if (others[at + MIX_LONGEST] > mix[MIX_LONGEST]) {
      mix[MIX_LONGEST] = others[at + MIX_LONGEST];
      mix[MIX_CAUSE] = others[at + MIX_CAUSE];
    }
  },
  end: () => undefined,
  write,
  read,
  settle(mix, value, { causeOf }) {
    // The pending wait was the longest of the last bucket if its cause, none yet, is the one stored.
    if (mix[MIX_CAUSE] === 0) mix[MIX_CAUSE] = causeOf(value);
  },
  resolver(resolve, { groupOfState }) {
    const moves: { readonly from: number; readonly to: number }[] = [];
    for (let state = 0; state < STATES; state++) {
      const from = groupOfState[state];
      const to = groupOfState[resolve(state) & (STATES - 1)];
      if (from !== to && from < GROUP_COUNT && to < GROUP_COUNT) moves.push({ from, to });
    }
    return (mix) => {
      for (const { from, to } of moves) {
        mix[to] += mix[from];
        mix[from] = 0;
      }
    };
  },
};

function write(mixNs: Float64Array, at: number, length: HostNs, out: ByteWriter): void {
  out.reserve(3 + GROUP_COUNT);
  const { bytes } = out;
  const head = out.length++;
  const hasMore = mixNs.subarray(at + FIRST_GROUPS, at + GROUP_COUNT).some((ns) => ns > 0);
  if (hasMore) out.length++;
  const scale = 255 / length;
  let mask = 0;
  let sum = 0;
  let sumNs = 0;
  for (let group = 0; group < GROUP_COUNT; group++) {
    // Rounding the running sum makes the shares of a full bucket add up to 255.
    sumNs += mixNs[at + group];
    const share = sumNs * scale + WHOLE - WHOLE - sum;
    if (share === 0) continue;
    sum += share;
    mask |= 1 << group;
    bytes[out.length++] = share;
  }
  const isFull = sum === 255;
  if (isFull) out.length--;
  if ((mask & (1 << GROUP_BLOCKED)) !== 0) bytes[out.length++] = mixNs[at + MIX_CAUSE];
  bytes[head] = (mask & (FULL_BIT - 1)) | (isFull ? FULL_BIT : 0) | (hasMore ? MORE_BIT : 0);
  if (hasMore) bytes[head + 1] = mask >> FIRST_GROUPS;
}

/** The longest wait is not stored: the time of all waits stands for it. */
function read(cursor: ByteCursor, length: HostNs, mixNs: Float64Array): void {
  const { bytes } = cursor;
  const head = bytes[cursor.at++];
  const isFull = (head & FULL_BIT) !== 0;
  const more = (head & MORE_BIT) !== 0 ? bytes[cursor.at++] : 0;
  const mask = (head & (FULL_BIT - 1)) | (more << FIRST_GROUPS);
  let rest = 255;
  let last = -1;
  for (let group = 0; group < GROUP_COUNT; group++) if (mask & (1 << group)) last = group;
  for (let group = 0; group < GROUP_COUNT; group++) {
    let share = 0;
    if (mask & (1 << group)) {
      share = group === last && isFull ? rest : bytes[cursor.at++];
      rest -= share;
    }
    mixNs[group] = (share * length) / 255;
  }
  mixNs[MIX_LONGEST] = mixNs[GROUP_BLOCKED];
  mixNs[MIX_CAUSE] = (mask & (1 << GROUP_BLOCKED)) !== 0 ? bytes[cursor.at++] : 0;
}
