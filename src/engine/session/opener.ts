/** Gets a trace open, and closes it: from files, an address or the store, one at a time. */
import type { Unpacked } from '../archive/types.ts';
import { unpackArchives } from '../archive/unpack.ts';
import type { Fault } from '../base/fault.ts';
import { fail } from '../base/result.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import type { Experiment } from '../trace/types.ts';
import type { OpenOptions, OpenOutcome, SessionUpdate, UpdateListener } from './api.ts';
import type { SessionEnvironment, SessionStore } from './environment.ts';
import { gatheringProgress } from './gathering-progress.ts';
import type { OpenTrace } from './open-trace.ts';
import { SessionOverlays } from './overlays/session-overlays.ts';
import { readExperiment, type Reading } from './reading.ts';
import { packRows, unpackRows } from './rows/row-columns.ts';
import type { RowColumns } from './rows/rows-api.ts';
import { reopenTrace } from './stored-trace.ts';
import { traceKey } from './trace-key.ts';

/** Overlays with what the page was told last, without them. */
interface ShownOverlays {
  readonly overlays: SessionOverlays;
  readonly rows: RowColumns;
  readonly progress: SessionUpdate['progress'];
  readonly onUpdate: UpdateListener;
}

/** Something else was opened, or all was closed, before this was. */
const SUPERSEDED: Fault = { code: 'cancelled', place: {} };

export class Opener {
  readonly #environment: SessionEnvironment;
  readonly #store: Promise<SessionStore>;
  #reading: Reading | undefined;
  #trace: OpenTrace | undefined;
  #shown: ShownOverlays | undefined;
  #gathering: AbortController | undefined;
  /** Settles when what is being opened can be asked; the page has its rows before. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(environment: SessionEnvironment, store: Promise<SessionStore>) {
    this.#environment = environment;
    this.#store = store;
  }

  /** What is open, once it can be asked. */
  async trace(): Promise<OpenTrace | undefined> {
    await this.#opening;
    return this.#trace;
  }

  /** undefined: the trace is being read, or there is none. */
  get overlays(): SessionOverlays | undefined {
    return this.#shown?.overlays;
  }

  async open(
    files: readonly SourceRef[],
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    await this.close();
    return this.#openFiles(files, [], options, onUpdate);
  }

