/** Reads an experiment: runs the driver, keeps the page informed, stores what comes out. */
import { AggregateLeaves } from '../analysis/aggregate-leaves.ts';
import { createChunkMapper } from '../analysis/chunk-mapper.ts';
import { runAnalyses, type RunOutcome, type RunProgress } from '../analysis/driver.ts';
import { hostLength } from '../analysis/reduced-host.ts';
import { append } from '../base/append.ts';
import type { Fault } from '../base/fault.ts';
import { type HostEvents, threadEvents } from '../density/thread-events.ts';
import type { BuilderOptions } from '../history/builder.ts';
import type { SealedBytes, SealJob } from '../history/seal.ts';
import { kernelState } from '../kernel/kernel-state.ts';
import type { ReducedTables } from '../kernel/reduce/kernel-tables.ts';
import { analysisSet, SESSION_IDS } from '../registry.ts';
import type { Store } from '../store/types.ts';
import { planChunks } from '../trace/chunk-plan.ts';
import type { Experiment } from '../trace/types.ts';
import { createOpenTrace } from './answers.ts';
import type { ExperimentInfo, OpenOptions, Progress, SessionUpdate, UpdateListener } from './api.ts';
import { DisplayTime } from './display-time.ts';
import type { SessionEnvironment, SessionExecutor } from './environment.ts';
import { growHistory, type GrowingHistory } from './host-history.ts';
import { type HostSync, ownClock, synchroniseHosts } from './host-sync.ts';
import { KeptLeaves } from './kept-leaves.ts';
import type { OpenTrace } from './open-trace.ts';
import { experimentInfo, experimentOverview, experimentRows, type PictureSource } from './picture.ts';
import { eventsOfHost } from './rows/event-density.ts';
import { packetDensity } from './rows/packet-density.ts';
import type { Grid } from './rows/resample.ts';
import type { RowColumns } from './rows/rows-api.ts';
import { beginTrace, recordsOf, saveTrace } from './stored-trace.ts';

export interface Reading {
  readonly trace: OpenTrace;
  /** Resolves when reading has ended, however, and a trace of which every chunk was read is stored. */
  readonly done: Promise<RunOutcome>;
  /** Ends reading; what was read stays, in the store too, where queries find blocks that left memory. */
  cancel(): void;
  /** Ends reading for good: the store keeps nothing but whole traces. */
  close(): Promise<void>;
  /** What the page was told before anything was read. */
  readonly first: { readonly info: ExperimentInfo; readonly rows: RowColumns };
}

/** ms between two reports of progress, and between two pictures at least. */
const PROGRESS_MS = 400;
const PICTURE_MS = 1000;
/**
 * A picture waits so many times as long as the last one took to be made, asked for and shown, since it costs as much as
 * there are rows. So a page that nobody looks at gets none.
 */
const PICTURE_WAITS = 30;

