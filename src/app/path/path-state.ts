/**
 * Which active path is asked for, and the answer: of an interval, of a range that may still be dragged, or of a
 * thread's whole life.
 */
import {
  batch,
  computed,
  effect,
  type ReadonlySignal,
  signal,
  type Signal,
  untracked,
} from '@preact/signals';
import { unpackParts } from '../../engine/session/paths/packed-parts.ts';
import type {
  IntervalInfo,
  PathAnswer,
  PathCriterion,
  PathParts,
  PathRequest,
  RowInfo,
  SessionApi,
} from '../../workers/session-api.ts';
import type { Experiment } from '../experiment.ts';
import { isReading } from '../opening/progress-row.tsx';
import { createLiveAnswer } from '../panels/live-answer.ts';
import { rowIndex } from '../timeline/row-by-id.ts';
import { hasStates } from '../timeline/series.ts';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';
import { CRITERIA } from './path-words.ts';

export interface PathTarget {
  /** Of a thread. */
  readonly row: string;
  /** undefined: the thread's life, or the selected range if the path follows it. */
  readonly interval: IntervalInfo | undefined;
}

/** A path with what its time consists of. */
export interface ExplainedPath extends PathAnswer, PathParts {
  readonly workers: PathParts['workers'];
}

/** How another criterion's path differs from the one shown. */
export interface Compared {
  /** ns away from the thread studied. */
  readonly awayNs: number;
  readonly isSame: boolean;
}

export interface PathState {
  readonly target: ReadonlySignal<PathTarget | undefined>;
  /** The interval of the thread whose path it is; undefined: the path of a range. */
  readonly interval: ReadonlySignal<IntervalInfo | undefined>;
  readonly criterion: Signal<PathCriterion>;
  readonly foldLoops: Signal<boolean>;
  /** Rows marked as unrelated. */
  readonly marked: ReadonlySignal<ReadonlySet<string>>;
  readonly answer: ReadonlySignal<PathAnswer | undefined>;
  /** Nothing is known of the thread, by now. */
  readonly isUnknown: ReadonlySignal<boolean>;
  /** The same with its parts, which come later: until then, where a range is dragged, of the thread's path before. */
  readonly explained: ReadonlySignal<ExplainedPath | undefined>;
  readonly compared: ReadonlySignal<ReadonlyMap<PathCriterion, Compared>>;
  /**
   * The path of the interval or span that was selected, or of the row that was gone to since: over the selected range,
   * else over its life. Where that is no thread's, none: what was there before would answer another question.
   */
  explain(): Promise<void>;
  explainInterval(interval: IntervalInfo): void;
  /** The path of a thread over the selected range, or over its life. */
  explainRow(row: string): void;
  /** Marks a thread as unrelated, or not any more; shows the path by the criterion that heeds marks while there are some. */
  toggleMark(row: string): void;
  leave(): void;
  dispose(): void;
}

interface AskedPath {
  readonly asked: PathRequest | undefined;
  readonly interval: IntervalInfo | undefined;
  readonly found: PathAnswer | undefined;
}

/** Other criteria are asked for when nothing has changed for so long. */
const REST_MS = 250;

