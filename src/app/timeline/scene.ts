/**
 * The area of the rows: three canvases (backdrop, bars, foreground), drawn at most once a frame from the view's signals and
 * only if their contents changed. No component renders while the reader pans or zooms.
 */
import { effect, signal } from '@preact/signals';
import type { HostInfo, Progress } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { BlockCache, RowBlocks } from './tiles/block-cache.ts';
import { drawList, type SceneFrame } from './tiles/draw-list.ts';
import { HandOvers } from './tiles/hand-overs.ts';
import { IntervalNames } from './tiles/interval-names.ts';
import type { Palette } from '../draw/palette.ts';
import { paintBackdrop, type Backdrop } from './paint/backdrop.ts';
import { paintPath } from './paint/path.ts';
import { paintHops } from './paint/path-arrows.ts';
import { paintForeground, type Foreground } from './paint/foreground.ts';
import { TextWidths, beginPaint, pixelRatio } from '../draw/pixels.ts';
import { statePainter } from '../draw/state-painter.ts';
import { PATTERN_REPEAT, type BarFrame } from './render/bars.ts';
import { paintBars } from './render/canvas-bars.ts';
import type { BarsSlot } from './render/bars-slot.ts';
import { isReading } from '../opening/progress-row.tsx';
import { isOver, readTo } from '../opening/reading.ts';
import { levelOf } from './tiles/levels.ts';
import type { RowTiles } from './rows/row-reader.ts';
import { rowSeries } from './tiles/series.ts';
import { TileStore } from './tiles/tile-store.ts';
import { axisOf } from './parts/ticks.ts';
import type { TimelineSource } from './timeline-source.ts';
import type { ViewModel } from './view/view-model.ts';
import { rangeOf, xOfTime } from './view/viewport.ts';

/** Time in which answers that renew drawn tiles are collected, ms. */
const TOGETHER_MS = 100;

/** Parts of backdrop and foreground that do not come from the frame. */
type ShownBehind = Omit<Backdrop, 'context' | 'frame' | 'axis'>;
type ShownOver = Omit<Foreground, 'context' | 'frame' | 'store' | 'widths' | 'nameOf'>;

interface SceneParts {
  readonly backdrop: HTMLCanvasElement;
  readonly foreground: HTMLCanvasElement;
  readonly bars: BarsSlot;
}

/** Cost of the last frame, for benches. */
export interface FrameStats {
  readonly scriptMs: number;
  readonly instances: number;
  readonly uploadedBytes: number;
  /** Whether all tiles of the frame were there. */
  readonly complete: boolean;
}

export class Scene {
  readonly store: TileStore;
  /** Version of the store that was drawn last. */
  readonly drawn = signal(0);
  readonly #source: TimelineSource;
  readonly #view: ViewModel;
  readonly #parts: SceneParts;
  readonly #palette: () => Palette;
  readonly #blocksOf: BlockCache;
  readonly #widths = new TextWidths();
  readonly #names: IntervalNames;
  readonly #handOvers: HandOvers;
  readonly #onFrame: (stats: FrameStats) => void;
  readonly #stops: (() => void)[];
  #width = 0;
  #height = 0;
  #scheduled = 0;
  #soon = 0;
  #isDisposed = false;
  readonly #backdrop = new Ingredients();
  readonly #foreground = new Ingredients();
  #series = rowSeries([]);
  #hosts: ReadonlyMap<number, HostInfo> = new Map();
  #progress: Progress | undefined;
  #blocks: RowBlocks | undefined;

