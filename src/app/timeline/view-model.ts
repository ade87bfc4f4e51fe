/**
 * What the reader of a timeline looks at: visible time, rows, pointer and selection, and the commands that change
 * them. The page binds keys and the palette to the commands and writes the signals into its link.
 */
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { PathAnswer } from '../../workers/session-api.ts';
import { readSetting, writeSetting } from '../settings.ts';
import { RowView } from './row-view.ts';
import type { ShownPath } from './shown-path.ts';
import type { TimelineSource } from './timeline-source.ts';
import { isTimeMode, type TimeMode, type TimeStyle } from './time-text.ts';
import { ViewPath } from './view-path.ts';
import { Selection, type SelectedInterval } from './view-selection.ts';
import { VisibleTime } from './view-time.ts';
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

export interface ViewModel {
  readonly viewport: ReadonlySignal<Viewport>;
  /** The whole experiment. */
  readonly extent: ReadonlySignal<TimeRange>;
  readonly rows: RowView;
  /** Kept over visits. */
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
  /** Moves no further than needed to see a part of a range and one of its ends. */
  keepInView(range: TimeRange): void;
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
  goToStep(step: number): void;
  /** Selects the interval of a row at a time; `known` shows it before the session answers. */
  select(row: string, timeNs: number, known?: TimeRange): Promise<void>;
  /** What is selected lies there by other clocks. */
  moveSelected(timeNs: number): void;
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

/**
 * @param onChoice called at once when the reader selects an interval, before it is known which; not for steps along a
 * path
 */
export function createViewModel(
  source: TimelineSource,
  coarsePointer = false,
  onChoice: () => void = () => undefined,
): ViewModel {
  const time = new VisibleTime(source.info);
  const { viewport, extent, steps } = time;
  const rows = new RowView(source, coarsePointer);
  const timeMode = signal<TimeMode>(readSetting('times', isTimeMode) ?? 'relative');
  const stopKeeping = effect(() => void writeSetting('times', timeMode.value));
  const timeStyle = computed(() => ({ mode: timeMode.value, originNs: source.info.value?.originNs ?? '' }));
  const hover = signal<Hover | undefined>(undefined);
  const range = signal<TimeRange | undefined>(undefined);
  const isolated = signal<number | undefined>(undefined);
  const selection = new Selection(source, rows, time, onChoice);
  const path = new ViewPath({ allRows: source.rows, rows, time, selection });
  const { interval: selected, focusedRow, pathStep } = selection;

  const zoomAtPointer = (factor: number) => time.zoomBy(factor, hoverShare(hover.peek(), viewport.peek()));
  const escape = () => {
    if (path.shown.peek() !== undefined) {
      path.show(undefined);
      return true;
    }
    selection.giveUp();
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
    path: path.shown,
    pathStep,
    isolated,
    focusedRow,
    step: steps.position,
    steps: steps.length,
    setViewport: (view) => time.setViewport(view),
    setRange: (wanted, animated) => time.setRange(wanted, animated),
    fit: (wanted) => time.fit(wanted),
    keepInView: (wanted) => time.keepInView(wanted),
    zoomBy: (factor, share) => time.zoomBy(factor, share),
    panBy: (share) => time.panBy(share),
    zoomIn: () => zoomAtPointer(ZOOM_STEP),
    zoomOut: () => zoomAtPointer(1 / ZOOM_STEP),
    panLeft: () => time.panBy(-PAN_STEP),
    panRight: () => time.panBy(PAN_STEP),
    fitSelection: async () => {
      if (await selection.settled()) time.fit(selected.peek() ?? range.peek() ?? extent.peek());
    },
    fitAll: () => time.setRange(extent.peek()),
    goToStep: (step) => time.goToStep(step),
    select: (row, timeNs, known) => selection.select(row, timeNs, known),
    moveSelected: (timeNs) => selection.moveTo(timeNs),
    settled: () => selection.settled(),
    showPath: (answer) => path.show(answer),
    goToSegment: (segment) => path.goToSegment(segment),
    stepAlongPath: (direction) => path.step(direction),
    nextInterval: () => selection.step(1),
    previousInterval: () => selection.step(-1),
    rowUp: () => selection.moveRow(-1),
    rowDown: () => selection.moveRow(1),
    escape,
    show: (row, wanted) => {
      rows.reveal(row);
      focusedRow.value = row;
      if (wanted) time.fit(wanted);
    },
    dispose: () => {
      stopKeeping();
      time.dispose();
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
