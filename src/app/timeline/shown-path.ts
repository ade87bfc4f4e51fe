/** An active path as the timeline shows it: which segments lie in which row, and how long each row is on the path. */
import type { PathAnswer, RowInfo } from '../../workers/session-api.ts';

export interface ShownPath {
  readonly answer: PathAnswer;
  /** Numbers of the segments in a row, oldest first. */
  readonly segmentsOf: ReadonlyMap<string, readonly number[]>;
  /** ns on the path, by row; groups have the sum of what is below them. */
  readonly timeOn: ReadonlyMap<string, number>;
  /** Row of each segment. */
  readonly rowOf: readonly string[];
}

/** @param rows of the experiment */
export function shownPath(answer: PathAnswer, rows: readonly RowInfo[]): ShownPath {
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
  for (const [id, ns] of [...timeOn]) {
    const row = rows.find((other) => other.id === id);
    for (let i = row?.parent ?? -1; i >= 0; i = rows[i].parent)
      timeOn.set(rows[i].id, (timeOn.get(rows[i].id) ?? 0) + ns);
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
