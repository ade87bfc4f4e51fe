/** Scatter plot of durations over time: a point for each occurrence, by its begin and, on a logarithmic axis, its duration. */
import { useSignal } from '@preact/signals';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { beginPaint, pixelRatio } from '../draw/pixels.ts';
import type { Palette } from '../draw/palette.ts';
import { PaletteContext } from '../draw/swatch.tsx';
import { formatCount, formatDuration } from '../format/numbers.ts';
import type { TimeRange } from '../timeline/timeline.tsx';
import { logScale, tickText } from '../../engine/words/scale.ts';

interface ScatterProps {
  /** When each began and how many ns it took. */
  readonly fromNs: Float64Array;
  readonly ns: Float64Array;
  /** Time of the whole width. */
  readonly extent: TimeRange;
  /** CSS colour of the points. */
  readonly colour: string;
  textOf(i: number): string;
  timeText(ns: number): string;
  onChoose(i: number): void;
}

const HEIGHT = 160;
const MARGIN = { left: 52, right: 6, top: 6, bottom: 18 };
const POINT_PX = 2.5;
/** CSS pixels from the pointer within which a point is chosen. */
const REACH_PX = 12;
/** Number of points above which each is drawn fainter, so that density shows. */
const OPAQUE_POINTS = 1500;

export function Scatter(props: ScatterProps) {
  const { fromNs, ns, extent, colour, textOf, timeText, onChoose } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const points = useRef<Points | undefined>(undefined);
  const pointed = useSignal(-1);
  const palette = useContext(PaletteContext).value;
  useEffect(() => {
    const picture = canvas.current;
    if (!picture || !palette) return;
    const paint = () => {
      const width = picture.clientWidth;
      const context = beginPaint(picture, width, HEIGHT, pixelRatio());
      const area = { ...MARGIN, width, height: HEIGHT };
      points.current = scatterPoints(fromNs, ns, extent, area);
      if (context) paintScatter(context, points.current, picture, palette, width, props);
    };
    const observer = new ResizeObserver(paint);
    observer.observe(picture);
    return () => observer.disconnect();
  }, [fromNs, ns, extent.from, extent.to, palette]);
  const pointAt = ({ offsetX, offsetY }: MouseEvent) =>
    points.current === undefined ? -1 : nearestPoint(points.current, offsetX, offsetY, REACH_PX);
  const shown = pointed.value;
  return (
    <figure class="scatter">
      <canvas
        ref={canvas}
        style={{ height: `${HEIGHT}px`, color: colour, cursor: shown < 0 ? 'default' : 'pointer' }}
        role="img"
        aria-label={summary(props)}
        onMouseMove={(event) => (pointed.value = pointAt(event))}
        onMouseLeave={() => (pointed.value = -1)}
        onClick={(event) => {
          const chosen = pointAt(event);
          if (chosen >= 0) onChoose(chosen);
        }}
      />
      <figcaption class="faint">
        {shown >= 0 && shown < ns.length
          ? `${textOf(shown)}: ${formatDuration(ns[shown])} at ${timeText(fromNs[shown])}`
          : 'Click a point to choose it. The table lists the same durations.'}
      </figcaption>
    </figure>
  );
}

/** The longest comes first. */
function summary({ fromNs, ns, textOf, timeText }: ScatterProps): string {
  if (ns.length === 0) return 'Durations over time: none';
  const longest = `the longest ${formatDuration(ns[0])}, ${textOf(0)}, at ${timeText(fromNs[0])}`;
  return `Durations over time: ${formatCount(ns.length)}, ${longest}, the shortest ${formatDuration(ns[ns.length - 1])}`;
}

function paintScatter(
  context: CanvasRenderingContext2D,
  { x, y }: Points,
  picture: HTMLCanvasElement,
  palette: Palette,
  width: number,
  { ns, extent, timeText }: ScatterProps,
): void {
  const { length } = x;
  const right = width - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  const scale = logScale(ns[length - 1] ?? 1, ns[0] ?? 1, 0.12);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const tick of scale.ticks) {
    const at = Math.round(bottom - scale.place(tick) * (bottom - MARGIN.top));
    context.fillStyle = palette.softLine.css;
    context.fillRect(MARGIN.left, at, right - MARGIN.left, 1);
    context.fillStyle = palette.muted.css;
    context.fillText(tickText(tick), MARGIN.left - 6, Math.max(8, at));
  }
  const captionY = HEIGHT - MARGIN.bottom / 2 + 1;
  const [begin, end] = [timeText(extent.from), timeText(extent.to)];
  context.fillText(end, right, captionY);
  context.textAlign = 'left';
  const widths = context.measureText(begin).width + context.measureText(end).width;
  if (widths + MARGIN.right < right - MARGIN.left) context.fillText(begin, MARGIN.left, captionY);
  context.fillStyle = getComputedStyle(picture).color;
  context.globalAlpha = Math.max(0.12, Math.min(0.9, OPAQUE_POINTS / Math.max(1, length)));
  for (let i = 0; i < length; i++)
    context.fillRect(x[i] - POINT_PX / 2, y[i] - POINT_PX / 2, POINT_PX, POINT_PX);
  context.globalAlpha = 1;
}

/** Positions of points in a picture, CSS pixels. */
interface Points {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** A picture with margins around the points, in CSS pixels. */
type Area = typeof MARGIN & { readonly width: number; readonly height: number };

/**
 * Positions of points: the shortest is at the bottom, the longest at the top; those from before the extent at its begin.
 * @param fromNs when each began; as many as `ns`, the longest first
 * @internal
 */
export function scatterPoints(
  fromNs: Float64Array,
  ns: Float64Array,
  extent: TimeRange,
  { width, height, left, right, top, bottom }: Area,
): Points {
  const { length } = ns;
  const scale = logScale(ns[length - 1] ?? 1, ns[0] ?? 1);
  const x = new Float32Array(length);
  const y = new Float32Array(length);
  const perNs = Math.max(0, width - left - right) / Math.max(1, extent.to - extent.from);
  for (let i = 0; i < length; i++) {
    x[i] = left + Math.max(0, Math.min(extent.to, fromNs[i]) - extent.from) * perNs;
    y[i] = height - bottom - scale.place(ns[i]) * (height - bottom - top);
  }
  return { x, y };
}

/** The point nearest to a place, -1 where none is within reach (CSS pixels); of equal ones the first. Linear. @internal */
export function nearestPoint({ x, y }: Points, atX: number, atY: number, reach: number): number {
  let found = -1;
  let least = reach * reach;
  for (let i = 0; i < x.length; i++) {
    const distance = (x[i] - atX) ** 2 + (y[i] - atY) ** 2;
    if (distance < least || (distance === least && found < 0)) {
      least = distance;
      found = i;
    }
  }
  return found;
}
