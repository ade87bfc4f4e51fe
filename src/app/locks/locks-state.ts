/** State of the locks of the open experiment, with the names and colours by which the page shows them. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { LockLine, LocksAnswer, LockThreadInfo } from '../../engine/protocol/locks.ts';
import type { LockProvider } from '../../engine/layers/locks/providers.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { createLiveAnswer } from '../experiment/live-answer.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { visibleText } from '../format/text.ts';
import { isReading } from '../opening/progress-row.tsx';
import { lockLanes, lockRows } from '../timeline/timeline.tsx';
import { LockNames } from './lock-names.ts';

/** A lock as it is shown. */
export interface NamedLock extends LockLine {
  /** Given by the reader, else the session's; safe to show. */
  readonly shownName: string;
  /** The same without its process, where that is known beside it. */
  readonly shortName: string;
  /** CSS colour of its mark. */
  readonly mark: string;
  /** ns of waits on critical paths that are due to it; undefined: unknown, or not known yet. */
  readonly pathNs: number | undefined;
}

/** A thread as it is shown. */
export interface NamedThread extends LockThreadInfo {
  /** Safe to show. */
  readonly shownName: string;
  /** CSS colour of its mark. */
  readonly mark: string;
}

const NOTHING: Pick<LocksAnswer, 'locks' | 'futexes' | 'kernelLocks'> = {
  locks: [],
  futexes: [],
  kernelLocks: [],
};

export class LocksState {
  readonly names: LockNames;
  /** Undefined: not read yet. */
  readonly answer: ReadonlySignal<LocksAnswer | undefined>;
  /** Whether the trace has events of locks, as far as is known. */
  readonly isThere: ReadonlySignal<boolean>;
  /** Locks, in the order of the answer. */
  readonly locks: ReadonlySignal<readonly NamedLock[]>;
  /** Locks, by id. */
  readonly lockById: ReadonlySignal<ReadonlyMap<string, NamedLock>>;
  /** Names of futexes and locks of the kernel, by id. */
  readonly #holderless = computed(() => {
    const { futexes, kernelLocks } = this.answer.value ?? NOTHING;
    return new Map([...kernelLocks, ...futexes].map(({ id, name }) => [id, visibleText(name)]));
  });
  /** Threads, in the order of the answer: a `ThreadIndex` leads to one. */
  readonly threads: ReadonlySignal<readonly NamedThread[]>;
  /** Rows that show the waits and holds of threads, by the thread's row. */
  readonly lanes: ReadonlySignal<ReadonlyMap<string, string>>;
  /** Rows of the locks, by the lock's id; a lock that nobody waited for has none. */
  readonly lockRows: ReadonlySignal<ReadonlyMap<string, string>>;
  /** Events of the user's own that a link names, until they are read. */
  readonly #linked = signal<readonly LockProvider[]>([]);
  /** Somebody looks at the table of locks: their ranks take the path of each wait. */
  readonly isRankWanted = signal(false);
  readonly #stops: readonly (() => void)[];

  constructor(
    session: Pick<SessionApi, 'ask' | 'changeLayer'>,
    { rows, rowNames, progress, trace }: Pick<Experiment, 'rows' | 'rowNames' | 'progress' | 'trace'>,
  ) {
    const asking = createLiveAnswer((isRead: boolean, { aborted }: AbortSignal) =>
      isRead && !aborted ? session.ask('locks', {}) : Promise.resolve(undefined),
    );
    const ranking = createLiveAnswer((answer: LocksAnswer | undefined, signal: AbortSignal) =>
      answer === undefined ? Promise.resolve(undefined) : session.ask('lockRanks', {}, { signal }),
    );
    this.names = new LockNames(trace);
    this.answer = asking.answer;
    this.isThere = computed(() => {
      const { locks, futexes, kernelLocks } = this.answer.value ?? NOTHING;
      return locks.length + futexes.length + kernelLocks.length > 0;
    });
    this.locks = computed(() => {
      const locks = this.answer.value?.locks ?? [];
      const given = this.names.given.value;
      const ranks = new Map(ranking.answer.value?.map(({ lock, pathNs }) => [lock, pathNs]));
      return locks.map((lock) => ({
        ...lock,
        shownName: visibleText(given.get(lock.id) ?? lock.name),
        shortName: visibleText(given.get(lock.id) ?? shortName(lock)),
        mark: identityColour(lock.colour),
        pathNs: ranks.get(lock.id),
      }));
    });
    this.lockById = computed(() => new Map(this.locks.value.map((lock) => [lock.id, lock])));
    this.lanes = computed(() => lockLanes(rows.value));
    this.lockRows = computed(() => lockRows(rows.value));
    this.threads = computed(() => namedThreads(this.answer.value));
    this.#stops = [
      // Rows of a layer come when it has been read.
      effect(() => {
        void rows.value;
        asking.put(!isReading(progress.value));
      }),
      // A row has the name that its lock has elsewhere. Only other names make other rows, by which locks are asked for again.
      effect(() => {
        const named = [...this.lockRows.value].flatMap(([lock, row]): [string, string][] => {
          const name = this.lockById.value.get(lock)?.shownName;
          return name === undefined ? [] : [[row, name]];
        });
        const isSame = named.every(([row, name]) => rowNames.peek().get(row) === name);
        if (!isSame) rowNames.value = new Map(named);
      }),
      effect(() => ranking.put(this.isRankWanted.value ? this.answer.value : undefined)),
      effect(() => {
        const [own, linked] = [this.answer.value?.own, this.#linked.value];
        if (own === undefined || linked.length === 0) return;
        this.#linked.value = [];
        if (JSON.stringify(own) !== JSON.stringify(linked)) void session.changeLayer('lock', { own: linked });
      }),
      () => asking.end(),
      () => ranking.end(),
      () => this.names.dispose(),
    ];
  }

  /** Name of a lock, a futex or a lock of the kernel, by its id. Reads signals. */
  nameOf(id: string): string {
    return this.lockById.value.get(id)?.shownName ?? this.#holderless.value.get(id) ?? visibleText(id);
  }

  /** Reads events as events of locks, once the trace has been read; without any, what is read stays. */
  showLinked(own: readonly LockProvider[]): void {
    this.#linked.value = own;
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }
}

/** `mutex 0x…f260` of `mutex 0x…f260 of wk-lockfight`; the name of a file without its folders, and that it is deleted. */
function shortName({ name, process, kind }: LockLine): string {
  if (kind === 'file') return name.slice(name.lastIndexOf('/') + 1).replace(/ \(deleted\)$/, '');
  const ofProcess = ` of ${process}`;
  return process !== '' && name.endsWith(ofProcess) ? name.slice(0, -ofProcess.length) : name;
}

/** Colour of a lock or a thread, as its rows have it. */
function identityColour(colour: number): string {
  return `var(--id-${colour + 1})`;
}

function namedThreads(answer: LocksAnswer | undefined): NamedThread[] {
  if (answer === undefined) return [];
  return answer.threads.map((thread) => ({
    ...thread,
    shownName: visibleText(thread.label),
    mark: identityColour(thread.colour),
  }));
}
