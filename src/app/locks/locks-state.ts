/** State of the locks of the open experiment, with the names and colours by which the page shows them. */
import { computed, effect, signal } from '@preact/signals';
import { fileName } from '../../engine/base/file-name.ts';
import type { LockLine, LocksAnswer, LockThreadInfo } from '../../engine/protocol/locks.ts';
import type { LockProvider } from '../../engine/layers/locks/providers.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { createLiveAnswer } from '../experiment/live-answer.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { visibleText } from '../format/text.ts';
import { isReading } from '../opening/progress-row.tsx';
import { lockLanes, lockRows } from '../timeline/timeline.tsx';
import { createLockNames } from './lock-names.ts';

export interface NamedLock extends LockLine {
  /** Name from the reader, or else from the session; safe to show. */
  readonly shownName: string;
  /** Name without the process, for places that name it separately. */
  readonly shortName: string;
  /** CSS colour of its mark. */
  readonly mark: string;
  /** ns of waits on critical paths that are due to it; undefined: unknown, or not known yet. */
  readonly pathNs: number | undefined;
}

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

export type LocksState = ReturnType<typeof createLocksState>;

export function createLocksState(
  session: Pick<SessionApi, 'ask' | 'changeLayer'>,
  { rows, rowNames, progress, trace }: Pick<Experiment, 'rows' | 'rowNames' | 'progress' | 'trace'>,
) {
  const names = createLockNames(trace);
  const asking = createLiveAnswer((isRead: boolean, { aborted }: AbortSignal) =>
    isRead && !aborted ? session.ask('locks', {}) : undefined,
  );
  const ranking = createLiveAnswer((known: LocksAnswer | undefined, signal: AbortSignal) =>
    known === undefined ? undefined : session.ask('lockRanks', {}, { signal }),
  );
  /** Undefined: not read yet. */
  const { answer } = asking;
  /** Whether the trace is known to have events of locks. */
  const isThere = computed(() => {
    const { locks, futexes, kernelLocks } = answer.value ?? NOTHING;
    return locks.length + futexes.length + kernelLocks.length > 0;
  });
  /** Locks, in the order of the answer. */
  const locks = computed((): readonly NamedLock[] => {
    const given = names.given.value;
    const ranks = new Map(ranking.answer.value?.map(({ lock, pathNs }) => [lock, pathNs]));
    return (answer.value?.locks ?? []).map((lock) => ({
      ...lock,
      shownName: visibleText(given.get(lock.id) ?? lock.name),
      shortName: visibleText(given.get(lock.id) ?? shortName(lock)),
      mark: identityColour(lock.colour),
      pathNs: ranks.get(lock.id),
    }));
  });
  const lockById = computed(() => new Map(locks.value.map((lock) => [lock.id, lock])));
  /** Names of futexes and locks of the kernel, by id. */
  const holderless = computed(() => {
    const { futexes, kernelLocks } = answer.value ?? NOTHING;
    return new Map([...kernelLocks, ...futexes].map(({ id, name }) => [id, visibleText(name)]));
  });
  /** Threads, in the order of the answer: a `ThreadIndex` leads to one. */
  const threads = computed((): readonly NamedThread[] =>
    (answer.value?.threads ?? []).map((thread) => {
      return { ...thread, shownName: visibleText(thread.label), mark: identityColour(thread.colour) };
    }),
  );
  /** Rows that show the waits and holds of threads, by the thread's row. */
  const lanes = computed(() => lockLanes(rows.value));
  /** Rows of the locks, by the lock's id; a lock that nobody waited for has none. */
  const rowsOfLocks = computed(() => lockRows(rows.value));
  /** The user's own events in a link, until they are read. */
  const linked = signal<readonly LockProvider[]>([]);
  /** Whether the table of locks is shown: its ranks need the path of each wait. */
  const isRankWanted = signal(false);
  const stops = [
    // Asked again when the layer's rows come.
    effect(() => {
      void rows.value;
      asking.put(!isReading(progress.value));
    }),
    // Gives rows the names of their locks. Written only when names differ, since new rows cause a new question.
    effect(() => {
      const named = [...rowsOfLocks.value].flatMap(([lock, row]): [string, string][] => {
        const name = lockById.value.get(lock)?.shownName;
        return name === undefined ? [] : [[row, name]];
      });
      const isSame = named.every(([row, name]) => rowNames.peek().get(row) === name);
      if (!isSame) rowNames.value = new Map(named);
    }),
    effect(() => ranking.put(isRankWanted.value ? answer.value : undefined)),
    effect(() => {
      const [own, wanted] = [answer.value?.own, linked.value];
      if (own === undefined || wanted.length === 0) return;
      linked.value = [];
      if (JSON.stringify(own) !== JSON.stringify(wanted)) void session.changeLayer('lock', { own: wanted });
    }),
    () => asking.end(),
    () => ranking.end(),
    () => names.dispose(),
  ];
  return {
    ...{ names, answer, isThere, locks, lockById, threads, lanes, lockRows: rowsOfLocks, isRankWanted },
    /** Name of a lock, a futex or a lock of the kernel, by its id. Reads signals. */
    nameOf: (id: string): string =>
      lockById.value.get(id)?.shownName ?? holderless.value.get(id) ?? visibleText(id),
    /** Has the given events read as events of locks, once the trace has been read; an empty list changes nothing. */
    showLinked: (own: readonly LockProvider[]) => void (linked.value = own),
    dispose: () => stops.forEach((stop) => stop()),
  };
}

/** Name without its process: `mutex 0x…f260` for `mutex 0x…f260 of wk-lockfight`; of a file without folders and ` (deleted)`. */
function shortName({ name, process, kind }: LockLine): string {
  if (kind === 'file') return fileName(name).replace(/ \(deleted\)$/, '');
  const ofProcess = ` of ${process}`;
  return process !== '' && name.endsWith(ofProcess) ? name.slice(0, -ofProcess.length) : name;
}

function identityColour(colour: number): string {
  return `var(--id-${colour + 1})`;
}
