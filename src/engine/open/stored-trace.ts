/**
 * A trace in the store: its histories, one record with what a session shows at once, and the chunk results of the
 * aggregates (`stored-chunk-results.ts`), which only statistics need.
 */
import { createChunkMapper } from '../analysis/chunk-mapper.ts';
import { append } from '../base/append.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import { threadEvents } from '../density/thread-events.ts';
import type { MatchChunk } from '../events/match-counts.ts';
import { MatchIndex } from '../events/match-index.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { ReducedTables, StateTables } from '../linux/states/reduce/kernel-tables.ts';
import { analysisSet, SESSION_IDS } from '../registry.ts';
import type { Store, TraceRecord } from '../store/types.ts';
import type { ClockSettings, OwnClock } from '../sync/host-clocks.ts';
import type { PacketMatches } from '../sync/packet-matches.ts';
import type { PairSync } from '../sync/pair-sync.ts';
import type { Experiment } from '../trace/types.ts';
import type {
  DamageInfo,
  ExperimentInfo,
  Overview,
  Recorder,
  SessionUpdate,
  TraceSummary,
} from '../protocol/session.ts';
import { Damage, readDamage, unreadableRecord } from './damage.ts';
import { DisplayTime, type Move, moveBetween } from '../answers/context/display-time.ts';
import type { SessionEnvironment } from './environment.ts';
import { fingerprintOf } from '../trace/fingerprint-of-key.ts';
import { type LiveHistory, historyPrefix, readHistory, reopenedHistory } from './host-history.ts';
import { type HostHistory } from '../answers/context/host.ts';
import { type HostSync, knownSync, recordingsApart, synchroniseHosts } from '../answers/sync/host-sync.ts';
import { type StoredChunkResults, openStoredChunkResults } from './stored-chunk-results.ts';
import { readLogs } from './stored-logs.ts';
import { createOpenTrace } from './open-trace.ts';
import { type OpenTrace, type TraceSource } from '../answers/context/open-trace.ts';
import { shiftedView, type Shown } from './shifted-view.ts';
import type { Picture } from './reporter.ts';
import { eventsOfHost } from '../answers/rows/row-density.ts';
import { type Grid, resampleSum } from '../answers/rows/resample.ts';
import { rowsOfKind } from '../answers/rows/row-writer.ts';
import type { RowColumns } from '../protocol/rows.ts';

/** The record `session`, which is shown at once. */
interface StoredSession {
  readonly info: ExperimentInfo;
  readonly rows: RowColumns;
  readonly overview: Overview | undefined;
  readonly clocks: readonly OwnClock[];
  /** Names of the event classes, by host. */
  readonly eventNames: readonly (readonly string[])[];
  readonly recorders: readonly Recorder[];
  readonly pairs: readonly PairSync[];
  /** Clock settings that display times in the record are by. */
  readonly settings: ClockSettings | undefined;
  /** Events per overview bucket of each stream row. */
  readonly streams: readonly { readonly row: string; readonly density: Float32Array }[];
}

/** The record `tables`, by host. */
type StoredTables = readonly (StateTables | undefined)[];

const SESSION = 'session';
const TABLES = 'tables';
/** Record of the number of events of each packet, by stream. */
const PACKETS = 'packets';
/** Record of matches of packets between hosts. */
const MATCHES = 'matches';
/** Number of buckets of a stream's stored density. */
const DENSITY_BUCKETS = 4096;

/** @param begun resolves when the store has begun the trace, for which writes wait */
export function recordsOf(store: Store, key: string, begun?: Promise<Result<void>>): HistoryRecords {
  return {
    write: async (records) => {
      const entry = await begun;
      return entry?.ok === false ? entry : store.write(key, records);
    },
    read: (name) => store.read(key, name),
    copies: () => store.kind !== 'memory',
  };
}

export function beginTrace(store: Store, key: string, name: string): Promise<Result<void>> {
  return store.begin({ key, name, opened: Date.now(), bytes: 0, complete: false, info: undefined });
}

