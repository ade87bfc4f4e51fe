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
  const first = session === undefined ? '' : `(${session.toString()})();`;
  const started = decode && `(${changeStarted.toString()})(${JSON.stringify(decode.toString())});`;
  // Only the session's worker can be given other code here: it starts the decode workers.
  await context.route(/session-worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: first + (started ?? '') + (await response.text()) });
  });
}

/** In the session's worker: those that it starts run `code`, too. */
function changeStarted(code: string): void {
  const Started = Worker;
  let number = 0;
  globalThis.Worker = class extends Started {
    constructor(url: string | URL, options?: WorkerOptions) {
      const both = [`import ${JSON.stringify(String(url))};(${code})(${number++});`];
      super(URL.createObjectURL(new Blob(both, { type: 'text/javascript' })), options);
    }
  };
}
