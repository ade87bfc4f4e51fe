/**
 * A page in Firefox, driven by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/), of which this is the little that a
 * walk needs. Playwright drives only Firefoxes newer than Debian's.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';

type Fields = Record<string, unknown>;

/** ms after which a thing that is waited for is missing: generous, as machines may be busy. */
const PATIENCE_MS = 60_000;

export class FirefoxPage {
  /** Errors that the page logged. */
  readonly problems: string[] = [];
  readonly #answers = new Map<number, (message: Fields) => void>();
  readonly #socket: WebSocket;
  readonly #end: () => Promise<void>;
  #commands = 0;
  #context = '';

  private constructor(socket: WebSocket, end: () => Promise<void>) {
    this.#socket = socket;
    this.#end = end;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data)) as Fields));
  }

  /** @param program path of a Firefox, which is started with an empty profile */
  static async start(program: string): Promise<FirefoxPage> {
    const profile = mkdtempSync(join(tmpdir(), 'wakepath-firefox-'));
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
    // Its home folder may belong to somebody else.
    const browser = spawn(program, args, { env: { ...process.env, HOME: profile } });
    const ended = new Promise((resolve) => browser.once('exit', resolve));
    const address = await new Promise<string>((resolve, reject) => {
      let said = '';
      browser.stderr.on('data', (data) => {
        const found = /WebDriver BiDi listening on (ws:\S+)/.exec((said += String(data)));
        if (found?.[1] !== undefined) resolve(found[1]);
      });
      browser.once('error', reject);
      browser.once('exit', () => reject(new Error(`Firefox ended: ${said}`)));
    });
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const page = new FirefoxPage(socket, async () => {
      socket.close();
      browser.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true });
    });
    await page.#send('session.new', { capabilities: {} });
    await page.#send('session.subscribe', { events: ['log.entryAdded'] });
    const { contexts } = await page.#send('browsingContext.getTree', {});
    page.#context = (contexts as { context: string }[])[0]?.context ?? '';
    return page;
  }

  async goto(url: string): Promise<void> {
    const navigation = { context: this.#context, url, wait: 'complete' };
    try {
      await this.#send('browsingContext.navigate', navigation);
    } catch (error) {
      // A page that changes its own address at this moment ends the navigation.
      if (!String(error).includes('NS_BINDING_ABORTED')) throw error;
      await this.#send('browsingContext.navigate', navigation);
    }
  }

  /** Goes on in a new tab, and closes the one before. */
  async moveToNewTab(): Promise<void> {
    const before = this.#context;
    const { context } = await this.#send('browsingContext.create', { type: 'tab' });
    this.#context = String(context);
    await this.#send('browsingContext.close', { context: before });
  }

  /** Text of the first such element whose text matches, once there is one. */
  async textOf(selector: string, text: RegExp): Promise<string> {
    return String(await this.#run(find.toString(), selector, text.source, PATIENCE_MS, false));
  }

  /** Clicks the element that `textOf` finds. */
  async click(selector: string, text: RegExp): Promise<void> {
    await this.#run(find.toString(), selector, text.source, PATIENCE_MS, true);
  }

  async close(): Promise<void> {
    await this.#end();
  }

  /** Calls a function in the page, which may return a promise, with strings, numbers and booleans. */
  async #run(functionDeclaration: string, ...args: readonly (string | number | boolean)[]): Promise<unknown> {
    const { type, result, exceptionDetails } = await this.#send('script.callFunction', {
      functionDeclaration,
      awaitPromise: true,
      target: { context: this.#context },
      arguments: args.map((value) => ({ type: typeof value, value })),
    });
    if (type === 'exception') throw new Error((exceptionDetails as { text: string }).text);
    return (result as { value?: unknown }).value;
  }

  async #send(method: string, params: Fields): Promise<Fields> {
    const id = ++this.#commands;
    const answer = new Promise<Fields>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { type, result, error, message } = await answer;
    if (type !== 'success') throw new Error(`${method}: ${String(error)}, ${String(message)}`);
    return result as Fields;
  }

  #receive({ id, method, params, ...rest }: Fields): void {
    if (typeof id === 'number') {
      this.#answers.get(id)?.(rest);
      this.#answers.delete(id);
    } else if (method === 'log.entryAdded') {
      const { level, text } = params as { level: string; text: string | null };
      if (level === 'error') this.problems.push(text ?? '');
    }
  }
}

/** Runs in the page. Resolves to the text of an element that matches, having clicked it. */
async function find(selector: string, text: string, patienceMs: number, click: boolean): Promise<string> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    const all = [...document.querySelectorAll<HTMLElement>(selector)];
    const found = all.find((each) => new RegExp(text).test(each.innerText));
    if (found !== undefined) {
      if (click) found.click();
      return found.innerText;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const others = [...document.querySelectorAll<HTMLElement>(selector)].map((each) => each.innerText);
  throw new Error(`no ${selector} with ${text}, but ${JSON.stringify(others)}`);
}
