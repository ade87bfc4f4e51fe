/** An active path as the timeline shows it: which segments lie in which row, and how long each row is on the path. */
import type { PathAnswer } from '../../workers/session-api.ts';

export interface ShownPath {
  readonly answer: PathAnswer;
  /** Numbers of the segments in a row, oldest first. */
  readonly segmentsOf: ReadonlyMap<string, readonly number[]>;
  /** ns on the path, by row. */
  readonly timeOn: ReadonlyMap<string, number>;
  /** Row of each segment. */
  readonly rowOf: readonly string[];
}

export function shownPath(answer: PathAnswer): ShownPath {
  const { segments, workers } = answer;
  const rowOfWorker = workers.map(({ row, host, cpu }) => row ?? `cpu:${host}:${cpu ?? 0}`);
  const segmentsOf = new Map<string, number[]>();
  const timeOn = new Map<string, number>();
  const rowOf: string[] = [];
  for (let i = 0; i < segments.length; i++) {
    const row = rowOfWorker[segments.worker[i]];
    rowOf.push(row);
    const known = segmentsOf.get(row);
    if (known) known.push(i);
    else segmentsOf.set(row, [i]);
    timeOn.set(row, (timeOn.get(row) ?? 0) + segments.to[i] - segments.from[i]);
  }
  return { answer, segmentsOf, timeOn, rowOf };
}

/** Number of the first segment that ends after `time`; `length` when none does. */
export function segmentAt({ segments }: PathAnswer, time: number): number {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (segments.to[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
