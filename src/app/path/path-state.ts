/**
 * Active path that is asked for, and the answer: of an interval, of a range that may still be dragged, or of a thread's
 * whole life.
 */
import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { isOfLayer } from '../../engine/answers/rows/row-columns.ts';
import { unpackParts } from '../../engine/answers/paths/packed-parts.ts';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import type { PathAnswer, PathCriterion, PathParts, PathRequest } from '../../engine/protocol/paths.ts';
import type { Watched } from '../browser/watched.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { isReading } from '../opening/progress-row.tsx';
import { createLiveAnswer } from '../experiment/live-answer.ts';
import { isLockRow, rowIndex } from '../timeline/rows/row-by-id.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { type Asking, type Compared, comparePaths, type FoundPath } from './path-comparison.ts';
import { type LinkedPath, type PathTarget, threadAt } from './path-target.ts';
import { DEFAULT_CRITERION, type Hindrance, hindranceOf } from './path-words.ts';

/** A path with what its time consists of. */
export interface ExplainedPath extends PathAnswer, PathParts {
  readonly workers: PathParts['workers'];
}

interface Question {
  readonly asked: PathRequest | undefined;
  readonly interval: IntervalInfo | undefined;
}

/** Share of the view below which a path is brought to its full width. */
const SMALL_SHARE = 1 / 3;

type PathExperiment = Pick<Experiment, 'rows' | 'guests' | 'info' | 'progress'>;

export type PathState = Watched<ReturnType<typeof createPathState>, 'criterion' | 'foldLoops'>;

