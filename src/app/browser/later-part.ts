/** A part of the page that is loaded when it is needed, once. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { loadCode } from '../../engine/base/later-code.ts';

export class LaterPart<Part> {
  readonly #loaded = signal<Part | undefined>(undefined);
  readonly loaded: ReadonlySignal<Part | undefined> = this.#loaded;
  readonly #failure = signal<unknown>(undefined);
  /** The error of the last load that `need` asked for. */
  readonly failure: ReadonlySignal<unknown> = this.#failure;
  readonly #import: () => Promise<Part>;
  #loading: Promise<Part> | undefined;

  /** @param load imports the part */
  constructor(load: () => Promise<Part>) {
    this.#import = load;
  }

  /** Loads the part. Rejects if the server does not send it; the next call tries again. */
  load(): Promise<Part> {
    this.#loading ??= loadCode(this.#import).then(
      (part) => {
        if (typeof document !== 'undefined') askForMissingSheets(document);
        return (this.#loaded.value = part);
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Loads the part for what is on the screen: an error is in `failure` until the next call. */
  need(): void {
    this.#failure.value = undefined;
    this.load().catch((error: unknown) => (this.#failure.value = error ?? 'not loaded'));
  }
}

/** Loads style sheets that failed once more: the bundler asks only once. */
function askForMissingSheets(document: Document): void {
  for (const missing of document.querySelectorAll<HTMLLinkElement>('link[data-missing]')) {
    const again = missing.cloneNode() as HTMLLinkElement;
    delete again.dataset.missing;
    missing.replaceWith(again);
  }
}

/** Marks style sheets that fail to load, from now on. */
export function markMissingSheets(document: Document): void {
  const mark = ({ target }: Event) => target instanceof HTMLLinkElement && (target.dataset.missing = '');
  document.addEventListener('error', mark, true);
}
