/**
 * The packs of small data streams (golden README, "Packs"): every strict case gives its canonical text, or is refused
 * with a place after the events in its text. Cases listed in `known-gaps.json` must fail: the list may only shrink.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openDecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { checkCase, conformGroup, type GoldenCase } from '../../src/engine/export/conform.ts';
import gaps from './known-gaps.json' with { type: 'json' };

const packs = new URL('../../../shared/packs/', import.meta.url);

interface PackedCase extends GoldenCase {
  readonly metadata_gzip_base64?: string;
}

function metadataOf(golden: PackedCase): Uint8Array {
  if (golden.metadata !== undefined) return new TextEncoder().encode(golden.metadata);
  return new Uint8Array(gunzipSync(Buffer.from(golden.metadata_gzip_base64 ?? '', 'base64')));
}

describe.skipIf(!existsSync(packs))('decoder packs', () => {
  test.each([
    ['fields-ctf1', 'ts'],
    ['fields-ctf1', 'wasm'],
    ['yactfr-data-ctf1', 'ts'],
    ['yactfr-data-ctf1', 'wasm'],
    ['fields-ctf2', 'ts'],
    ['fields-ctf2', 'wasm'],
    ['yactfr-data-ctf2', 'ts'],
    ['yactfr-data-ctf2', 'wasm'],
  ] as const)('%s, decoder %s', async (pack, decoder) => {
    const memory = openDecodeMemory(decoder);
    const file = JSON.parse(readFileSync(new URL(`${pack}.json`, packs), 'utf8')) as {
      cases: Record<string, PackedCase>;
    };
    const result = await conformGroup(pack, file.cases, (golden) =>
      checkCase(golden, metadataOf(golden), memory),
    );
    const known: readonly string[] = gaps[pack];
    expect(result.failed.filter((failure) => !known.includes(failure.name))).toEqual([]);
    expect(result.failed.map((failure) => failure.name).sort()).toEqual([...known].sort());
    expect(result.total).toBeGreaterThan(0);
  });
});
