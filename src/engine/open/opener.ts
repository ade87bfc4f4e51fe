/** Gets a trace open, and closes it: from files, an address or the store, one at a time. */
import type { Unpacked } from '../archive/types.ts';
import type { Fault } from '../base/fault.ts';
import { laterCode } from '../base/later-code.ts';
import { fail, ok, type Result } from '../base/result.ts';
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
import { keepDamage, type OnDamage } from './damage.ts';
import type { SessionEnvironment, SessionStore } from './environment.ts';
import { fingerprintOf } from '../trace/fingerprint-of-key.ts';
import { fetchGiven, unpackFetched } from './gathering.ts';
import { SessionLayers } from './layers/session-layers.ts';
import type { OpenTrace } from '../answers/context/open-trace.ts';
import { readExperiment, type Reading } from './reading.ts';
import { packRows, unpackRows } from '../answers/rows/row-columns.ts';
import type { RowColumns } from '../protocol/rows.ts';
import { recordsOf, reopenTrace } from './stored-trace.ts';
import { isCurrent, traceKey } from '../answers/context/trace-key.ts';

/** Executions that are kept with traces: few traces have any. */
export const keptExecutions = laterCode(() => import('../answers/executions/kept-executions.ts'));

/** Layers with the rows that the page got last, without theirs. */
interface ShownLayers {
  readonly layers: SessionLayers;
  readonly rows: RowColumns;
  readonly progress: SessionUpdate['progress'];
  readonly onUpdate: UpdateListener;
}

/** A trace that was kept is no longer there. */
const GONE: Fault = {
  code: 'store-damaged',
  place: {},
  found: 'the trace is not kept any more: it was deleted, in another tab or by the browser',
};
/** A trace was kept by a version of this program that read its events otherwise. */
const OUTDATED: Fault = {
  code: 'store-damaged',
  place: {},
  found: 'another version of this program kept the trace, and read its events otherwise',
};
/** Something else was opened, or all was closed, before this was. */
const SUPERSEDED: Fault = { code: 'cancelled', place: {} };

export class Opener {
  readonly #environment: SessionEnvironment;
  readonly #store: Promise<SessionStore>;
  #reading: Reading | undefined;
  #trace: OpenTrace | undefined;
  #shown: ShownLayers | undefined;
  #gathering: AbortController | undefined;
  #looking: AbortController | undefined;
  /** Settles when what was looked at last is known, and the temporary files that nobody reads are gone. */
  #looked: Promise<unknown> = Promise.resolve();
  /** Files of what is open. */
  #files: readonly SourceRef[] = [];
  /** Whether what is open shows recordings side by side, so that files are compared with it in that form. */
  #sideBySide = false;
  /** Files of what was looked at last. */
  #found: readonly SourceRef[] = [];
  /** Settles when the files of what is being opened have come, or it was given up. */
  #arriving: Promise<unknown> = Promise.resolve();
  /** Settles when what is being opened can be asked, or was given up; the page has its rows before. */
  #opening: Promise<unknown> = Promise.resolve();
  /** Grows with every opening and closing: what began before the last one is given up. */
  #edition = 0;
  /** Settles when what was open has ended. */
  #ending: Promise<unknown> = Promise.resolve();
  /** The edition whose reading is to end as soon as there is one. */
  #cancelled = 0;
  /** Keys of kept traces that are damaged: with their files they are read, which makes them anew. */
  readonly #damaged = new Set<string>();

  constructor(environment: SessionEnvironment, store: Promise<SessionStore>) {
    this.#environment = environment;
    this.#store = store;
  }

  /** Trace that is open, once it can be asked. */
  async trace(): Promise<OpenTrace | undefined> {
    await this.#opening;
    return this.#trace;
  }

  /** Resolves when the store knows what became of the trace that was open before. */
  async ended(): Promise<void> {
    await this.#ending;
  }

  /** undefined: the trace is being read, or there is none. */
  get layers(): SessionLayers | undefined {
    return this.#shown?.layers;
  }

