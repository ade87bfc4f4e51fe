/** Locks as a layer, read unasked wherever a trace has events about lock waits. */
import { laterCode } from '../../base/later-code.ts';
import { callEntries, EVENT_KINDS } from '../../trace/event-kinds.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import type { Layer, LayerRow, LayerTrace } from '../contract/layer.ts';
import { type Switches, switchesFor } from '../contract/switches.ts';
import { MODULE_KINDS } from '../stacks/module-events.ts';
import {
  SPAN_LEVELS,
  spanInterval,
  spanScheme,
  spanValue,
  waitValue,
  withoutEnd,
} from '../contract/span-values.ts';
import { FILE_CALLS, FUTEX_CALLS, kernelKinds, type KernelReads, LOCK_CALLS } from './kernel-calls.ts';
import type { LockLog } from './lock-log.ts';
import { lockMap, LOCKS, type LockSettings, moduleKinds } from './lock-map.ts';
import { LockReducer } from './lock-reducer.ts';
import { type LockPlaces, lockPlaces } from './lock-places.ts';
import { lockKey, lockWords, processNames } from './lock-names.ts';
import { type LockModel, CONTENDED, OPEN, UNFINISHED } from './model/lock-model.ts';
import { LOCK_PROVIDERS, lockEvents, type LockProvider } from './providers.ts';
import type { HistorySink } from '../../history/types.ts';
import { lockColours, NO_COLOUR, threadColours } from './results/colours.ts';
import { lockChanges, type Open, openAfter } from './results/lock-changes.ts';

/** Numbers of events of each kind. */
export interface FoundLocks {
  /** Number of program events in the shipped table. */
  readonly program: number;
  /** Number of calls that may lock files by their names; for fcntl the name does not tell. */
  readonly files: number;
  readonly futexes: number;
  readonly contention: number;
  /** Events that a user's row could be about. */
  readonly events: readonly EventShape[];
}

export interface WantedLocks {
  /** The user's own rows, which precede the shipped ones. */
  readonly own: readonly LockProvider[];
}

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

/** Recorded program events about locks by the shipped table. */
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
  // Places of locks are read with them.
  const modules = moduleKinds({ events, kernel: reads }).flatMap((kind) => kind.events);
  const names = new Set([...events.map(({ event }) => event), ...modules]);
  return { events, kernel: { ...reads, switches: switchesOf(trace, names, reads) } };
}

function recordedNames(events: readonly EventShape[], countOf: LayerTrace['countOf']): string[] {
  return events.map(({ name }) => name).filter((name) => countOf(name) > 0);
}

/** Chooses the switches that identify the threads of events without contexts. */
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
    const { lockModel, withSharedLocks } = await modelCode();
    const shared = await withSharedLocks(log, host);
    const model = await lockModel(shared, host);
    const rows = host.showsRows === false ? NO_ROWS : writeLockRows(model, sink);
    return { model, rows, places: lockPlaces(shared) };
  },
  rows: (_, tables) => rowsOf(tables),
  interval: spanInterval,
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

interface LockRow {
  /** Row of the model's threads, or of its locks. */
  readonly of: number;
  readonly attribute: number;
  /** HostNs of its first span. */
  readonly first: number;
}

interface LockRows {
  readonly threads: readonly LockRow[];
  readonly locks: readonly LockRow[];
}

/** Writes rows: for threads what they wait for and hold; for contended locks who holds them and how many wait. */
function writeLockRows(model: LockModel, sink: HistorySink): LockRows {
  const { thread, lock } = model.waits;
  const writer = new RowWriter(model, sink);
  const isShown = contendedLocks(model);
  const { order, time, wait, change } = lockChanges(model);
  for (const at of order) {
    const row = wait[at];
    sink.moveTo(time[at]);
    writer.changeThread(thread[row], row, change[at], time[at]);
    if (isShown[lock[row]] === 1) writer.changeLock(lock[row], row, change[at], time[at]);
  }
  return { threads: [...writer.threads.values()], locks: [...writer.locks.values()] };
}

