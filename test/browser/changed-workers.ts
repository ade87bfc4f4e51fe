/** Code of a test's own in the workers of pages to come: what goes wrong there is brought about on purpose. */
import type { BrowserContext } from 'playwright';

export interface Changes {
  /** Runs in the session's worker before anything else. */
  readonly session?: () => void;
  /** Runs in each decode worker when its own script is loaded; `number` counts them from 0. */
  readonly decode?: (number: number) => void;
}

/** Nothing is read before a test wants it: there is no example to rehearse. */
export async function changeWorkers(context: BrowserContext, { session, decode }: Changes): Promise<void> {
  await context.route('**/examples/examples.json', (route) => route.fulfill({ json: [] }));
  const inSession = [session, numberStarted].map((code) => (code ? `(${code.toString()})();` : ''));
  await addFirst(context, 'session', inSession.join(''));
  if (decode) await addFirst(context, 'decode', `(${decode.toString()})(Number(self.name));`);
}

async function addFirst(context: BrowserContext, worker: 'session' | 'decode', code: string): Promise<void> {
  await context.route(workerScript(worker), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: code + (await response.text()) });
  });
}

/** The address of a worker's script. */
export function workerScript(worker: 'session' | 'decode'): RegExp {
  return new RegExp(`${worker}-worker-[^/]*\\.js$`);
}

/** In the session's worker: the names of those that it starts are numbers. */
function numberStarted(): void {
  const Started = Worker;
  let number = 0;
  globalThis.Worker = class extends Started {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, { ...options, name: String(number++) });
    }
  };
}
