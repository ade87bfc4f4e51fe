/** Opens and closes traces, from files, an address or the store, one at a time. */
import type { Unpacked } from '../archive/types.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { isMissingCode, laterCode } from '../base/later-code.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { Store } from '../store/types.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import type { Experiment } from '../trace/types.ts';
import type {
  FoundTrace,
  Given,
  OpenOptions,
  OpenOutcome,
  SessionUpdate,
  UpdateListener,
} from '../protocol/session.ts';
import { keepDamage } from './damage.ts';
import type { SessionEnvironment, SessionStore } from './environment.ts';
import { fingerprintOf } from '../trace/fingerprint-of-key.ts';
import { fetchGiven, unpackFetched } from './gathering.ts';
import { recordingOf } from '../importers/unpack-files.ts';
import { SessionLayers } from './layers/session-layers.ts';
import type { OpenTrace } from '../answers/context/open-trace.ts';
import { readExperiment, type Reading } from './reading.ts';
import type { RowColumns } from '../protocol/rows.ts';
import { recordsOf, reopenTrace } from './stored-trace.ts';
import { isCurrent, traceKey } from '../answers/context/trace-key.ts';

/** Executions that are kept with traces: few traces have any. */
export const keptExecutions = laterCode(() => import('../answers/executions/kept-executions.ts'));

/** Layers, and the rows without those of layers that the page got last. */
interface ShownLayers {
  readonly layers: SessionLayers;
  readonly rows: RowColumns;
  readonly progress: SessionUpdate['progress'];
  readonly onUpdate: UpdateListener;
}

/** An opening, from its call until it is replaced by the next one or by closing. */
interface Opening {
  /** Ends gathering and reading: what was received so far is opened. */
  readonly stop: AbortController;
  /** Whether something else was opened, or all was closed, so that this one is given up. */
  isReplaced: boolean;
  /** Settles when it is open or given up; the page gets its first rows earlier. */
  arrived: Promise<unknown>;
  files: readonly SourceRef[];
  /** Whether recordings are shown side by side; files are compared with the trace in that form. */
  sideBySide: boolean;
  /** undefined: the trace was stored, or reading has not begun. */
  reading?: Reading;
  trace?: OpenTrace | undefined;
  /** undefined: layers were not asked for yet. */
  shown?: ShownLayers;
}

function newOpening(): Opening {
  const stop = new AbortController();
  return { stop, isReplaced: false, arrived: Promise.resolve(), files: [], sideBySide: false };
}

/** Fault: a stored trace no longer exists. */
const GONE: Fault = {
  code: 'store-damaged',
  place: {},
  found: 'the trace is not kept any more: it was deleted, in another tab or by the browser',
};
/** Fault: a trace was stored by a version of the program that read events differently. */
const OUTDATED: Fault = {
  code: 'store-damaged',
  place: {},
  found: 'another version of this program kept the trace, and read its events otherwise',
};
/** Fault: something else was opened, or all was closed, before this was open. */
const SUPERSEDED: Fault = { code: 'cancelled', place: {} };

/** Result of an opening whose code could not be loaded; other errors are thrown again. */
function missingCode(error: unknown): { readonly ok: false; readonly fault: Fault } {
  if (isMissingCode(error)) return { ok: false, fault: { code: 'workers-unavailable', place: {} } };
  throw error;
}

export class Opener {
  readonly #environment: SessionEnvironment;
  protected readonly store: Promise<SessionStore>;
  #current = newOpening();
  /** Settles when the trace that was open before has ended. */
  #ending: Promise<unknown> = Promise.resolve();
  #looking: AbortController | undefined;
  /** Settles when the latest probe is done, and temporary files that nobody reads are removed. */
  #looked: Promise<unknown> = Promise.resolve();
  #found: readonly SourceRef[] = [];
  /** Keys of damaged stored traces: with their files they are read again. */
  readonly #damaged = new Set<string>();

  constructor(environment: SessionEnvironment) {
    this.#environment = environment;
    this.store = environment.openStore();
  }

  /** Trace that is open, once it can be asked. */
  async trace(): Promise<OpenTrace | undefined> {
    await this.#current.arrived;
    return this.#current.trace;
  }

  /** Resolves when the store is done with the trace that was open before. */
  async ended(): Promise<void> {
    await this.#ending;
  }

  /** undefined: the trace is being read, or none is open. */
  get layers(): SessionLayers | undefined {
    return this.#current.shown?.layers;
  }