  constructor(
    source: TimelineSource,
    view: ViewModel,
    parts: SceneParts,
    palette: () => Palette,
    onFrame: (stats: FrameStats) => void = () => undefined,
  ) {
    this.#source = source;
    this.#view = view;
    this.#parts = parts;
    this.#palette = palette;
    this.#onFrame = onFrame;
    this.store = new TileStore(source, (isNew) => this.#onTiles(isNew));
    this.#blocksOf = new BlockCache(this.store, (instances) => parts.bars.release(instances));
    const repaint = () => {
      this.#foreground.forget();
      this.invalidate();
    };
    this.#names = new IntervalNames(source, repaint);
    this.#handOvers = new HandOvers(source, repaint);
    this.#stops = [
      effect(() => this.#followRows()),
      effect(() => this.#followProgress()),
      effect(() => this.#followView()),
    ];
  }

  /** CSS pixels. */
  resize(width: number, height: number): void {
    // The observer reports the first size again after the first drawing.
    if (width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    this.invalidate();
  }

  /** Draws on the next frame. Answers may come after the scene has ended. */
  invalidate(): void {
    if (this.#isDisposed) return;
    this.#scheduled ||= requestAnimationFrame(() => this.draw());
  }

  /** Called with each answer. While reading there are many, so one frame shows several. */
  #onTiles(isNew: boolean): void {
    if (isNew && (this.#isIdle || !this.store.busy)) this.invalidate();
    else
      this.#soon ||= window.setTimeout(() => {
        this.#soon = 0;
        this.invalidate();
      }, TOGETHER_MS);
  }

  /** Tiles of a row that is laid out, at the level that is drawn. */
  tilesOf(row: RowInfo): RowTiles {
    const { view, width, ratio } = this.frame();
    return { store: this.store, series: this.#series(row), level: levelOf(view, width * ratio) };
  }

  /** Visible rows and time. */
  frame(): SceneFrame {
    return {
      view: this.#view.viewport.peek(),
      width: this.#width,
      height: this.#height,
      ratio: pixelRatio(),
      layout: this.#view.rows.layout.peek(),
      scrollTop: this.#view.rows.scrollTop.peek(),
    };
  }

  draw(): void {
    cancelAnimationFrame(this.#scheduled);
    clearTimeout(this.#soon);
    this.#scheduled = this.#soon = 0;
    if (this.#width <= 0 || this.#height <= 0) return;
    const begin = performance.now();
    const frame = this.frame();
    const palette = this.#palette();
    this.#paintBackdrop(frame, palette);
    const bars = this.#barsOf(frame);
    this.#parts.bars.draw(bars);
    this.#paintForeground(frame, palette);
    if (this.#blocksOf.late) this.invalidate();
    this.drawn.value = this.store.version;
    this.#onFrame({
      scriptMs: performance.now() - begin,
      instances: bars.items.reduce((sum, item) => sum + item.instances.count, 0),
      uploadedBytes: this.#parts.bars.uploadedBytes,
      complete: !this.store.busy && !this.#blocksOf.late,
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    cancelAnimationFrame(this.#scheduled);
    clearTimeout(this.#soon);
    for (const stop of this.#stops) stop();
    this.#names.dispose();
    this.#handOvers.dispose();
    this.#blocksOf.clear();
  }

  #followRows(): void {
    this.#series = rowSeries(this.#source.rows.value);
    this.#hosts = new Map(this.#source.info.value?.hosts.map((host) => [host.index, host]));
    this.#blocks = undefined;
    this.#names.clear();
    this.#handOvers.setRows(this.#source.rows.value);
    this.invalidate();
  }

  #followProgress(): void {
    const progress = this.#source.progress.value;
    const before = this.#progress;
    this.#progress = progress;
    this.store.setWatermark(readTo(progress));
    // Tiles asked for at the end of reading stay valid when the trace is stored.
    const isStored = before?.phase === 'finishing' && isOver(progress);
    // Reading has ended, or begins again with more files.
    if ((isOver(progress) || isOver(before)) && !isStored) this.store.outdate();
    this.invalidate();
  }

  /** Whether nothing is being read or stored, so that the session has time to prepare tiles. */
  get #isIdle(): boolean {
    return !isReading(this.#source.progress.peek());
  }

  #followView(): void {
    const view = this.#view;
    const shown = [
      view.viewport,
      view.rows.layout,
      view.rows.scrollTop,
      view.hover,
      view.selected,
      view.range,
      view.path,
      view.pathStep,
    ];
    const also = [view.isolated, view.focusedRow, view.timeStyle, this.#source.overview, this.#source.notes];
    for (const signal of [...shown, ...also]) void signal.value;
    this.invalidate();
  }

  /** Paints the visible part on another context, in CSS pixels from the top left of the rows. */
  paint(context: CanvasRenderingContext2D): void {
    const frame = this.frame();
    const palette = this.#palette();
    this.#paintBehind(context, frame, this.#behind(palette));
    paintBars(context, this.#barsOf(frame), statePainter(palette), palette);
    this.#paintOver(context, frame, this.#over(palette));
  }

  #paintBackdrop(frame: SceneFrame, palette: Palette): void {
    const shown = this.#behind(palette);
    const style = this.#view.timeStyle.peek();
    if (!this.#backdrop.areNew(...Object.values(frame), ...Object.values(shown), style)) return;
    const context = beginPaint(this.#parts.backdrop, frame.width, frame.height, frame.ratio);
    if (context) this.#paintBehind(context, frame, shown);
  }

  #behind(palette: Palette): ShownBehind {
    const view = this.#view;
    const progress = this.#source.progress.peek();
    return {
      palette,
      hosts: this.#hosts,
      overview: this.#source.overview.peek(),
      selectedRow: view.focusedRow.peek(),
      range: view.range.peek(),
      notes: this.#source.notes.peek(),
      readTo: readTo(progress),
      isOver: isOver(progress),
    };
  }

  #paintBehind(context: CanvasRenderingContext2D, frame: SceneFrame, shown: ShownBehind): void {
    const axis = axisOf(frame.view, frame.width, this.#view.timeStyle.peek());
    paintBackdrop({ context, frame, axis, ...shown });
  }

  #barsOf(frame: SceneFrame): BarFrame {
    if (this.#blocks?.layout !== frame.layout) this.#blocks = new RowBlocks(frame.layout, this.#series);
    const extent = this.#isIdle ? this.#view.extent.peek() : undefined;
    const items = drawList(this.#blocksOf, frame, this.#blocks, extent);
    const repeat = PATTERN_REPEAT * frame.ratio;
    const origin = Math.round(xOfTime(frame.view, frame.width * frame.ratio, 0));
    return {
      width: Math.round(frame.width * frame.ratio),
      height: Math.round(frame.height * frame.ratio),
      ratio: frame.ratio,
      phase: ((-origin % repeat) + repeat) % repeat || 0,
      isolated: this.#view.isolated.peek() ?? 0,
      items,
    };
  }

  #paintForeground(frame: SceneFrame, palette: Palette): void {
    const shown = this.#over(palette);
    const also = [this.#view.pathStep.peek(), this.store.version, this.#isIdle];
    if (!this.#foreground.areNew(...Object.values(frame), ...Object.values(shown), ...also)) return;
    const context = beginPaint(this.#parts.foreground, frame.width, frame.height, frame.ratio);
    if (context) this.#paintOver(context, frame, shown);
  }

  #over(palette: Palette): ShownOver {
    const view = this.#view;
    return {
      palette,
      hosts: this.#hosts,
      series: this.#series,
      selected: view.selected.peek(),
      range: view.range.peek(),
      hoverNs: view.hover.peek()?.timeNs,
      notes: this.#source.notes.peek(),
      path: view.path.peek(),
    };
  }

  #paintOver(context: CanvasRenderingContext2D, frame: SceneFrame, shown: ShownOver): void {
    const { palette, path } = shown;
    const isIdle = this.#isIdle;
    if (path) paintPath({ context, frame, palette, path, step: this.#view.pathStep.peek() });
    this.#names.beginFrame();
    paintForeground({
      context,
      frame,
      ...shown,
      store: this.store,
      widths: this.#widths,
      // Not while reading: a wait may still end, and the worker is busy.
      nameOf: (row, from, value) => (isIdle ? this.#names.of(row, from, value) : undefined),
    });
    // Hand-overs of locks, unless a path shows its own arrows.
    if (path === undefined && isIdle)
      paintHops(this.#handOvers.of(rangeOf(frame.view)), frame, { context, palette });
  }
}

/** Inputs of the last painting; while they are the same, nothing is painted again. */
class Ingredients {
  #last: readonly unknown[] = [];

  /** Whether any input differs from the last time; stores them. */
  areNew(...things: readonly unknown[]): boolean {
    const last = this.#last;
    this.#last = things;
    return things.length !== last.length || things.some((thing, i) => thing !== last[i]);
  }

  forget(): void {
    this.#last = [];
  }
}
