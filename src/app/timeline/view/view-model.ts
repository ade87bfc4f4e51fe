/**
 * State of the timeline's view: visible time, rows, pointer and selection, and the commands that change them. The page
 * connects keys and the palette with the commands, and writes the signals into its link.
 */
import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostMatches } from '../../../engine/protocol/events.ts';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { readSetting, writeSetting } from '../../browser/settings.ts';
import { rowById } from '../rows/row-by-id.ts';
import { RowView } from './row-view.ts';
import { segmentAt, shownPath, type ShownPath } from './shown-path.ts';
import type { TimelineSource } from '../timeline-source.ts';
import { isTimeMode, type TimeMode, type TimeStyle } from '../time-text.ts';
import { Selection } from './view-selection.ts';
import { VisibleTime } from './view-time.ts';
import * as math from './viewport.ts';
import { type TimeRange, type Viewport, rangeOf } from './viewport.ts';
import { isOver } from '../../opening/reading.ts';
import { rowsInView } from './rows-in-view.ts';

/** Position of the pointer: a time, and the row under it, if any. */
export interface Hover {
  readonly timeNs: DisplayNs;
  readonly row?: string;
  /** CSS pixels in the area of the rows, for the hover card; absent on ruler and overview. */
  readonly x?: number;
  readonly y?: number;
}

/** Density of a filter's events over the whole trace. */
export interface EventMatches {
  readonly bucketNs: number;
  readonly hosts: readonly HostMatches[];
}

const ZOOM_STEP = 1.5;
const PAN_STEP = 0.2;

export type ViewModel = ReturnType<typeof createViewModel>;

/**
 * @param onChoice called at once when the reader selects an interval, before it is known; not for steps along a path
 */