  open(given: Given, options: OpenOptions, onUpdate: UpdateListener): Promise<OpenOutcome> {
    return this.#arrive((mine) => this.#openGiven(mine, given, options, onUpdate));
  }

  reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings): Promise<OpenOutcome> {
    return this.#arrive(async (mine) => {
      if (!isCurrent(key)) return fail(OUTDATED);
      return (await this.#reopen(mine, key, onUpdate, clocks)) ?? fail(GONE);
    });
  }

  #arrive(open: (mine: number) => Promise<OpenOutcome>): Promise<OpenOutcome> {
    const outcome = this.#replace().then(async (mine) => {
      const opened = await open(mine);
      if (this.#isWanted(mine)) await this.#keep(opened.ok ? opened.files : []);
      return opened;
    });
    this.#arriving = outcome.catch(() => undefined);
    return outcome;
  }

  probe(given: Given, onUpdate: UpdateListener): Promise<Result<FoundTrace>> {
    void this.discardProbe();
    const { signal } = (this.#looking = new AbortController());
    return this.#inTurn(() => this.#look(given, signal, onUpdate));
  }

  discardProbe(): Promise<void> {
    this.#looking?.abort();
    this.#found = [];
    return this.#inTurn(() => this.#removeTempFiles());
  }

  /** Acts in turn: what comes for a trace that is being opened takes the room of everything else. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const acted = Promise.all([this.#looked, this.#arriving]).then(act);
    this.#looked = acted.catch(() => undefined);
    return acted;
  }

  async #look(given: Given, signal: AbortSignal, onUpdate: UpdateListener): Promise<Result<FoundTrace>> {
    if (signal.aborted) return fail(SUPERSEDED);
    const environment = this.#environment;
    const fetched = await fetchGiven(given, environment, signal, onUpdate);
    const { files, faults } = await unpackFetched(fetched, environment, signal, onUpdate);
    const found = signal.aborted ? fail(SUPERSEDED) : await this.#find({ files, faults });
    if (found.ok && !signal.aborted) this.#found = files;
    await this.#removeTempFiles();
    if (!found.ok) return found;
    return ok({ key: found.value.key, files, faults, url: typeof given === 'string' ? given : undefined });
  }

  /** Keeps the files of what is open now, and removes all others that were fetched or unpacked. */
  async #keep(files: readonly SourceRef[]): Promise<void> {
    this.#files = files;
    this.#found = [];
    await this.#removeTempFiles();
  }

  /** Removes the temporary files that nobody reads. */
  #removeTempFiles(): Promise<void> {
    return this.#environment.tempFiles.keepOnly([...this.#files, ...this.#found]);
  }

  async attachFiles(files: readonly SourceRef[], clocks?: ClockSettings): Promise<boolean> {
    const [mine, shown, environment] = [this.#edition, this.#shown, this.#environment];
    const given = await this.#find({ files, faults: [] });
    if (!given.ok || given.value.key !== shown?.layers.key) return false;
    const { key, experiment } = given.value;
    const { store } = await this.#store;
    if (!this.#isWanted(mine)) return false;
    const send = this.#updateListener(mine, store, key, shown.onUpdate);
    const found = await reopenTrace(environment, store, key, experiment, clocks, ({ progress, damage }) =>
      damage === undefined ? undefined : send({ progress, damage }),
    );
    if (found?.ok !== true) {
      this.#files = files;
      const parts = ['states'];
      void send({ progress: shown.progress, damage: { parts, faults: [found?.fault ?? GONE] } });
      return true;
    }
    const { trace, damage } = found.value;
    const onDamage: OnDamage = (part, fault) => damage.note(part, fault);
    const layers = new SessionLayers({ environment, store, key, experiment, trace, onDamage });
    await layers.reopen();
    if (!this.#isWanted(mine)) return false;
    // The page names paths that it was told by their number.
    const { paths, pathAnswers } = this.#trace ?? trace;
    this.#trace = { ...trace, paths, pathAnswers };
    this.#files = files;
    void this.#inTurn(() => this.#removeTempFiles());
    void this.#showLayers({ ...shown, layers });
    return true;
  }

  /** See `SessionApi.addSymbols`. */
  async addSymbols(files: readonly SourceRef[]): Promise<number> {
    const trace = await this.trace();
    const useful = (await trace?.addSymbols(files)) ?? 0;
    if (useful > 0 && trace === this.#trace) {
      if (this.layers !== undefined) await (await keptExecutions()).forgetKept(this.layers.records);
      this.sendRows();
    }
    return useful;
  }

  async cancel(): Promise<void> {
    this.#cancelled = this.#edition;
    this.#gathering?.abort();
    this.#reading?.cancel();
    await this.#reading?.done;
  }

  /** Closes what is open, and gives up what is being opened. */
  async close(): Promise<void> {
    const mine = await this.#replace();
    if (this.#isWanted(mine)) await this.#keep([]);
  }

  /** @returns the edition that is the last one now; what was there before has ended, in the store too */
  async #replace(): Promise<number> {
    const mine = ++this.#edition;
    this.#gathering?.abort();
    this.#gathering = undefined;
    this.#looking?.abort();
    this.#shown?.layers.close();
    // Two closings wait for the same reading.
    this.#ending = Promise.all([this.#opening, this.#looked, this.#reading?.close()]);
    await this.#ending;
    if (this.#isWanted(mine)) this.#reading = this.#trace = this.#shown = undefined;
    return mine;
  }

  #isWanted(edition: number): boolean {
    return edition === this.#edition;
  }

  /** Sends the page its rows after those of layers have changed. */
  sendRows(): void {
    if (this.#shown === undefined) return;
    const { layers, rows, progress, onUpdate } = this.#shown;
    onUpdate({ progress: { ...progress }, rows: packRows(layers.rows(unpackRows(rows))) });
  }

  async #openGiven(
    mine: number,
    given: Given,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    if (!this.#isWanted(mine)) return fail(SUPERSEDED);
    const environment = this.#environment;
    const { signal } = (this.#gathering = new AbortController());
    const fetched = await fetchGiven(given, environment, signal, onUpdate);
    if (!this.#isWanted(mine)) return fail(SUPERSEDED);
    const endUnused = environment.prepareWorkers?.(options.workers ?? environment.workers);
    try {
      const gathered = await unpackFetched(fetched, environment, signal, onUpdate);
      if (!this.#isWanted(mine)) return fail(SUPERSEDED);
      this.#gathering = undefined;
      return await this.#openGathered(mine, gathered, options, onUpdate);
    } finally {
      endUnused?.();
    }
  }

  async #find(
    { files, faults }: Unpacked,
    name?: string,
    sideBySide = this.#sideBySide,
  ): Promise<Result<{ readonly experiment: Experiment; readonly key: string }>> {
    const found = await openExperiment(files, this.#environment.openSource, { name, sideBySide });
    const experiment = { ...found, faults: [...faults, ...found.faults] };
    if (experiment.traces.length === 0)
      return fail(experiment.faults[0] ?? { code: 'not-a-trace', place: {} });
    return ok({ experiment, key: await traceKey(experiment) });
  }

  /** Opens a trace from the store when it is kept there; else reads it. */
  async #openGathered(
    mine: number,
    { files, faults }: Unpacked,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<OpenOutcome> {
    const { name, sideBySide = false } = options;
    const found = await this.#find(
      { files, faults: [...(options.faults ?? []), ...faults] },
      name,
      sideBySide,
    );
    if (!found.ok) return found;
    const { experiment, key } = found.value;
    if (this.#isWanted(mine)) this.#sideBySide = sideBySide;
    const { clocksOf = fingerprintOf(key) } = options;
    const clocks = clocksOf === fingerprintOf(key) ? options.clocks : undefined;
    const known = this.#damaged.has(key)
      ? undefined
      : await this.#reopen(mine, key, onUpdate, clocks, files, experiment);
    const isDamaged = known?.ok === false && known.fault.code === 'store-damaged';
    if (known !== undefined && !isDamaged) return known;
    const reading = await this.#read(mine, experiment, key, { ...options, clocks }, onUpdate);
    if (reading === undefined) return fail(SUPERSEDED);
    const { info, rows, progress } = reading.first;
    return { ok: true, info, rows, progress, files };
  }

  /** undefined: it was given up. */
  async #read(
    mine: number,
    experiment: Experiment,
    key: string,
    options: OpenOptions,
    onUpdate: UpdateListener,
  ): Promise<Reading | undefined> {
    const environment = this.#environment;
    const { store } = await this.#store;
    let last: SessionUpdate | undefined;
    const pass = this.#updateListener(mine, store, key, onUpdate);
    const send = (update: SessionUpdate) => {
      last = { ...last, ...update };
      return pass(update);
    };
    if (!this.#isWanted(mine)) return undefined;
    const begin = async (): Promise<Reading | undefined> => {
      const begun = await readExperiment(environment, store, experiment, key, options, send);
      if (!this.#isWanted(mine)) {
        await begun.close();
        return undefined;
      }
      if (this.#cancelled === mine) begun.cancel();
      this.#reading = begun;
      this.#trace = begun.trace;
      return begun;
    };
    this.#damaged.delete(key);
    const beginning = begin();
    this.#opening = beginning.catch(() => undefined);
    const reading = await beginning;
    if (reading === undefined) return undefined;
    const { trace } = reading;
    void reading.done.then(({ state }) => {
      if (this.#reading !== reading || last?.rows === undefined || state === 'failed') return;
      const { rows, progress } = last;
      const layers = new SessionLayers({ environment, store, key, experiment, trace });
      void this.#showLayers({ layers, rows, progress, onUpdate }, state === 'done');
    });
    return reading;
  }

  /** Shows a stored trace; `experiment` when its files are there too. undefined: it is not kept. */
  async #reopen(
    mine: number,
    key: string,
    onUpdate: UpdateListener,
    clocks: ClockSettings | undefined,
    files: readonly SourceRef[] = [],
    experiment?: Experiment,
  ): Promise<OpenOutcome | undefined> {
    const environment = this.#environment;
    const { store } = await this.#store;
    if (!this.#isWanted(mine)) return fail(SUPERSEDED);
    const send = this.#updateListener(mine, store, key, onUpdate);
    const finding = reopenTrace(environment, store, key, experiment, clocks, send).then((found) => {
      if (this.#isWanted(mine)) this.#trace = found?.ok ? found.value.trace : undefined;
      return found;
    });
    this.#opening = finding.catch(() => undefined);
    const stored = await finding;
    if (stored?.ok !== true) return stored;
    const { info, rows, progress, trace, damage } = stored.value;
    if (this.#isWanted(mine)) this.#sideBySide = info.sideBySide;
    const onDamage: OnDamage = (part, fault) => damage.note(part, fault);
    const layers = new SessionLayers({ environment, store, key, experiment, trace, onDamage });
    await layers.reopen();
    if (!this.#isWanted(mine)) return fail(SUPERSEDED);
    void this.#showLayers({ layers, rows, progress, onUpdate });
    return { ok: true, info, rows, progress, files };
  }

  /** Passes updates on, and remembers that a trace is damaged, for the next visit too. */
  #updateListener(mine: number, store: Store, key: string, onUpdate: UpdateListener): UpdateListener {
    return (update) => {
      // What was replaced may have been begun anew.
      if (update.damage !== undefined && this.#isWanted(mine)) {
        this.#damaged.add(key);
        void keepDamage(recordsOf(store, key), update.damage);
      }
      return onUpdate(update);
    };
  }

  /** Shows the layers that are kept, and reads the others. */
  async #showLayers(shown: ShownLayers, isWhole = true): Promise<void> {
    this.#shown = shown;
    let isSent = false;
    const send = () => {
      isSent = true;
      if (this.#shown === shown) this.sendRows();
    };
    await shown.layers.begin(isWhole, send);
    // That there are none is known from here on.
    if (!isSent) send();
  }
}
