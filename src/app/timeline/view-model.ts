/**
 * What the reader of a timeline looks at: visible time, rows, pointer and selection, and the commands that change
 * them. The page binds keys and the palette to the commands and writes the signals into its link.
 */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { IntervalInfo, PathAnswer } from '../../workers/session-api.ts';
import { createJump } from './jump.ts';
import { rowById } from './row-by-id.ts';
import { createRowView, type RowView } from './row-view.ts';
import { hasIntervals } from './series.ts';
import { segmentAt, shownPath, type ShownPath } from './shown-path.ts';
import type { TimelineSource } from './timeline-source.ts';
import type { TimeMode, TimeStyle } from './time-text.ts';
import { createViewSteps } from './view-steps.ts';
import * as math from './viewport.ts';
import type { TimeRange, Viewport } from './viewport.ts';

/** Where the pointer is: a time, and the row under it where there is one. */
export interface Hover {
  readonly timeNs: number;
  readonly row?: string;
  /** CSS pixels in the area of the rows, for the card; absent on ruler and overview. */
  readonly x?: number;
  readonly y?: number;
}

/** An interval of a row; `info` follows from the session. */
export interface SelectedInterval extends TimeRange {
  readonly row: string;
  readonly info?: IntervalInfo;
  /** Come to by stepping along a path, whose panel stays in sight. */
  readonly isStep: boolean;
}

export interface ViewModel {
  readonly viewport: ReadonlySignal<Viewport>;
  /** The whole experiment. */
  readonly extent: ReadonlySignal<TimeRange>;
  readonly rows: RowView;
  readonly timeMode: Signal<TimeMode>;
  readonly timeStyle: ReadonlySignal<TimeStyle>;
  readonly hover: Signal<Hover | undefined>;
  readonly selected: Signal<SelectedInterval | undefined>;
  /** The selected range of time; statistics follow it. */
  readonly range: Signal<TimeRange | undefined>;
  /** The active path that is shown. */
  readonly path: ReadonlySignal<ShownPath | undefined>;
  /** Number of the path's segment that was stepped to; -1: none. */
  readonly pathStep: ReadonlySignal<number>;
  /** Draw code shown alone (a click on the legend); the others are pale. */
  readonly isolated: Signal<number | undefined>;
  /** The row that the keyboard is on; follows the selection. */
  readonly focusedRow: Signal<string | undefined>;
  /** Steps of back and forward: position and number; the page mirrors them in its history. */
  readonly step: ReadonlySignal<number>;
  readonly steps: ReadonlySignal<number>;

  setViewport(view: Viewport): void;
  /** Shows a range, with a short animation unless told otherwise. */
  setRange(range: TimeRange, animated?: boolean): void;
  /** Shows a range with a little of what is around it. */
  fit(range: TimeRange): void;
  /** Around `share` of the width, by default its middle. */
  zoomBy(factor: number, share?: number): void;
  /** By a share of the visible span. */
  panBy(share: number): void;
  zoomIn(): void;
  zoomOut(): void;
  panLeft(): void;
  panRight(): void;
  /** The selected interval once all of it is known, else the selected range, else everything. */
  fitSelection(): Promise<void>;
  fitAll(): void;
  back(): void;
  forward(): void;
  goToStep(step: number): void;
  /** Selects the interval of a row at a time; `known` shows it before the session answers. */
  select(row: string, timeNs: number, known?: TimeRange): Promise<void>;
  /** Resolves when it is known what is selected. False: something else, or nothing, was selected meanwhile. */
  settled(): Promise<boolean>;
  /** Shows a path in ink and its rows on top; undefined: none any more. */
  showPath(answer: PathAnswer | undefined): void;
  /** Selects a segment of the path that is shown, by number. */
  goToSegment(segment: number): void;
  /** Along the path, from the segment stepped to or the one in the middle of the view. */
  stepAlongPath(direction: -1 | 1): void;
  nextInterval(): Promise<void>;
  previousInterval(): Promise<void>;
  rowUp(): void;
  rowDown(): void;
  /** One level back: the path, the selected interval, the range, the isolated state. False: nothing was left. */
  escape(): boolean;
  /** Scrolls to a row and, with a range, to a time. */
  show(row: string, range?: TimeRange): void;
  dispose(): void;
}

const ZOOM_STEP = 1.5;
const PAN_STEP = 0.2;
/** Around a fitted range, as a share of it on either side. */
const FIT_MARGIN = 0.05;

/**
 * @param onChoice called at once when the reader selects an interval, before it is known which; not for steps along a
 * path
 */
