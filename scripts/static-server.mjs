/** A small static file server for the built page, on this computer only. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Serves `folder` under `prefix` ('/' or '/name/'). Takes `port` or, when it is in use, one of the next hundred;
 * 0 lets the system choose. Resolves to the address and a function that stops the server.
 */
export async function serveFolder(folder, { port = 0, prefix = '/', host = '127.0.0.1' } = {}) {
  const server = createServer((request, response) => {
    answer(folder, prefix, request, response).catch(() => response.destroy());
  });
  const taken = await listen(server, host, port, port === 0 ? 0 : port + 100);
  return {
    url: `http://${host}:${taken}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server, host, port, last) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE' && port < last) resolve(listen(server, host, port + 1, last));
      else reject(error);
    });
    server.listen(port, host, () => resolve(server.address().port));
  });
}

async function answer(folder, prefix, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405);
  const file = await fileOf(folder, prefix, request.url ?? '/');
  if (file === undefined) return end(response, 404);
  response.writeHead(200, {
    'content-type': TYPES[extname(file.path)] ?? 'application/octet-stream',
    'content-length': file.size,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (request.method === 'HEAD') return response.end();
  createReadStream(file.path)
    .on('error', () => response.destroy())
    .pipe(response);
}

/** The file that a URL names, or undefined; never one outside of the folder. */
async function fileOf(folder, prefix, url) {
  let name;
  try {
    name = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined; // a malformed escape
  }
  if (!name.startsWith(prefix)) return undefined;
  const path = normalize(join(folder, name.slice(prefix.length)));
  if (path !== normalize(folder) && !path.startsWith(normalize(folder + sep))) return undefined;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    const index = join(path, 'index.html');
    const inside = await stat(index).catch(() => undefined);
    return inside?.isFile() ? { path: index, size: inside.size } : undefined;
  }
  return found?.isFile() ? { path, size: found.size } : undefined;
}

function end(response, status) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${status}\n`);
}
