/** Files or an address that the user gave: opened on the start page; while something is open, inspected, then offered. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { proxy } from 'comlink';
import type { Fault } from '../../engine/base/fault.ts';
import { nameOfAddress } from '../../engine/io/web-address.ts';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import type {
  FoundTrace,
  Given,
  Progress,
  SessionApi,
  SessionUpdate,
} from '../../engine/protocol/session.ts';
import type { Watched } from '../browser/watched.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { ExecutionFiles } from './execution-files.ts';
import { nameOf, refusalOf, type GatheredFiles } from './dropped-files.ts';

/** An offer, by what is known of it: nothing yet, it is open already, it names functions, it is no trace, another trace. */
export type Offer = { readonly name: string } & (
  | { readonly state: 'looking'; readonly progress: ReadonlySignal<Progress | undefined> }
  | { readonly state: 'open' }
  | { readonly state: 'symbols'; readonly files: number }
  | { readonly state: 'refused'; readonly fault: Fault }
  | { readonly state: 'found'; readonly found: FoundTrace }
);

export type FoundOffer = Extract<Offer, { state: 'found' }>;

/** Offers as the page sees them. */
export type Offers = Watched<PageOffers>;

export class PageOffers {
  /** The offer that the user has not answered; it is dropped when something else is opened. */
  readonly pending = signal<Offer | undefined>(undefined);
  /** Edition of the experiment when the files were given. */
  #edition = -1;

  /** @param confirm allows one request to an address */
  constructor(
    private readonly session: Pick<SessionApi, 'probe' | 'discardProbe' | 'addSymbols'>,
    private readonly experiment: Experiment,
    private readonly executionFiles: Pick<ExecutionFiles, 'areIn' | 'take'>,
    private readonly confirm: (url: URL) => void,
  ) {
    effect(() => {
      void [experiment.stage.value, experiment.trace.value];
      if (experiment.edition !== this.#edition) this.#drop();
    });
  }

  /** Opens the files, shows their fault, or offers them to the user. */
  async takeFiles(gathered: GatheredFiles): Promise<void> {
    const name = nameOf(gathered.roots);
    const refusal = refusalOf(gathered);
    const inspecting = refusal === undefined ? this.executionFiles.areIn(gathered) : undefined;
    const areExecutions = inspecting !== undefined && (await inspecting);
    const fault = areExecutions ? await this.executionFiles.take(gathered) : refusal;
    if (fault === undefined) return areExecutions ? undefined : this.#take(name, gathered.files);
    if (this.experiment.stage.peek() === 'start') return this.experiment.fail(fault);
    this.#drop();
    this.#show({ name, state: 'refused', fault });
  }

  /** Opens or offers the file at an address that the user confirmed. */
  takeAddress(url: URL): Promise<void> {
    this.confirm(url);
    return this.#take(nameOfAddress(url), url.href);
  }

  /** Opens an offer in place of the open trace, or together with it. */
  accept(offer: FoundOffer, act: 'replace' | 'add'): Promise<void> {
    this.pending.value = undefined;
    return this.experiment[act](offer.found, offer.name);
  }

  /** Drops an offer, unless another one is pending by now. */
  dismiss(offer: Offer): void {
    if (this.pending.peek() === offer) this.#drop();
  }

  #take(name: string, given: Given): Promise<void> {
    return this.experiment.stage.peek() === 'start'
      ? this.experiment.open(given, name)
      : this.#inspect(name, given);
  }

  async #inspect(name: string, given: Given): Promise<void> {
    const progress = signal<Progress | undefined>(undefined);
    const inspecting: Offer = { name, state: 'looking', progress };
    this.#show(inspecting);
    const onUpdate = (update: SessionUpdate) => void (progress.value = update.progress);
    const found = await this.session.probe(given, proxy(onUpdate));
    if (this.pending.peek() !== inspecting) return;
    if (!found.ok) await this.#addSymbols(inspecting, given, found.fault);
    else await this.#showFound(name, found.value);
  }

  /** Adds files that are no trace as symbols, which may name functions of the open trace. */
  async #addSymbols(inspecting: Offer, given: Given, fault: Fault): Promise<void> {
    const { name } = inspecting;
    const files = typeof given === 'string' ? 0 : await this.session.addSymbols(given);
    if (this.pending.peek() !== inspecting) return;
    this.pending.value = files > 0 ? { name, state: 'symbols', files } : { name, state: 'refused', fault };
  }

  async #showFound(name: string, found: FoundTrace): Promise<void> {
    const { trace, hasFiles } = this.experiment;
    const isOpen = fingerprintOf(found.key) === trace.peek();
    if (!isOpen) this.pending.value = { name, state: 'found', found };
    else if (hasFiles.peek()) this.pending.value = { name, state: 'open' };
    else {
      this.pending.value = undefined;
      await this.experiment.connect(Promise.resolve(found.files));
    }
  }

  /** Shows an offer for the current experiment. */
  #show(offer: Offer): void {
    this.#edition = this.experiment.edition;
    this.pending.value = offer;
  }

  #drop(): void {
    if (this.pending.peek() === undefined) return;
    this.pending.value = undefined;
    void this.session.discardProbe();
  }
}