  open(given: Given, options: OpenOptions, onUpdate: UpdateListener): Promise<OpenOutcome> {
    return this.#arrive((opening) => this.#openGiven(opening, given, options, onUpdate));
  }

  reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings): Promise<OpenOutcome> {
    return this.#arrive(async (opening) => {
      if (!isCurrent(key)) return fail(OUTDATED);
      return (await this.#reopen(opening, key, onUpdate, clocks)) ?? fail(GONE);
    });
  }

  #arrive(open: (opening: Opening) => Promise<OpenOutcome>): Promise<OpenOutcome> {
    const opening = this.#replace();
    const outcome = this.#ending.then(async () => {
      const opened = await open(opening).catch(missingCode);
      if (!opening.isReplaced)
        await this.#keep(opening, opened.ok ? [...opened.files, ...(opened.unread ?? [])] : []);
      return opened;
    });
    opening.arrived = outcome.catch(() => undefined);
    return outcome;
  }

  probe(given: Given, onUpdate: UpdateListener): Promise<Result<FoundTrace>> {
    void this.discardProbe();
    const { signal } = (this.#looking = new AbortController());
    return this.#inTurn(() => this.#look(given, signal, onUpdate).catch(missingCode));
  }

  discardProbe(): Promise<void> {
    this.#looking?.abort();
    this.#found = [];
    return this.#inTurn(() => this.#removeTempFiles());
  }

  /** Runs actions in turn, after the current opening has arrived, as that removes all other files. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const acted = Promise.all([this.#looked, this.#current.arrived]).then(act);
    this.#looked = acted.catch(() => undefined);
    return acted;
  }

  async #look(given: Given, signal: AbortSignal, onUpdate: UpdateListener): Promise<Result<FoundTrace>> {
    if (signal.aborted) return fail(SUPERSEDED);
    const environment = this.#environment;
    const url = typeof given === 'string' ? given : undefined;
    const fetched = await fetchGiven(given, environment, signal, onUpdate);
    const kept = await this.#keptKey(fetched);
    if (kept !== undefined && !signal.aborted) {
      this.#found = fetched.files;
      return ok({ key: kept, ...fetched, url });
    }
    const { files, faults } = await unpackFetched(fetched, environment, signal, onUpdate);
    const found = signal.aborted ? fail(SUPERSEDED) : await this.#find({ files, faults });
    if (found.ok && !signal.aborted) this.#found = files;
    await this.#removeTempFiles();
    return found.ok ? ok({ key: found.value.key, files, faults, url }) : found;
  }

  /** Keeps the files of the open trace, and removes all others that were fetched or unpacked. */
  async #keep(opening: Opening, files: readonly SourceRef[]): Promise<void> {
    opening.files = files;
    this.#found = [];
    await this.#removeTempFiles();
  }

  #removeTempFiles(): Promise<void> {
    return this.#environment.tempFiles.keepOnly([...this.#current.files, ...this.#found]);
  }

  async attachFiles(given: readonly SourceRef[], clocks?: ClockSettings): Promise<boolean> {
    const [opening, environment] = [this.#current, this.#environment];
    const { shown } = opening;
    const files = await this.#inTurn(async () => {
      const all = { files: given, faults: [] };
      const unpacked = await unpackFetched(all, environment, opening.stop.signal, () => undefined);
      return (this.#found = unpacked.files);
    });
    const found = await this.#find({ files, faults: [] }, { clocks });
    if (!found.ok || found.value.key !== shown?.layers.key) return false;
    const { key, experiment } = found.value;
    const { store } = await this.store;
    if (opening.isReplaced) return false;
    const send = this.#updateListener(opening, store, key, shown.onUpdate);
    const stored = await reopenTrace(environment, store, key, experiment, clocks, ({ progress, damage }) =>
      damage === undefined ? undefined : send({ progress, damage }),
    );
    if (stored?.ok !== true) {
      opening.files = files;
      const parts = ['states'];
      void send({ progress: shown.progress, damage: { parts, faults: [stored?.fault ?? GONE] } });
      return true;
    }
    const { trace, damage } = stored.value;
    const layers = new SessionLayers({ environment, store, key, experiment, trace, onDamage: damage.note });
    await layers.reopen();
    if (opening.isReplaced) return false;
    // The page refers to earlier paths by number, so they are carried over.
    const { paths, pathAnswers } = opening.trace ?? trace;
    opening.trace = { ...trace, paths, pathAnswers };
    opening.files = files;
    void this.#inTurn(() => this.#removeTempFiles());
    void this.#showLayers(opening, { ...shown, layers });
    return true;
  }

  /** See `SessionApi.addSymbols`. */
  async addSymbols(files: readonly SourceRef[]): Promise<number> {
    const trace = await this.trace();
    const useful = (await trace?.addSymbols(files)) ?? 0;
    if (useful > 0 && trace === this.#current.trace) {
      if (this.layers !== undefined) await (await keptExecutions()).forgetKept(this.layers.records);
      this.sendRows();
    }
    return useful;
  }

  async cancel(): Promise<void> {
    const { stop, reading } = this.#current;
    stop.abort();
    reading?.cancel();
    await reading?.done;
  }

  /** Closes the open trace, or gives up an opening. */
  async close(): Promise<void> {
    const opening = this.#replace();
    await this.#ending;
    if (!opening.isReplaced) await this.#keep(opening, []);
  }

  /** Ends what is open or being opened, in the store too; `#ending` settles when that is done. */
  #replace(): Opening {
    const { arrived, reading, shown, stop, files, sideBySide } = this.#current;
    this.#current.isReplaced = true;
    stop.abort();
    this.#looking?.abort();
    shown?.layers.close();
    this.#ending = Promise.all([this.#ending, arrived, this.#looked, reading?.close()]);
    // Files that are still read must not be removed before.
    return (this.#current = { ...newOpening(), arrived, files, sideBySide });
  }

  /** Sends the page its rows when those of layers changed. */
  sendRows(): void {
    if (this.#current.shown === undefined) return;
    const { layers, rows, progress, onUpdate } = this.#current.shown;
    onUpdate({ progress: { ...progress }, rows: layers.rows(rows) });
  }

  async #openGiven(
    opening: Opening,
    given: Given,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    if (opening.isReplaced) return fail(SUPERSEDED);
    const environment = this.#environment;
    const { signal } = opening.stop;
    const fetched = await fetchGiven(given, environment, signal, onUpdate);
    if (opening.isReplaced) return fail(SUPERSEDED);
    const kept = await this.#openKept(opening, fetched, options, onUpdate);
    if (kept !== undefined) return kept;
    const endUnused = environment.prepareWorkers?.(options.workers ?? environment.workers);
    try {
      const gathered = await unpackFetched(fetched, environment, signal, onUpdate);
      if (opening.isReplaced) return fail(SUPERSEDED);
      return await this.#openGathered(opening, gathered, options, onUpdate);
    } finally {
      endUnused?.();
    }
  }

  async #find(
    { files, faults }: Unpacked,
    { name, sideBySide = this.#current.sideBySide, clocks }: OpenOptions = {},
  ): Promise<Result<{ readonly experiment: Experiment; readonly key: string }>> {
    const form = { name, sideBySide, apart: clocks?.apart };
    const found = await openExperiment(files, this.#environment.openSource, form);
    const experiment = { ...found, faults: [...faults, ...found.faults] };
    if (experiment.traces.length === 0)
      return fail(experiment.faults[0] ?? { code: 'not-a-trace', place: {} });
    return ok({ experiment, key: await traceKey(experiment) });
  }

  /** Key of the stored trace that was imported from this recording of another tracer; undefined: not known yet. */
  async #keptKey({ files, faults }: Unpacked): Promise<string | undefined> {
    const print =
      faults.length > 0 ? undefined : await recordingOf(files, { open: this.#environment.openSource });
    if (print === undefined) return undefined;
    const key = await traceKey({ traces: [{ fingerprint: print }], hosts: [], sideBySide: false });
    const { store } = await this.store;
    return !this.#damaged.has(key) && (await store.get(key))?.complete === true ? key : undefined;
  }

  /** Opens a recording of another tracer from the store without importing it; undefined: it is not stored. */
  async #openKept(
    opening: Opening,
    fetched: Unpacked,
    { sideBySide = false, faults = [], clocks, clocksOf }: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome | undefined> {
    const key = sideBySide || faults.length > 0 ? undefined : await this.#keptKey(fetched);
    if (key === undefined) return undefined;
    const own = clocksOf === undefined || clocksOf === fingerprintOf(key) ? clocks : undefined;
    const opened = await this.#reopen(opening, key, onUpdate, own);
    if (opening.isReplaced) return fail(SUPERSEDED);
    return opened?.ok === true ? { ...opened, unread: fetched.files } : undefined;
  }

  /** Opens a trace from the store if it is there, or else reads it. */
  async #openGathered(
    opening: Opening,
    { files, faults }: Unpacked,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    const { sideBySide = false } = options;
    const all = [...(options.faults ?? []), ...faults];
    const found = await this.#find({ files, faults: all }, { ...options, sideBySide });
    if (!found.ok) return found;
    const { experiment, key } = found.value;
    opening.sideBySide = sideBySide;
    const { clocksOf = fingerprintOf(key) } = options;
    const clocks = clocksOf === fingerprintOf(key) ? options.clocks : undefined;
    if (clocks === undefined && options.clocks?.apart === true)
      return this.#openGathered(opening, { files, faults }, { ...options, clocks }, onUpdate);
    const known = this.#damaged.has(key)
      ? undefined
      : await this.#reopen(opening, key, onUpdate, clocks, files, experiment);
    const isDamaged = known?.ok === false && known.fault.code === 'store-damaged';
    if (known !== undefined && !isDamaged) return known;
    const reading = await this.#read(opening, experiment, key, { ...options, clocks }, onUpdate);
    if (reading === undefined) return fail(SUPERSEDED);
    const { info, rows, progress } = reading.first;
    return { ok: true, info, rows, progress, files };
  }

  /** Reads a trace; undefined: the opening was given up. */
  async #read(
    opening: Opening,
    experiment: Experiment,
    key: string,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<Reading | undefined> {
    const environment = this.#environment;
    const { store } = await this.store;
    let last: SessionUpdate | undefined;
    const pass = this.#updateListener(opening, store, key, onUpdate);
    const send = (update: SessionUpdate) => {
      last = { ...last, ...update };
      return pass(update);
    };
    if (opening.isReplaced) return undefined;
    this.#damaged.delete(key);
    const reading = await readExperiment(environment, store, experiment, key, options, send);
    if (opening.isReplaced) {
      await reading.close();
      return undefined;
    }
    if (opening.stop.signal.aborted) reading.cancel();
    const { trace } = reading;
    opening.reading = reading;
    opening.trace = trace;
    void reading.done.then(({ state }) => {
      if (opening.isReplaced || last?.rows === undefined || state === 'failed') return;
      const { rows, progress } = last;
      const layers = new SessionLayers({ environment, store, key, experiment, trace });
      void this.#showLayers(opening, { layers, rows, progress, onUpdate }, state === 'done');
    });
    return reading;
  }

  /** Shows a stored trace, with `experiment` if its files are there. undefined: it is not stored. */
  async #reopen(
    opening: Opening,
    key: string,
    onUpdate: UpdateListener,
    clocks: ClockSettings | undefined,
    files: readonly SourceRef[] = [],
    experiment?: Experiment,
  ): Promise<OpenOutcome | undefined> {
    const environment = this.#environment;
    const { store } = await this.store;
    if (opening.isReplaced) return fail(SUPERSEDED);
    const send = this.#updateListener(opening, store, key, onUpdate);
    const stored = await reopenTrace(environment, store, key, experiment, clocks, send);
    if (stored?.ok !== true) return stored;
    const { info, rows, progress, trace, damage } = stored.value;
    opening.trace = trace;
    opening.sideBySide = info.sideBySide;
    const layers = new SessionLayers({ environment, store, key, experiment, trace, onDamage: damage.note });
    await layers.reopen();
    if (opening.isReplaced) return fail(SUPERSEDED);
    void this.#showLayers(opening, { layers, rows, progress, onUpdate });
    return { ok: true, info, rows, progress, files };
  }

  /** Passes updates on, and records damage of the trace for the next visit. */
  #updateListener(opening: Opening, store: Store, key: string, onUpdate: UpdateListener): UpdateListener {
    return (update) => {
      // A replaced trace may have begun again.
      if (update.damage !== undefined && !opening.isReplaced) {
        this.#damaged.add(key);
        void keepDamage(recordsOf(store, key), update.damage);
      }
      return onUpdate(update);
    };
  }

  /** Shows the layers that are stored, and reads the others. */
  async #showLayers(opening: Opening, shown: ShownLayers, isWhole = true): Promise<void> {
    opening.shown = shown;
    let isSent = false;
    const send = () => {
      isSent = true;
      if (this.#current.shown === shown) this.sendRows();
    };
    await shown.layers.begin(isWhole, send);
    // Sent even if there are none, so that this is known.
    if (!isSent) send();
  }
}
