/** What the page, its workers and the frame that fetches may ask other servers for: nothing, but what was confirmed. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test, type Visitor } from './support.ts';
import { openExample } from './walk.ts';

interface CountingServer {
  readonly url: string;
  /** Connections that were made to it. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Another origin, which would let everybody read what it has. */
async function countingServer(answer?: RequestListener): Promise<CountingServer> {
  let connections = 0;
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (answer !== undefined) return answer(request, response);
    response.setHeader('content-type', 'text/javascript');
    response.end('globalThis.cameIn = true;');
  });
  server.on('connection', () => connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

interface Target {
  readonly url: string;
  /** Scripts of the page's own server. */
  readonly ownScripts: readonly string[];
}

/** Runs in a page, a frame or a worker: ways to ask another server, and those that went through. */
async function waysOut({ url, ownScripts }: Target): Promise<{ tried: number; open: string[] }> {
  const socket = url.replace('http', 'ws');
  const blobUrl = (code: string) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  /** Of a source that tells by events how it went. */
  const until = (source: EventTarget, fine: string, error: string) =>
    new Promise((resolve, reject) => {
      source.addEventListener(fine, resolve);
      source.addEventListener(error, () => reject(new Error(error)));
    });
  const request = (): Promise<unknown> => {
    const asked = new XMLHttpRequest();
    const done = until(asked, 'load', 'error');
    asked.open('GET', url);
    asked.send();
    return done;
  };
  /** A worker of the same code as here: it says what came of it. */
  const inWorker = (code: string) => {
    const worker = new Worker(blobUrl(code), { type: 'module' });
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data === 'came' ? resolve(data) : reject(new Error(data)));
      worker.onerror = () => reject(new Error('error'));
    });
  };
  const said = 'then(() => postMessage("came"), () => postMessage("refused"))';
  const ways: Record<string, () => Promise<unknown>> = {
    fetch: () => fetch(url),
    'fetch without an answer': () => fetch(url, { method: 'POST', mode: 'no-cors', body: 'secret' }),
    XMLHttpRequest: request,
    WebSocket: () => until(new WebSocket(socket), 'open', 'error'),
    EventSource: () => until(new EventSource(url), 'open', 'error'),
    import: () => import(`${url}module.js`),
    'a worker of another server': () => inWorker(`import "${url}worker.js"; postMessage("came");`),
    'a worker that asks': () => inWorker(`fetch("${url}").${said}`),
    'a worker with a worker': () =>
      inWorker(`const code = new Blob(['fetch("${url}").${said}'], { type: 'text/javascript' });
        new Worker(URL.createObjectURL(code)).onmessage = ({ data }) => postMessage(data);`),
    ...Object.fromEntries(
      ownScripts.map((script) => [
        `a worker from the file ${script}`,
        () => until(new Worker(script, { type: 'module' }), 'message', 'error'),
      ]),
    ),
  };
  const open: string[] = [];
  for (const [name, go] of Object.entries(ways)) {
    const limit = new Promise((_, reject) => setTimeout(() => reject(new Error('nothing came')), 5000));
    try {
      await Promise.race([go(), limit]);
      open.push(name);
    } catch {
      // As it should be.
    }
  }
  return { tried: Object.keys(ways).length, open };
}

/** Where its ways out are tried. */
type Place = Pick<Page, 'evaluate'>;

/** As text: the import() of a function would be one of the test's runner. */
function tryWaysOut(place: Place, target: Target): ReturnType<typeof waysOut> {
  const code = waysOut.toString().replace(/__vi\w*import__/, 'import');
  return place.evaluate(`(${code})(${JSON.stringify(target)})`);
}

/** The page, once an example was read while it waits: its workers are there. */
async function withWorkers(visitor: Visitor, isServed: boolean): Promise<Page> {
  const page = await visitor.visit({ serviceWorkers: isServed ? 'allow' : 'block' });
  if (isServed) {
    await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
    await page.reload();
  }
  await page.waitForFunction(() => performance.getEntriesByName('wakepath:ready').length > 0);
  return page;
}

describe('another server', () => {
  test.for([
    { from: 'its server', isServed: false },
    { from: 'its service worker', isServed: true },
  ])(
    'is asked for nothing by the page, nor by any of its workers, from $from',
    async ({ isServed }, { visitor }) => {
      visitor.expectProblem('Content Security Policy');
      const server = await countingServer();
      // A request is announced before it is refused.
      visitor.expectProblem(`request to another origin: ${server.url}`);
      const page = await withWorkers(visitor, isServed);
      const ownScripts = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .filter((name) => name.endsWith('.js')),
      );
      const target = { url: server.url, ownScripts: ownScripts.slice(0, 1) };
      const workers = page.workers();
      // The session's, and at least one that decodes.
      expect(workers.length).toBeGreaterThan(1);
      for (const place of [page, ...workers]) {
        const { tried, open } = await tryWaysOut(place as Place, target);
        expect([place.url(), tried, open]).toEqual([place.url(), 10, []]);
      }
      expect(server.connections).toBe(0);
      await server.close();
    },
  );

  test('is asked by a frame for the file that was confirmed, and for no other', async ({ visitor }) => {
    visitor.expectProblem('Content Security Policy');
    const other = await countingServer();
    visitor.expectProblem(`request to another origin: ${other.url}`);
    const confirmed = await countingServer((_, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write(new Uint8Array(500));
    });
    visitor.expectProblem(`request to another origin: ${confirmed.url}`);
    const page = await visitor.visit({ path: `#url=${encodeURIComponent(`${confirmed.url}a.tar`)}` });
    await page.getByRole('button', { name: /^Fetch from/ }).click();
    await page.getByRole('progressbar', { name: 'Read' }).waitFor();
    await expect.poll(() => confirmed.connections).toBe(1);
    const frame = page.frames().find((one) => one.url().endsWith('/download.html'));
    if (frame === undefined) throw new Error('there is no frame');
    const { tried, open } = await tryWaysOut(frame, { url: other.url, ownScripts: [] });
    expect([tried, open]).toEqual([9, []]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => page.frames().length).toBe(1);
    expect(other.connections).toBe(0);
    await other.close();
    await confirmed.close();
  });

  test('that sends without end is stopped, and another trace opens', async ({ visitor }) => {
    const fast = await countingServer((_, response) => {
      response.writeHead(200);
      const piece = new Uint8Array(2 ** 16);
      const send = () => {
        while (response.write(piece));
        response.once('drain', send);
      };
      send();
    });
    visitor.expectProblem(`request to another origin: ${fast.url}`);
    const page = await visitor.visit({ path: `#url=${encodeURIComponent(`${fast.url}a.tar`)}` });
    await page.getByRole('button', { name: /^Fetch from/ }).click();
    await page.getByText(/MB of .*MB/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => page.frames().length).toBe(1);
    await openExample(page, 'disk-io');
    await fast.close();
  });

  test('would be found out if there were no policy', async ({ visitor }) => {
    const server = await countingServer();
    visitor.expectProblem('WebSocket');
    visitor.expectProblem('EventSource');
    visitor.expectProblem(`request to another origin: ${server.url}`);
    const page = await visitor.visit({ bypassCSP: true });
    const { open } = await tryWaysOut(page, { url: server.url, ownScripts: [] });
    expect(open).toEqual(
      expect.arrayContaining([
        'fetch',
        'fetch without an answer',
        'XMLHttpRequest',
        'import',
        'a worker that asks',
      ]),
    );
    expect(server.connections).toBeGreaterThan(0);
    await server.close();
  });
});