export async function readExperiment(
  environment: SessionEnvironment,
  store: Store,
  experiment: Experiment,
  key: string,
  options: OpenOptions,
  onUpdate: UpdateListener,
): Promise<Reading> {
  const chunks = planChunks(experiment, options.chunkBytes);
  const beginning = beginTrace(store, key, experiment.name);
  const faults: Fault[] = [];
  const note = (fault: Fault) => void faults.push(fault);
  const time = new DisplayTime(experiment.hosts, options.clocks);
  const records = recordsOf(store, key);
  const executor = await environment.startExecutor(
    experiment,
    SESSION_IDS,
    options.workers ?? environment.workers,
  );
  const sealing = sealingBy(executor);
  const histories = experiment.hosts.map((host) =>
    growHistory({
      index: host.index,
      time,
      lengthNs: hostLength(experiment, host),
      records,
      seal: sealing.seal,
      onFault: note,
    }),
  );
  const density = packetDensity(experiment);
  const abort = new AbortController();
  const totals = { stopped: false, discardedEvents: 0, lostChunks: 0 };
  const set = analysisSet(SESSION_IDS);
  const aggregates = set.aggregates.map(({ id }) => id);
  const kept = new KeptLeaves(new AggregateLeaves(chunks), aggregates, records);
  const source: PictureSource = {
    key,
    experiment,
    time,
    hosts: histories,
    density,
    threadEvents: (host) => eventsSoFar(experiment, kept, host),
    faults,
    get discardedEvents() {
      return totals.discardedEvents;
    },
    get stopped() {
      return totals.stopped;
    },
  };
  let sync: HostSync | undefined;
  const trace = createOpenTrace({
    hosts: histories,
    time,
    sync: () => sync,
    lengthNs: () => experimentInfo(source).lengthNs,
    threadEvents: source.threadEvents,
    packetDensity: (row, grid) => densityOfRow(source, row, grid),
    leaves: (...analyses) => kept.having(...analyses),
    files: {
      experiment,
      mapper: createChunkMapper(experiment, set, environment.openSource, environment.decoder),
    },
    openSource: environment.openSource,
  });
  const reporter = createReporter(source, onUpdate);
  const first = await reporter.begin();

  // Files may be readable the next time: they must not be passed over for a stored part of them.
  const isWhole = ({ state }: RunOutcome) => state === 'done' && totals.lostChunks === 0;

  const run = async (): Promise<RunOutcome> => {
    try {
      const begun = await beginning;
      if (!begun.ok) note(begun.fault);
      const outcome = await runAnalyses({
        experiment,
        chunks,
        analyses: set,
        executor,
        leaves: kept.leaves,
        sinkOf: (host) => histories[host].builder,
        signal: abort.signal,
        onChunk: (report) => {
          density.learn(report);
          kept.add(report.chunk.id);
          if (report.lost) totals.lostChunks++;
          for (const lost of report.answer.packets.discardedEvents) totals.discardedEvents += lost;
        },
        onProgress: (progress) => {
          reporter.progress(progress, () => learnTables(histories, progress));
        },
        ready: () => pressureOf(histories),
      });
      totals.stopped = outcome.state === 'cancelled';
      append(faults, outcome.faults);
      await finishHistories(histories, outcome);
      // What follows needs memory, and no workers.
      executor.dispose();
      const synchronised = await synchroniseHosts(experiment.hosts, histories);
      time.synchronise(synchronised.pairs, options.clocks);
      sync = synchronised;
      await reporter.finish(outcome, async (update) => {
        if (isWhole(outcome))
          await saveTrace(store, key, {
            histories,
            leaves: kept,
            clocks: experiment.hosts.map(ownClock),
            sync: synchronised,
            settings: options.clocks,
            update,
            density: trace.density,
          });
      });
      return { ...outcome, times: { ...outcome.times, seal: sealing.ms() } };
    } finally {
      executor.dispose();
    }
  };
  const done = run();
  return {
    trace,
    done,
    cancel: () => abort.abort(),
    async close() {
      abort.abort();
      if (!isWhole(await done)) await store.delete(key);
    },
    first,
  };
}

/** Of a host with a kernel's trace there are none: its first picture does not wait for leaves that were stored. */
async function eventsSoFar(
  { hosts, traces }: Experiment,
  kept: KeptLeaves,
  host: number,
): Promise<HostEvents | undefined> {
  const own = hosts.find(({ index }) => index === host);
  if (own === undefined || own.traces.some((trace) => traces[trace].domain === 'kernel')) return undefined;
  return eventsOfHost(await kept.having(threadEvents.id), host);
}

function learnTables(histories: readonly GrowingHistory[], progress: RunProgress): void {
  for (const history of histories) learnTable(history, progress.soFar(history.index));
}

function learnTable(history: GrowingHistory, results: ReadonlyMap<string, unknown>): void {
  const tables = results.get(kernelState.id) as ReducedTables | undefined;
  if (tables !== undefined && tables.cpus.length > 0) history.learn(tables);
}

/** Resolves when the last segments are sealed. */
async function finishHistories(histories: readonly GrowingHistory[], outcome: RunOutcome): Promise<void> {
  for (const history of histories) {
    learnTable(history, outcome.histories[history.index]);
    history.builder.finish(history.tables?.end ?? 0);
  }
  await Promise.all(histories.map(({ builder }) => builder.ready()));
}

interface Sealing {
  readonly seal: BuilderOptions['seal'];
  /** What sealing took so far, summed over the workers. */
  ms(): number;
}

