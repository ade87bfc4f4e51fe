/**
 * Registers the service worker (`workers/service-worker.ts`), notices a newer version of the page, and changes to it when
 * the reader wants. Does nothing in browsers without service workers.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { OfflineFrame } from '../../workers/offline-frame.ts';
import type { ServiceMessage } from '../../workers/service-worker.ts';
import { hiddenFrame } from '../browser/hidden-frame.ts';
import { IS_SINGLE_FILE } from '../browser/single-file.ts';

/** Delay of the registration, ms: the page loads its own files first. */
const PAUSE_MS = 2000;
/** Least time between two checks for a newer version, ms. */
const ASK_AGAIN_MS = 60 * 60 * 1000;

export class Versions {
  readonly #isReady = signal(false);
  #waiting: ServiceWorker | undefined;
  #isWanted = false;

  /** Whether there is a newer version: waiting, or already used by another tab. */
  get isNewerReady(): ReadonlySignal<boolean> {
    return this.#isReady;
  }

  /** Registers the service worker after a delay. Not in development, where nothing is built. */
  watch(): void {
    const { serviceWorker } = navigator as Partial<Navigator>;
    if (!import.meta.env.PROD || IS_SINGLE_FILE || serviceWorker === undefined) return;
    this.#followController(serviceWorker);
    setTimeout(() => void this.#follow(serviceWorker), PAUSE_MS);
  }

  /** Reloads the page in the newer version. Other tabs stay unchanged. */
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
    // A registration of a page in a parent folder is not ours.
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

  /** Takes the state of a registration. The very first version does not wait. */
  #look({ waiting, active }: ServiceWorkerRegistration): void {
    if (waiting === null || active === null) return;
    this.#waiting = waiting;
    this.#isReady.value = true;
  }
}

/** Registers the service worker, and checks for a newer one. Failures are ignored. */
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

/** Sends the files of examples that were loaded before the service worker ran, so that it keeps them. */
function keepWhatCame(worker: ServiceWorker): void {
  tell(worker, { kind: 'keep', urls: performance.getEntriesByType('resource').map(({ name }) => name) });
}

function tell(worker: ServiceWorker, message: ServiceMessage): void {
  worker.postMessage(message);
}
