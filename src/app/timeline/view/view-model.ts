/**
 * State of a timeline for its reader: visible time, rows, pointer and selection, and the commands that change them. The
 * page binds keys and the palette to the commands and writes the signals into its link.
 */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostMatches } from '../../../engine/protocol/events.ts';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { readSetting, writeSetting } from '../../browser/settings.ts';
import { rowById } from '../rows/row-by-id.ts';
import { RowView } from './row-view.ts';
import type { ShownPath } from './shown-path.ts';
import type { TimelineSource } from '../timeline-source.ts';
import { isTimeMode, type TimeMode, type TimeStyle } from '../time-text.ts';
import { ViewPath } from './view-path.ts';
import { type Question, Selection, type SelectedInterval } from './view-selection.ts';
import { VisibleTime } from './view-time.ts';
import * as math from './viewport.ts';
import { type TimeRange, type Viewport, rangeOf } from './viewport.ts';
import { isOver } from '../../opening/reading.ts';
import { rowsInView } from './rows-in-view.ts';

/** Where the pointer is: a time, and the row under it where there is one. */
export interface Hover {
  readonly timeNs: DisplayNs;
  readonly row?: string;
  /** CSS pixels in the area of the rows, for the card; absent on ruler and overview. */
  readonly x?: number;
  readonly y?: number;
}

/** Events of a filter over the whole of the time that is shown. */
export interface EventMatches {
  readonly bucketNs: number;
  readonly hosts: readonly HostMatches[];
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
  readonly selected: ReadonlySignal<SelectedInterval | undefined>;
  /** The selected range of time; statistics follow it. */
  readonly range: ReadonlySignal<TimeRange | undefined>;
  /** Subject that the reader asks about: the newest of interval, system call, range and row. */
  readonly question: ReadonlySignal<Question>;
  /** The active path that is shown. */
  readonly path: ReadonlySignal<ShownPath | undefined>;
  /** Number of the path's segment that was stepped to; -1: none. */
  readonly pathStep: ReadonlySignal<number>;
  /** Draw code shown alone (a click on the legend); the others are pale. */
  readonly isolated: Signal<number | undefined>;
  /** Events that the overview shows in place of the density of all events. */
  readonly matches: Signal<EventMatches | undefined>;
  /** The row that the keyboard is on; follows the selection. */
  readonly focusedRow: Signal<string | undefined>;

  setViewport(view: Viewport, animated?: boolean): void;
  /** Shows a range, with a short animation unless `animated` is false. */
  setRange(range: TimeRange, animated?: boolean): void;
  /** Shows a range with a little of what is around it. */
  fit(range: TimeRange): void;
  /** Moves no further than needed to see a part of a range and one of its ends. */
  keepInView(range: TimeRange): void;
  /** Around `share` of the width, by default its middle. */
  zoomBy(factor: number, share?: number): void;
  /** Moves the view by a share of the visible span. */
  panBy(share: number): void;
  zoomIn(): void;
  zoomOut(): void;
  panLeft(): void;
  panRight(): void;
  /**
   * Fits the subject asked about once all of it is known: an interval, a range, the path shown of a row, a row's life.
   */
  fitSelection(): Promise<void>;
  fitAll(): void;
  /** Selects the interval of a row at a time; `known` shows it before the session answers. */
  select(row: string, timeNs: DisplayNs, known?: TimeRange): Promise<void>;
  /** The same of the system call that a thread is in at a time. */
  selectCall(row: string, timeNs: DisplayNs, known?: TimeRange): Promise<void>;
  /** Selects a range of time in place of an interval; undefined: none any more. */
  selectRange(range: TimeRange | undefined): void;
  /** Selects a row as a whole, in place of an interval of it. */
  selectRow(row: string): void;
  /** Moves the selection to the time at which it lies by other clocks. */
  moveSelected(timeNs: DisplayNs): void;
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
  /** Nothing is selected, isolated, filtered, folded, hidden or pinned, as in a trace just opened. */
  clear(): void;
  /** Selects a row and scrolls to it and, with a range, to a time. */
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
  const { viewport, extent } = time;
  const rows = new RowView(source, coarsePointer);
  const timeMode = signal<TimeMode>(readSetting('times', isTimeMode) ?? 'relative');
  const stopKeeping = effect(() => void writeSetting('times', timeMode.value));
  const timeStyle = computed(() => ({ mode: timeMode.value, originNs: source.info.value?.originNs ?? '' }));
  const hover = signal<Hover | undefined>(undefined);
  const isolated = signal<number | undefined>(undefined);
  const matches = signal<EventMatches | undefined>(undefined);
  const selection = new Selection(source, rows, time, onChoice);
  const stopKeepingPlace = rows.keepPlace(selection.focusedRow);
  const stopFollowing = followRowsInView(source, time, rows, selection.focusedRow);
  const path = new ViewPath({ allRows: source.rows, rows, time, selection });
  const { interval: selected, range, question, focusedRow, pathStep } = selection;