/** Has segments sealed by the executor's workers, if it has some. */
function sealingBy({ seal }: SessionExecutor): Sealing {
  if (seal === undefined) return { seal: undefined, ms: () => 0 };
  let ms = 0;
  const timed = async (job: SealJob): Promise<SealedBytes> => {
    const sealed = await seal(job);
    ms += sealed.ms;
    return sealed;
  };
  return { seal: timed, ms: () => ms };
}

/** Back-pressure: the store's, and that of segments being sealed. */
function pressureOf(histories: readonly GrowingHistory[]): Promise<void> | undefined {
  const waits = histories
    .flatMap(({ writer, builder }) => [writer.pressure(), builder.pressure()])
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
}

function densityOfRow(source: PictureSource, row: string, grid: Grid): Float32Array | undefined {
  const [kind, host, place = ''] = row.split(':');
  if (kind !== 'stream') return undefined;
  const [trace, stream] = place.split('.').map(Number);
  return source.density.buckets(trace, stream, source.time.of(Number(host)), grid);
}

interface Reporter {
  /** Tells what is known before anything is read: streams, by their packets. */
  begin(): Promise<Reading['first']>;
  /** `learn` is called before a picture is made. */
  progress(progress: RunProgress, learn: () => void): void;
  /** Tells of the end once `save` has stored the last picture. */
  finish(outcome: RunOutcome, save: (update: SessionUpdate) => Promise<void>): Promise<void>;
}

type Picture = Required<SessionUpdate>;

function createReporter(source: PictureSource, onUpdate: UpdateListener): Reporter {
  let lastProgress = -Infinity;
  let nextPicture = -Infinity;
  let making: Promise<void> | undefined;
  let last: RunProgress | undefined;

  const shown = (phase: Progress['phase'], progress: RunProgress | undefined): Progress => ({
    phase,
    bytes: progress?.bytes ?? 0,
    totalBytes: progress?.totalBytes ?? 0,
    events: progress?.events ?? 0,
    seconds: progress?.seconds ?? 0,
    watermarkNs: watermarkOf(source, progress),
  });
  const picture = async (phase: Progress['phase'], progress: RunProgress | undefined): Promise<Picture> => {
    const info = experimentInfo(source);
    const rows = await experimentRows(source);
    return {
      progress: shown(phase, progress),
      info,
      rows,
      overview: await experimentOverview(source, info.lengthNs),
    };
  };

  return {
    async begin() {
      const update = await picture('reading', undefined);
      void onUpdate(update);
      return update;
    },
    progress(progress, learn) {
      last = progress;
      const now = performance.now();
      if (now - lastProgress < PROGRESS_MS) return;
      lastProgress = now;
      const isDue = now >= nextPicture;
      if (isDue) learn();
      if (!isDue || !hasPicture(source)) {
        onUpdate({ progress: shown('reading', progress) });
        return;
      }
      nextPicture = Infinity;
      making = picture('reading', progress).then((update) => {
        making = undefined;
        void Promise.resolve(onUpdate(update)).then(() => {
          const shown = performance.now();
          nextPicture = shown + Math.max(PICTURE_MS, PICTURE_WAITS * (shown - now));
        });
      });
    },
    async finish(outcome, save) {
      await making;
      const update = await picture('finishing', last);
      onUpdate(update);
      await save(update);
      const phase = outcome.state === 'cancelled' ? 'cancelled' : 'done';
      // Rows and overview are those just told: in a long trace they are megabytes.
      onUpdate({ info: experimentInfo(source), progress: shown(phase, last) });
    },
  };
}

/** Before anything is certain, a kernel's picture would show streams only, and put off the first one that tells more. */
function hasPicture({ hosts, experiment }: PictureSource): boolean {
  return (
    hosts.some(({ tables }) => tables !== undefined) ||
    !experiment.traces.some(({ domain }) => domain === 'kernel')
  );
}

/** Display time before which all hosts are final. */
function watermarkOf(source: PictureSource, progress: RunProgress | undefined): number {
  const marks = progress?.watermarks.map((mark, host) => source.time.of(host).toExperiment(mark)) ?? [
    -Infinity,
  ];
  return Math.min(...marks);
}
