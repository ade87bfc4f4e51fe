/** A trace read from the command line as the page reads it, with its histories and aggregates, or from the store. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunOutcome } from '../engine/analysis/driver.ts';
import { faultText } from '../engine/base/fault-text.ts';
import type { Fault } from '../engine/base/fault.ts';
import type { DisplayNs } from '../engine/base/units.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { openNodeSource } from '../engine/io/node-source.ts';
import { nodeTempFiles } from '../engine/io/node-temp-files.ts';
import type { SessionUpdate } from '../engine/protocol/session.ts';
import type { HostHistory } from '../engine/answers/context/host.ts';
import type { SessionLayers } from '../engine/open/layers/session-layers.ts';
import type { OpenTrace } from '../engine/answers/context/open-trace.ts';
import { countedRecorders } from '../engine/answers/context/recorded.ts';
import { answerOf } from '../engine/answers/queries.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../engine/protocol/queries.ts';
import { readExperiment } from '../engine/open/reading.ts';
import type { SessionEnvironment } from '../engine/open/environment.ts';
import { reopenTrace } from '../engine/open/stored-trace.ts';
import { traceKey } from '../engine/answers/context/trace-key.ts';
import { FileStore } from '../engine/store/file-store.ts';
import { MemoryStore } from '../engine/store/memory-store.ts';
import type { ClockSettings } from '../engine/sync/host-clocks.ts';
import type { Experiment } from '../engine/trace/types.ts';
import { createProgressLine, printTiming, reportFaults } from './messages.ts';
import { UsageError, type Options } from './options.ts';
import { bytesOf, startExecutor, workersFor } from './executor.ts';
import type { IdleWorkers } from './worker-pool.ts';
import { offsetsByHost, openPaths, type Opened } from './experiment.ts';
import type { TimeRange } from '../engine/protocol/range.ts';

export interface TraceSession {
  readonly experiment: Experiment;
  readonly environment: SessionEnvironment;
  readonly trace: OpenTrace;
  /**
   * Asks the trace.
   * @param layers rows beside the trace itself that the answer needs
   */
  readonly ask: <K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    layers?: SessionLayers,
  ) => Promise<AnswerOf<K>>;
  /** The hosts asked for. */
  readonly hosts: readonly NamedHost[];
  /** Time of the experiment's first event since the clock's origin, ns: the command line counts from it. */
  readonly originNs: bigint;
  /** Time of that event. */
  readonly firstNs: DisplayNs;
  /** `--range`; undefined: everything. */
  readonly range: TimeRange | undefined;
  readonly faults: readonly Fault[];
}

export interface NamedHost extends HostHistory {
  readonly name: string;
  /** Prefix of names of workers: '' when there is only one host, else `NAME:`. */
  readonly prefix: string;
}

/**
 * Reads all of a trace, or takes it from `--store`.
 * @param keepsWorkers false: nothing is read of the trace after this
 * @returns without a session, the faults that say why nothing could be opened
 * @throws UsageError for a host or range that is none
 */
export async function openTraceSession(
  paths: readonly string[],
  options: Options,
  keepsWorkers = true,
): Promise<{ readonly session?: TraceSession; readonly faults: readonly Fault[] }> {
  await checkDebugDir(options.debugDir);
  const opened = await openPaths(paths, options.offsets);
  const { experiment, faults } = opened;
  if (experiment.traces.length === 0) return { faults };
  checkHost(experiment, options.host);
  const clocks = { offsets: offsetsByHost(experiment, options.offsets) };
  const environment = nodeEnvironment(options, experiment, keepsWorkers);
  const read = await readOrReopen(environment, opened, options, clocks);
  const hosts = namedHosts(experiment, read.trace, options.host);
  const { originNs } = read.trace.time;
  const ask = <K extends QueryKind>(kind: K, request: RequestOf<K>, layers?: SessionLayers) =>
    answerOf({ trace: read.trace, layers }, kind, request);
  const { events } = await ask('counts', {});
  const times = events.map((event) => event.firstNs).filter((time) => !Number.isNaN(time));
  const firstNs = times.reduce((least, time) => Math.min(least, time), times[0] ?? 0);
  const origin = originNs + BigInt(firstNs);
  const wanted = options.range === undefined ? undefined : parseRange(options.range, origin);
  const session: TraceSession = {
    experiment,
    environment,
    trace: read.trace,
    ask,
    hosts,
    originNs: origin,
    firstNs,
    range: wanted && { from: wanted.from + firstNs, to: wanted.to + firstNs },
    faults: [...faults, ...read.faults],
  };
  return { session, faults: session.faults };
}