/** 1 by row of the lock: a thread waited for another one. */
function contendedLocks({ waits, locks }: LockModel): Uint8Array {
  const isContended = new Uint8Array(locks.length);
  for (let row = 0; row < waits.length; row++)
    if ((waits.flags[row] & CONTENDED) !== 0) isContended[waits.lock[row]] = 1;
  return isContended;
}

/** Height of the row of a lock without waiters; each waiter adds one. */
const HELD_LEVEL = 2;

class RowWriter {
  readonly threads = new Map<number, LockRow>();
  readonly locks = new Map<number, LockRow>();
  readonly #model: LockModel;
  readonly #sink: HistorySink;
  /** Open waits and holds by thread, and by lock. */
  readonly #ofThreads = new Map<number, Open>();
  readonly #ofLocks = new Map<number, Open>();
  readonly #words: string[];
  /** Texts of a thread's row in the history, by lock: -1 not yet. */
  readonly #waitTexts: Int32Array;
  readonly #holdTexts: Int32Array;
  /** Colours by lock, and by thread. */
  readonly #lockColours: Uint8Array;
  readonly #threadColours: Uint8Array;

  constructor(model: LockModel, sink: HistorySink) {
    this.#model = model;
    this.#sink = sink;
    const processes = processNames(model.threads);
    this.#lockColours = lockColours(model);
    this.#threadColours = threadColours(model);
    this.#waitTexts = new Int32Array(model.locks.length).fill(-1);
    this.#holdTexts = this.#waitTexts.slice();
    this.#words = model.locks.map((lock) => lockWords(lock, processes.get(lock.process) ?? ''));
  }

  /** Shows what a thread waits for, else what it took last. */
  changeThread(thread: number, row: number, change: number, time: number): void {
    const open = openAfter(this.#ofThreads, thread, row, change);
    const { attribute } = this.#rowOf(this.threads, 'threads', thread, time);
    const wait = open.waits.at(-1);
    const hold = open.holds.at(-1);
    const shown = wait ?? hold;
    if (shown === undefined) {
      this.#sink.end(attribute);
      return;
    }
    const { lock, flags, outcome } = this.#model.waits;
    const of = lock[shown];
    const colour = this.#lockColours[of];
    const texts = wait === undefined ? this.#holdTexts : this.#waitTexts;
    if (texts[of] < 0)
      texts[of] = this.#sink.string(`${wait === undefined ? 'holds' : 'waits for'} ${this.#words[of]}`);
    const value = wait === undefined ? spanValue(colour, 0, texts[of]) : waitValue(colour, texts[of]);
    const hasEnd = wait === undefined ? (flags[shown] & OPEN) === 0 : outcome[shown] !== UNFINISHED;
    this.#sink.set(attribute, hasEnd ? value : withoutEnd(value));
  }

  /** Shows who holds a lock, and by height how many wait. */
  changeLock(lock: number, row: number, change: number, time: number): void {
    const { waits, holds } = openAfter(this.#ofLocks, lock, row, change);
    const { attribute } = this.#rowOf(this.locks, 'locks', lock, time);
    if (waits.length + holds.length === 0) {
      this.#sink.end(attribute);
      return;
    }
    const { thread } = this.#model.waits;
    const holder = holds.length === 0 ? -1 : thread[holds[0]];
    const who =
      holds.length > 1 ? `${holds.length} threads` : holder < 0 ? 'nobody known' : this.#threadText(holder);
    const queue = waits.length === 0 ? '' : `, ${waits.length} waiting`;
    const colour = holder < 0 ? NO_COLOUR : this.#threadColours[holder];
    const level = Math.min(SPAN_LEVELS, HELD_LEVEL + waits.length);
    this.#sink.set(attribute, spanValue(colour, 0, this.#sink.string(`held by ${who}${queue}`), level));
  }

  #threadText(thread: number): string {
    const { name, process, tid } = this.#model.threads[thread];
    return `${name || process || 'thread'} (${tid})`;
  }

  #rowOf(rows: Map<number, LockRow>, of: string, number: number, time: number): LockRow {
    const known = rows.get(number);
    if (known !== undefined) return known;
    const attribute = this.#sink.attribute([LOCKS, of, String(number)], 'state');
    const row = { of: number, attribute, first: time };
    rows.set(number, row);
    return row;
  }
}
