/** Softirqs on a path: when one was raised, entered, and switched out with its thread. */
import { rowNumbers } from '../base/columns.ts';
import { groupBy } from '../base/group-by.ts';
import { blockedValue, CAUSE_SOFTIRQ } from '../linux/events/values.ts';
import { SOFTIRQ_AWAY, type SoftirqRows } from '../linux/states/reduce/softirq-rows.ts';
import { PREEMPTED, RUNNING } from './path-codes.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Softirq {
  readonly vec: number;
  /** Span from its raise to its entry; undefined: the raise was not seen. */
  readonly wait: Span | undefined;
  /** Times when its thread was switched out, oldest first. */
  readonly away: readonly Span[];
}

/** A part of the time of an interrupt, from a time to the begin of the part before it in a list. */
export interface InterruptPart {
  readonly from: number;
  readonly label: typeof RUNNING | typeof PREEMPTED;
  /** A `causeNumber` of `CAUSE_SOFTIRQ` where the softirq waited, else 0. */
  readonly cause: number;
}

/** Finds the softirqs of a host by serial number of their frame; times of the graph. */
export function softirqIndex(
  { length, frame, kind, from, to, vec }: SoftirqRows,
  toGraph: (time: number) => number,
): (frame: number) => Softirq | undefined {
  const byFrame = groupBy(rowNumbers(0, length), (row) => frame[row]);
  const spanOf = (row: number) => ({ from: toGraph(from[row]), to: toGraph(to[row]) });
  return (wanted) => {
    const found = byFrame.get(wanted);
    if (found === undefined) return undefined;
    const away = found.filter((row) => kind[row] === SOFTIRQ_AWAY).sort((a, b) => from[a] - from[b]);
    const wait = found.find((row) => kind[row] !== SOFTIRQ_AWAY);
    return {
      vec: vec[found[0]],
      wait: wait === undefined ? undefined : spanOf(wait),
      away: away.map(spanOf),
    };
  };
}

/** Cause of the time in which a softirq waited. */
export function softirqCause(vec: number): number {
  return blockedValue(0, CAUSE_SOFTIRQ, vec);
}

/** Parts of [from, to) of an interrupt, latest first: it worked, except while its softirq (undefined: none is known) waited. */
export function partsOfInterrupt(softirq: Softirq | undefined, from: number, to: number): InterruptPart[] {
  const parts: InterruptPart[] = [];
  let at = to;
  const waits = softirq === undefined ? [] : [...(softirq.wait ? [softirq.wait] : []), ...softirq.away];
  for (const wait of waits.reverse()) {
    const begin = Math.max(wait.from, from);
    const end = Math.min(wait.to, at);
    if (!(begin < end)) continue;
    parts.push({ from: end, label: RUNNING, cause: 0 });
    parts.push({ from: begin, label: PREEMPTED, cause: softirqCause(softirq?.vec ?? 0) });
    at = begin;
  }
  return [...parts, { from: Math.min(from, at), label: RUNNING, cause: 0 }];
}