/**
 * Runs a command on a trace.
 * @param answer prints what the command is about, and gives faults beside those of reading
 * @returns exit code
 */
export async function onTrace(
  paths: readonly string[],
  options: Options,
  answer: (session: TraceSession) => Promise<readonly Fault[] | void>,
): Promise<number> {
  const { session, faults } = await openTraceSession(paths, options);
  const others = session && (await answer(session));
  return reportFaults([...faults, ...(others ?? [])], options.strict);
}

/** The hosts asked for, with the recorders whose events count there. */
export function countedHosts({ hosts, experiment }: TraceSession) {
  return hosts.map(({ index, name }) => {
    const traces = experiment.hosts[index].traces.map((trace) => experiment.traces[trace]);
    return { name, counted: countedRecorders(traces) };
  });
}

interface ReadTrace {
  readonly trace: OpenTrace;
  /** Faults without those of opening. */
  readonly faults: readonly Fault[];
}

async function readOrReopen(
  environment: SessionEnvironment,
  { experiment, faults: opening }: Opened,
  options: Options,
  clocks: ClockSettings,
): Promise<ReadTrace> {
  const { workers } = environment;
  const key = await traceKey(experiment);
  const store = options.store === undefined ? new MemoryStore() : new FileStore(options.store);
  // What is damaged is read again.
  const isSound = store instanceof MemoryStore || (await store.isSound(key));
  const stored = isSound ? await reopenTrace(environment, store, key, experiment, clocks) : undefined;
  if (stored?.ok) {
    const { trace, info } = stored.value;
    return { trace, faults: withoutThose(opening, info.faults) };
  }
  const line = createProgressLine();
  const onUpdate = ({ progress }: SessionUpdate): void => line.show(progress);
  const { chunkBytes } = options;
  const reading = await readExperiment(
    environment,
    // What is stored is shown without the user's offsets.
    options.offsets.size > 0 ? new MemoryStore() : store,
    experiment,
    key,
    { chunkBytes, workers, clocks },
    onUpdate,
  );
  const outcome: RunOutcome = await reading.done;
  line.clear();
  if (options.timing) printTiming(outcome, bytesOf(experiment), workers);
  return { trace: reading.trace, faults: outcome.faults };
}

/** Leaves out known faults. A trace is stored with all of its faults, and gives copies, so equal ones are found by their words. */
function withoutThose(known: readonly Fault[], stored: readonly Fault[]): readonly Fault[] {
  const words = new Set(known.map(faultText));
  return stored.filter((fault) => !words.has(faultText(fault)));
}

/** Folder of the debug files that packages of a distribution install. */
const DEBUG_DIR = '/usr/lib/debug';

/** @throws UsageError for a folder that is none; '' is none on purpose */
async function checkDebugDir(folder: string | undefined): Promise<void> {
  if (folder === undefined || folder === '') return;
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`--debug-dir: "${folder}" is no folder`);
}

/** The file of a build in a folder of debug files, as GDB looks for it; undefined: there is none. */
async function debugFileIn(folder: string, buildId: string): Promise<SourceRef | undefined> {
  if (folder === '' || !/^[0-9a-f]{4,}$/.test(buildId)) return undefined;
  const path = `.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`;
  const absolute = join(folder, path);
  const found = await stat(absolute).catch(() => undefined);
  return found?.isFile() === true ? { kind: 'path', path, size: found.size, absolute } : undefined;
}

