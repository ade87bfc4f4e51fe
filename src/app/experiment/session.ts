/** The connection to the session worker, which does all the reading. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { proxy } from 'comlink';
import { StallDetector, type Patience } from '../../engine/base/stall-detector.ts';
import type { Watched } from '../browser/watched.ts';
import { workerCrash } from '../errors/crash-report.ts';
import { WorkerScript } from '../../workers/worker-script.ts';
import { type PageSession, sessionClient } from '../../workers/session-api.ts';
import script from '../../workers/session-worker.ts?worker&url';

export interface SessionLink {
  /** Callbacks given to it must be comlink proxies. */
  readonly api: PageSession;
  /** Why the worker ended, when it did: nothing is answered from then on. */
  readonly crash: ReadonlySignal<Crash | undefined>;
  /** Code that the worker could not load, and what waits for it. */
  readonly missing: Watched<MissingCode>;
  /** It has not answered for long: it is busy, or ended without a word. */
  readonly isSilent: ReadonlySignal<boolean>;
}

interface Crash {
  readonly report: string;
  /** False: it never answered anything, as its script could not be loaded. */
  readonly hasStarted: boolean;
}

/** A large question keeps it busy for some seconds. */
const PATIENCE: Patience = { lookMs: 5000, silentMs: 20_000, msPerByte: 0 };

/** Questions that wait for code that could not be loaded, until they are asked for again. */
class MissingCode {
  readonly isMissing = signal(false);
  readonly #waiting: (() => void)[] = [];

  /** Resolves when the code is to be asked for again. */
  whenBack(): Promise<void> {
    this.isMissing.value = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  tryAgain(): void {
    this.isMissing.value = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
  }
}

export function connectSession(): SessionLink {
  const crash = signal<Crash | undefined>(undefined);
  const isSilent = signal(false);
  let hasStarted = false;
  const worker = new WorkerScript(script).start();
  const missing = new MissingCode();
  const whenCodeIsBack = () => missing.whenBack();
  const api = sessionClient(worker, whenCodeIsBack);
  void api.waitForCode(proxy(whenCodeIsBack));
  const ping = async () => {
    await api.ping();
    isSilent.value = false;
  };
  const detector = new StallDetector(
    { ping, bytes: () => 0, onSilent: () => (isSilent.value = true) },
    PATIENCE,
  );
  const end = (report: string) => {
    detector.stop();
    crash.value = { report, hasStarted };
  };
  worker.addEventListener('message', () => (hasStarted = true), { once: true });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    end(workerCrash(event));
  });
  worker.addEventListener('messageerror', () => end('A message of the worker could not be read'));
  detector.start();
  // Some browsers keep a page that was left, with transactions that its workers had begun: the next visit would wait for them.
  window.addEventListener('pagehide', () => {
    detector.stop();
    worker.terminate();
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  return { api, crash, isSilent, missing };
}
