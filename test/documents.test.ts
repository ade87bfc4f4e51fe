/** Documents: their links lead somewhere, files that they name exist, and their pictures are shown and small. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { TABLES } from '../src/engine/answers/statistics/tables.ts';
import { projectDir } from './support/shared.ts';

const root = projectDir();
const MOST_BYTES_OF_A_PICTURE = 250_000;
/** Names of files that a reader makes by following the text. */
const MADE_BY_READERS = /NAME|DIR|FILE|\*|^build\/|^dist\/|test-results|\.{3}/;

/** Folders that are no part of the sources. */
const OTHERS = new Set(['.git', 'build', 'dist', 'node_modules', 'test-results']);

const files = filesOf('');
const documents = files.filter((file) => file.endsWith('.md') && !/^(public|test\/fixtures)\//.test(file));

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !OTHERS.has(name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? filesOf(path) : [path];
    });
}

/** The text without blocks of code and comments, whose brackets are no links. */
function proseOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/<!--[^]*?-->/g, '');
}

function linksOf(file: string): string[] {
  const text = proseOf(file).replace(/`[^`]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^https?:/.test(target));
}

/** The anchors of headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isBroken(document: string, link: string): boolean {
  const [path, anchor] = link.split('#');
  const target = path === '' ? document : posix.join(dirname(document), path);
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

test('links of documents lead to files and headings that exist', () => {
  const broken = documents.flatMap((file) =>
    linksOf(file)
      .filter((link) => isBroken(file, link))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('files that documents name exist', () => {
  const ends = new Set(
    files.flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(i).join('/'))),
  );
  const missing = documents.flatMap((file) =>
    [...proseOf(file).matchAll(/`([\w./-]+\.(?:ts|tsx|mts|mjs|md|sh|c|h|css|html|yml))`/g)]
      .map(([, name]) => name)
      .filter((name) => !MADE_BY_READERS.test(name) && !ends.has(name.replace(/^(\.\.?\/)+/, '')))
      .map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('documents that code names exist', () => {
  const missing = files
    .filter((file) => /\.(ts|tsx|mts|mjs|js|html|c|h|sh|yml)$/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /\b(?:docs|bench|recording|test|src|engine|app)\/[\w./-]*\w\.md\b/g,
        ),
      ]
        .map(([name]) => name)
        .filter((name) => !existsSync(join(root, name)) && !existsSync(join(root, 'src', name)))
        .map((name) => `${file}: ${name}`),
    );
  expect(missing).toEqual([]);
});

test('the JSON of each statistic is described', () => {
  const text = readFileSync(join(root, 'docs/inspect-json.md'), 'utf8');
  const described = new Set(Array.from(text.matchAll(/^ {4}stats (\w+) +\{/gm), ([, name]) => name));
  expect(Object.keys(TABLES).filter((name) => !described.has(name))).toEqual([]);
});

test('each README of the sources begins with what may be imported, and its invariant', () => {
  const others = documents
    .filter((file) => /^src\/.*README\.md$/.test(file))
    .filter((file) => {
      const [, , , imports, invariant] = readFileSync(join(root, file), 'utf8').split('\n');
      return !/\b(import|Imports)\b/.test(imports) || !/^Invariants?\b/.test(invariant);
    });
  expect(others).toEqual([]);
});

test('each picture of the documents is shown and small', () => {
  const text = documents.map(proseOf).join('\n');
  const pictures = files.filter((file) => file.startsWith('docs/screens/'));
  expect(pictures.filter((file) => !text.includes(`screens/${basename(file)}`))).toEqual([]);
  expect(pictures.filter((file) => statSync(join(root, file)).size > MOST_BYTES_OF_A_PICTURE)).toEqual([]);
});
