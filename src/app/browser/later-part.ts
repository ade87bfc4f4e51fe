/** A part of the page that is loaded when it is needed, once. */
import { signal, type ReadonlySignal } from '@preact/signals';

export class LaterPart<Part> {
  readonly #loaded = signal<Part | undefined>(undefined);
  readonly #failure = signal<unknown>(undefined);
  readonly #import: () => Promise<Part>;
  #loading: Promise<Part> | undefined;

  /** @param load imports it */
  constructor(load: () => Promise<Part>) {
    this.#import = load;
  }

  get loaded(): ReadonlySignal<Part | undefined> {
    return this.#loaded;
  }

  /** Why it was needed and did not come. */
  get failure(): ReadonlySignal<unknown> {
    return this.#failure;
  }

  /** Rejects if the server does not send it; the next call tries again. */
  load(): Promise<Part> {
    this.#loading ??= this.#import().then(
      (part) => (this.#loaded.value = part),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Loads it for what is on the screen: what goes wrong is in `failure`, until it is needed again. */
  need(): void {
    this.#failure.value = undefined;
    this.load().catch((error: unknown) => (this.#failure.value = error ?? 'not loaded'));
  }
}
