/**
 * Arrows of a path from row to row: solid for a signal, slanted by its transit time for a packet, dotted where the path
 * goes down into a wait. Only visible ones are painted. A few whose heads would touch are faint lines; many are replaced by
 * a band over the rows that shows their density.
 */
import { firstWhere } from '../../../engine/base/lower-bound.ts';
import { VIA_NETWORK, VIA_NOTHING, VIA_WAIT, VIA_WAKE_UP } from '../../../engine/graph/path-codes.ts';
import type { Colour, Palette } from '../../draw/palette.ts';
import type { SceneFrame } from '../tiles/draw-list.ts';
import { segmentAt, type ShownPath } from '../view/shown-path.ts';
import { rangeOf, xOfTime } from '../view/viewport.ts';

const HEAD_PX = 7;
const STROKE_PX = 1.5;
/** Number of arrows with touching heads from which on they are painted as a density. */
const DENSE = 8;
const BAND_PX = 5;
/** The band is darkest at 2 ** 8 arrows in a column. */
const DARKEST_BITS = 8;
/** Most segments examined at one pixel: a long path has a hundred there, and a frame has no time for all. */
const MOST_OF_PIXEL = 16;
/** Opacity of each arrow where a few touch. */
const CROWDED_ALPHA = 0.25;

/** A step of a path, or a wake-up, from row to row. */
export interface Hop {
  /** VIA_*. */
  readonly via: number;
  readonly fromRow: string;
  readonly fromTime: number;
  readonly toRow: string;
  readonly toTime: number;
}

export function paintArrows(picture: PathPicture): void {
  const arrows = [...arrowsInSight(picture)];
  const crowds = crowdsOf(arrows);
  const isCrowded = (i: number) => crowds[i] > 1 && !arrows[i].strong;
  paintDensity(arrows, crowds, picture);
  arrows.forEach((arrow, i) => isCrowded(i) && crowds[i] < DENSE && paintLine(arrow, picture));
  arrows.forEach((arrow, i) => isCrowded(i) || paintArrow(arrow, picture));
}

/** Paints a few hops that are not of a path, as wake-ups are painted. */
export function paintHops(hops: readonly Hop[], frame: SceneFrame, ink: Ink): void {
  for (const hop of hops) {
    const arrow = placeArrow(hop, false, frame);
    if (arrow !== undefined) paintArrow(arrow, ink);
  }
}

/** Arrows of the first few segments that begin at one pixel, and of the segment stepped to. */
function* arrowsInSight({ frame, path, step }: PathPicture): Iterable<Arrow> {
  const { segments } = path.answer;
  const { from, to } = rangeOf(frame.view);
  let pixel = NaN;
  let tried = 0;
  for (let i = segmentAt(path.answer, from); i <= segments.length; i++) {
    if (i < segments.length && segments.from[i] > to) return;
    const strong = step >= 0 && (i === step || i - 1 === step);
    const here = Math.round(
      xOfTime(frame.view, frame.width, segments.from[Math.min(i, segments.length - 1)]),
    );
    if (here !== pixel) tried = 0;
    pixel = here;
    if (!strong && tried === MOST_OF_PIXEL) continue;
    const hop = hopTo(path, i);
    if (hop === undefined) continue;
    tried++;
    const arrow = placeArrow(hop, strong, frame);
    if (arrow !== undefined) yield arrow;
  }
}

/** Number of arrows in the group of touching heads that each arrow belongs to; 1: alone. */
function crowdsOf(arrows: readonly Arrow[]): Int32Array {
  const crowds = new Int32Array(arrows.length);
  for (let first = 0, end = 0; first < arrows.length; first = end) {
    end = first + 1;
    while (end < arrows.length && Math.abs(arrows[end].x2 - arrows[end - 1].x2) < HEAD_PX) end++;
    crowds.fill(end - first, first, end);
  }
  return crowds;
}

/** Paints a band over the rows in place of crowded arrows: the more arrows a column has, the darker it is. */
function paintDensity(arrows: readonly Arrow[], crowds: Int32Array, picture: PathPicture): void {
  const { context, frame, palette, path } = picture;
  context.fillStyle = palette.path.css;
  for (let first = 0; first < arrows.length; first += crowds[first]) {
    if (crowds[first] < DENSE) continue;
    const left = Math.max(0, Math.floor(arrows[first].x2 / HEAD_PX) * HEAD_PX);
    const right = Math.min(frame.width, arrows[first + crowds[first] - 1].x2 + 1);
    for (let x = left; x < right; x += HEAD_PX) {
      const hops = hopsIn(path, frame, x, x + HEAD_PX);
      context.globalAlpha = Math.min(1, Math.log2(1 + hops) / DARKEST_BITS);
      context.fillRect(x, 0, HEAD_PX, BAND_PX);
    }
  }
  context.globalAlpha = 1;
}

