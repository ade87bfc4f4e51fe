/** Reads an experiment: runs the driver, informs the page, stores the results. */
import { runAnalyses, type RunOutcome } from '../analysis/driver.ts';
import type { Result } from '../base/fault.ts';
import { SESSION_IDS } from '../registry.ts';
import type { Store } from '../store/types.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import { planChunks } from '../trace/chunk-plan.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import type { OpenOptions, UpdateListener } from '../protocol/session.ts';
import type { SessionEnvironment, SessionExecutor } from './environment.ts';
import { LiveTrace } from './live-trace.ts';
import type { LiveHistory } from './host-history.ts';
import {
  type HostSync,
  matcher,
  ownClock,
  recordingsApart,
  synchroniseHosts,
} from '../answers/sync/host-sync.ts';
import type { OpenTrace } from '../answers/context/open-trace.ts';
import { type Picture, Reporter } from './reporter.ts';
import { beginTrace, recordsOf, saveTrace } from './stored-trace.ts';

export async function readExperiment(
  environment: SessionEnvironment,
  store: Store,
  experiment: Experiment,
  key: string,
  options: OpenOptions,
  onUpdate: UpdateListener,
): Promise<Reading> {
  // Loaded before reading, which could not be finished without it.
  if (experiment.hosts.length > 1) await matcher();
  const chunks = planChunks(experiment, options.chunkBytes);
  const beginning = beginTrace(store, key, experiment.name);
  const workers = options.workers ?? environment.workers;
  const executor = await environment.startExecutor(experiment, SESSION_IDS, workers);
  const sealing = { ms: 0 };
  const seal = executor.seal?.bind(executor);
  const records = recordsOf(store, key, beginning);
  const { clocks } = options;
  const growing = new LiveTrace({
    key,
    experiment,
    chunks,
    records,
    seal:
      seal &&
      (async (job) => {
        const sealed = await seal(job);
        sealing.ms += sealed.ms;
        return sealed;
      }),
    clocks,
    onDamage: (damage) => reporter.damage(damage),
  });
  const trace = growing.open(environment);
  const reporter = new Reporter(growing, onUpdate, environment.makesPictures);
  const first = await reporter.begin();
  return new Reading(
    { store, beginning, chunks, clocks, executor, sealing, growing, reporter },
    trace,
    first,
  );
}

interface RunParts {
  readonly store: Store;
  /** Resolves when the store has begun the trace. */
  readonly beginning: Promise<Result<void>>;
  readonly chunks: readonly Chunk[];
  readonly clocks: ClockSettings | undefined;
  readonly executor: SessionExecutor;
  /** Time that sealing took so far, summed over the workers, ms. */
  readonly sealing: { readonly ms: number };
  readonly growing: LiveTrace;
  readonly reporter: Reporter;
}

/** Reads all chunks; begins when constructed. */
export class Reading {
  readonly trace: OpenTrace;
  /** Picture that was sent to the page before anything was read. */
  readonly first: Pick<Picture, 'info' | 'rows' | 'progress'>;
  /**
   * Resolves when reading has ended in any way, and a trace of which every chunk was read is stored; its faults are
   * those of reading and storing. Rejects only for a fault of the program.
   */
  readonly done: Promise<RunOutcome>;
  readonly #parts: RunParts;
  readonly #abort = new AbortController();

  constructor(parts: RunParts, trace: OpenTrace, first: Reading['first']) {
    this.#parts = parts;
    this.trace = trace;
    this.first = first;
    this.done = this.#run();
  }

  /** Ends reading; what was read stays, in the store too, where queries find blocks that are no longer in memory. */
  cancel(): void {
    this.#abort.abort();
  }

  /** Ends reading for good: the store keeps only whole traces. */
  async close(): Promise<void> {
    const { store, growing } = this.#parts;
    this.cancel();
    // The caller of `done` gets the error; the remains are removed in any case.
    await this.done.catch(() => undefined);
    await store.abandon(growing.key);
  }

  async #run(): Promise<RunOutcome> {
    const { beginning, executor, sealing, growing, reporter } = this.#parts;
    try {
      const begun = beginning.then((result) => {
        if (!result.ok) growing.addFault(result.fault);
        this.#noteRefusal();
      });
      const outcome = await this.#analyse();
      await begun;
      await growing.finish(outcome);
      if (outcome.state === 'failed') {
        await reporter.fail(outcome.faults.at(-1));
        return outcome;
      }
      // What follows needs memory, but no workers.
      executor.dispose();
      const sync = await this.#synchronise();
      await reporter.finish(outcome, (update) => this.#save(outcome, sync, update));
      return { ...outcome, faults: [...growing.faults], times: { ...outcome.times, seal: sealing.ms } };
    } finally {
      executor.dispose();
    }
  }

  #analyse(): Promise<RunOutcome> {
    const { chunks, executor, growing, reporter } = this.#parts;
    return runAnalyses({
      experiment: growing.experiment,
      chunks,
      analyses: growing.analyses,
      executor,
      chunkResults: growing.chunkResults.chunkResults,
      sinkOf: (host) => growing.hosts[host].builder,
      signal: this.#abort.signal,
      onChunk: (report) => growing.take(report),
      onProgress: (progress) => reporter.progress(progress, () => growing.updateTables(progress)),
      ready: () => pressureOf(growing.hosts),
    });
  }

  async #synchronise(): Promise<HostSync> {
    const { clocks, growing } = this.#parts;
    const { hosts, sideBySide } = growing.experiment;
    const sync = sideBySide
      ? recordingsApart(hosts, growing.hosts)
      : await synchroniseHosts(hosts, growing.hosts);
    growing.time.synchronise(sync.pairs, clocks);
    growing.sync = sync;
    return sync;
  }

  async #save(outcome: RunOutcome, sync: HostSync, update: Picture): Promise<void> {
    const { store, beginning, clocks, growing } = this.#parts;
    if (!growing.isWhole(outcome)) return;
    const begun = await beginning;
    const saved = begun.ok
      ? await saveTrace(store, growing.key, {
          histories: growing.hosts,
          chunkResults: growing.chunkResults,
          packetEvents: growing.packetEvents,
          clocks: growing.experiment.hosts.map(ownClock),
          sync,
          settings: clocks,
          update,
          density: (row, grid) => this.trace.density.of([row], grid),
        })
      : begun;
    // What was written stays until the trace is closed, for queries of blocks that are no longer in memory.
    if (!saved.ok) growing.addFault(saved.fault);
    this.#noteRefusal();
  }

  /** Reports a trace that is not stored but only in memory. */
  #noteRefusal(): void {
    const { store, growing } = this.#parts;
    const refusal = store.refusal?.(growing.key);
    if (refusal !== undefined) growing.addFault(refusal);
  }
}

/** Back-pressure of the store, and of segments that are being sealed. */
function pressureOf(histories: readonly LiveHistory[]): Promise<void> | undefined {
  const waits = histories
    .flatMap(({ writer, builder }) => [writer.pressure(), builder.pressure()])
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
}
