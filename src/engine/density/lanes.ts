/**
 * Events over time of many lanes (threads or streams) in buckets of one width. Neither sums nor the width, which
 * follows from the first and last event, depend on the order of merges: any tree of merges gives the same bytes.
 */
import { stableOrder } from '../base/stable-order.ts';
import { i32, joinTables } from '../base/tables.ts';

/** Maximum number of buckets of all lanes together, from the first to the last event. */
export const MOST_BUCKETS = 16_384;

/** Scale of buckets of 2^`level` ns; the first one begins at `first` times that, in HostNs. */
export interface TimeScale {
  readonly level: number;
  readonly first: number;
}

/**
 * Words of a key: three 32-bit integers, [low, high, space]. Distinct keys are sorted, not hashed, so that no input
 * makes it slow: by `high`, signed, then by `space` and `low`, unsigned.
 */
export const KEY = 3;

/** The distinct keys in order. */
export function uniqueKeys(keys: Int32Array): Int32Array {
  const column = (word: number) => {
    const values = new Float64Array(keys.length / KEY);
    for (let i = 0; i < values.length; i++) {
      const value = keys[KEY * i + word];
      values[i] = word === 1 ? value : value >>> 0;
    }
    return values;
  };
  const order = stableOrder(column(1), stableOrder(column(2), stableOrder(column(0))));
  const unique = new Int32Array(keys.length);
  let length = 0;
  for (const row of order) {
    const [low, high, space] = [keys[KEY * row], keys[KEY * row + 1], keys[KEY * row + 2]];
    const last = length - KEY;
    if (length > 0 && unique[last] === low && unique[last + 1] === high && unique[last + 2] === space)
      continue;
    unique[length++] = low;
    unique[length++] = high;
    unique[length++] = space;
  }
  return unique.slice(0, length);
}

/** Index of a key; -1: not found. Binary search. */
export function findKey(keys: Int32Array, low: number, high: number, space: number): number {
  let first = 0;
  let end = keys.length / KEY;
  while (first < end) {
    const middle = (first + end) >>> 1;
    const at = KEY * middle;
    const before =
      keys[at + 1] - high || (keys[at + 2] >>> 0) - (space >>> 0) || (keys[at] >>> 0) - (low >>> 0);
    if (before === 0) return middle;
    if (before < 0) first = middle + 1;
    else end = middle;
  }
  return -1;
}

/** Lanes in order of their keys; where there are more keys than lanes, the last lane stands for the remaining ones. */
export interface Lanes {
  /** Keys as `uniqueKeys` has them. */
  readonly keys: Int32Array;
  /** Number of events, by lane. */
  readonly events: Float64Array;
  /** HostNs of the first and last event. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Index of a lane's first cell; one more entry at the end. */
  readonly cellStart: Uint32Array;
  /** Buckets of the cells, ascending within a lane, and their events. */
  readonly bucket: Uint16Array;
  readonly count: Uint32Array;
}

/** Events of some lanes in some buckets, in any order. */
export interface Cells {
  readonly lane: Int32Array;
  readonly bucket: Uint16Array;
  readonly count: Uint32Array;
}

/** Made anew each time, as the columns of a chunk result are transferred. */
export function noLanes(): Lanes {
  return {
    keys: new Int32Array(0),
    events: new Float64Array(0),
    from: new Float64Array(0),
    to: new Float64Array(0),
    cellStart: new Uint32Array(1),
    bucket: new Uint16Array(0),
    count: new Uint32Array(0),
  };
}

/**
 * The finest scale from `level` on that covers these times (HostNs) within the number of buckets.
 * @param level so that scales agree early where the length is known beforehand
 */
export function scaleOf(from: number, to: number, level: number): TimeScale {
  for (let at = level; ; at++) {
    const first = Math.floor(from / 2 ** at);
    // Ends at the latest where 2^level overflows, as the comparison with NaN is false.
    if (!(Math.floor(to / 2 ** at) - first >= MOST_BUCKETS)) return { level: at, first };
  }
}

export function bucketOf(time: number, { level, first }: TimeScale): number {
  return Math.floor(time / 2 ** level) - first;
}

/** Number of lanes for these keys, if at most `most` have one of their own. */
export function lanesOf(keys: Int32Array, most: number): number {
  return Math.min(keys.length / KEY, most + 1);
}