/** Segments that begin between two places. */
function hopsIn({ answer }: ShownPath, { view, width }: SceneFrame, left: number, right: number): number {
  const { from, length } = answer.segments;
  const firstAt = (x: number) => firstWhere(0, length, (i) => xOfTime(view, width, from[i]) >= x);
  return firstAt(right) - firstAt(left);
}

/**
 * The hop to a segment from the one before it. The path of a wait goes down from the waiting thread to its first segment,
 * and back up after its last: `segment` is then the number of segments. A packet leads from thread to thread, across the
 * interrupt that received it. Undefined: the path stays in its row, or is within such a packet's hop.
 */
function hopTo({ answer, rowOf, isWait }: ShownPath, segment: number): Hop | undefined {
  const { segments, workers, row, from, to } = answer;
  const { length } = segments;
  const isInterrupt = (number: number) => workers[segments.worker[number]].row === undefined;
  if (segment === 0)
    return isWait
      ? { via: VIA_WAIT, fromRow: row, fromTime: from, toRow: rowOf[0], toTime: from }
      : undefined;
  const source = segment - 1;
  const end = { fromRow: rowOf[source], fromTime: segments.to[source] };
  if (segment === length)
    return isWait && !isInterrupt(source) ? { via: VIA_WAKE_UP, ...end, toRow: row, toTime: to } : undefined;
  const via = segments.via[segment];
  if (via === VIA_NOTHING) return undefined;
  if (via !== VIA_NETWORK)
    return isInterrupt(source)
      ? undefined
      : { via, ...end, toRow: rowOf[segment], toTime: segments.from[segment] };
  let target = segment;
  while (target < length && isInterrupt(target)) target++;
  return target < length
    ? { via, ...end, toRow: rowOf[target], toTime: segments.from[target] }
    : { via, ...end, toRow: row, toTime: to };
}

interface Arrow extends Pick<Hop, 'via'> {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  /** Whether it is at the segment stepped to. */
  readonly strong: boolean;
}

/** Position of an arrow; undefined when a row is not shown or the arrow is out of sight. */
function placeArrow(hop: Hop, strong: boolean, { layout, scrollTop, view, width, height }: SceneFrame) {
  const a = layout.find(hop.fromRow);
  const b = layout.find(hop.toRow);
  if (a === undefined || b === undefined || a === b) return undefined;
  const down = b.y > a.y;
  const y1 = a.y - scrollTop + (down ? a.height : 1);
  const y2 = b.y - scrollTop + (down ? 1 : b.height);
  if (Math.max(y1, y2) < 0 || Math.min(y1, y2) > height) return undefined;
  const [x1, x2] = [xOfTime(view, width, hop.fromTime), xOfTime(view, width, hop.toTime)];
  return { via: hop.via, x1, y1, x2, y2, strong };
}

function paintLine(arrow: Arrow, { context, palette }: Ink): void {
  context.globalAlpha = CROWDED_ALPHA;
  stroke(context, arrow, 1, palette.path);
  context.globalAlpha = 1;
}

function paintArrow(arrow: Arrow, { context, palette }: Ink): void {
  const { via, x1, y1, x2, y2, strong } = arrow;
  stroke(context, arrow, 3 * STROKE_PX, palette.pathHalo);
  stroke(context, arrow, strong ? STROKE_PX + 1 : STROKE_PX, palette.path);
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

function stroke(
  context: CanvasRenderingContext2D,
  { via, x1, y1, x2, y2 }: Arrow,
  width: number,
  { css }: Colour,
): void {
  context.setLineDash(via === VIA_WAIT ? [1.5, 2.5] : []);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.lineWidth = width;
  context.strokeStyle = css;
  context.stroke();
  context.setLineDash([]);
}

interface Ink {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
}

export interface PathPicture extends Ink {
  readonly frame: SceneFrame;
  readonly path: ShownPath;
  /** The segment stepped to; -1: none. */
  readonly step: number;
}
