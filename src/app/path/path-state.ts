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
import { type Asking, type Compared, type FoundPath, PathComparison } from './path-comparison.ts';
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

interface AnsweredQuestion extends Question {
  readonly found: PathAnswer | undefined;
}

/** Share of the view below which a path is brought to its full width. */
const SMALL_SHARE = 1 / 3;

type PathExperiment = Pick<Experiment, 'rows' | 'guests' | 'info' | 'progress'>;

/** Path as the page sees it. */
export type PathState = Watched<PagePath, 'criterion' | 'foldLoops'>;

export class PagePath {
  readonly target = signal<PathTarget | undefined>(undefined);
  readonly criterion = signal(DEFAULT_CRITERION);
  readonly foldLoops = signal(false);
  /** Rows marked as unrelated. */
  readonly marked = signal<ReadonlySet<string>>(new Set());
  /** Names that the user gave to locks, by id. */
  readonly lockNames: ReadonlySignal<ReadonlyMap<string, string>>;
  readonly #session: Asking;
  readonly #experiment: PathExperiment;
  readonly #view: ViewModel;
  /** Another one when all is read, or something else is open: the path may be another then. */
  readonly #known = computed(() => {
    const { progress, info } = this.#experiment;
    return isReading(progress.value) ? undefined : info.value;
  });
  readonly #askingLocks = createLiveAnswer(() => this.#session.ask('lockEvents', {}));
  readonly #lockEvents = computed(() => this.#askingLocks.answer.value ?? 'not read yet');
  /** Locks come last, and with them the path may be another. */
  readonly #hasLocks = computed(() => this.#lockEvents.value === 'there');
  readonly #request = computed(() => this.#requestOf(this.target.value));
  readonly #asking = createLiveAnswer((question: Question) => this.#ask(question));
  readonly answer = computed(() =>
    this.#request.value === undefined ? undefined : this.#asking.answer.value?.found,
  );
  /** Nothing is known of the thread, by now. */
  readonly isUnknown = computed(() => {
    const latest = this.#asking.answer.value;
    return latest !== undefined && latest.asked === this.#request.value && latest.found === undefined;
  });
  /** The interval of the thread whose path it is; undefined: the path of a range. */
  readonly interval = computed(() => {
    const of = this.#asking.answer.value?.interval;
    return of?.row === this.answer.value?.row ? of : undefined;
  });
  readonly #adding = createLiveAnswer((latest: AnsweredQuestion | undefined) => this.#addParts(latest));
  #lastExplained: ExplainedPath | undefined;
  /** A link led to it, and nothing else was asked for since. */
  readonly #awaited = signal<LinkedPath | undefined>(undefined);
  /** The path in a link; of one that a link led to, also before it can be shown. */
  readonly linked = computed(() => this.#awaited.value ?? this.#linkedNow());
  /** The same with its parts, which come later: until then, where a range is dragged, of the thread's path before. */
  readonly explained = computed(() => this.#explainedNow());
  /** Thread whose path over its life the reader asked for, and did not see yet. */
  #toFit: string | undefined;
  readonly #comparison: PathComparison;
  readonly #stops: readonly (() => void)[];

  constructor(
    session: Asking,
    experiment: PathExperiment,
    view: ViewModel,
    lockNames: ReadonlySignal<ReadonlyMap<string, string>>,
  ) {
    this.lockNames = lockNames;
    this.#session = session;
    this.#experiment = experiment;
    this.#view = view;
    const ask = () =>
      this.#asking.put({ asked: this.#request.value, interval: this.target.peek()?.interval });
    this.#stops = [
      effect(ask),
      // While reading more is known with every picture, and one may have come before the answer that there is none.
      effect(() => {
        void experiment.rows.value;
        if (this.isUnknown.value) untracked(ask);
      }),
      // With the locks rows of theirs come.
      effect(() => {
        void experiment.rows.value;
        if (this.#known.value !== undefined) this.#askingLocks.put(undefined);
      }),
      effect(() => view.showPath(this.answer.value)),
      effect(() => {
        void this.answer.value;
        untracked(() => this.#fitOnce());
      }),
      effect(() => this.#adding.put(this.#asking.answer.value)),
      effect(() => {
        const awaited = this.#awaited.value;
        if (awaited !== undefined && this.#known.value !== undefined && this.#mayBeKnown(awaited.row))
          void this.#showAwaited(awaited);
      }),
      // A range that is selected while the path of an interval is shown is the newer question.
      effect(() => {
        if (view.range.value !== undefined) untracked(() => this.#widen());
      }),
      // Escape takes the path from the timeline.
      effect(() => {
        if (view.path.value === undefined && this.answer.peek() !== undefined) this.leave();
      }),
    ];
    this.#comparison = new PathComparison(
      session,
      computed(() => this.#foundNow()),
    );
  }

  get compared(): ReadonlySignal<ReadonlyMap<PathCriterion, Compared>> {
    return this.#comparison.compared;
  }

  /** Why there is no path by a criterion now; undefined: there is one. */
  hindranceOf(criterion: PathCriterion): Hindrance | undefined {
    return hindranceOf(criterion, { marked: [...this.marked.value] }, this.#lockEvents.value);
  }

  /**
   * The path of what the reader asks about: an interval, a span or a system call, else a row over the selected range or
   * over its life. Where that is no thread's, none: what was there before would answer another question.
   */
  async explain(): Promise<void> {
    const before = this.target.peek();
    const view = this.#view;
    this.#awaited.value = undefined;
    // Of a piece that was clicked the whole interval; nothing if another path was asked for meanwhile.
    if (!(await view.settled()) || this.target.peek() !== before) return;
    const { row, interval } = view.question.peek();
    this.#explainChosen(row ?? '', interval?.info);
  }

  explainInterval(interval: IntervalInfo): void {
    this.#explainChosen(interval.row, interval);
  }

  /** Selects a thread's row; its path over the selected range, or over its life. */
  explainRow(row: string): void {
    this.#view.selectRow(row);
    this.#explainChosen(row, undefined);
  }

  /** Marks a thread as unrelated, or not any more; shows the path by the criterion that heeds marks while there are some. */
  toggleMark(row: string): void {
    const rest = new Set(this.marked.peek());
    if (!rest.delete(row)) rest.add(row);
    batch(() => {
      this.marked.value = rest;
      if (rest.size > 0) this.criterion.value = 'marked-unrelated';
      else if (this.criterion.peek() === 'marked-unrelated') this.criterion.value = DEFAULT_CRITERION;
    });
  }

  /**
   * Shows the path that a link describes, once all is read: before, its thread may not be known. None where there is no
   * such thread or interval, or `path` is undefined.
   */
  showLinked(path: LinkedPath | undefined): void {
    if (path === undefined) this.leave();
    else this.#awaited.value = path;
  }

  leave(): void {
    batch(() => {
      this.#awaited.value = undefined;
      this.target.value = undefined;
      this.#comparison.forget();
    });
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#comparison.dispose();
  }

  /** The reader asks, and not a link, which says what is in view. */
  #explainChosen(id: string, interval: IntervalInfo | undefined): void {
    const isOfLife = interval === undefined && this.#view.range.peek() === undefined;
    // Of a wait for a lock who held it.
    const isDefault = this.criterion.peek() === DEFAULT_CRITERION;
    if (isDefault && isLockRow(interval?.row ?? '') && this.hindranceOf('lock-holder') === undefined)
      this.criterion.value = 'lock-holder';
    this.#toFit = isOfLife ? threadAt(this.#experiment.rows.peek(), id) : undefined;
    this.#explainAt(id, interval);
    this.#fitOnce();
  }

  /** Where it would be a small part of what is in view, its arrows could not be distinguished. */
  #fitOnce(): void {
    const { found } = this.#foundNow() ?? {};
    if (found === undefined || found.row !== this.#toFit) return;
    this.#toFit = undefined;
    const length = found.to - found.from;
    if (length > 0 && length < SMALL_SHARE * this.#view.viewport.peek().span) this.#view.fit(found);
  }

  #explainAt(id: string, interval: IntervalInfo | undefined): void {
    const row = threadAt(this.#experiment.rows.peek(), id);
    if (row === undefined) return this.leave();
    batch(() => {
      this.#awaited.value = undefined;
      this.target.value = { row, interval };
    });
  }

  /** Changes the target from an interval to the selected range. */
  #widen(): void {
    const { row, interval } = this.target.peek() ?? {};
    if (row !== undefined && interval !== undefined) this.target.value = { row, interval: undefined };
  }

  /** Rows of layers come after all others. */
  #mayBeKnown(row: string): boolean {
    return !isOfLayer(row) || rowIndex(this.#experiment.rows.value, row) >= 0;
  }

  async #showAwaited(awaited: LinkedPath): Promise<void> {
    const { row, at, isCall, criterion, foldLoops } = awaited;
    const kind = isCall ? 'call' : 'interval';
    const interval = at === undefined ? undefined : await this.#session.ask(kind, { row, timeNs: at });
    if (this.#awaited.peek() !== awaited) return;
    if (at !== undefined && interval === undefined) return this.leave();
    const rows = this.#experiment.rows.peek();
    const marked = awaited.marked.filter((id) => threadAt(rows, id) === id);
    batch(() => {
      this.marked.value = new Set(marked);
      this.criterion.value =
        criterion === 'marked-unrelated' && marked.length === 0 ? DEFAULT_CRITERION : criterion;
      this.foldLoops.value = foldLoops;
      this.#explainAt(row, interval);
    });
  }

  #linkedNow(): LinkedPath | undefined {
    const { row, interval } = this.target.value ?? {};
    if (row === undefined) return undefined;
    return {
      // Of a span that is the layer's: the thread has other intervals.
      row: interval?.row ?? row,
      at: interval && Math.floor((interval.from + interval.to) / 2),
      isCall: interval?.isCall,
      criterion: this.criterion.value,
      marked: [...this.marked.value],
      foldLoops: this.foldLoops.value,
    };
  }

  #requestOf(target: PathTarget | undefined): PathRequest | undefined {
    void this.#known.value;
    void this.#hasLocks.value;
    if (target === undefined) return undefined;
    const { row, interval } = target;
    return {
      row,
      range: interval === undefined ? this.#view.range.value : { from: interval.from, to: interval.to },
      criterion: this.criterion.value,
      marked: [...this.marked.value],
      foldLoops: this.foldLoops.value,
      guests: this.#experiment.guests.value,
      lockNames: this.lockNames.value,
    };
  }

  async #ask({ asked, interval }: Question): Promise<AnsweredQuestion> {
    return { asked, interval, found: asked && (await this.#session.ask('path', asked)) };
  }

  async #addParts(latest: AnsweredQuestion | undefined): Promise<ExplainedPath | undefined> {
    if (latest?.found === undefined) return undefined;
    const packed = await this.#session.ask('pathParts', { path: latest.found.id });
    // None: the next path is on its way, and the parts of this one are not waited for.
    if (packed !== undefined)
      this.#lastExplained = { ...latest.found, ...packed, parts: unpackParts(packed.parts) };
    return this.#lastExplained;
  }

  #explainedNow(): ExplainedPath | undefined {
    const known = this.#adding.answer.value;
    const path = this.answer.value;
    if (known?.row !== path?.row || known?.criterion !== path?.criterion) return undefined;
    // What is said of one wait is never shown as that of another.
    const isInterval = this.#asking.answer.value?.interval !== undefined;
    return isInterval && (known?.from !== path?.from || known?.to !== path?.to) ? undefined : known;
  }

  /** Path that is shown, if it is the answer to what is asked now. */
  #foundNow(): FoundPath | undefined {
    const asked = this.#request.value;
    const latest = this.#asking.answer.value;
    if (asked === undefined || latest?.found === undefined || latest.asked !== asked) return undefined;
    return { asked, found: latest.found, lockEvents: this.#lockEvents.value };
  }
}
