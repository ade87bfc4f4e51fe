/**
 * Paints the active path: what is off the path is pale under a scrim, the path's segments keep their colours over a line,
 * and arrows join them. The work is bounded by the visible part and its pixels.
 */
import { firstWhere } from '../../../engine/base/lower-bound.ts';
import type { DisplayNs, Times } from '../../../engine/base/units.ts';
import { type SceneFrame, visibleLaid } from '../tiles/draw-list.ts';
import type { LaidRow } from '../rows/row-layout.ts';
import type { ShownPath } from '../view/shown-path.ts';
import { rangeOf, xOfTime } from '../view/viewport.ts';
import { paintArrows, type PathPicture } from './path-arrows.ts';

const LINE_PX = 2;

export function paintPath(picture: PathPicture): void {
  const { context, frame, palette } = picture;
  const bottom = Math.min(frame.height, frame.layout.height - frame.scrollTop);
  const ink: RowRuns[] = [];
  const inSight: RowRuns[] = [];
  for (const laid of visibleLaid(frame)) {
    const runs = { laid, pixels: pixelRuns(laid.row.id, picture) };
    ink.push(runs);
    // The thread studied keeps its colours over the whole range, also where others are on the path.
    inSight.push(laid.row.id === picture.path.answer.row ? { laid, pixels: rangeRun(picture) } : runs);
  }
  context.save();
  context.beginPath();
  context.rect(0, 0, frame.width, bottom);
  eachRun(inSight, frame, (x, y, width, height) => context.rect(x, y, width, height));
  context.fillStyle = palette.scrim;
  context.fill('evenodd');
  context.restore();
  context.fillStyle = palette.path.css;
  eachRun(ink, frame, (x, y, width, height) => context.fillRect(x, y + height, width, LINE_PX));
  paintArrows(picture);
}

/** Whether a row keeps its colours beside a path at a time. */
export function isInSight({ answer, segmentsOf }: ShownPath, row: string, time: DisplayNs): boolean {
  if (row === answer.row) return time >= answer.from && time < answer.to;
  const numbers = segmentsOf.get(row) ?? [];
  const at = firstEndingAfter(numbers, answer.segments.to, time);
  return at < numbers.length && answer.segments.from[numbers[at]] <= time;
}

/** A row with the begins and ends of separate runs of pixels. */
interface RowRuns {
  readonly laid: LaidRow;
  readonly pixels: readonly number[];
}

function rangeRun({ frame, path }: PathPicture): number[] {
  const left = Math.max(0, Math.floor(xOfTime(frame.view, frame.width, path.answer.from)));
  const right = Math.min(frame.width, Math.ceil(xOfTime(frame.view, frame.width, path.answer.to)));
  return right > left ? [left, right] : [];
}

function pixelRuns(row: string, { frame, path }: PathPicture): number[] {
  const { segments } = path.answer;
  const { from, to } = rangeOf(frame.view);
  const numbers = path.segmentsOf.get(row) ?? [];
  const runs: number[] = [];
  for (let i = firstEndingAfter(numbers, segments.to, from); i < numbers.length; i++) {
    const segment = numbers[i];
    if (segments.from[segment] >= to) break;
    const left = Math.max(0, Math.floor(xOfTime(frame.view, frame.width, segments.from[segment])));
    const right = Math.min(frame.width, Math.ceil(xOfTime(frame.view, frame.width, segments.to[segment])));
    const last = runs.length - 1;
    if (last > 0 && left <= runs[last]) runs[last] = Math.max(runs[last], right);
    else runs.push(left, Math.max(left + 1, right));
  }
  return runs;
}

function firstEndingAfter(numbers: readonly number[], ends: Times<DisplayNs>, time: DisplayNs): number {
  return firstWhere(0, numbers.length, (index) => ends[numbers[index]] > time);
}

function eachRun(
  rows: readonly RowRuns[],
  { scrollTop }: SceneFrame,
  visit: (x: number, y: number, width: number, height: number) => void,
): void {
  for (const { laid, pixels } of rows)
    for (let i = 0; i < pixels.length; i += 2)
      visit(pixels[i], laid.y - scrollTop + 1, pixels[i + 1] - pixels[i], laid.height - LINE_PX - 1);
}
