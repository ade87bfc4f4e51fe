/**
 * Vite plugin: writes `licences.txt` beside the page, with the licence of each package of which the page, its workers or
 * its kernels hold code. The build fails where a package has none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = join(ROOT, 'node_modules');
const OWN_TEXT = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim();
const RULE = '-'.repeat(80);

/** One for a build: `page` and `worker` are plugins for its parts. */
export function licences() {
  const names = new Set();
  const collect = (bundle) => {
    for (const { modules = {} } of Object.values(bundle)) {
      for (const [id, { renderedLength }] of Object.entries(modules)) {
        const name = renderedLength > 0 ? packageOf(id) : undefined;
        if (name !== undefined) names.add(name);
      }
    }
  };
  /** @type {import('vite').Plugin} */
  const worker = { name: 'wakepath-worker-licences', generateBundle: (_, bundle) => collect(bundle) };
  /** @type {import('vite').Plugin} */
  const page = {
    name: 'wakepath-licences',
    // Workers are bundled while the page's modules are loaded.
    generateBundle(_, bundle) {
      collect(bundle);
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licencesText([...names].sort()) });
    },
  };
  return { page, worker };
}

/** Of a bundled module; undefined for our own. */
function packageOf(id) {
  // Kernels hold parts of AssemblyScript's library, and the bundler adds functions of its own.
  if (id.startsWith('\0wasm:')) return /:(.*)\/[^/]*$/.exec(id)?.[1] ?? 'assemblyscript';
  if (id.startsWith('\0vite/')) return 'vite';
  return /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(id)?.[1].replace(sep, '/');
}

/** @param {readonly string[]} names of packages */
function licencesText(names) {
  const own = `Wakepath\n\n${OWN_TEXT}`;
  return `${[own, ...names.map(licenceOf)].join(`\n\n${RULE}\n`)}\n`;
}

function licenceOf(name) {
  const folder = join(PACKAGES, name);
  const { version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) =>
    /^(licen[cs]e(-mit)?|copying|notice)(\.(md|txt))?$/i.test(file),
  );
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8'));
  if (texts.length === 0) texts.push(ownTerms(name, license, author?.name ?? author));
  // Vite's file goes on with what it holds itself, of which nothing is in the page.
  const text = texts.join('\n\n').split('# Licenses of bundled dependencies')[0];
  return `${name} ${version} (${license})\n\n${text.replace(/\r\n/g, '\n').trim()}`;
}

/** A package that names its licence only: ours has the same terms. */
function ownTerms(name, license, author) {
  if (license !== 'MIT' || author === undefined) throw new Error(`${name}: no licence was found`);
  return OWN_TEXT.replace(/^Copyright.*$/m, `Copyright (c) ${author}`);
}
