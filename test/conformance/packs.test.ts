/**
 * The packs of small cases (golden README, "Packs"): every strict one gives its canonical text, or is refused at its
 * place after the events in its text. Cases listed in `known-gaps.json` must fail: the list may only shrink.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { checkCase, conformGroup, type GoldenCase } from './harness/conform.ts';
import gaps from './known-gaps.json' with { type: 'json' };

const packs = new URL('../../../shared/packs/', import.meta.url);

const PACKS = [
  'fields-ctf1',
  'fields-ctf2',
  'yactfr-data-ctf1',
  'yactfr-data-ctf2',
  'yactfr-metadata-ctf1',
  'yactfr-metadata-ctf2',
  'yactfr-metadata-stream-ctf1',
] as const;

describe.skipIf(!existsSync(packs))('packs', () => {
  test.each(PACKS.flatMap((pack) => [[pack, 'ts'] as const, [pack, 'wasm'] as const]))(
    '%s, decoder %s',
    async (pack, decoder) => {
      const memory = openDecodeMemory(decoder);
      const file = JSON.parse(readFileSync(new URL(`${pack}.json`, packs), 'utf8')) as {
        cases: Record<string, GoldenCase>;
      };
      const result = await conformGroup(pack, file.cases, (golden) => checkCase(golden, memory));
      const known: readonly string[] = gaps[pack];
      expect(result.failed.filter((failure) => !known.includes(failure.name))).toEqual([]);
      expect(result.failed.map((failure) => failure.name).sort()).toEqual([...known].sort());
      expect(result.total).toBeGreaterThan(0);
      for (const { name } of result.deviations) expect(file.cases[name].notes, name).toBeTruthy();
    },
  );
});
