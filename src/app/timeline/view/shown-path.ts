/** An active path on the timeline: the segments of each row, and the time of each row on the path. */
import { firstWhere } from '../../../engine/base/lower-bound.ts';
import { addTo, addNumber } from '../../../engine/base/group-by.ts';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { rowById } from '../rows/row-by-id.ts';

export interface ShownPath {
  readonly answer: PathAnswer;
  /** Numbers of the segments in a row, oldest first. */
  readonly segmentsOf: ReadonlyMap<string, readonly number[]>;
  /** ns on the path, by row; always with the thread studied; groups have the sum of their rows. */
  readonly timeOn: ReadonlyMap<string, number>;
  /** Values that order rows: `timeOn`, with the thread studied and its groups before all others. */
  readonly order: ReadonlyMap<string, number>;
  /** Row of each segment. */
  readonly rowOf: readonly string[];
  /** Whether it is the path of a wait, which begins and ends away from the thread studied. */
  readonly isWait: boolean;
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
    addTo(segmentsOf, row, i);
    timeOn.set(row, (timeOn.get(row) ?? 0) + segments.to[i] - segments.from[i]);
  }
  if (!timeOn.has(answer.row)) timeOn.set(answer.row, 0);
  const above = (id: string): string[] => {
    const ids: string[] = [];
    for (let i = rowById(rows, id)?.parent ?? -1; i >= 0; i = rows[i].parent) ids.push(rows[i].id);
    return ids;
  };
  for (const [id, ns] of [...timeOn]) for (const group of above(id)) addNumber(timeOn, group, ns);
  const order = new Map(timeOn);
  for (const id of [answer.row, ...above(answer.row)]) order.set(id, Infinity);
  const isWait = rowOf.length > 0 && rowOf[0] !== answer.row && rowOf.at(-1) !== answer.row;
  return { answer, segmentsOf, timeOn, order, rowOf, isWait };
}

/** Number of the first segment that ends after `time`; `length` when none does. */
export function segmentAt({ segments }: PathAnswer, time: DisplayNs): number {
  return firstWhere(0, segments.length, (index) => segments.to[index] > time);
}