  async openAddress(address: string, options: OpenOptions, onUpdate: UpdateListener): Promise<OpenOutcome> {
    await this.close();
    const { download, spills } = this.#environment;
    if (download === undefined) return fail({ code: 'address-unreadable', place: { file: address } });
    const mine = (this.#gathering = new AbortController());
    const onProgress = gatheringProgress('fetching', onUpdate);
    const { file, faults } = await download(address, { spills, signal: mine.signal, onProgress });
    if (this.#gathering !== mine) return fail(SUPERSEDED);
    return file === undefined ? fail(faults[0]) : this.#openFiles([file], faults, options, onUpdate);
  }

  async reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings): Promise<OpenOutcome> {
    await this.close();
    return (
      (await this.#reopen(key, onUpdate, clocks)) ??
      fail({ code: 'not-a-trace', place: { file: key }, found: 'no such stored trace' })
    );
  }

  async cancel(): Promise<void> {
    this.#gathering?.abort();
    this.#reading?.cancel();
    await this.#reading?.done;
  }

  async close(): Promise<void> {
    this.#gathering?.abort();
    this.#gathering = undefined;
    this.#shown?.overlays.close();
    await this.#reading?.close();
    this.#reading = this.#trace = this.#shown = undefined;
  }

  /** Has the page told of the rows after its overlays changed. */
  sendRows(): void {
    if (this.#shown === undefined) return;
    const { overlays, rows, progress, onUpdate } = this.#shown;
    onUpdate({ progress: { ...progress }, rows: packRows(overlays.rows(unpackRows(rows))) });
  }

  /** @param before faults of getting the files */
  async #openFiles(
    given: readonly SourceRef[],
    before: readonly Fault[],
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    const { prepareWorkers, workers } = this.#environment;
    const endUnused = prepareWorkers?.(options.workers ?? workers);
    try {
      const gathered = await this.#gather(given, onUpdate);
      if (gathered === undefined) return fail(SUPERSEDED);
      return await this.#openGathered(gathered, before, options, onUpdate);
    } finally {
      endUnused?.();
    }
  }

  /** The files of traces, out of archives too; undefined: something else was opened meanwhile. */
  async #gather(files: readonly SourceRef[], onUpdate: UpdateListener): Promise<Unpacked | undefined> {
    const mine = (this.#gathering = new AbortController());
    const { openSource, spills } = this.#environment;
    const onProgress = gatheringProgress('unpacking', onUpdate);
    const unpacked = await unpackArchives(files, {
      open: openSource,
      spills,
      signal: mine.signal,
      onProgress,
    });
    if (this.#gathering !== mine) return undefined;
    this.#gathering = undefined;
    await spills.keepOnly(unpacked.files);
    return unpacked;
  }

  /** From the store when it is kept; else it is read. */
  async #openGathered(
    gathered: Unpacked,
    before: readonly Fault[],
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    const { files } = gathered;
    const found = await openExperiment(files, this.#environment.openSource, { name: options.name });
    const experiment = { ...found, faults: [...before, ...gathered.faults, ...found.faults] };
    if (experiment.traces.length === 0)
      return fail(experiment.faults[0] ?? { code: 'not-a-trace', place: {} });
    const key = await traceKey(experiment);
    const known = await this.#reopen(key, onUpdate, options.clocks, files, experiment);
    if (known !== undefined) return known;
    const reading = await this.#read(experiment, key, options, onUpdate);
    const { info, rows } = reading.first;
    return { ok: true, info, rows, files };
  }

  async #read(
    experiment: Experiment,
    key: string,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<Reading> {
    const environment = this.#environment;
    const { store } = await this.#store;
    let last: SessionUpdate | undefined;
    const hear = (update: SessionUpdate) => {
      last = { ...last, ...update };
      return onUpdate(update);
    };
    const beginning = readExperiment(environment, store, experiment, key, options, hear).then((begun) => {
      this.#reading = begun;
      this.#trace = begun.trace;
      return begun;
    });
    this.#opening = beginning.catch(() => undefined);
    const reading = await beginning;
    const { trace } = reading;
    void reading.done.then(({ state }) => {
      if (this.#reading !== reading || last?.rows === undefined) return;
      const { rows, progress } = last;
      const overlays = new SessionOverlays({ environment, store, key, experiment, trace });
      void this.#showOverlays({ overlays, rows, progress, onUpdate }, false, state === 'done');
    });
    return reading;
  }

  /** Shows a stored trace; `experiment` when its files are there too. */
  async #reopen(
    key: string,
    onUpdate: UpdateListener,
    clocks: ClockSettings | undefined,
    files: readonly SourceRef[] = [],
    experiment?: Experiment,
  ): Promise<OpenOutcome | undefined> {
    const environment = this.#environment;
    const { store } = await this.#store;
    const finding = reopenTrace(environment, store, key, experiment, clocks, onUpdate).then((found) => {
      this.#trace = found?.trace;
      return found;
    });
    this.#opening = finding.catch(() => undefined);
    const stored = await finding;
    if (stored === undefined) return undefined;
    const { info, rows, progress, trace } = stored;
    const overlays = new SessionOverlays({ environment, store, key, experiment, trace });
    const isStored = await overlays.reopen();
    void this.#showOverlays({ overlays, rows, progress, onUpdate }, isStored);
    return { ok: true, info, rows, files };
  }

  /** Shows the overlays that are stored, or suggested. */
  async #showOverlays(shown: ShownOverlays, isStored: boolean, isWhole = true): Promise<void> {
    this.#shown = shown;
    if (!isStored) await shown.overlays.begin(isWhole);
    if (this.#shown === shown && shown.overlays.hosts.length > 0) this.sendRows();
  }
}