/** Stores a trace. A fault: the store did not take all of it, and the trace is incomplete. */
export async function saveTrace(
  store: Store,
  key: string,
  saved: {
    readonly histories: readonly LiveHistory[];
    readonly chunkResults: StoredChunkResults;
    readonly packetEvents: MatchIndex;
    readonly clocks: readonly OwnClock[];
    readonly sync: HostSync;
    readonly settings: ClockSettings | undefined;
    readonly update: Picture;
    readonly density: (row: string, grid: Grid) => Promise<Float32Array | undefined>;
  },
): Promise<Result<void>> {
  const { info, rows, overview } = saved.update;
  const refusal = store.refusal?.(key);
  const rests = await Promise.all([
    ...saved.histories.map(({ writer, builder }) => writer.rest(builder)),
    ...saved.histories.map(({ kept, tables }) => (tables === undefined ? ok([]) : kept.rest(tables))),
    saved.chunkResults.rest(),
  ]);
  const last: NamedValue[] = [];
  for (const rest of rests) {
    if (!rest.ok) return rest;
    append(last, rest.value);
  }
  const streams = [];
  for (const row of rowsOfKind(rows, 'stream')) {
    const density = await saved.density(row, densityGrid(info.lengthNs));
    if (density !== undefined) streams.push({ row, density });
  }
  const session: StoredSession = {
    // The fault that keeps it out of the store is none of the trace.
    info: { ...info, fromStore: true, faults: info.faults.filter((fault) => fault !== refusal) },
    rows,
    overview,
    clocks: saved.clocks,
    eventNames: saved.histories.map(({ eventNames }) => eventNames),
    recorders: saved.histories.map(({ recorder }) => recorder),
    pairs: saved.sync.pairs,
    settings: saved.settings,
    streams,
  };
  last.push({ name: SESSION, value: session });
  last.push({ name: TABLES, value: saved.histories.map(({ tables }) => tables && withoutLogs(tables)) });
  last.push({ name: PACKETS, value: saved.packetEvents.chunkResults });
  if (saved.histories.length > 1) last.push({ name: MATCHES, value: await saved.sync.matches() });
  const completed = await store.complete(recordOf(key, info), last);
  if (completed.ok) await forgetOutdated(store, key);
  return completed;
}

/** Deletes what other versions of the program stored of the trace, which is no longer opened. */
async function forgetOutdated(store: Store, key: string): Promise<void> {
  const isOutdated = (other: string) => fingerprintOf(other) === fingerprintOf(key) && other !== key;
  for (const other of await store.list()) if (isOutdated(other.key)) await store.delete(other.key);
}

function withoutLogs({
  signals: _,
  packets: __,
  softirqs: ___,
  before: ____,
  ...tables
}: ReducedTables): StateTables {
  return tables;
}

function recordOf(key: string, info: ExperimentInfo): TraceRecord {
  const { sideBySide, events, lengthNs, discardedEvents: lostEvents } = info;
  const summary: TraceSummary = { hosts: info.hosts.length, sideBySide, events, lengthNs, lostEvents };
  return { key, name: info.name, opened: Date.now(), bytes: info.bytes, complete: true, info: summary };
}

export interface Reopened {
  readonly trace: OpenTrace;
  readonly info: ExperimentInfo;
  readonly rows: RowColumns;
  readonly progress: SessionUpdate['progress'];
  readonly damage: Damage;
}

/**
 * A complete stored trace; undefined: there is none; a fault: it is too damaged to be shown. A trace with known damage
 * is not reopened if its files are there, as it should be read again.
 * @param experiment given if the files are there
 * @param onShown called with what is shown at once, while the rest is being read, and with damage whenever it is found
 */
export async function reopenTrace(
  environment: SessionEnvironment,
  store: Store,
  key: string,
  experiment: Experiment | undefined,
  clocks?: ClockSettings,
  onShown: (update: SessionUpdate) => void = () => undefined,
): Promise<Result<Reopened> | undefined> {
  const records = recordsOf(store, key);
  const [record, known] = await Promise.all([store.get(key), readDamage(records)]);
  if (record?.complete !== true) return undefined;
  if (known !== undefined && experiment !== undefined) return fail(known.faults[0]);
  let tell = (_: DamageInfo): void => undefined;
  const damage = new Damage((info) => tell(info), known);
  const reading = readParts(records, (record.info as TraceSummary).hosts, damage.listenerOf('states'));
  const session = await reading.session;
  if (session === undefined) return fail(unreadableRecord(`${record.name}, ${SESSION}`));
  // Nothing depends on the time of the visit.
  void store.touch(key);
  const view = viewBy(withFault(session, store.refusal?.(key)), clocks);
  const { info, rows, overview } = view.shown;
  const progress = doneProgress(info);
  onShown({ progress, info, rows, overview });
  const hosts = await openHosts(reading, session, view.time, records, damage);
  if (!hosts.ok) return hosts;
  const trace = openStored(environment, { session, view, hosts: hosts.value, records, experiment, damage });
  // Before this it is not certain that the trace can be shown.
  tell = (damage) => void onShown({ progress, damage });
  if (damage.info !== undefined) tell(damage.info);
  return ok({ trace, info, rows, progress, damage });
}

/** The session with a fault that is kept in memory only, until the page closes. */
function withFault(session: StoredSession, fault: Fault | undefined): StoredSession {
  const { info } = session;
  return fault === undefined ? session : { ...session, info: { ...info, faults: [...info.faults, fault] } };
}

/** Reads concurrently what is needed before questions can be answered, as reading is mostly waiting. */
function readParts(records: HistoryRecords, hosts: number, note: (fault: Fault) => void) {
  return {
    session: records.read(SESSION) as Promise<StoredSession | undefined>,
    tables: records.read(TABLES) as Promise<StoredTables | undefined>,
    histories: Promise.all(Array.from({ length: hosts }, (_, host) => readHistory(host, records, note))),
  };
}

