/**
 * The packs of small metadata (golden README, "Packs"): every strict case must be read or refused as the independent
 * readers do, at the same line. Cases listed in `known-gaps.json` must fail: the list may only shrink.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readMetadata } from '../../src/engine/ctf/metadata/metadata.ts';
import { sharedDir } from '../support/shared.ts';
import gaps from './known-gaps.json' with { type: 'json' };

interface Case {
  readonly expect: 'pass' | 'fail';
  readonly strict: boolean;
  readonly metadata?: string;
  readonly metadata_gzip_base64?: string;
  readonly line?: number;
  readonly project_text?: string;
}

const PACKS = ['yactfr-metadata-ctf1', 'yactfr-metadata-ctf2', 'yactfr-metadata-stream-ctf1'] as const;
/** Here we blame the path as written; the project blames the field that it leads to, lines above. */
const PATH_BLAMED: Readonly<Record<string, number>> = {
  'fail-dl-array-type-inval-len-loc-3': 24,
  'fail-dl-array-type-inval-len-loc-4': 27,
  'fail-dl-str-type-inval-len-loc-3': 24,
  'fail-dl-str-type-inval-len-loc-4': 27,
  'fail-var-type-inval-sel-loc-5': 21,
};

/** Empty in a clone without it: all tests are skipped. */
const shared = sharedDir() ?? '';

function metadataOf(test: Case): Uint8Array {
  if (test.metadata !== undefined) return new TextEncoder().encode(test.metadata);
  return gunzipSync(Buffer.from(test.metadata_gzip_base64 ?? '', 'base64'));
}

/** Lines that may be blamed: the golden one (0 means the whole file), else any in the writer's messages. */
function linesOf(name: string, test: Case): readonly number[] {
  if (name in PATH_BLAMED) return [PATH_BLAMED[name]];
  if (test.line !== undefined) return test.line > 0 ? [test.line] : [];
  return [...(test.project_text ?? '').matchAll(/^\[(\d+):\d+\]/gm)].map((match) => Number(match[1]));
}

/** What is wrong with our answer, or undefined. */
function complaint(name: string, test: Case): string | undefined {
  const read = readMetadata(metadataOf(test), 'metadata');
  if (test.expect === 'pass') return read.ok ? undefined : `refused: ${JSON.stringify(read.fault)}`;
  if (read.ok) return 'read, though it should be refused';
  const lines = linesOf(name, test);
  const { line } = read.fault.place;
  if (lines.length === 0 || (line !== undefined && lines.includes(line))) return undefined;
  return `refused at line ${line} and not at ${lines.join(' or ')}: ${JSON.stringify(read.fault)}`;
}

describe.skipIf(shared === '')('metadata packs', () => {
  test.each(PACKS)('%s', (pack) => {
    const { cases } = JSON.parse(readFileSync(join(shared, 'packs', `${pack}.json`), 'utf8')) as {
      cases: Record<string, Case>;
    };
    const strict = Object.entries(cases).filter(([, { strict }]) => strict);
    const complaints = strict.flatMap(([name, test]) => {
      const found = complaint(name, test);
      return found === undefined ? [] : [[name, found]];
    });
    const known: readonly string[] = gaps[pack];
    expect(complaints.filter(([name]) => !known.includes(name))).toEqual([]);
    expect(complaints.map(([name]) => name).sort()).toEqual([...known].sort());
  });
});