/** @param lockNames names that the user gave to locks, by id */
export function createPathState(
  session: Asking,
  { rows, guests, info, progress }: PathExperiment,
  view: ViewModel,
  lockNames: ReadonlySignal<ReadonlyMap<string, string>>,
) {
  const target = signal<PathTarget | undefined>(undefined);
  const criterion = signal(DEFAULT_CRITERION);
  const foldLoops = signal(false);
  /** Rows marked as unrelated. */
  const marked = signal<ReadonlySet<string>>(new Set());
  /** A link led to it, and nothing else was asked for since. */
  const awaited = signal<LinkedPath | undefined>(undefined);
  /** How the paths by other criteria differ. */
  const compared = signal<ReadonlyMap<PathCriterion, Compared>>(new Map());
  /** Thread whose path over its life the reader asked for, and did not see yet. */
  let toFit: string | undefined;
  let lastExplained: ExplainedPath | undefined;
  /** Another one when all is read, or something else is open: the path may be another then. */
  const known = computed(() => (isReading(progress.value) ? undefined : info.value));
  const askingLocks = createLiveAnswer(() => session.ask('lockEvents', {}));
  const lockEvents = computed(() => askingLocks.answer.value ?? 'not read yet');
  /** Locks come last, and with them the path may be another. */
  const hasLocks = computed(() => lockEvents.value === 'there');
  const request = computed((): PathRequest | undefined => {
    void known.value;
    void hasLocks.value;
    if (target.value === undefined) return undefined;
    const { row, interval } = target.value;
    return {
      row,
      range: interval === undefined ? view.range.value : { from: interval.from, to: interval.to },
      criterion: criterion.value,
      marked: [...marked.value],
      foldLoops: foldLoops.value,
      guests: guests.value,
      lockNames: lockNames.value,
    };
  });
  const asking = createLiveAnswer(async ({ asked, interval }: Question) => {
    return { asked, interval, found: asked && (await session.ask('path', asked)) };
  });
  const answer = computed(() => (request.value === undefined ? undefined : asking.answer.value?.found));
  /** Nothing is known of the thread, by now. */
  const isUnknown = computed(() => {
    const latest = asking.answer.value;
    return latest !== undefined && latest.asked === request.value && latest.found === undefined;
  });
  /** The interval of the thread whose path it is; undefined: the path of a range. */
  const interval = computed(() => {
    const of = asking.answer.value?.interval;
    return of?.row === answer.value?.row ? of : undefined;
  });
  const adding = createLiveAnswer(async (found: PathAnswer | undefined) => {
    if (found === undefined) return undefined;
    const packed = await session.ask('pathParts', { path: found.id });
    // None: the next path is on its way, and the parts of this one are not waited for.
    if (packed !== undefined) lastExplained = { ...found, ...packed, parts: unpackParts(packed.parts) };
    return lastExplained;
  });
  /** The same with its parts, which come later: until then, where a range is dragged, of the thread's path before. */
  const explained = computed(() => {
    const [path, of] = [answer.value, adding.answer.value];
    if (of?.row !== path?.row || of?.criterion !== path?.criterion) return undefined;
    // What is said of one wait is never shown as that of another.
    const isInterval = asking.answer.value?.interval !== undefined;
    return isInterval && (of?.from !== path?.from || of?.to !== path?.to) ? undefined : of;
  });
  /** Path that is shown, if it is the answer to what is asked now. */
  const foundNow = (): FoundPath | undefined => {
    const [asked, latest] = [request.value, asking.answer.value];
    if (asked === undefined || latest?.found === undefined || latest.asked !== asked) return undefined;
    return { asked, found: latest.found, lockEvents: lockEvents.value };
  };
  /** The path in a link; of one that a link led to, also before it can be shown. */
  const linked = computed((): LinkedPath | undefined => {
    if (awaited.value !== undefined) return awaited.value;
    if (target.value === undefined) return undefined;
    const { row, interval: of } = target.value;
    return {
      // Of a span that is the layer's: the thread has other intervals.
      row: of?.row ?? row,
      at: of && Math.floor((of.from + of.to) / 2),
      isCall: of?.isCall,
      criterion: criterion.value,
      marked: [...marked.value],
      foldLoops: foldLoops.value,
    };
  });
  const threadOf = (id: string) => threadAt(rows.peek(), id);
  /** Why there is no path by a criterion now; undefined: there is one. */
  const hindrance = (by: PathCriterion): Hindrance | undefined =>
    hindranceOf(by, { marked: [...marked.value] }, lockEvents.value);

  const leave = () =>
    batch(() => {
      awaited.value = undefined;
      target.value = undefined;
      compared.value = new Map();
    });
  const explainAt = (id: string, of: IntervalInfo | undefined) => {
    const row = threadOf(id);
    if (row === undefined) return leave();
    batch(() => {
      awaited.value = undefined;
      target.value = { row, interval: of };
    });
  };
  /** Where it would be a small part of what is in view, its arrows could not be distinguished. */
  const fitOnce = () => {
    const { found } = foundNow() ?? {};
    if (found === undefined || found.row !== toFit) return;
    toFit = undefined;
    const length = found.to - found.from;
    if (length > 0 && length < SMALL_SHARE * view.viewport.peek().span) view.fit(found);
  };
  /** The reader asks, and not a link, which says what is in view. */
  const explainChosen = (id: string, of: IntervalInfo | undefined) => {
    // Of a wait for a lock who held it.
    const isDefault = criterion.peek() === DEFAULT_CRITERION;
    if (isDefault && isLockRow(of?.row ?? '') && hindrance('lock-holder') === undefined)
      criterion.value = 'lock-holder';
    toFit = of === undefined && view.range.peek() === undefined ? threadOf(id) : undefined;
    explainAt(id, of);
    fitOnce();
  };
  const showAwaited = async (link: LinkedPath) => {
    const { row, at, isCall } = link;
    const kind = isCall ? 'call' : 'interval';
    const of = at === undefined ? undefined : await session.ask(kind, { row, timeNs: at });
    if (awaited.peek() !== link) return;
    if (at !== undefined && of === undefined) return leave();
    const isMarked = link.marked.filter((id) => threadOf(id) === id);
    const isPlain = link.criterion === 'marked-unrelated' && isMarked.length === 0;
    batch(() => {
      marked.value = new Set(isMarked);
      criterion.value = isPlain ? DEFAULT_CRITERION : link.criterion;
      foldLoops.value = link.foldLoops;
      explainAt(row, of);
    });
  };
  const ask = () => asking.put({ asked: request.value, interval: target.peek()?.interval });
  const stops = [
    effect(ask),
    // While reading more is known with every picture, and one may have come before the answer that there is none.
    effect(() => {
      void rows.value;
      if (isUnknown.value) untracked(ask);
    }),
    // With the locks rows of theirs come.
    effect(() => {
      void rows.value;
      if (known.value !== undefined) askingLocks.put(undefined);
    }),
    effect(() => view.showPath(answer.value)),
    effect(() => {
      void answer.value;
      untracked(fitOnce);
    }),
    effect(() => adding.put(asking.answer.value?.found)),
    effect(() => {
      const link = awaited.value;
      // Rows of layers come after all others.
      const mayBeKnown = (row: string) => !isOfLayer(row) || rowIndex(rows.value, row) >= 0;
      if (link !== undefined && known.value !== undefined && mayBeKnown(link.row)) void showAwaited(link);
    }),
    // A range that is selected while the path of an interval is shown is the newer question.
    effect(() => {
      if (view.range.value === undefined) return;
      const { row, interval: of } = target.peek() ?? {};
      if (row !== undefined && of !== undefined) target.value = { row, interval: undefined };
    }),
    // Escape takes the path from the timeline.
    effect(() => {
      if (view.path.value === undefined && answer.peek() !== undefined) leave();
    }),
    comparePaths(session, computed(foundNow), compared),
  ];
  return {
    ...{ target, criterion, foldLoops, marked, lockNames, answer, isUnknown, interval, explained, linked },
    ...{ compared, leave, hindranceOf: hindrance },
    /**
     * The path of what the reader asks about: an interval, a span or a system call, else a row over the selected range or
     * over its life. Where that is no thread's, none: what was there before would answer another question.
     */
    explain: async (): Promise<void> => {
      const before = target.peek();
      awaited.value = undefined;
      // Of a piece that was clicked the whole interval; nothing if another path was asked for meanwhile.
      if (!(await view.settled()) || target.peek() !== before) return;
      const question = view.question.peek();
      explainChosen(question.row ?? '', question.interval?.info);
    },
    explainInterval: (of: IntervalInfo) => explainChosen(of.row, of),
    /** Selects a thread's row; its path over the selected range, or over its life. */
    explainRow: (row: string) => {
      view.selectRow(row);
      explainChosen(row, undefined);
    },
    /** Marks a thread as unrelated, or not any more; shows the path by the criterion that heeds marks while there are some. */
    toggleMark: (row: string) => {
      const rest = new Set(marked.peek());
      if (!rest.delete(row)) rest.add(row);
      batch(() => {
        marked.value = rest;
        if (rest.size > 0) criterion.value = 'marked-unrelated';
        else if (criterion.peek() === 'marked-unrelated') criterion.value = DEFAULT_CRITERION;
      });
    },
    /**
     * Shows the path that a link describes, once all is read: before, its thread may not be known. None where there is no
     * such thread or interval, or `path` is undefined.
     */
    showLinked: (path: LinkedPath | undefined) => {
      if (path === undefined) leave();
      else awaited.value = path;
    },
    dispose: () => stops.forEach((stop) => stop()),
  };
}
