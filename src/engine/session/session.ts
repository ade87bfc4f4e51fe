/**
 * One open experiment: reads it with the driver or opens it from the store, and answers the page's questions. Runs in
 * the session worker; what differs between environments comes in as `SessionEnvironment`.
 */
import type { ChunkExecutor } from '../analysis/driver.ts';
import { unpackArchives, type Unpacked } from '../archive/unpack.ts';
import type { Fault } from '../base/fault.ts';
import { fail } from '../base/result.ts';
import type { DecoderKind } from '../ctf/decode/wasm/decode-memory.ts';
import type { SealJob, TimedBytes } from '../history/seal.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import type { SpillArea } from '../io/spill.ts';
import type { Store } from '../store/types.ts';
import type { ClockTransform } from '../sync/clock-transform.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import type { Experiment } from '../trace/types.ts';
import type {
  OpenOptions,
  OpenOutcome,
  RangeRequest,
  RecentTrace,
  SessionApi,
  SessionUpdate,
  UpdateListener,
} from './api.ts';
import { hostCpuStats } from './cpu-stats.ts';
import { gatheringProgress } from './gathering-progress.ts';
import { NO_DURATION } from './duration-stat.ts';
import { intervalInfo, neighbourInfo } from './interval-info.ts';
import { isKernelHost, type HostHistory } from './host-history.ts';
import { loadOf } from './load.ts';
import type { HistoryQuery, Tile } from '../history/types.ts';
import type { OpenTrace } from './open-trace.ts';
import { packRows, unpackRows, type RowColumns } from './row-columns.ts';
import { SessionOverlays } from './session-overlays.ts';
import { readExperiment, type Reading } from './reading.ts';
import { reopenTrace, type TraceSummary } from './stored-trace.ts';
import { traceKey } from './trace-key.ts';

export interface SessionExecutor extends ChunkExecutor {
  /** Seals a segment of a history in a worker, and does not fail; undefined: there are none. */
  readonly seal?: (job: SealJob) => Promise<TimedBytes>;
  dispose(): void;
}

export interface SessionStore {
  readonly store: Store;
  /** Why traces are kept in memory only, when they are. */
  readonly fault: () => Fault | undefined;
  /** Bytes used and allowed, as the browser says; 0 unknown. */
  readonly estimate: () => Promise<{ readonly usedBytes: number; readonly quotaBytes: number }>;
}

export interface SessionEnvironment {
  readonly openSource: SourceOpener;
  /** Room for unpacked archives. */
  readonly spills: SpillArea;
  /** Fetches files by their address; default: none is fetched. */
  readonly download?: Download;
  readonly openStore: () => Promise<SessionStore>;
  /** Workers that map chunks with these analyses, and seal segments. */
  startExecutor(
    experiment: Experiment,
    analyses: readonly string[],
    workers: number,
  ): Promise<SessionExecutor>;
  /**
   * Starts so many workers for an executor that will probably be wanted soon; default: they start with it.
   * @returns ends those that were not wanted
   */
  readonly prepareWorkers?: (workers: number) => () => void;
  /** Default number of workers. */
  readonly workers: number;
  /** What decodes chunks in the session's own thread, for questions about a range; default: generated code. */
  readonly decoder?: DecoderKind;
}

/** Something else was opened, or all was closed, before this was. */
const SUPERSEDED: Fault = { code: 'cancelled', place: {} };

export type Download = (
  address: string,
  saving: {
    readonly spills: SpillArea;
    readonly signal: AbortSignal;
    readonly onProgress: (bytes: number, totalBytes: number) => void;
  },
) => Promise<Downloaded>;

export interface Downloaded {
  /** As much as came. */
  readonly file?: SourceRef;
  readonly faults: readonly Fault[];
}

const EMPTY_GRID = { from: 0, bucketNs: 1, length: 0 };

