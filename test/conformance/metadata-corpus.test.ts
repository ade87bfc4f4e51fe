/** Metadata of whole traces: those that must be read, and those that must be refused, at the golden line. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULT_MEANINGS } from '../../src/engine/base/fault-text.ts';
import { readMetadata } from '../../src/engine/ctf/metadata/metadata.ts';
import { projectDir, recordedTraces, sharedDir, traceFolders } from '../support/shared.ts';

interface Golden {
  readonly kind: string;
  readonly line?: number;
}

/** Empty in a clone without it: all tests are skipped. */
const shared = sharedDir() ?? '';

function readFolder(path: string) {
  return readMetadata(readFileSync(join(path, 'metadata')), 'metadata');
}

/** Kind of the corpus → our code, as the documentation says. */
function documentedCodes(): ReadonlyMap<string, string> {
  const document = readFileSync(join(projectDir(), 'docs/errors.md'), 'utf8');
  const [, table] = document.split('## Kinds of the conformance corpus');
  return new Map(
    [...table.matchAll(/^\| `([a-z0-9-]+)` +\| `([a-z-]+)` +\|$/gm)].map((match) => [match[1], match[2]]),
  );
}

/** Of both versions, by their folder in the corpus. */
function goldensOfFailing(): [folder: string, golden: Golden][] {
  return ['ctf1-fail', 'ctf2-fail'].flatMap((group) => {
    const file = join(shared, `golden/${group}.json`);
    if (!existsSync(file)) return [];
    const goldens = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Golden>;
    return Object.entries(goldens).map(([name, golden]): [string, Golden] => [`${group}/${name}`, golden]);
  });
}

describe.skipIf(shared === '')('metadata of traces', () => {
  test('all that must be read is read', () => {
    const corpora = ['ctf1-ok', 'ctf2-ok'].flatMap((group) => traceFolders(join(shared, 'corpus', group)));
    const folders = [...recordedTraces(), ...corpora];
    const refused = folders.flatMap(({ name, path }) => {
      const read = readFolder(path);
      return read.ok ? [] : [[name, read.fault]];
    });
    expect(refused).toEqual([]);
    expect(folders.length).toBeGreaterThan(100);
  });

  test.each(goldensOfFailing())('%s', (folder, { kind, line }) => {
    const code = documentedCodes().get(kind);
    expect(Object.keys(FAULT_MEANINGS)).toContain(code);
    const reads = traceFolders(join(shared, 'corpus', folder)).map(({ path }) => readFolder(path));
    const faults = reads.flatMap((read) => (read.ok ? [] : [read.fault]));
    if (!kind.startsWith('metadata-') && kind !== 'ctf2-draft') return expect(faults).toEqual([]);
    expect(faults).toMatchObject([{ code, place: line === undefined ? {} : { line } }]);
  });
});
