/** Locks as a layer: read unasked wherever a trace has events that say who waits for a lock. */
import { laterCode } from '../../base/later-code.ts';
import { callEntries, EVENT_KINDS } from '../../trace/event-kinds.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import type { Layer, LayerRow, LayerTrace } from '../contract/layer.ts';
import { type Switches, switchesFor } from '../contract/switches.ts';
import { MODULE_KINDS } from '../stacks/module-events.ts';
import { hasEnd, spanScheme, textOf } from '../contract/span-values.ts';
import { FILE_CALLS, FUTEX_CALLS, kernelKinds, type KernelReads, LOCK_CALLS } from './kernel-calls.ts';
import type { LockLog } from './lock-log.ts';
import { lockMap, LOCKS, type LockSettings, moduleKinds } from './lock-map.ts';
import { LockReducer } from './lock-reducer.ts';
import { type LockPlaces, lockPlaces } from './lock-places.ts';
import { lockKey, lockWords, processNames } from './lock-names.ts';
import { type LockRows, writeLockRows } from './lock-rows.ts';
import type { LockModel } from './model/lock-model.ts';
import { LOCK_PROVIDERS, lockEvents, type LockProvider } from './providers.ts';

/** Numbers of events of each sort of a trace. */
export interface FoundLocks {
  /** Number of events of programs, as the shipped table has them. */
  readonly program: number;
  /** Calls that lock files, as far as names tell: what fcntl does is not in its name. */
  readonly files: number;
  readonly futexes: number;
  /** Waits for locks of the kernel. */
  readonly contention: number;
  /** Events that a row of the user's own could be about. */
  readonly events: readonly EventShape[];
}

export interface WantedLocks {
  /** Rows of the user's own: they come before those that everybody has. */
  readonly own: readonly LockProvider[];
}

/** Counts the events of a trace. */
function findLocks(trace: LayerTrace): FoundLocks {
  const { events, countOf } = trace;
  const recorded = (names: readonly string[]) => names.reduce((sum, name) => sum + countOf(name), 0);
  return {
    program: recorded(shownEvents(trace)),
    files: recorded(callEntries(LOCK_CALLS)),
    futexes: recorded(callEntries(FUTEX_CALLS)),
    contention: recorded(EVENT_KINDS['contention-begin'].events),
    events,
  };
}

/** Recorded events of programs that are about locks as the shipped table has them. */
function shownEvents({ events, countOf }: Pick<LayerTrace, 'events' | 'countOf'>): string[] {
  return lockEvents([], recordedNames(events, countOf)).map(({ event }) => event);
}

function firstLocks({ program, files, futexes, contention }: FoundLocks): WantedLocks | undefined {
  return program + files + futexes + contention > 0 ? { own: [] } : undefined;
}

function lockSettings(trace: LayerTrace, { own }: WantedLocks): LockSettings {
  const { events: shapes, countOf } = trace;
  const { files, futexes, contention } = findLocks(trace);
  const events = lockEvents(own, recordedNames(shapes, countOf));
  const reads = { files: files > 0, futexes: futexes > 0, contention: contention > 0 };
  // Where locks are is read with them.
  const modules = moduleKinds({ events, kernel: reads }).flatMap((kind) => kind.events);
  const names = new Set([...events.map(({ event }) => event), ...modules]);
  return { events, kernel: { ...reads, switches: switchesOf(trace, names, reads) } };
}

function recordedNames(events: readonly EventShape[], countOf: LayerTrace['countOf']): string[] {
  return events.map(({ name }) => name).filter((name) => countOf(name) > 0);
}

/** Chooses the switches that tell the threads of events that do not tell them themselves. */
function switchesOf(
  trace: LayerTrace,
  programEvents: ReadonlySet<string>,
  { files, futexes, contention }: Pick<KernelReads, 'files' | 'futexes' | 'contention'>,
): Switches {
  const kernelEvents = new Set([
    ...(files ? callEntries(FILE_CALLS) : []),
    ...(futexes ? callEntries(FUTEX_CALLS) : []),
    ...(contention ? EVENT_KINDS['contention-begin'].events : []),
  ]);
  return switchesFor(
    trace,
    ({ name = '' }) => programEvents.has(name),
    ({ name = '' }) => kernelEvents.has(name),
  );
}

export interface LockTables {
  readonly model: LockModel;
  readonly rows: LockRows;
  readonly places: LockPlaces;
}

const ALL_KERNEL_READS: KernelReads = { files: true, futexes: true, contention: true, switches: 'all' };

const NO_ROWS: LockRows = { threads: [], locks: [] };

const modelCode = laterCode(() => import('./model/make-model.ts'));
const sharedCode = laterCode(() => import('./model/shared-locks.ts'));

export const lockLayer: Layer<FoundLocks, WantedLocks, LockSettings, LockTables, LockLog> = {
  id: LOCKS,
  title: 'Lock',
  schemes: { [LOCKS]: spanScheme },
  tables: [LOCK_PROVIDERS, kernelKinds(ALL_KERNEL_READS), LOCK_CALLS, FILE_CALLS, FUTEX_CALLS, MODULE_KINDS],
  find: findLocks,
  shows: shownEvents,
  first: firstLocks,
  settings: lockSettings,
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...lockMap.of(settings),
    version: 8,
    reducer: (_, { index }) => new LockReducer(settings, kernelThreads(index)),
  }),
  async complete(log, sink, host) {
    const [{ lockModel }, { withSharedLocks }] = await Promise.all([modelCode(), sharedCode()]);
    const shared = await withSharedLocks(log, host);
    const model = await lockModel(shared, host);
    const rows = host.showsRows === false ? NO_ROWS : writeLockRows(model, sink, LOCKS);
    return { model, rows, places: lockPlaces(shared) };
  },
  rows: (_, tables) => rowsOf(tables),
  interval: (value, text) => ({ text: text(textOf(value)), hasEnd: hasEnd(value) }),
};

function rowsOf({ model, rows }: LockTables): LayerRow[] {
  const processes = processNames(model.threads);
  const ofThreads = rows.threads.map(({ of, attribute, first }) => {
    const thread = model.threads[of];
    return {
      key: `thread:${thread.key}${thread.ns === 0 ? '' : `@${thread.ns >>> 0}`}`,
      name: 'Locks',
      attribute,
      subject: 'locks of the thread',
      below: thread,
      first,
    };
  });
  const ofLocks = rows.locks.map(({ of, attribute, first }) => {
    const lock = model.locks[of];
    const name = lockWords(lock, processes.get(lock.process) ?? '');
    return { key: lockKey(lock), name, attribute, subject: name, below: 'Locks', first };
  });
  return [...ofThreads, ...ofLocks];
}
