/** Files or an address that were given: opened on the start page, else looked at before anything is asked. */
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

/** Offer by what is known of it: nothing yet, it is open, it names functions, why it is no trace, another trace. */
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
  /** Given while something is open, which it goes with. */
  readonly pending = signal<Offer | undefined>(undefined);
  readonly #session: Pick<SessionApi, 'probe' | 'discardProbe' | 'addSymbols'>;
  readonly #experiment: Experiment;
  readonly #executionFiles: Pick<ExecutionFiles, 'areIn' | 'take'>;
  readonly #confirm: (url: URL) => void;
  /** Edition of what was open when the files were given. */
  #edition = -1;

  /** @param confirm lets the session have an address fetched, once */
  constructor(
    session: Pick<SessionApi, 'probe' | 'discardProbe' | 'addSymbols'>,
    experiment: Experiment,
    executionFiles: Pick<ExecutionFiles, 'areIn' | 'take'>,
    confirm: (url: URL) => void,
  ) {
    this.#session = session;
    this.#experiment = experiment;
    this.#executionFiles = executionFiles;
    this.#confirm = confirm;
    effect(() => {
      void [experiment.stage.value, experiment.trace.value];
      if (experiment.edition !== this.#edition) this.#giveUp();
    });
  }

  /** Opens them, says what is wrong with them, or has the user asked. */
  async takeFiles(gathered: GatheredFiles): Promise<void> {
    const name = nameOf(gathered.roots);
    const refusal = refusalOf(gathered);
    const looking = refusal === undefined ? this.#executionFiles.areIn(gathered) : undefined;
    const areExecutions = looking !== undefined && (await looking);
    const fault = areExecutions ? await this.#executionFiles.take(gathered) : refusal;
    if (fault === undefined) return areExecutions ? undefined : this.#take(name, gathered.files);
    if (this.#experiment.stage.peek() === 'start') return this.#experiment.fail(fault);
    this.#giveUp();
    this.#show({ name, state: 'refused', fault });
  }

  /** The same of what is at an address that the user confirmed. */
  takeAddress(url: URL): Promise<void> {
    this.#confirm(url);
    return this.#take(nameOfAddress(url), url.href);
  }

  /** Opens it instead of what is open, or together with that. */
  accept(offer: FoundOffer, act: 'replace' | 'add'): Promise<void> {
    this.pending.value = undefined;
    return this.#experiment[act](offer.found, offer.name);
  }

  /** Gives it up; nothing happens if another one is pending by now. */
  dismiss(offer: Offer): void {
    if (this.pending.peek() === offer) this.#giveUp();
  }

  #take(name: string, given: Given): Promise<void> {
    return this.#experiment.stage.peek() === 'start'
      ? this.#experiment.open(given, name)
      : this.#look(name, given);
  }

  async #look(name: string, given: Given): Promise<void> {
    const progress = signal<Progress | undefined>(undefined);
    const looking: Offer = { name, state: 'looking', progress };
    this.#show(looking);
    const onUpdate = (update: SessionUpdate) => void (progress.value = update.progress);
    const found = await this.#session.probe(given, proxy(onUpdate));
    if (this.pending.peek() !== looking) return;
    if (!found.ok) await this.#addSymbols(looking, given, found.fault);
    else await this.#showFound(name, found.value);
  }

  /** Adds files that are no trace as symbols: they may name functions of what is open. */
  async #addSymbols(looking: Offer, given: Given, fault: Fault): Promise<void> {
    const { name } = looking;
    const files = typeof given === 'string' ? 0 : await this.#session.addSymbols(given);
    if (this.pending.peek() !== looking) return;
    this.pending.value = files > 0 ? { name, state: 'symbols', files } : { name, state: 'refused', fault };
  }

  async #showFound(name: string, found: FoundTrace): Promise<void> {
    const { trace, hasFiles } = this.#experiment;
    const isOpen = fingerprintOf(found.key) === trace.peek();
    if (!isOpen) this.pending.value = { name, state: 'found', found };
    else if (hasFiles.peek()) this.pending.value = { name, state: 'open' };
    else {
      this.pending.value = undefined;
      await this.#experiment.connect(Promise.resolve(found.files));
    }
  }

  /** Goes with what is open now. */
  #show(offer: Offer): void {
    this.#edition = this.#experiment.edition;
    this.pending.value = offer;
  }

  #giveUp(): void {
    if (this.pending.peek() === undefined) return;
    this.pending.value = undefined;
    void this.#session.discardProbe();
  }
}