export function createPathState(
  session: SessionApi,
  { rows, guests, info, progress }: Pick<Experiment, 'rows' | 'guests' | 'info' | 'progress'>,
  view: ViewModel,
): PathState {
  const target = signal<PathTarget | undefined>(undefined);
  const criterion = signal<PathCriterion>('main-task');
  const foldLoops = signal(false);
  const marked = signal<ReadonlySet<string>>(new Set());
  const compared = signal<ReadonlyMap<PathCriterion, Compared>>(new Map());

  /** Another one when all is read, or something else is open: the path may be another then. */
  const known = computed(() => (isReading(progress.value) ? undefined : info.value));
  const request = computed((): PathRequest | undefined => {
    const wanted = target.value;
    void known.value;
    if (wanted === undefined) return undefined;
    return {
      row: wanted.row,
      range: rangeOf(wanted.interval) ?? view.range.value,
      criterion: criterion.value,
      marked: [...marked.value],
      foldLoops: foldLoops.value,
      guests: guests.value,
    };
  });
  const { answer, put } = createLiveAnswer(
    async ({ asked, interval }: Omit<AskedPath, 'found'>): Promise<AskedPath> => ({
      asked,
      interval,
      found: asked && (await session.path(asked)),
    }),
  );
  const shown = computed(() => (request.value === undefined ? undefined : answer.value?.found));
  const isUnknown = computed(() => {
    const latest = answer.value;
    return latest !== undefined && latest.asked === request.value && latest.found === undefined;
  });
  const interval = computed(() => {
    const of = answer.value?.interval;
    return of?.row === shown.value?.row ? of : undefined;
  });

  let lastExplained: ExplainedPath | undefined;
  const parts = createLiveAnswer(async (latest: AskedPath | undefined) => {
    if (latest?.asked === undefined || latest.found === undefined) return undefined;
    const packed = await session.pathParts(latest.asked);
    // None: the next path is on its way, and the parts of this one are not waited for.
    if (packed !== undefined)
      lastExplained = { ...latest.found, ...packed, parts: unpackParts(packed.parts) };
    return lastExplained;
  });
  const explained = computed(() => {
    const known = parts.answer.value;
    const path = shown.value;
    if (known?.row !== path?.row || known?.criterion !== path?.criterion) return undefined;
    // What is said of one wait is never shown as that of another.
    const isInterval = answer.value?.interval !== undefined;
    return isInterval && (known?.from !== path?.from || known?.to !== path?.to) ? undefined : known;
  });

  const compare = async (asked: PathRequest, found: PathAnswer, isWanted: () => boolean) => {
    const others = CRITERIA.filter(({ id }) => id !== asked.criterion && isPossible(id, asked));
    const known = new Map<PathCriterion, Compared>([[asked.criterion, comparedWith(found, found)]]);
    for (const { id } of others) {
      const other = await session.path({ ...asked, criterion: id });
      if (!isWanted()) return;
      if (other !== undefined) known.set(id, comparedWith(other, found));
    }
    compared.value = known;
  };
  const ask = () => put({ asked: request.value, interval: target.peek()?.interval });
  const stops = [
    effect(ask),
    // While reading more is known with every picture.
    effect(() => {
      void rows.value;
      if (isUnknown.peek()) untracked(ask);
    }),
    effect(() => view.showPath(shown.value)),
    effect(() => parts.put(answer.value)),
    effect(() => {
      const asked = request.value;
      const latest = answer.value;
      if (asked === undefined || latest?.found === undefined || latest.asked !== asked) return;
      let wanted = true;
      const { found } = latest;
      const timer = setTimeout(() => void compare(asked, found, () => wanted), REST_MS);
      return () => {
        wanted = false;
        clearTimeout(timer);
      };
    }),
    // Escape takes the path from the timeline.
    effect(() => {
      if (view.path.value === undefined && shown.peek() !== undefined) leave();
    }),
  ];

  const leave = () => {
    batch(() => {
      target.value = undefined;
      compared.value = new Map();
    });
  };
  const explainAt = (id: string, interval: IntervalInfo | undefined) => {
    const row = threadAt(rows.peek(), id);
    if (row !== undefined) target.value = { row, interval };
    else leave();
  };
  const explainInterval = (interval: IntervalInfo) => explainAt(interval.row, interval);
  const explainRow = (id: string) => explainAt(id, undefined);
  const toggleMark = (row: string) => {
    const rest = new Set(marked.peek());
    if (!rest.delete(row)) rest.add(row);
    batch(() => {
      marked.value = rest;
      if (rest.size > 0) criterion.value = 'marked-unrelated';
      else if (criterion.peek() === 'marked-unrelated') criterion.value = 'main-task';
    });
  };
  return {
    target,
    interval,
    criterion,
    foldLoops,
    marked,
    answer: shown,
    isUnknown,
    explained,
    compared,
    explain: async () => {
      const before = target.peek();
      // Of a piece that was clicked the whole interval; nothing if another path was asked for meanwhile.
      if (!(await view.settled()) || target.peek() !== before) return;
      const { row, info } = view.selected.peek() ?? {};
      const focused = view.focusedRow.peek() ?? row;
      if (info !== undefined && row === focused) explainInterval(info);
      else explainRow(focused ?? '');
    },
    explainInterval,
    explainRow,
    toggleMark,
    leave,
    dispose: () => stops.forEach((stop) => stop()),
  };
}

function rangeOf(interval: IntervalInfo | undefined): TimeRange | undefined {
  return interval && { from: interval.from, to: interval.to };
}

/**
 * Id of a row if it is a thread's with states, of a process that of its first thread, of an overlay that of the thread
 * its spans began in; undefined for others.
 */
export function threadAt(rows: readonly RowInfo[], id: string): string | undefined {
  const at = rowIndex(rows, id);
  const kind = rows[at]?.kind;
  if (kind === 'thread') return hasStates(rows[at]) ? id : undefined;
  if (kind === 'overlay') {
    const above = rows[rows[at].parent];
    return above !== undefined && hasStates(above) ? above.id : undefined;
  }
  return kind === 'process' ? rows.find((row) => row.parent === at && hasStates(row))?.id : undefined;
}

/** Nothing is marked: it would be the path of `exact`. */
export function isPossible(criterion: PathCriterion, { marked = [] }: Pick<PathRequest, 'marked'>): boolean {
  return criterion !== 'marked-unrelated' || marked.length > 0;
}

function comparedWith(other: PathAnswer, shown: PathAnswer): Compared {
  return { awayNs: awayNs(other), isSame: other === shown || sameSegments(other, shown) };
}

/** ns on the path away from the thread studied. */
export function awayNs({ row, workers, segments }: PathAnswer): number {
  let ns = 0;
  for (let i = 0; i < segments.length; i++)
    if (workers[segments.worker[i]].row !== row) ns += segments.to[i] - segments.from[i];
  return ns;
}

function sameSegments(a: PathAnswer, b: PathAnswer): boolean {
  if (a.segments.length !== b.segments.length) return false;
  for (let i = 0; i < a.segments.length; i++) {
    if (a.segments.to[i] !== b.segments.to[i] || a.segments.label[i] !== b.segments.label[i]) return false;
    const [x, y] = [a.workers[a.segments.worker[i]], b.workers[b.segments.worker[i]]];
    if (x.row !== y.row || x.host !== y.host || x.cpu !== y.cpu) return false;
  }
  return true;
}
