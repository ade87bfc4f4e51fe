/**
 * The active path in ink: what is off the path recedes under a scrim, the path's segments keep their colours over a
 * line, and arrows join them. Only what is visible is drawn, and no more than there are pixels.
 */
import { VIA_NETWORK, VIA_NOTHING, VIA_WAIT } from '../../../engine/graph/path-codes.ts';
import { visibleRows, type SceneFrame } from '../draw-list.ts';
import type { Palette } from '../palette.ts';
import type { LaidRow } from '../row-layout.ts';
import { segmentAt, type ShownPath } from '../shown-path.ts';
import { rangeOf, xOfTime } from '../viewport.ts';

export interface PathPicture {
  readonly frame: SceneFrame;
  readonly palette: Palette;
  readonly path: ShownPath;
  /** The segment stepped to; -1: none. */
  readonly step: number;
}

const LINE_PX = 2;
const HEAD_PX = 7;
const STROKE_PX = 1.5;
/** More would be a black field. */
const MOST_ARROWS = 1500;

export function paintPath(context: CanvasRenderingContext2D, picture: PathPicture): void {
  const { frame, palette } = picture;
  const seen = visibleRows(frame);
  const bottom = Math.min(frame.height, frame.layout.height - frame.scrollTop);
  const runs: { readonly laid: LaidRow; readonly pixels: readonly number[] }[] = [];
  for (let i = seen.first; i <= seen.last; i++) {
    const laid = frame.layout.rows[i];
    runs.push({ laid, pixels: pixelRuns(laid.row.id, picture) });
  }
  context.save();
  context.beginPath();
  context.rect(0, 0, frame.width, bottom);
  eachRun(runs, frame, (x, y, width, height) => context.rect(x, y, width, height));
  context.fillStyle = palette.scrim;
  context.fill('evenodd');
  context.restore();
  context.fillStyle = palette.path.css;
  eachRun(runs, frame, (x, y, width, height) => context.fillRect(x, y + height, width, LINE_PX));
  paintArrows(context, picture);
}

/** Pixels of a row that the path covers: begin and end of each run, runs apart. */
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

function firstEndingAfter(numbers: readonly number[], ends: Float64Array, time: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[numbers[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function eachRun(
  rows: readonly { readonly laid: LaidRow; readonly pixels: readonly number[] }[],
  { scrollTop }: SceneFrame,
  visit: (x: number, y: number, width: number, height: number) => void,
): void {
  for (const { laid, pixels } of rows)
    for (let i = 0; i < pixels.length; i += 2)
      visit(pixels[i], laid.y - scrollTop + 1, pixels[i + 1] - pixels[i], laid.height - LINE_PX - 1);
}

function paintArrows(context: CanvasRenderingContext2D, picture: PathPicture): void {
  const { frame, path } = picture;
  const { segments } = path.answer;
  const { from, to } = rangeOf(frame.view);
  const drawn = new Set<number>();
  for (let i = Math.max(1, segmentAt(path.answer, from)); i < segments.length; i++) {
    if (segments.from[i] > to || drawn.size === MOST_ARROWS) break;
    if (segments.via[i] === VIA_NOTHING) continue;
    const arrow = arrowTo(picture, i);
    if (arrow === undefined) continue;
    const key = (Math.round(arrow.x2) * 4096 + arrow.row1) * 4096 + arrow.row2;
    if (drawn.has(key)) continue;
    drawn.add(key);
    paintArrow(context, arrow, picture, i === picture.step || i - 1 === picture.step);
  }
}

interface Arrow {
  /** VIA_*. */
  readonly via: number;
  readonly row1: number;
  readonly row2: number;
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/**
 * The arrow that leads to a segment from the row of the one before; undefined when a row is folded away. A packet is
 * drawn from thread to thread, across the interrupt that received it.
 */
function arrowTo({ frame, path }: PathPicture, segment: number): Arrow | undefined {
  const { segments, workers } = path.answer;
  const { layout, scrollTop, view, width } = frame;
  const via = segments.via[segment];
  const isInterrupt = (number: number) => workers[segments.worker[number]].row === undefined;
  const source = segment - 1;
  let target = segment;
  if (via === VIA_NETWORK) while (target + 1 < segments.length && isInterrupt(target)) target++;
  else if (isInterrupt(source)) return undefined;
  const row1 = layout.position.get(path.rowOf[source]);
  const row2 = layout.position.get(path.rowOf[target]);
  if (row1 === undefined || row2 === undefined || row1 === row2) return undefined;
  const [a, b] = [layout.rows[row1], layout.rows[row2]];
  const down = b.y > a.y;
  return {
    via,
    row1,
    row2,
    x1: xOfTime(view, width, segments.to[source]),
    y1: a.y - scrollTop + (down ? a.height : 1),
    x2: xOfTime(view, width, segments.from[target]),
    y2: b.y - scrollTop + (down ? 1 : b.height),
  };
}

function paintArrow(
  context: CanvasRenderingContext2D,
  { via, x1, y1, x2, y2 }: Arrow,
  { frame, palette }: PathPicture,
  strong: boolean,
): void {
  if (Math.max(y1, y2) < 0 || Math.min(y1, y2) > frame.height) return;
  context.setLineDash(via === VIA_WAIT ? [1.5, 2.5] : []);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.lineWidth = STROKE_PX + 2 * STROKE_PX;
  context.strokeStyle = palette.pathHalo.css;
  context.stroke();
  context.lineWidth = strong ? STROKE_PX + 1 : STROKE_PX;
  context.strokeStyle = palette.path.css;
  context.stroke();
  context.setLineDash([]);
  if (via === VIA_WAIT) return;
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const corner = (turn: number): [number, number] => [
    x2 - HEAD_PX * Math.cos(angle + turn),
    y2 - HEAD_PX * Math.sin(angle + turn),
  ];
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(...corner(0.45));
  context.lineTo(...corner(-0.45));
  context.closePath();
  context.fillStyle = palette.path.css;
  context.fill();
}
