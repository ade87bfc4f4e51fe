/**
 * The service worker: the page works without its server, from what it keeps of one version of the site. The build makes a
 * script of it, and puts in which files the version has (`scripts/offline-plugin.mjs`). It answers only requests for files
 * of this page; it never sees a trace.
 */

/** Paths of files, relative to the page's folder, with the SHA-256 of each in base64. */
type Files = Readonly<Record<string, string>>;

interface Site {
  /** Name of the version, another one where any file or this script differs. */
  readonly version: string;
  /** Content security policy of the page. */
  readonly policy: string;
  /** Files that are kept before this version is used. */
  readonly needed: Files;
  /** Files that are kept when they are asked for: those of examples. */
  readonly others: Files;
}

/** Message of the page: to take over from the version before, or addresses of files that the page had already. */
export type ServiceMessage =
  { readonly kind: 'take-over' } | { readonly kind: 'keep'; readonly urls: readonly string[] };

declare const self: ServiceWorkerGlobalScope;
declare const SITE: Site;

const SCOPE = self.registration.scope;
/** Prefix of the names of this page's caches, one for each version: other pages of the server have others. */
const PREFIX = `wakepath ${new URL(SCOPE).pathname} `;
const OWN = PREFIX + SITE.version;
/** Number of versions kept: the one in use, and the one before it, which other tabs may still show. */
const VERSIONS_KEPT = 2;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const path = pathOf(event.request);
  if (path !== undefined) event.respondWith(answer(event, path));
});
self.addEventListener('message', (event) => {
  const message = event.data as ServiceMessage;
  if (message.kind === 'take-over') event.waitUntil(self.skipWaiting());
  else event.waitUntil(keepAsked(message.urls));
});

/** Keeps all of a version, or nothing: a server may have files of two while it is given a new one. */
async function install(): Promise<void> {
  // All are awaited before anything is deleted: a file that came later would open the cache again.
  const needed = await Promise.allSettled(
    Object.entries(SITE.needed).map(([path, digest]) => keep(path, digest)),
  );
  try {
    for (const each of needed) if (each.status === 'rejected') throw each.reason;
    for (const [path, digest] of Object.entries(SITE.others)) {
      if ((await keptBefore(path)) !== undefined) await keep(path, digest);
    }
  } catch (error) {
    await caches.delete(OWN);
    throw error;
  }
}

/** Serves the page from now on, also one that came before there was a service worker. */
async function activate(): Promise<void> {
  // A version that is being installed has a cache already.
  if (self.registration.installing === null) {
    for (const name of (await versions()).slice(VERSIONS_KEPT)) await caches.delete(name);
  }
  await self.clients.claim();
}

async function keepAsked(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const path = pathOf(new Request(url));
    const digest = path && SITE.others[path];
    if (path !== undefined && digest !== undefined) await keep(path, digest);
  }
}

/** Puts a file of this version into its cache: from an older version that has the same, or from the server. */
async function keep(path: string, digest: string): Promise<void> {
  const older = await keptBefore(path);
  if (older !== undefined && (await put(path, digest, older))) return;
  const response = await fetch(addressOf(path), { cache: 'no-cache' });
  if (!response.ok || !(await put(path, digest, response))) throw new Error(`${path} is of another version`);
}

/** @returns false: it is not the file of this version, and nothing is kept */
async function put(path: string, digest: string, response: Response): Promise<boolean> {
  const bytes = await response.arrayBuffer();
  const found = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  if (btoa(String.fromCharCode(...found)) !== digest) return false;
  const headers = new Headers(response.headers);
  // They describe what was sent, which is unpacked by now.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const cache = await caches.open(OWN);
  await cache.put(addressOf(path), new Response(bytes, { headers }));
  return true;
}

/** Path of the file asked for; undefined: something that is not answered here, such as a part of a file. */
function pathOf({ method, url, headers }: Request): string | undefined {
  if (method !== 'GET' || headers.has('range') || !url.startsWith(SCOPE)) return undefined;
  const { origin, pathname } = new URL(url);
  return (origin + pathname).slice(SCOPE.length) || 'index.html';
}

function addressOf(path: string): string {
  return new URL(path, SCOPE).href;
}

async function answer(event: FetchEvent, path: string): Promise<Response> {
  const response = (await kept(path)) ?? (await asked(event, path));
  return event.request.destination === 'worker' ? withPolicy(response) : response;
}

/** Finds a kept file, also of an older version, which a tab may still show, and whose scripts have other names. */
async function kept(path: string): Promise<Response | undefined> {
  const own = await (await caches.open(OWN)).match(addressOf(path));
  return own ?? (digestOf(path) === undefined ? keptBefore(path) : undefined);
}

async function keptBefore(path: string): Promise<Response | undefined> {
  for (const name of await versions()) {
    if (name === OWN) continue;
    const found = await (await caches.open(name)).match(addressOf(path));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Names of the caches of this page, the newest first. */
async function versions(): Promise<readonly string[]> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== OWN);
  return [OWN, ...names.reverse()];
}

async function asked(event: FetchEvent, path: string): Promise<Response> {
  const response = await fetch(event.request);
  const digest = digestOf(path);
  // A file of another version is what was asked for all the same.
  if (digest !== undefined && response.ok) event.waitUntil(put(path, digest, response.clone()));
  return response;
}

function digestOf(path: string): string | undefined {
  return SITE.needed[path] ?? SITE.others[path];
}

/** Adds the policy to a worker's script: a worker that starts from a file has that of its headers, which a static host does not set. */
function withPolicy(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.append('content-security-policy', SITE.policy);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