/** Environment of a session under Node, for an experiment. */
function nodeEnvironment(
  { workers, decoder, store, debugDir }: Options,
  experiment: Experiment,
  keepsWorkers: boolean,
): SessionEnvironment {
  const idle: IdleWorkers | undefined = keepsWorkers ? [] : undefined;
  return {
    openSource: openNodeSource,
    debugFile: (buildId) => debugFileIn(debugDir ?? DEBUG_DIR, buildId),
    tempFiles: nodeTempFiles(),
    openStore: () => Promise.reject(new Error('the command line opens its store itself')),
    startExecutor: (experiment, analyses, count) =>
      startExecutor({ experiment, analyses, decoder }, count, idle),
    workers: workersFor(experiment, workers),
    decoder,
    makesPictures: store !== undefined,
  };
}

/** @throws UsageError for a host that is none */
function checkHost({ hosts }: Experiment, wanted: string | undefined): void {
  if (wanted !== undefined && !hosts.some(({ name }) => name === wanted)) {
    throw new UsageError(`--host: there is ${hosts.map(({ name }) => name).join(', ')}, not "${wanted}"`);
  }
}

function namedHosts({ hosts }: Experiment, trace: OpenTrace, wanted: string | undefined): NamedHost[] {
  return trace.hosts
    .map((history) => {
      const { name } = hosts[history.index];
      // Not spread: a growing history answers by getters.
      return {
        index: history.index,
        eventNames: history.eventNames,
        recorder: history.recorder,
        tables: history.tables,
        logs: history.logs,
        query: history.query,
        clock: history.clock,
        name,
        prefix: hosts.length > 1 ? `${name}:` : '',
      };
    })
    .filter(({ name }) => wanted === undefined || name === wanted);
}

const NS_PER_S = 1_000_000_000n;

const NS_PER_DAY = 86_400n * NS_PER_S;

/** Number of digits of an integer that is ns since 1970. */
const ABSOLUTE_DIGITS = 19;

/**
 * Reads a range, either end of which may be left out. An end is an integer (ns since the origin; of 19 digits: since 1970), `HH:MM:SS.n` (UTC
 * of the origin's day) or `+1.5s`.
 *
 * @param originNs time of the first event since 1970, ns
 * @throws UsageError
 * @internal
 */
export function parseRange(text: string, originNs: bigint): TimeRange {
  const ends = text.split('..');
  if (ends.length !== 2) throw new UsageError(`--range: FROM..TO is expected, not "${text}"`);
  const [from, to] = ends.map((end) => parseTime(end.trim(), originNs));
  const range = { from: from ?? -Infinity, to: to ?? Infinity };
  if (range.from > range.to) throw new UsageError(`--range: "${text}" ends before it begins`);
  return range;
}

function parseTime(text: string, originNs: bigint): number | undefined {
  if (text === '') return undefined;
  if (/^-?\d+$/.test(text)) {
    return text.length === ABSOLUTE_DIGITS ? Number(BigInt(text) - originNs) : Number(text);
  }
  const seconds = /^\+(\d+)(?:\.(\d{1,9}))?s$/.exec(text);
  if (seconds !== null) return Number(BigInt(seconds[1]) * NS_PER_S + fraction(seconds[2]));
  const clock = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/.exec(text);
  if (clock === null) throw new UsageError(`--range: "${text}" is no time`);
  const [hours, minutes, whole] = clock.slice(1, 4).map(BigInt);
  if (hours > 23n || minutes > 59n || whole > 59n)
    throw new UsageError(`--range: "${text}" is no time of day`);
  const midnight = originNs - (originNs % NS_PER_DAY);
  const ns = midnight + ((hours * 60n + minutes) * 60n + whole) * NS_PER_S + fraction(clock[4]);
  // A trace that goes on past midnight.
  return Number((ns < originNs - NS_PER_DAY / 2n ? ns + NS_PER_DAY : ns) - originNs);
}

/** Value of the digits after the point of seconds, ns. */
function fraction(digits: string | undefined): bigint {
  return BigInt((digits ?? '').padEnd(9, '0'));
}