/** The cells sorted by lane and bucket, with equal ones added up. Linear except for the sorting. */
export function sumCells(
  { lane, bucket, count }: Cells,
  lanes: number,
): Pick<Lanes, 'cellStart' | 'bucket' | 'count'> {
  const start = new Uint32Array(lanes + 1);
  for (let i = 0; i < lane.length; i++) start[lane[i] + 1]++;
  for (let i = 0; i < lanes; i++) start[i + 1] += start[i];
  const next = start.slice(0, lanes);
  const order = new Uint32Array(lane.length);
  for (let i = 0; i < lane.length; i++) order[next[lane[i]]++] = i;
  const sums = new Uint32Array(MOST_BUCKETS);
  const cellStart = new Uint32Array(lanes + 1);
  const buckets = new Uint16Array(lane.length);
  const counts = new Uint32Array(lane.length);
  let length = 0;
  for (let of = 0; of < lanes; of++) {
    let end = length;
    for (let i = start[of]; i < start[of + 1]; i++) {
      const at = bucket[order[i]];
      if (sums[at] === 0) buckets[end++] = at;
      sums[at] += count[order[i]];
    }
    // Sorted, not scanned from least to greatest: many lanes may have few buckets, far apart.
    buckets.subarray(length, end).sort();
    for (; length < end; length++) {
      counts[length] = sums[buckets[length]];
      sums[buckets[length]] = 0;
    }
    cellStart[of + 1] = length;
  }
  return { cellStart, bucket: buckets.slice(0, length), count: counts.slice(0, length) };
}

/** Lanes, each with a scale. */
interface ScaledLanes {
  readonly scale: TimeScale;
  readonly lanes: Lanes;
}

/**
 * Lanes of several tables in one, with a scale that covers all of them; and the target of each lane of each table.
 * @param most number of lanes with a key of their own, those with the least keys
 * @param known keys to keep, so that others are added to the last lane
 */
export function mergeLanes(
  parts: readonly ScaledLanes[],
  scale: TimeScale,
  most: number,
  known: number,
): { readonly lanes: Lanes; readonly places: readonly Int32Array[] } {
  const joined = joinTables(
    { keys: i32() },
    parts.map(({ lanes }) => lanes),
  );
  const keys = uniqueKeys(joined.keys).slice(0, KEY * known);
  const length = lanesOf(keys, most);
  const places = parts.map(({ lanes }) => placesIn(keys, lanes, most));
  const events = new Float64Array(length);
  const from = new Float64Array(length).fill(Infinity);
  const to = new Float64Array(length).fill(-Infinity);
  parts.forEach(({ lanes }, part) => {
    places[part].forEach((lane, i) => {
      events[lane] += lanes.events[i];
      from[lane] = Math.min(from[lane], lanes.from[i]);
      to[lane] = Math.max(to[lane], lanes.to[i]);
    });
  });
  const cells = sumCells(movedCells(parts, places, scale), length);
  return { lanes: { keys, events, from, to, ...cells }, places };
}

/** Lanes among those of `keys`, by lane of a table. */
function placesIn(keys: Int32Array, lanes: Lanes, most: number): Int32Array {
  const places = new Int32Array(lanes.events.length).fill(lanesOf(keys, most) - 1);
  for (let i = 0; i < Math.min(places.length, most); i++) {
    const [low, high, space] = lanes.keys.subarray(KEY * i, KEY * (i + 1));
    const found = findKey(keys, low, high, space);
    if (found >= 0 && found < most) places[i] = found;
  }
  return places;
}

function movedCells(parts: readonly ScaledLanes[], places: readonly Int32Array[], scale: TimeScale): Cells {
  const length = parts.reduce((sum, { lanes }) => sum + lanes.count.length, 0);
  const lane = new Int32Array(length);
  const bucket = new Uint16Array(length);
  const count = new Uint32Array(length);
  let at = 0;
  parts.forEach(({ scale: own, lanes }, part) => {
    const wider = 2 ** (scale.level - own.level);
    for (let i = 0; i < lanes.events.length; i++) {
      for (let cell = lanes.cellStart[i]; cell < lanes.cellStart[i + 1]; cell++, at++) {
        lane[at] = places[part][i];
        bucket[at] = Math.floor((own.first + lanes.bucket[cell]) / wider) - scale.first;
        count[at] = lanes.count[cell];
      }
    }
  });
  return { lane, bucket, count };
}