export function createViewModel(
  source: TimelineSource,
  coarsePointer = false,
  onChoice: () => void = () => undefined,
): ViewModel {
  const extent = computed(() => ({ from: 0, to: Math.max(1, source.info.value?.lengthNs ?? 1) }));
  const viewport = signal<Viewport>(math.viewportOf(extent.peek()));
  const rows = createRowView(source, coarsePointer);
  const timeMode = signal<TimeMode>('relative');
  const timeStyle = computed(() => ({ mode: timeMode.value, originNs: source.info.value?.originNs ?? '' }));
  const hover = signal<Hover | undefined>(undefined);
  const selected = signal<SelectedInterval | undefined>(undefined);
  /** What is found out for an older choice comes too late. */
  let choice = 0;
  /** The choice, and steps from it: one after the other, so that none is lost. */
  let finding: Promise<void> = Promise.resolve();
  const range = signal<TimeRange | undefined>(undefined);
  const isolated = signal<number | undefined>(undefined);
  const path = signal<ShownPath | undefined>(undefined);
  const pathStep = signal(-1);
  const focusedRow = signal<string | undefined>(undefined);
  const steps = createViewSteps();
  const jump = createJump();
  let shownAll = true;

  const put = (view: Viewport) => {
    shownAll = view.span >= extent.peek().to - extent.peek().from;
    viewport.value = view;
  };
  const show = (view: Viewport) => {
    const next = math.clamped(view, extent.peek());
    if (math.sameViewport(next, viewport.peek())) return;
    put(next);
    steps.moved(next);
  };
  // While the length grows, a view of everything stays one.
  const stopFollowing = effect(() => {
    const all = extent.value;
    if (!shownAll) return;
    viewport.value = math.viewportOf(all);
    steps.moved(viewport.peek());
  });

  const setViewport = (view: Viewport) => {
    jump.stop();
    show(view);
  };
  const setRange = (wanted: TimeRange, animated = true) => {
    const from = viewport.peek();
    const to = math.clamped(math.viewportOf(wanted), extent.peek());
    if (animated) jump.start((t) => show(math.between(from, to, t)));
    else setViewport(to);
  };
  const zoomBy = (factor: number, share = 0.5) => setViewport(math.zoomed(viewport.peek(), factor, share));
  const panBy = (share: number) => setViewport(math.panned(viewport.peek(), share));
  const fit = (wanted: TimeRange) => {
    const margin = Math.max(1, Math.round((wanted.to - wanted.from) * FIT_MARGIN));
    setRange({ from: wanted.from - margin, to: wanted.to + margin });
  };
  const goToStep = (step: number) => {
    const target = steps.go(step);
    if (!target) return;
    const from = viewport.peek();
    jump.start((t) => put(math.between(from, target, t)));
  };

  const choose = (row: string, info: IntervalInfo, isStep = false) => {
    selected.value = { row, from: info.from, to: info.to, info, isStep };
  };
  const settled = async () => {
    const mine = choice;
    // Who asked hears of a failure.
    await finding.catch(() => undefined);
    return mine === choice;
  };
  const find = async (row: string, timeNs: number, isStep: boolean) => {
    const mine = choice;
    const info = await source.interval(row, timeNs);
    if (info && mine === choice) choose(row, info, isStep);
  };
  /** Goes on from what is selected, once that is known, unless something else is selected before. */
  const goOn = (act: () => Promise<void>) => {
    const turn = settled();
    const go = async () => {
      if (await turn) await act();
    };
    return (finding = go());
  };
  const tellChoice = (id: string) => {
    const row = rowById(source.rows.peek(), id);
    if (row && hasIntervals(row)) onChoice();
  };
  const select = (row: string, timeNs: number, known?: TimeRange, segment = -1) => {
    const isStep = segment >= 0;
    choice++;
    batch(() => {
      focusedRow.value = row;
      pathStep.value = segment;
      if (known) selected.value = { row, from: known.from, to: known.to, isStep };
    });
    if (!isStep) tellChoice(row);
    return (finding = find(row, timeNs, isStep));
  };
  const stepOnce = async (direction: -1 | 1, focused: string | undefined) => {
    const mine = choice;
    const current = selected.peek();
    const row = current?.row ?? focusedRow.peek();
    if (row === undefined) return;
    // The selection takes the focus along, but not away from where it went meanwhile.
    if (focusedRow.peek() === focused) focusedRow.value = row;
    if (!current) return find(row, math.middle(viewport.peek()), false);
    const info = await source.neighbour(row, direction < 0 ? current.from : current.to - 1, direction);
    if (mine !== choice || !info) return;
    choose(row, info);
    keepInView(info);
  };
  const step = (direction: -1 | 1) => {
    tellChoice(selected.peek()?.row ?? focusedRow.peek() ?? '');
    const focused = focusedRow.peek();
    return goOn(() => stepOnce(direction, focused));
  };
  const keepInView = (wanted: TimeRange) => {
    const seen = math.rangeOf(viewport.peek());
    if (wanted.to > seen.from && wanted.from < seen.to && (wanted.from >= seen.from || wanted.to <= seen.to))
      return;
    const span = Math.max(viewport.peek().span, (wanted.to - wanted.from) * 1.2);
    const from = Math.round((wanted.from + wanted.to - span) / 2);
    setRange({ from, to: from + Math.ceil(span) });
  };
  const moveRow = (by: number) => {
    const layout = rows.layout.peek();
    const known = layout.positionOf(focusedRow.peek() ?? '');
    const at = known < 0 && by < 0 ? layout.length : known;
    if (layout.length === 0) return;
    const next = layout.at(Math.max(0, Math.min(layout.length - 1, at + by)));
    focusedRow.value = next.row.id;
    rows.reveal(next.row.id);
    if (selected.peek()) tellChoice(next.row.id);
    void goOn(async () => {
      if (!selected.peek()) return;
      pathStep.value = -1;
      await find(next.row.id, timeInside(selected.peek(), viewport.peek()), false);
    });
  };
  const showPath = (answer: PathAnswer | undefined) => {
    const before = path.peek()?.answer;
    batch(() => {
      path.value = answer && shownPath(answer, source.rows.peek());
      pathStep.value = -1;
      const another = before?.row !== answer?.row || before?.criterion !== answer?.criterion;
      rows.followPath(path.peek(), another);
    });
  };
  const goToSegment = (segment: number) => {
    const shown = path.peek();
    if (!shown || segment < 0 || segment >= shown.answer.segments.length) return;
    const { from, to } = shown.answer.segments;
    const row = shown.rowOf[segment];
    rows.reveal(row);
    const known = { from: from[segment], to: to[segment] };
    void select(row, Math.floor((known.from + known.to) / 2), known, segment);
    keepInView(known);
  };
  const stepAlongPath = (direction: -1 | 1) => {
    const shown = path.peek();
    if (!shown) return;
    const at = pathStep.peek();
    goToSegment(at < 0 ? segmentAt(shown.answer, math.middle(viewport.peek())) : at + direction);
  };
  const escape = () => {
    if (path.peek() !== undefined) {
      showPath(undefined);
      return true;
    }
    choice++;
    for (const state of [selected, range, isolated]) {
      if (state.peek() === undefined) continue;
      state.value = undefined;
      return true;
    }
    return false;
  };

  return {
    viewport,
    extent,
    rows,
    timeMode,
    timeStyle,
    hover,
    selected,
    range,
    path,
    pathStep,
    isolated,
    focusedRow,
    step: steps.position,
    steps: steps.length,
    setViewport,
    setRange,
    fit,
    zoomBy,
    panBy,
    zoomIn: () => zoomBy(ZOOM_STEP, hoverShare(hover.peek(), viewport.peek())),
    zoomOut: () => zoomBy(1 / ZOOM_STEP, hoverShare(hover.peek(), viewport.peek())),
    panLeft: () => panBy(-PAN_STEP),
    panRight: () => panBy(PAN_STEP),
    fitSelection: async () => {
      if (await settled()) fit(selected.peek() ?? range.peek() ?? extent.peek());
    },
    fitAll: () => setRange(extent.peek()),
    back: () => goToStep(steps.position.peek() - 1),
    forward: () => goToStep(steps.position.peek() + 1),
    goToStep,
    select: (row, timeNs, known) => select(row, timeNs, known),
    settled,
    showPath,
    goToSegment,
    stepAlongPath,
    nextInterval: () => step(1),
    previousInterval: () => step(-1),
    rowUp: () => moveRow(-1),
    rowDown: () => moveRow(1),
    escape,
    show: (row, wanted) => {
      rows.reveal(row);
      focusedRow.value = row;
      if (wanted) fit(wanted);
    },
    dispose: () => {
      jump.stop();
      stopFollowing();
      rows.dispose();
    },
  };
}

/** Where on the width the pointer is; the middle when it is elsewhere. */
function hoverShare(hover: Hover | undefined, view: Viewport): number {
  if (!hover) return 0.5;
  const share = math.xOfTime(view, 1, hover.timeNs);
  return share >= 0 && share <= 1 ? share : 0.5;
}

/** A visible time inside the selection, where the row above or below is asked. */
function timeInside(selected: TimeRange | undefined, view: Viewport): number {
  const seen = math.rangeOf(view);
  if (!selected) return math.middle(view);
  return Math.floor((Math.max(seen.from, selected.from) + Math.min(seen.to, selected.to)) / 2);
}
