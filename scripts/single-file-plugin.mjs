/**
 * Vite plugin of `npm run build:single`: makes one file of the page, `wakepath.html`, that opens from a disk by a double click.
 * The scripts of page and workers are compressed texts in it; a small script makes blobs of them, since a page from a
 * disk may load nothing else. It needs the page in one script, and each worker.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TARGET = 'wakepath.html';

/**
 * Makes a blob of each script. The session's worker makes that of the workers which it starts: from a disk one made by the
 * page would be a stranger's.
 */
const LOADER = `(async () => {
  const textOf = (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  };
  const addressOf = (...texts) => URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  const decoder = JSON.stringify(await textOf('decode-worker'));
  const begin = 'globalThis.wakepathScripts = { "decode-worker": URL.createObjectURL(new Blob([' + decoder + '], { type: "text/javascript" })) };';
  globalThis.wakepathScripts = { 'session-worker': addressOf(begin, await textOf('session-worker')) };
  await import(addressOf(await textOf('index')));
})();`;

/** @returns {import('vite').Plugin} */
export function singleFile() {
  return {
    name: 'wakepath-single-file',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      handler({ dir }) {
        const page = pageOf(dir);
        for (const part of readdirSync(dir)) rmSync(join(dir, part), { recursive: true });
        writeFileSync(join(dir, TARGET), page);
      },
    },
  };
}

/** @returns {string} JavaScript that tells the address of a worker's script: the loader knows it */
export function addressOfScript(name) {
  return `globalThis.wakepathScripts[${JSON.stringify(kindOf(name))}]`;
}

/** "session-worker" of assets/session-worker-Dx3kq0aB.js. */
function kindOf(name) {
  return /([a-z-]+)-[\w-]{8}\.(?:js|css)$/.exec(name)?.[1] ?? name;
}

/** @param {string} parts folder of what was built */
function pageOf(parts) {
  const assets = readdirSync(join(parts, 'assets'));
  const read = (kind, extension) => {
    const found = assets.filter((name) => name.endsWith(extension) && kindOf(name) === kind);
    if (found.length !== 1) throw new Error(`${found.length} files ${kind}${extension} were built`);
    return readFileSync(join(parts, 'assets', found[0]), 'utf8');
  };
  const html = readFileSync(join(parts, 'index.html'), 'utf8');
  // With all styles in one file it is named after them.
  const style = read('style', '.css');
  const scripts = ['decode-worker', 'session-worker', 'index'].map((kind) => {
    const text = gzipSync(read(kind, '.js'), { level: 9 }).toString('base64');
    return `<script type="text/plain" id="${kind}">${text}</script>`;
  });
  const policy = [
    "default-src 'none'",
    `script-src blob: 'wasm-unsafe-eval' '${digestOf(LOADER)}'`,
    `style-src '${digestOf(style)}'`,
    'worker-src blob:',
    'connect-src blob:',
    'img-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    ...(html.match(/<meta\s+name="[^>]*>/g) ?? []),
    '<title>Wakepath</title>',
    `<style>${style}</style>\n</head>\n<body>`,
  ];
  const licences = readFileSync(join(parts, 'licences.txt'), 'utf8').replaceAll('--', '- -');
  const body = ['<div id="app"></div>', ...scripts, `<script>${LOADER}</script>`, '</body>\n</html>'];
  return [...head, ...body, `<!--\n${licences}-->\n`].join('\n');
}

function digestOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
