/**
 * Vite plugin: writes `service-worker.js` beside the page, from `src/workers/service-worker.ts` and the files that were
 * built, each with its SHA-256. What lies in a folder of its own below a folder, as the files of an example do, is kept
 * when it is asked for; all else before a version is used.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCE = fileURLToPath(new URL('../src/workers/service-worker.ts', import.meta.url));
const SCRIPT = 'service-worker.js';

/** @returns {import('vite').Plugin} */
export function offline() {
  return {
    name: 'wakepath-offline',
    apply: 'build',
    writeBundle: { order: 'post', sequential: true, handler: ({ dir }) => writeServiceWorker(dir) },
  };
}

/** @param {string} folder with all other files of the site; what was written before is replaced */
export async function writeServiceWorker(folder) {
  const source = readFileSync(SOURCE, 'utf8');
  const lists = { needed: {}, others: {} };
  for (const path of filesIn(folder)) {
    if (path === SCRIPT || path.endsWith('.map')) continue;
    const list = path.split('/').length > 2 ? lists.others : lists.needed;
    list[encodeURI(path)] = digestOf(readFileSync(join(folder, path)));
  }
  const policy = policyOf(readFileSync(join(folder, 'index.html'), 'utf8'));
  const version = digestOf(source + JSON.stringify(lists));
  const bundle = await rolldown({ input: SOURCE, transform: { target: 'es2022' } });
  const site = JSON.stringify({ version, policy, ...lists });
  const { output } = await bundle.generate({ format: 'iife', intro: `const SITE = ${site};` });
  await bundle.close();
  writeFileSync(join(folder, SCRIPT), output[0].code);
}

/** Paths below a folder, in order. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => relative(folder, path).split(sep).join('/'))
    .sort();
}

function policyOf(page) {
  const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)?.[1];
  if (policy === undefined) throw new Error('index.html has no content security policy');
  return policy;
}

function digestOf(content) {
  return createHash('sha256').update(content).digest('base64');
}