export function createSession(environment: SessionEnvironment): SessionApi {
  const opening = environment.openStore();
  let reading: Reading | undefined;
  let trace: OpenTrace | undefined;
  let overlays: ShownOverlays | undefined;
  let gathering: AbortController | undefined;
  /** Settles when what is being opened from the store is there; the page has its rows before. */
  let reopening: Promise<unknown> = Promise.resolve();

  const openTrace = async (): Promise<OpenTrace | undefined> => {
    await reopening;
    return trace;
  };
  const openHost = async (index: number): Promise<HostHistory | undefined> =>
    (await openTrace())?.hosts.find((host) => host.index === index);

  const close = async () => {
    gathering?.abort();
    gathering = undefined;
    overlays?.overlays.close();
    await reading?.close();
    reading = trace = overlays = undefined;
  };

  /** The files of traces, out of archives too; undefined: something else was opened meanwhile. */
  const gather = async (
    files: readonly SourceRef[],
    onUpdate: UpdateListener,
  ): Promise<Unpacked | undefined> => {
    const mine = (gathering = new AbortController());
    const { openSource, spills } = environment;
    const onProgress = gatheringProgress('unpacking', onUpdate);
    const unpacked = await unpackArchives(files, {
      open: openSource,
      spills,
      signal: mine.signal,
      onProgress,
    });
    if (gathering !== mine) return undefined;
    gathering = undefined;
    await spills.keepOnly(unpacked.files);
    return unpacked;
  };

  /** Shows the overlays that are stored, or suggested. */
  const showOverlays = async (shown: ShownOverlays, isStored: boolean, isWhole = true): Promise<void> => {
    overlays = shown;
    if (!isStored) await shown.overlays.begin(isWhole);
    if (overlays === shown && shown.overlays.hosts.length > 0) sendRows(shown);
  };

  /** Shows a stored trace; `experiment` when its files are there too. */
  const reopen = async (
    key: string,
    onUpdate: UpdateListener,
    clocks: ClockSettings | undefined,
    files: readonly SourceRef[] = [],
    experiment?: Experiment,
  ): Promise<OpenOutcome | undefined> => {
    const { store } = await opening;
    const finding = reopenTrace(environment, store, key, experiment, clocks, onUpdate).then((found) => {
      trace = found?.trace;
      return found;
    });
    reopening = finding.catch(() => undefined);
    const stored = await finding;
    if (stored === undefined) return undefined;
    const { info, rows, progress } = stored;
    const own = new SessionOverlays({ environment, store, key, experiment, trace: stored.trace });
    const isStored = await own.reopen();
    void showOverlays({ overlays: own, rows, progress, onUpdate }, isStored);
    return { ok: true, info, rows, files };
  };

  /** @param before faults of getting the files */
  const openFiles = async (
    given: readonly SourceRef[],
    before: readonly Fault[],
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> => {
    const endUnused = environment.prepareWorkers?.(options.workers ?? environment.workers);
    try {
      return await readFiles(given, before, options, onUpdate);
    } finally {
      endUnused?.();
    }
  };

  const readFiles = async (
    given: readonly SourceRef[],
    before: readonly Fault[],
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> => {
    const gathered = await gather(given, onUpdate);
    if (gathered === undefined) return fail(SUPERSEDED);
    const { files } = gathered;
    const found = await openExperiment(files, environment.openSource, { name: options.name });
    const experiment = { ...found, faults: [...before, ...gathered.faults, ...found.faults] };
    if (experiment.traces.length === 0)
      return fail(experiment.faults[0] ?? { code: 'not-a-trace', place: {} });
    const key = await traceKey(experiment);
    const known = await reopen(key, onUpdate, options.clocks, files, experiment);
    if (known !== undefined) return known;
    const { store } = await opening;
    let last: SessionUpdate | undefined;
    const hear = (update: SessionUpdate) => {
      last = { ...last, ...update };
      return onUpdate(update);
    };
    const mine = (reading = await readExperiment(environment, store, experiment, key, options, hear));
    trace = mine.trace;
    void mine.done.then(({ state }) => {
      if (reading !== mine || last?.rows === undefined) return;
      const { rows, progress } = last;
      const own = new SessionOverlays({ environment, store, key, experiment, trace: mine.trace });
      void showOverlays({ overlays: own, rows, progress, onUpdate }, false, state === 'done');
    });
    return { ok: true, ...(await mine.picture()), files };
  };

  return {
    async open(files, options, onUpdate) {
      await close();
      return openFiles(files, [], options, onUpdate);
    },
    async openAddress(address, options, onUpdate) {
      await close();
      const { download, spills } = environment;
      if (download === undefined) return fail({ code: 'address-unreadable', place: { file: address } });
      const mine = (gathering = new AbortController());
      const onProgress = gatheringProgress('fetching', onUpdate);
      const { file, faults } = await download(address, { spills, signal: mine.signal, onProgress });
      if (gathering !== mine) return fail(SUPERSEDED);
      return file === undefined ? fail(faults[0]) : openFiles([file], faults, options, onUpdate);
    },
    async reopen(key, onUpdate, clocks) {
      await close();
      return (
        (await reopen(key, onUpdate, clocks)) ??
        fail({ code: 'not-a-trace', place: { file: key }, found: 'no such stored trace' })
      );
    },
    async cancel() {
      gathering?.abort();
      reading?.cancel();
      await reading?.done;
    },
    async close() {
      await close();
      await environment.spills.keepOnly([]);
    },
    async recent() {
      const { store } = await opening;
      return (await store.list())
        .filter(({ complete }) => complete)
        .map(({ key, name, opened, bytes, info }): RecentTrace => {
          return { key, name, openedMs: opened, bytes, ...(info as TraceSummary) };
        });
    },
    forget: async (key) => (await opening).store.delete(key),
    async storage() {
      const { store, fault, estimate } = await opening;
      const kind = store.kind === 'indexeddb' ? 'indexeddb' : 'memory';
      return { kind, fault: fault(), ...(await estimate()) };
    },
    async tile(index, attributes, from, to, bucketNs) {
      const host = await openHost(index);
      if (host === undefined) return emptyTile(attributes.length, from, to, bucketNs);
      return tileOf(host.query, host.clock, attributes, from, to, bucketNs);
    },
    async overlayTile(index, attributes, from, to, bucketNs) {
      const host = await openHost(index);
      const query = overlays?.overlays.hosts.find((other) => other.index === index)?.query;
      if (host === undefined || query === undefined) return emptyTile(attributes.length, from, to, bucketNs);
      return tileOf(query, host.clock, attributes, from, to, bucketNs);
    },
    async load(index, attributes, from, to, bucketNs) {
      const host = await openHost(index);
      const grid = gridOf(from, to, bucketNs);
      return host === undefined ? new Float32Array(grid.length).fill(NaN) : loadOf(host, attributes, grid);
    },
    async density(rows, from, to, bucketNs) {
      const grid = gridOf(from, to, bucketNs);
      const all = new Float32Array(rows.length * grid.length);
      const trace = await openTrace();
      for (const [i, row] of rows.entries()) {
        const buckets = await trace?.density(row, grid);
        if (buckets !== undefined) all.set(buckets, i * grid.length);
      }
      return all;
    },
    interval: async (row, timeNs) => {
      if (isOverlay(row)) return overlays?.overlays.interval(row, timeNs);
      const host = await openHost(hostOfRow(row));
      return host && intervalInfo(host, row, timeNs);
    },
    neighbour: async (row, timeNs, direction) => {
      if (isOverlay(row)) return overlays?.overlays.interval(row, timeNs, direction);
      const host = await openHost(hostOfRow(row));
      return host && neighbourInfo(host, row, timeNs, direction);
    },
    async cpuStats(range) {
      const cpus = [];
      const threads = [];
      const trace = await openTrace();
      for (const host of (trace?.hosts ?? []).filter(isKernelHost)) {
        const { from, to } = windowOf(host.query.extent(), range, host.clock);
        const stats = await hostCpuStats(host, from, to);
        cpus.push(...stats.cpus);
        threads.push(...stats.threads);
      }
      return { ...(range ?? trace?.extent() ?? { from: 0, to: 0 }), cpus, threads };
    },
    countStats: async (range) =>
      (await (await openTrace())?.counts(range)) ?? { approximate: false, events: [] },
    ioStats: async (range) =>
      (await (await openTrace())?.io(range)) ?? { approximate: false, threads: [], files: [], disks: [] },
    schedStats: async (range) =>
      (await (await openTrace())?.sched(range)) ?? {
        threads: [],
        woken: NO_DURATION,
        preempted: NO_DURATION,
        missing: [],
      },
    irqStats: async (range) =>
      (await (await openTrace())?.irq(range)) ?? {
        approximate: false,
        interrupts: [],
        cpus: [],
        missing: [],
      },
    callStats: async (range) =>
      (await (await openTrace())?.calls(range)) ?? {
        approximate: false,
        calls: [],
        threads: [],
        pairs: [],
        missing: [],
      },
    path: async (request) => (await openTrace())?.path(request),
    pathParts: async (request) => (await openTrace())?.pathParts(request),
    sync: async (guests) => (await openTrace())?.syncInfo(guests),
    eventsAround: async (timeNs, limit) => (await (await openTrace())?.eventsAround(timeNs, limit)) ?? [],
    overlays: () => Promise.resolve(overlays?.overlays.info()),
    async changeOverlays(definitions) {
      const shown = overlays;
      if (shown === undefined) return undefined;
      const isChanged = await shown.overlays.change(definitions);
      if (isChanged && overlays === shown) sendRows(shown);
      return shown.overlays.info();
    },
  };
}

/** Overlays with what the page was told last, without them. */
interface ShownOverlays {
  readonly overlays: SessionOverlays;
  readonly rows: RowColumns;
  readonly progress: SessionUpdate['progress'];
  readonly onUpdate: UpdateListener;
}

function sendRows({ overlays, rows, progress, onUpdate }: ShownOverlays): void {
  onUpdate({ progress: { ...progress }, rows: packRows(overlays.rows(unpackRows(rows))) });
}

function isOverlay(row: string): boolean {
  return row.startsWith('overlay:');
}

/** A tile of a history; times in display ns. */
async function tileOf(
  query: HistoryQuery,
  clock: ClockTransform,
  attributes: readonly number[],
  from: number,
  to: number,
  bucketNs: number,
): Promise<Tile> {
  const tile = await query.tile({ attributes, from: clock.toHost(from), to: clock.toHost(to), bucketNs });
  return {
    ...tile,
    from: clock.toExperiment(tile.from),
    to: clock.toExperiment(tile.to),
    begin: clock.columnToExperiment(tile.begin),
    end: clock.columnToExperiment(tile.end),
  };
}

/** Row ids are `KIND:HOST:…`. */
function hostOfRow(row: string): number {
  return Number(row.split(':')[1]);
}

/** A range in display time as TimeNs of a host, within what is known. */
function windowOf(
  extent: RangeRequest,
  range: RangeRequest | undefined,
  clock: ClockTransform,
): RangeRequest {
  if (range === undefined) return extent;
  return {
    from: Math.max(extent.from, clock.toHost(range.from)),
    to: Math.min(extent.to, clock.toHost(range.to)),
  };
}

function gridOf(from: number, to: number, bucketNs: number) {
  return bucketNs > 0 && to > from
    ? { from, bucketNs, length: Math.ceil((to - from) / bucketNs) }
    : EMPTY_GRID;
}

function emptyTile(rows: number, from: number, to: number, bucketNs: number) {
  const none = new Float64Array(0);
  const rowStart = new Uint32Array(rows + 1);
  return {
    from,
    to,
    bucketNs,
    rowStart,
    begin: none,
    end: none,
    value: none,
    mix: new Int32Array(0),
    shares: new Uint8Array(0),
  };
}