/** The stored view, by the present clocks; `move` is from the stored times. */
function viewBy(session: StoredSession, clocks: ClockSettings | undefined) {
  const { pairs } = session;
  const time = new DisplayTime(session.clocks);
  time.synchronise(pairs, session.settings);
  const before = time.clock;
  if (clocks !== undefined) time.synchronise(pairs, clocks);
  const move = moveBetween(before, time.clock);
  const shown: Shown = time.clock === before ? session : shiftedView(session, time.clock, move);
  return { time, move, shown };
}

async function openHosts(
  reading: ReturnType<typeof readParts>,
  { eventNames, recorders }: StoredSession,
  time: DisplayTime,
  records: HistoryRecords,
  damage: Damage,
): Promise<Result<HostHistory[]>> {
  const tables = await reading.tables;
  if (tables === undefined) return fail(unreadableRecord(TABLES));
  const hosts: HostHistory[] = [];
  for (const [index, history] of (await reading.histories).entries()) {
    if (!history.ok) return history;
    const logs = () => readLogs(records, historyPrefix(index), damage.listenerOf('signals'));
    const host = { index, eventNames: eventNames[index], recorder: recorders[index] };
    hosts.push(reopenedHistory(host, time, tables[index], history.value, logs, damage.listenerOf('states')));
  }
  return ok(hosts);
}

interface OpenParts {
  readonly session: StoredSession;
  readonly view: ReturnType<typeof viewBy>;
  readonly hosts: readonly HostHistory[];
  readonly records: HistoryRecords;
  readonly experiment: Experiment | undefined;
  readonly damage: Damage;
}

function openStored(
  environment: SessionEnvironment,
  { session, view, hosts, records, experiment, damage }: OpenParts,
): OpenTrace {
  const { openSource, decoder } = environment;
  let chunkResults: Promise<StoredChunkResults> | undefined;
  let counted: Promise<MatchIndex | undefined> | undefined;
  const having = async (...analyses: readonly string[]) => {
    chunkResults ??= openStoredChunkResults(records, SESSION_IDS, damage.note);
    return (await chunkResults).load(...analyses);
  };
  const sync = storedSync(session, hosts, records, damage);
  const source: TraceSource = {
    hosts,
    time: view.time,
    sync: () => sync,
    lengthNs: () => view.shown.info.lengthNs,
    recorded: () => view.shown.info,
    threadEvents: async (host) => eventsOfHost(await having(threadEvents.id), host),
    packetEvents: () => (counted ??= storedCounts(experiment, records, damage)),
    packetDensity: (row, grid) => storedDensity(session, row, grid, view.move),
    chunkResults: having,
    files: experiment && {
      experiment,
      mapper: createChunkMapper(experiment, analysisSet(SESSION_IDS), openSource, decoder),
    },
    records,
    isDamaged: (part) => damage.has(part),
  };
  return createOpenTrace(source, environment);
}

/** Stored counts of events; where they are damaged, events are counted again. */
async function storedCounts(
  experiment: Experiment | undefined,
  records: HistoryRecords,
  damage: Damage,
): Promise<MatchIndex | undefined> {
  if (experiment === undefined) return undefined;
  const stored = (await records.read(PACKETS)) as readonly MatchChunk[] | undefined;
  const counts = stored && MatchIndex.from(experiment, stored);
  if (counts === undefined) damage.note('events', unreadableRecord(PACKETS));
  return counts;
}

/** Stored matches; those of a single host are not stored and are found again, as are damaged ones. */
function storedSync(
  { clocks, pairs, info }: StoredSession,
  hosts: readonly HostHistory[],
  records: HistoryRecords,
  damage: Damage,
): HostSync {
  return knownSync(pairs, async () => {
    const stored = (await records.read(MATCHES)) as readonly PacketMatches[] | undefined;
    if (stored !== undefined) return stored;
    if (hosts.length > 1) damage.note('matches', unreadableRecord(MATCHES));
    const found = info.sideBySide ? recordingsApart(clocks, hosts) : await synchroniseHosts(clocks, hosts);
    return found.matches();
  });
}

function doneProgress({ bytes, events }: ExperimentInfo): SessionUpdate['progress'] {
  return { phase: 'done', bytes, totalBytes: bytes, events, seconds: 0, watermarkNs: Infinity };
}

function densityGrid(lengthNs: number): Grid {
  return { from: 0, bucketNs: Math.max(1, Math.ceil(lengthNs / DENSITY_BUCKETS)), length: DENSITY_BUCKETS };
}

function storedDensity(
  session: StoredSession,
  row: string,
  grid: Grid,
  move: Move,
): Float32Array | undefined {
  const stream = session.streams.find((other) => other.row === row);
  if (stream === undefined) return undefined;
  const [, host] = row.split(':');
  const stored = { ...densityGrid(session.info.lengthNs), from: move(Number(host), 0) };
  return resampleSum(stream.density, stored, grid);
}
