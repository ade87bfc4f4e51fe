/**
 * Doc comments of `src` begin with their subject: a noun, or a verb in the third person. Lists those that begin with a
 * preposition or a pronoun instead. There are at most as many as `doc-openings.json` says, a number that may only shrink.
 *
 *     node scripts/lint/doc-openings.mjs --list src/engine/ctf   # file:line:text of each below a path, their number last
 *     node scripts/lint/doc-openings.mjs --lower                 # lowers the number in doc-openings.json
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT = fileURLToPath(new URL('doc-openings.json', import.meta.url));
const DOC_COMMENT = /\/\*\*(?!\/)[\s*]*(.*?)\s*(?:\*\/|\n)/g;
const REFUSED = /^(?:Of|As|In|On|At|By|For|From|To|With|What|Which|Who|Whose|Whoever|That|Those)(?![\w-])/;

/**
 * Doc comments of a source text whose first word is refused.
 * @param {string} text
 * @returns {{ line: number, text: string }[]} number of the line, from 1, and the comment's first line of words
 */
export function refusedOpenings(text) {
  const found = [];
  for (const comment of text.matchAll(DOC_COMMENT)) {
    if (!REFUSED.test(comment[1])) continue;
    found.push({ line: text.slice(0, comment.index).split('\n').length, text: comment[1] });
  }
  return found;
}

/**
 * Refused doc comments below a path, without tests.
 * @param {string} path of a file or folder, from the project's folder
 * @returns {{ file: string, line: number, text: string }[]}
 */
export function refusedBelow(path) {
  return filesBelow(path).flatMap((file) =>
    refusedOpenings(readFileSync(join(ROOT, file), 'utf8')).map((place) => ({ file, ...place })),
  );
}

/** Largest number of refused doc comments of `src`. */
export function limit() {
  return JSON.parse(readFileSync(LIMIT, 'utf8'));
}

function filesBelow(path) {
  const names = statSync(join(ROOT, path)).isDirectory()
    ? readdirSync(join(ROOT, path), { recursive: true }).map((name) => join(path, name))
    : [path];
  return names.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)).sort();
}

function lower() {
  writeFileSync(LIMIT, `${Math.min(limit(), refusedBelow('src').length)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, ...paths] = process.argv.slice(2);
  if (option === '--lower') lower();
  else if (option === '--list') {
    const places = (paths.length > 0 ? paths : ['src']).flatMap(refusedBelow);
    for (const { file, line, text } of places) console.log(`${file}:${line}:${text}`);
    console.log(`${places.length}`);
  } else console.error('Usage: doc-openings.mjs --list [PATH...] | --lower');
}
