/** The whole experiment with a window for the visible time: its handles resize it, its body moves it, a drag elsewhere selects. */
import { useComputed } from '@preact/signals';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ExperimentInfo, HostInfo } from '../../../engine/protocol/session.ts';
import { formatCount } from '../../format/numbers.ts';
import { visibleText } from '../../format/text.ts';
import { axisScale, listenDrags, type Drag, type Point, rangeDrag, type AxisScale } from './drag.ts';
import { ElementSize } from '../../browser/element-size.ts';
import { paintOverview } from '../paint/overview.ts';
import { beginPaint, pixelRatio } from '../../draw/pixels.ts';
import { repaintOn } from '../../browser/repaint.ts';
import { readTo } from '../../opening/reading.ts';
import type { Palette } from '../../draw/palette.ts';
import { PaletteContext } from '../../draw/swatch.tsx';
import type { TimelineSource } from '../timeline-source.ts';
import type { ViewModel } from '../view/view-model.ts';
import { panned, rangeOf, viewportOf, xOfTime, type Viewport } from '../view/viewport.ts';

interface OverviewStripProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
}

/** Narrower windows are shown as a line. */
const THIN_PX = 20;
const HANDLE_PX = 7;
/** Share of the whole from which on a drag does not move the window, since there is hardly room. */
const WHOLE_SHARE = 0.95;
const MOST_LABELS = 2;

export function OverviewStrip({ source, view }: OverviewStripProps) {
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const marked = useRef<HTMLDivElement>(null);
  const unread = useRef<HTMLDivElement>(null);
  const palette = useContext(PaletteContext);
  const isPart = useComputed(() => readTo(source.progress.value) < Infinity);
  useEffect(() => {
    const [box, picture, window, mark] = [holder.current, canvas.current, pane.current, marked.current];
    const veil = unread.current;
    if (!box || !picture || !window || !mark || !veil) return;
    const size = new ElementSize(box, () => {
      painting.invalidate();
      placing.invalidate();
    });
    const whole = () => viewportOf(view.extent.peek());
    const scale = axisScale(whole, size);
    const painting = repaintOn(
      [source.overview, source.info, source.notes, view.extent, view.timeStyle, view.matches, palette],
      () => paintPicture(picture, size, { source, view }, palette.peek()),
    );
    const placing = repaintOn([view.viewport, view.extent, view.range, source.progress], () => {
      placeWindow(window, view.viewport.peek(), whole(), size.width);
      const range = view.range.peek();
      mark.hidden = !range;
      if (range) place(mark, scale.xOf(range.from), Math.max(1, scale.xOf(range.to) - scale.xOf(range.from)));
      // `peek`: each report of progress changes it; the picture is painted with new overview data.
      const read = readTo(source.progress.peek());
      veil.hidden = read === Infinity;
      const x = Math.max(0, Math.round(scale.xOf(read)));
      if (!veil.hidden) place(veil, x, Math.max(0, size.width - x));
    });
    const stopDrags = listenDrags(
      box,
      (begin) => windowDrag(view, scale, begin) ?? selectingDrag(view, scale, begin),
    );
    return () => {
      painting.dispose();
      placing.dispose();
      size.dispose();
      stopDrags();
    };
  }, [source, view, palette]);
  return (
    <div class="overview">
      <OverviewLabels
        info={source.info.value}
        isPart={isPart.value}
        showsMatches={view.matches.value !== undefined}
      />
      <div class="overview-picture" ref={holder}>
        <canvas ref={canvas} aria-hidden="true" />
        <div class="overview-unread" ref={unread} hidden />
        <div class="overview-range" ref={marked} hidden />
        <div class="overview-window" ref={pane}>
          <i />
          <i />
        </div>
      </div>
    </div>
  );
}