  const zoomAtPointer = (factor: number) => time.zoomBy(factor, hoverShare(hover.peek(), viewport.peek()));
  const escape = () => {
    if (path.shown.peek() !== undefined) {
      path.show(undefined);
      return true;
    }
    selection.giveUp();
    if (selected.peek() !== undefined) selection.clearInterval();
    else if (range.peek() !== undefined) selection.selectRange(undefined);
    else if (isolated.peek() !== undefined) isolated.value = undefined;
    else return false;
    return true;
  };
  /** Range that F fits. */
  const asked = (): TimeRange => {
    const { row, interval, range } = question.peek();
    const answer = path.shown.peek()?.answer;
    const known = rowById(source.rows.peek(), row ?? '');
    const part = interval ?? range;
    if (part !== undefined) return part;
    if (answer !== undefined && answer.to > answer.from && (row ?? answer.row) === answer.row) return answer;
    return lifeOf(known) ?? extent.peek();
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
    question,
    path: path.shown,
    pathStep,
    isolated,
    matches,
    focusedRow,
    setViewport: (view, animated) => time.setViewport(view, animated),
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
      if (await selection.settled()) time.fit(asked());
    },
    fitAll: () => time.setRange(extent.peek()),
    select: (row, timeNs, known) => selection.select(row, timeNs, known),
    selectCall: (row, timeNs, known) => selection.selectCall(row, timeNs, known),
    selectRange: (wanted) => selection.selectRange(wanted),
    selectRow: (row) => selection.selectRow(row),
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
    clear: () =>
      batch(() => {
        isolated.value = undefined;
        selection.clear();
        rows.clear();
      }),
    show: (row, wanted) => {
      rows.reveal(row);
      selection.selectRow(row);
      if (wanted) time.fit(wanted);
    },
    dispose: () => {
      stopKeeping();
      stopKeepingPlace();
      stopFollowing();
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

/** When a thread, or what is like one, was there; undefined: of others, and where it is not known. */
function lifeOf(row: RowInfo | undefined): TimeRange | undefined {
  if (row === undefined || row.kind === 'host' || row.kind === 'cpu') return undefined;
  return row.lastNs > row.firstNs ? { from: row.firstNs, to: row.lastNs } : undefined;
}

/** Rows stay where they are until the view has been at rest for so long. */
const REST_MS = 300;

interface SeenTime {
  readonly viewport: ReadonlySignal<Viewport>;
  readonly extent: ReadonlySignal<TimeRange>;
}

/**
 * Follows what rows do in view, as far as the rows want to know. Returns what ends it.
 * @param focused the row that the reader is at
 */
function followRowsInView(
  source: TimelineSource,
  seen: SeenTime,
  rows: RowView,
  focused: ReadonlySignal<string | undefined>,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the latest question. */
  let latest = 0;
  const stop = effect(() => {
    const [all, range, extent] = [source.rows.value, rangeOf(seen.viewport.value), seen.extent.value];
    const isAsked = rows.wantsView.value && isOver(source.progress.value);
    const question = ++latest;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The whole trace is what rows say by themselves.
      if (!isAsked || (range.from <= extent.from && range.to >= extent.to))
        return rows.showInView(undefined, focused.peek());
      void source.ask('cpu', { range }).then(({ threads }) => {
        if (question === latest) rows.showInView(rowsInView(all, threads, range), focused.peek());
      });
    }, REST_MS);
  });
  return () => {
    latest++;
    clearTimeout(timer);
    stop();
  };
}
