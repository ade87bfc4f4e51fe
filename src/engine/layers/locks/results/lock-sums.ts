/** Sums over the requests of a lock, a thread, or a thread for a lock, and parts of holds. Durations are ns. */
import * as lockModel from '../model/lock-model.ts';

export interface Durations {
  readonly count: number;
  readonly totalNs: number;
  /** Rounded down. */
  readonly meanNs: number;
  /** Smallest duration that 99 % do not exceed. */
  readonly p99Ns: number;
  readonly maxNs: number;
}

export interface LockSums {
  /** Requests without nested ones and failed attempts. */
  readonly requests: number;
  readonly acquired: number;
  readonly failed: number;
  readonly unfinished: number;
  /** Acquired by a non-waiting attempt. */
  readonly tries: number;
  readonly contended: number;
  /** Waits of contended requests, whatever their outcome. */
  readonly wait: Durations;
  /** Time from request to end of uncontended requests, ns. */
  readonly uncontendedNs: number;
  /** Time in contended waits, up to the hand-over, in which the kernel shows the waiter on a CPU, ns. */
  readonly spinningNs: number;
  /** Only for kinds with an owner. */
  readonly hold: Durations;
}

/** @param ns is reordered */
export function durationsOf(ns: Float64Array): Durations {
  const count = ns.length;
  if (count === 0) return { count, totalNs: 0, meanNs: 0, p99Ns: 0, maxNs: 0 };
  let [totalNs, maxNs] = [0, 0];
  for (let i = 0; i < count; i++) {
    totalNs += ns[i];
    if (ns[i] > maxNs) maxNs = ns[i];
  }
  const p99Ns = smallest(ns, Math.ceil((count * 99) / 100) - 1);
  return { count, totalNs, meanNs: Math.floor(totalNs / count), p99Ns, maxNs };
}

/** Partitions before the rest is sorted: only a trace made for it gets there. */
const MOST_PARTS = 100;

/** The value at a place of the sorted values, which are reordered (Hoare, 1961). */
function smallest(values: Float64Array, place: number): number {
  let [from, to] = [0, values.length - 1];
  for (let part = 0; from < to; part++) {
    if (part === MOST_PARTS) values.subarray(from, to + 1).sort();
    const middle = values[(from + to) >> 1];
    let [low, high] = [from, to];
    while (low <= high) {
      while (values[low] < middle) low++;
      while (values[high] > middle) high--;
      if (low > high) break;
      [values[low], values[high]] = [values[high], values[low]];
      low++;
      high--;
    }
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return values[place];
}

/** @param rows of the model's waits */
export function sumsOf({ waits }: lockModel.LockModel, rows: Int32Array): LockSums {
  const { request, end, to, outcome, way, flags, spinning } = waits;
  const wait = new Float64Array(rows.length);
  const hold = new Float64Array(rows.length);
  const outcomes = [0, 0, 0];
  let [contended, holds, tries, uncontendedNs, spinningNs] = [0, 0, 0, 0, 0];
  for (const row of rows) {
    outcomes[outcome[row]]++;
    if (way[row] === lockModel.BY_TRY) tries++;
    if (!Number.isNaN(to[row])) hold[holds++] = to[row] - end[row];
    if ((flags[row] & lockModel.CONTENDED) !== 0) {
      wait[contended++] = end[row] - request[row];
      spinningNs += spinning[row];
    } else {
      uncontendedNs += end[row] - request[row];
    }
  }
  return {
    requests: rows.length,
    acquired: outcomes[lockModel.ACQUIRED],
    failed: outcomes[lockModel.FAILED],
    unfinished: outcomes[lockModel.UNFINISHED],
    tries,
    contended,
    wait: durationsOf(wait.subarray(0, contended)),
    uncontendedNs,
    spinningNs,
    hold: durationsOf(hold.subarray(0, holds)),
  };
}

/** ns of the holds of a lock by what the holders did. */
export type HoldParts = Readonly<Record<lockModel.HoldPart, number>>;

/** Share of holds spent waiting for work beyond which a lock's holders, and so its waiters, count as idle. */
const IDLE_SHARE = 0.5;

/** @returns undefined: not known, without a kernel trace */
export function holdPartsOf({ holdParts }: lockModel.LockModel, lock: number): HoldParts | undefined {
  if (holdParts === undefined) return undefined;
  const ns = lockModel.HOLD_PARTS.map((part, i) => [part, holdParts[lock * lockModel.HOLD_PARTS.length + i]]);
  return Object.fromEntries(ns) as HoldParts;
}

/** Whether holders mostly wait for connections or file events: an accept mutex. */
export function isIdle(parts: HoldParts): boolean {
  const total = Object.values(parts).reduce((sum, ns) => sum + ns, 0);
  return parts.accept > IDLE_SHARE * total;
}
