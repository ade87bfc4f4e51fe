/**
 * The service worker's side of the page (`workers/service-worker.ts`): it is registered, and a newer version of the page
 * is noticed and taken when the reader wants it. Where the browser has no service workers nothing happens.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { OfflineFrame } from '../../workers/offline-frame.ts';
import type { ServiceMessage } from '../../workers/service-worker.ts';
import { hiddenFrame } from '../browser/hidden-frame.ts';
import { IS_SINGLE_FILE } from '../browser/single-file.ts';

/** ms in which nothing is done: what the page needs itself comes first. */
const PAUSE_MS = 2000;
/** ms: a page that stays open asks so often for a newer version, at most. */
const ASK_AGAIN_MS = 60 * 60 * 1000;

export class Versions {
  readonly #isReady = signal(false);
  #waiting: ServiceWorker | undefined;
  #isWanted = false;

  /** There is a newer version than the page's: kept and not in use yet, or used by another tab already. */
  get isNewerReady(): ReadonlySignal<boolean> {
    return this.#isReady;
  }

  /** Registers the service worker, once the page has had time for itself. Not in development, where nothing is built. */
  watch(): void {
    const { serviceWorker } = navigator as Partial<Navigator>;
    if (!import.meta.env.PROD || IS_SINGLE_FILE || serviceWorker === undefined) return;
    this.#followController(serviceWorker);
    setTimeout(() => void this.#follow(serviceWorker), PAUSE_MS);
  }

  /** Loads the page again, in the newer version. Other tabs stay as they are. */
  take(): void {
    this.#isWanted = true;
    if (this.#waiting?.state === 'installed') tell(this.#waiting, { kind: 'take-over' });
    else window.location.reload();
  }

  #followController(container: ServiceWorkerContainer): void {
    let isFirst = container.controller === null;
    container.addEventListener('controllerchange', () => {
      if (this.#isWanted) window.location.reload();
      else if (isFirst && container.controller !== null) keepWhatCame(container.controller);
      else this.#isReady.value = true;
      isFirst = false;
    });
  }

  async #follow(container: ServiceWorkerContainer): Promise<void> {
    await ask();
    const registration = await container.getRegistration();
    // That of a page in a folder above is not ours.
    if (registration?.scope !== new URL('.', location.href).href) return;
    this.#look(registration);
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => this.#look(registration));
    });
    let asked = performance.now();
    document.addEventListener('visibilitychange', () => {
      if (document.hidden || performance.now() - asked < ASK_AGAIN_MS) return;
      asked = performance.now();
      void ask();
    });
  }

  /** The first version of all waits for nobody. */
  #look({ waiting, active }: ServiceWorkerRegistration): void {
    if (waiting === null || active === null) return;
    this.#waiting = waiting;
    this.#isReady.value = true;
  }
}

/** Registers the service worker, and asks for a newer one. Where that cannot be done all stays as it is. */
async function ask(): Promise<void> {
  const frame = await hiddenFrame('offline.html', 'The service worker');
  try {
    const inside = frame.contentWindow as Partial<{ readonly offlineFrame: OfflineFrame }> | null;
    await inside?.offlineFrame?.register();
  } catch {
    // The browser takes no service worker, or the server is gone.
  }
  frame.remove();
}

/** Examples that were opened before there was a service worker. */
function keepWhatCame(worker: ServiceWorker): void {
  tell(worker, { kind: 'keep', urls: performance.getEntriesByType('resource').map(({ name }) => name) });
}

function tell(worker: ServiceWorker, message: ServiceMessage): void {
  worker.postMessage(message);
}
