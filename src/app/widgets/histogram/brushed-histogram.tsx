/** A histogram in which a range is chosen by dragging, by its ends (ARIA pattern "slider"), or by keys. */
import { useRef } from 'preact/hooks';
import { Axis } from './axis.tsx';
import type { Scale } from '../../../engine/words/scale.ts';

/** Values of the axis; an end that is open is infinite. */
export interface BrushRange {
  readonly from: number;
  readonly to: number;
}

interface BrushedHistogramProps {
  /** Accessible name: "Duration in B". */
  readonly label: string;
  readonly scale: Scale;
  /** Counts of bins of equal width. */
  readonly counts: ArrayLike<number>;
  /** Counts of everything, drawn behind. */
  readonly all: ArrayLike<number>;
  /** CSS colour. */
  readonly colour: string;
  /** Mean, which is marked. */
  readonly mean: number | undefined;
  readonly range: BrushRange | undefined;
  /** Text of a value, and the short text of a tick. */
  format(value: number): string;
  tick(value: number): string;
  onBrush(range: BrushRange | undefined): void;
}

/** Movement below which it is a click, CSS pixels. */
const CLICK = 3;
/** Distance from the edge of the axis, as a share of it, within which an end is open. */
const EDGE = 0.004;

/** Dragged part: an end while the other one stays, or the whole range. Shares of the axis. */
type Grip = { readonly fixed: number } | { readonly from: number; readonly to: number; readonly at: number };

export function BrushedHistogram(props: BrushedHistogramProps) {
  const { label, scale, counts, all, colour, mean, range, format, onBrush } = props;
  const plot = useRef<HTMLDivElement>(null);
  const grip = useRef<(Grip & { readonly x: number; moved: boolean }) | undefined>(undefined);
  const [from, to] = [placeOf(scale, range?.from, 0), placeOf(scale, range?.to, 1)];
  const brush = (a: number, b: number) => onBrush(rangeOf(scale, Math.min(a, b), Math.max(a, b)));
  const shareAt = ({ clientX }: PointerEvent) => {
    const { left, width } = (plot.current as HTMLDivElement).getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    plot.current?.setPointerCapture(event.pointerId);
    const at = shareAt(event);
    const end = (event.target as HTMLElement).dataset.end;
    const held: Grip =
      end !== undefined && range !== undefined
        ? { fixed: end === 'from' ? to : from }
        : range !== undefined && at > from && at < to
          ? { from, to, at }
          : { fixed: at };
    grip.current = { ...held, x: event.clientX, moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const held = grip.current;
    if (held === undefined) return;
    held.moved ||= Math.abs(event.clientX - held.x) >= CLICK;
    if (!held.moved) return;
    const at = shareAt(event);
    if ('fixed' in held) return brush(held.fixed, at);
    const by = Math.max(-held.from, Math.min(1 - held.to, at - held.at));
    brush(held.from + by, held.to + by);
  };
  const onPointerUp = () => {
    if (grip.current?.moved === false && 'fixed' in grip.current) onBrush(undefined);
    grip.current = undefined;
  };
  const step = (end: 'from' | 'to', by: number) => {
    const at = Math.min(1, Math.max(0, (end === 'from' ? from : to) + by / counts.length));
    if (end === 'from') brush(Math.min(at, to), to);
    else brush(from, Math.max(at, from));
  };
  return (
    <div class="brushed">
      <div
        class="distribution-plot"
        ref={plot}
        role="group"
        aria-label={label}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => (grip.current = undefined)}
      >
        {range !== undefined && (
          <span class="brushed-range" style={{ left: percent(from), width: percent(to - from) }} />
        )}
        <Bars back={all} counts={counts} colour={colour} />
        {mean !== undefined && (
          <span
            class="distribution-median"
            title={`mean ${format(mean)}`}
            style={{ left: percent(scale.place(mean)) }}
          />
        )}
        {(['from', 'to'] as const).map((end) => (
          <End
            key={end}
            end={end}
            label={`${label}, ${end}`}
            place={end === 'from' ? from : to}
            text={format(scale.at(end === 'from' ? from : to))}
            isSet={range !== undefined}
            onStep={(by) => step(end, by)}
            onClear={() => onBrush(undefined)}
          />
        ))}
      </div>
      <Axis scale={scale} text={props.tick} />
    </div>
  );
}

interface EndProps {
  readonly end: 'from' | 'to';
  readonly label: string;
  /** Share of the axis. */
  readonly place: number;
  readonly text: string;
  readonly isSet: boolean;
  /** Moves the range by a number of bins. */
  onStep(by: number): void;
  onClear(): void;
}

const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 },
  ...{ PageDown: -5, PageUp: 5, Home: -Infinity, End: Infinity },
};

function End({ end, label, place, text, isSet, onStep, onClear }: EndProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (Object.hasOwn(STEPS, event.key)) onStep(STEPS[event.key]);
    else if (isSet && (event.key === 'Delete' || event.key === 'Backspace')) onClear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span
      class={`brushed-end${isSet ? ' set' : ''}`}
      role="slider"
      tabIndex={0}
      data-end={end}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * place)}
      aria-valuetext={text}
      style={{ left: percent(place) }}
      onKeyDown={onKeyDown}
    />
  );
}

interface BarsProps {
  readonly counts: ArrayLike<number>;
  /** Counts drawn behind, if any. */
  readonly back?: ArrayLike<number>;
  readonly colour: string;
}

/** Bins of equal width over the whole of the box, each layer as high as its largest bin. */
export function Bars({ counts, back, colour }: BarsProps) {
  return (
    <svg
      class="histogram-bars"
      viewBox={`0 0 ${counts.length} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {back && <path class="histogram-back" d={barsPath(back)} />}
      <path d={barsPath(counts)} style={{ fill: colour }} />
    </svg>
  );
}

/** Least height of a bar of one, as a share of the whole. */
const LEAST_HEIGHT = 0.03;
const TALLEST = 0.95;

function barsPath(counts: ArrayLike<number>): string {
  let most = 1;
  for (let i = 0; i < counts.length; i++) most = Math.max(most, counts[i]);
  let path = '';
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] === 0) continue;
    const height = Math.max(LEAST_HEIGHT, (TALLEST * counts[i]) / most);
    path += `M${i + 0.08} 1v${-height.toFixed(3)}h.84V1z`;
  }
  return path;
}

function placeOf(scale: Scale, value: number | undefined, open: number): number {
  return value === undefined || !Number.isFinite(value) ? open : scale.place(value);
}

/** Range of two shares of the axis; undefined: everything. */
function rangeOf(scale: Scale, from: number, to: number): BrushRange | undefined {
  const range = {
    from: from < EDGE ? -Infinity : scale.at(from),
    to: to > 1 - EDGE ? Infinity : scale.at(to),
  };
  return range.from === -Infinity && range.to === Infinity ? undefined : range;
}

function percent(share: number): string {
  return `${100 * share}%`;
}