export function createViewModel(
  source: TimelineSource,
  coarsePointer = false,
  onChoice: () => void = () => undefined,
) {
  const time = new VisibleTime(source.info);
  const { viewport, extent } = time;
  const rows = new RowView(source, coarsePointer);
  /** Form of times; stored. */
  const timeMode = signal<TimeMode>(readSetting('times', isTimeMode) ?? 'relative');
  const stopKeeping = effect(() => void writeSetting('times', timeMode.value));
  const timeStyle: ReadonlySignal<TimeStyle> = computed(() => {
    return { mode: timeMode.value, originNs: source.info.value?.originNs ?? '' };
  });
  const hover = signal<Hover | undefined>(undefined);
  /** Draw code that is highlighted by a click on the legend; the others are pale. */
  const isolated = signal<number | undefined>(undefined);
  /** Density that the overview shows in place of that of all events. */
  const matches = signal<EventMatches | undefined>(undefined);
  const selection = new Selection(source, rows, time, onChoice);
  const stopKeepingPlace = rows.keepPlace(selection.focusedRow);
  const stopFollowing = followRowsInView(source, time, rows, selection.focusedRow);
  const { interval: selected, range, question, focusedRow, pathStep } = selection;
  const shown = signal<ShownPath | undefined>(undefined);
  const path: ReadonlySignal<ShownPath | undefined> = shown;

  const zoomAtPointer = (factor: number) => time.zoomBy(factor, hoverShare(hover.peek(), viewport.peek()));
  /** Shows a path and its rows on top; undefined: removes it. */
  const showPath = (answer: PathAnswer | undefined) => {
    const before = path.peek()?.answer;
    batch(() => {
      shown.value = answer && shownPath(answer, source.rows.peek());
      pathStep.value = -1;
      const another = before?.row !== answer?.row || before?.criterion !== answer?.criterion;
      rows.followPath(path.peek(), another);
    });
  };
  /** Selects a segment of the shown path, by number. */
  const goToSegment = (segment: number) => {
    const now = path.peek();
    if (!now || segment < 0 || segment >= now.answer.segments.length) return;
    const { from, to } = now.answer.segments;
    const row = now.rowOf[segment];
    rows.reveal(row);
    const known = { from: from[segment], to: to[segment] };
    void selection.select(row, Math.floor((known.from + known.to) / 2), known, segment);
    time.keepInView(known);
  };
  /** Range that the key F fits. */
  const asked = (): TimeRange => {
    const { row, interval, range } = question.peek();
    const answer = path.peek()?.answer;
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
    path,
    pathStep: pathStep as ReadonlySignal<number>,
    isolated,
    matches,
    focusedRow,
    setViewport: time.setViewport.bind(time),
    setRange: time.setRange.bind(time),
    fit: time.fit.bind(time),
    keepInView: time.keepInView.bind(time),
    zoomBy: time.zoomBy.bind(time),
    panBy: time.panBy.bind(time),
    zoomIn: () => zoomAtPointer(ZOOM_STEP),
    zoomOut: () => zoomAtPointer(1 / ZOOM_STEP),
    panLeft: () => time.panBy(-PAN_STEP),
    panRight: () => time.panBy(PAN_STEP),
    /** Fits the selection once it is known: an interval, a range, the shown path of a row, a row's life. */
    fitSelection: async () => {
      if (await selection.settled()) time.fit(asked());
    },
    fitAll: () => time.setRange(extent.peek()),
    /** Selects the interval of a row at a time; `known` shows it before the session answers. */
    select: (row: string, timeNs: DisplayNs, known?: TimeRange) => selection.select(row, timeNs, known),
    selectCall: selection.selectCall.bind(selection),
    selectRange: selection.selectRange.bind(selection),
    selectRow: selection.selectRow.bind(selection),
    moveSelected: selection.moveTo.bind(selection),
    settled: selection.settled.bind(selection),
    showPath,
    goToSegment,
    /** Steps along the path from the current segment, or from the one in the middle of the view. */
    stepAlongPath: (direction: -1 | 1) => {
      const now = path.peek();
      if (!now) return;
      const at = pathStep.peek();
      goToSegment(at < 0 ? segmentAt(now.answer, math.middle(viewport.peek())) : at + direction);
    },
    nextInterval: () => selection.step(1),
    previousInterval: () => selection.step(-1),
    rowUp: () => selection.moveRow(-1),
    rowDown: () => selection.moveRow(1),
    /** Leaves one of these, in this order: the path, the selected interval, the range, the isolated state. False: there was none. */
    escape: () => {
      if (path.peek() !== undefined) {
        showPath(undefined);
        return true;
      }
      selection.giveUp();
      if (selected.peek() !== undefined) selection.clearInterval();
      else if (range.peek() !== undefined) selection.selectRange(undefined);
      else if (isolated.peek() !== undefined) isolated.value = undefined;
      else return false;
      return true;
    },
    /** Resets selection, isolation, filter, folds, hidden and pinned rows, as in a trace just opened. */
    clear: () =>
      batch(() => {
        isolated.value = undefined;
        selection.clear();
        rows.clear();
      }),
    /** Selects a row and scrolls to it and, with a range, to a time. */
    show: (row: string, wanted?: TimeRange) => {
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

/** Position of the pointer as a share of the width; the middle when it is elsewhere. */
function hoverShare(hover: Hover | undefined, view: Viewport): number {
  if (!hover) return 0.5;
  const share = math.xOfTime(view, 1, hover.timeNs);
  return share >= 0 && share <= 1 ? share : 0.5;
}

/** Life of a row's thread or process; undefined for other rows, and if it is not known. */
function lifeOf(row: RowInfo | undefined): TimeRange | undefined {
  if (row === undefined || row.kind === 'host' || row.kind === 'cpu') return undefined;
  return row.lastNs > row.firstNs ? { from: row.firstNs, to: row.lastNs } : undefined;
}

/** Time without changes of the view after which rows are sorted again, ms. */
const REST_MS = 300;

/**
 * Updates the activity of rows in view while the rows need it. The function returned ends that.
 * @param focused the focused row
 */
function followRowsInView(
  source: TimelineSource,
  seen: Pick<VisibleTime, 'viewport' | 'extent'>,
  rows: RowView,
  focused: ReadonlySignal<string | undefined>,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  const stop = effect(() => {
    const [all, range, extent] = [source.rows.value, rangeOf(seen.viewport.value), seen.extent.value];
    const isAsked = rows.wantsView.value && isOver(source.progress.value);
    const question = ++latest;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // For the whole trace, rows contain their activity.
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
