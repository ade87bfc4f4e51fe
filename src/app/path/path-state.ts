/**
 * State of the active path: the question (an interval, a range that may still be dragged, or a thread's whole life) and
 * the answer.
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

/** Share of the view below which the view zooms to a path. */
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
  /** Path from a link, until it or another one is asked for. */
  const awaited = signal<LinkedPath | undefined>(undefined);
  /** Differences of the paths by other criteria. */
  const compared = signal<ReadonlyMap<PathCriterion, Compared>>(new Map());
  /** Row of the thread whose path over its life the reader asked for, until it is shown. */
  let toFit: string | undefined;
  let lastExplained: ExplainedPath | undefined;
  /** Info of a trace that is read; part of the question, since the path may change with it. */
  const known = computed(() => (isReading(progress.value) ? undefined : info.value));
  const askingLocks = createLiveAnswer(() => session.ask('lockEvents', {}));
  const lockEvents = computed(() => askingLocks.answer.value ?? 'not read yet');
  /** Whether events of locks are read, which may change the path. */
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
  /** Whether the session knows nothing of the thread. */
  const isUnknown = computed(() => {
    const latest = asking.answer.value;
    return latest !== undefined && latest.asked === request.value && latest.found === undefined;
  });
  /** The thread's interval that the path is of; undefined: the path of a range. */
  const interval = computed(() => {
    const of = asking.answer.value?.interval;
    return of?.row === answer.value?.row ? of : undefined;
  });
  const adding = createLiveAnswer(async (found: PathAnswer | undefined) => {
    if (found === undefined) return undefined;
    const packed = await session.ask('pathParts', { path: found.id });
    // Undefined: the next path is being asked for, and the parts of this one are not needed.
    if (packed !== undefined) lastExplained = { ...found, ...packed, parts: unpackParts(packed.parts) };
    return lastExplained;
  });
  /** The path with its parts, which come later; until then, while a range is dragged, the previous path of the thread. */
  const explained = computed(() => {
    const [path, of] = [answer.value, adding.answer.value];
    if (of?.row !== path?.row || of?.criterion !== path?.criterion) return undefined;
    // The parts of one wait are never shown for another.
    const isInterval = asking.answer.value?.interval !== undefined;
    return isInterval && (of?.from !== path?.from || of?.to !== path?.to) ? undefined : of;
  });
  /** The shown path, if it answers the current question. */
  const foundNow = (): FoundPath | undefined => {
    const [asked, latest] = [request.value, asking.answer.value];
    if (asked === undefined || latest?.found === undefined || latest.asked !== asked) return undefined;
    return { asked, found: latest.found, lockEvents: lockEvents.value };
  };
  /** The path for the page's link; one from a link is kept before it can be shown. */
  const linked = computed((): LinkedPath | undefined => {
    if (awaited.value !== undefined) return awaited.value;
    if (target.value === undefined) return undefined;
    const { row, interval: of } = target.value;
    return {
      // The row of a span is that of its layer, since the thread has other intervals.
      row: of?.row ?? row,
      at: of && Math.floor((of.from + of.to) / 2),
      isCall: of?.isCall,
      criterion: criterion.value,
      marked: [...marked.value],
      foldLoops: foldLoops.value,
    };
  });
  const threadOf = (id: string) => threadAt(rows.peek(), id);
  /** Reason why there is no path by a criterion now; undefined: there is one. */
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
  /** Zooms to a path over a thread's life that is a small part of the view, so that its arrows can be distinguished. */
  const fitOnce = () => {
    const { found } = foundNow() ?? {};
    if (found === undefined || found.row !== toFit) return;
    toFit = undefined;
    const length = found.to - found.from;
    if (length > 0 && length < SMALL_SHARE * view.viewport.peek().span) view.fit(found);
  };
  /** Explains what the reader chose; a link sets the view itself. */
  const explainChosen = (id: string, of: IntervalInfo | undefined) => {
    // For a wait for a lock, the default is the criterion that leads to its holder.
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
    // Asks again when rows come while the thread is unknown: it may have been read by then.
    effect(() => {
      void rows.value;
      if (isUnknown.value) untracked(ask);
    }),
    // Rows of locks come with their events.
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
      // Rows of layers come after all other rows.
      const mayBeKnown = (row: string) => !isOfLayer(row) || rowIndex(rows.value, row) >= 0;
      if (link !== undefined && known.value !== undefined && mayBeKnown(link.row)) void showAwaited(link);
    }),
    // A range selected while the path of an interval is shown is the newer question.
    effect(() => {
      if (view.range.value === undefined) return;
      const { row, interval: of } = target.peek() ?? {};
      if (row !== undefined && of !== undefined) target.value = { row, interval: undefined };
    }),
    // Escape removes the path from the timeline.
    effect(() => {
      if (view.path.value === undefined && answer.peek() !== undefined) leave();
    }),
    comparePaths(session, computed(foundNow), compared),
  ];
  return {
    ...{ target, criterion, foldLoops, marked, lockNames, answer, isUnknown, interval, explained, linked },
    ...{ compared, leave, hindranceOf: hindrance },
    /**
     * Explains the selection: an interval, a span or a system call, else a row over the selected range or over its life.
     * If that is no thread's, no path is shown, as the previous one would answer another question.
     */
    explain: async (): Promise<void> => {
      const before = target.peek();
      awaited.value = undefined;
      // Waits for the whole interval of a clicked piece; stops if another path was asked for meanwhile.
      if (!(await view.settled()) || target.peek() !== before) return;
      const question = view.question.peek();
      explainChosen(question.row ?? '', question.interval?.info);
    },
    explainInterval: (of: IntervalInfo) => explainChosen(of.row, of),
    /** Selects a thread's row, and explains it over the selected range or over its life. */
    explainRow: (row: string) => {
      view.selectRow(row);
      explainChosen(row, undefined);
    },
    /** Toggles the mark of a thread as unrelated; while any is marked, the path is by the criterion that uses marks. */
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
     * Shows the path that a link describes, once all is read, since its thread may not be known before. No path is shown if
     * there is no such thread or interval, or `path` is undefined.
     */
    showLinked: (path: LinkedPath | undefined) => {
      if (path === undefined) leave();
      else awaited.value = path;
    },
    dispose: () => stops.forEach((stop) => stop()),
  };
}