function paintPicture(
  picture: HTMLCanvasElement,
  { width, height }: ElementSize,
  { source, view }: OverviewStripProps,
  palette: Palette | undefined,
): void {
  const context = beginPaint(picture, width, height, pixelRatio());
  if (!context || !palette) return;
  paintOverview({
    context,
    overview: source.overview.peek(),
    hosts: source.info.peek()?.hosts ?? [],
    extent: view.extent.peek(),
    width,
    height,
    palette,
    style: view.timeStyle.peek(),
    notes: source.notes.peek(),
    matches: view.matches.peek(),
  });
}

function placeWindow(element: HTMLElement, view: Viewport, whole: Viewport, widthPx: number): void {
  const left = xOfTime(whole, widthPx, view.start) + (view.fraction / whole.span) * widthPx;
  const width = (view.span / whole.span) * widthPx;
  place(element, left, Math.max(2, width));
  element.classList.toggle('thin', width < THIN_PX);
  element.classList.toggle('whole', showsWhole(view, whole));
}

function showsWhole(view: Viewport, whole: Viewport): boolean {
  return view.span >= WHOLE_SHARE * whole.span;
}

interface OverviewLabelsProps {
  readonly info: ExperimentInfo | undefined;
  readonly isPart: boolean;
  readonly showsMatches: boolean;
}

function OverviewLabels({ info, isPart, showsMatches }: OverviewLabelsProps) {
  const hosts = info?.hosts ?? [];
  const ticks = showsMatches ? 'events of the filter' : 'event density';
  const shown = info?.hasKernel ? `CPU load, ${ticks}` : ticks.replace('e', 'E');
  const more = hosts.length - MOST_LABELS;
  return (
    <div class="overview-labels">
      {hosts.slice(0, MOST_LABELS).map((host) => (
        <div key={host.index}>
          <span class="ellipsis">{visibleText(host.name)}</span>
          <span class="faint">{isPart ? 'from packet headers' : `${eventsOf(host, info)} events`}</span>
        </div>
      ))}
      <div class="faint">
        {isPart ? 'Estimated after the line' : shown}
        {more > 0 && `, ${more} more`}
      </div>
    </div>
  );
}

/** Text of the number of a host's events; with one host also of the lost ones, as these are not known by host. */
function eventsOf({ events }: HostInfo, info: ExperimentInfo | undefined): string {
  const lost = info?.hosts.length === 1 ? info.discardedEvents : 0;
  return lost === 0 ? formatCount(events) : `${formatCount(events)} of ${formatCount(events + lost)}`;
}

/** A drag of the window's handles or body; undefined elsewhere, and on the body if the window shows nearly all. */
function windowDrag(view: ViewModel, scale: AxisScale, begin: Point): Drag | undefined {
  const from = view.viewport.peek();
  const seen = rangeOf(from);
  const [left, right] = [scale.xOf(seen.from), scale.xOf(seen.to)];
  const thin = right - left < THIN_PX ? HANDLE_PX : 0;
  const near = (edge: number) => Math.abs(begin.x - edge) <= HANDLE_PX;
  const resize = (fixed: number): Drag => ({
    move: ({ x }) => {
      const time = scale.timeAt(x);
      const range = { from: Math.min(time, fixed), to: Math.max(time, fixed) };
      if (range.to > range.from) view.setRange(range, false);
    },
  });
  if (near(left - thin)) return resize(seen.to);
  if (near(right + thin)) return resize(seen.from);
  if (begin.x < left - thin || begin.x > right + thin || showsWhole(from, viewportOf(view.extent.peek())))
    return undefined;
  return {
    move: ({ x }) => view.setViewport(panned(from, (scale.timeAt(x) - scale.timeAt(begin.x)) / from.span)),
  };
}

/** A drag that selects a range; a click moves the window there. */
function selectingDrag(view: ViewModel, scale: AxisScale, begin: Point): Drag {
  return rangeDrag(view, scale, begin, ({ x }) => {
    const { span } = view.viewport.peek();
    const from = Math.round(scale.timeAt(x) - span / 2);
    view.setRange({ from, to: from + Math.ceil(span) });
  });
}

function place(element: HTMLElement, left: number, width: number): void {
  element.style.transform = `translateX(${left}px)`;
  element.style.width = `${width}px`;
}
