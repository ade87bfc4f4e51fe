/**
 * Whole traces against the golden results of an independent reader: events, digest, first and last time, losses; of
 * what is wrong its kind, line and the events before it. Entries listed in `known-gaps.json` must fail: the list may only shrink.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openDecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { compareTrace, conformGroup, type GoldenTrace } from './harness/conform.ts';
import { summarisePaths } from '../../src/cli/commands/canonical.ts';
import { isOfTier } from '../support/shared.ts';
import { DEEP, everyTenth } from '../support/tier.ts';
import gaps from './known-gaps.json' with { type: 'json' };

const shared = new URL('../../../shared/', import.meta.url);

const GROUPS = [
  { name: 'ctf1-ok', golden: 'golden/ctf1-ok.json', folder: 'corpus/ctf1-ok/', decoder: 'wasm' },
  { name: 'ctf1-ok', golden: 'golden/ctf1-ok.json', folder: 'corpus/ctf1-ok/', decoder: 'ts' },
  { name: 'ctf1-fail', golden: 'golden/ctf1-fail.json', folder: 'corpus/ctf1-fail/', decoder: 'wasm' },
  { name: 'ctf1-fail', golden: 'golden/ctf1-fail.json', folder: 'corpus/ctf1-fail/', decoder: 'ts' },
  { name: 'ctf2-ok', golden: 'golden/ctf2-ok.json', folder: 'corpus/ctf2-ok/', decoder: 'wasm' },
  { name: 'ctf2-ok', golden: 'golden/ctf2-ok.json', folder: 'corpus/ctf2-ok/', decoder: 'ts' },
  { name: 'ctf2-fail', golden: 'golden/ctf2-fail.json', folder: 'corpus/ctf2-fail/', decoder: 'wasm' },
  { name: 'ctf2-fail', golden: 'golden/ctf2-fail.json', folder: 'corpus/ctf2-fail/', decoder: 'ts' },
  // That generated code gives the same is tested with every projection (`decoders.test.ts`).
  { name: 'traces', golden: 'golden/traces.json', folder: 'traces/', decoder: 'wasm' },
  // Public traces of others.
  { name: 'real', golden: 'golden/real.json', folder: 'real/', decoder: 'wasm' },
] as const;

/** In the fast tier, small ones of what is large, and a tenth by the second decoder. */
function ofTier(
  group: string,
  decoder: 'wasm' | 'ts',
  entries: Readonly<Record<string, GoldenTrace>>,
): readonly string[] {
  const names = Object.keys(entries);
  if (group === 'traces' || group === 'real') return names.filter(isOfTier);
  if (DEEP || decoder === 'wasm') return names;
  return everyTenth(names.filter((name) => entries[name].strict));
}

describe.skipIf(!existsSync(shared))('traces', () => {
  test.each(GROUPS)('$name, decoder $decoder', async ({ name, golden, folder, decoder }) => {
    const memory = openDecodeMemory(decoder);
    const file = JSON.parse(readFileSync(new URL(golden, shared), 'utf8')) as Record<string, GoldenTrace>;
    const entries = 'traces' in file ? (file.traces as unknown as typeof file) : file;
    const names = ofTier(name, decoder, entries);
    const tried = Object.fromEntries(names.map((entry) => [entry, entries[entry]]));
    const result = await conformGroup(name, tried, async (expected, entry) => {
      // What `inspect canonical` prints.
      const { summary, faults } = await summarisePaths(
        [fileURLToPath(new URL(folder + entry, shared))],
        memory,
      );
      return compareTrace(expected, { ...summary, faults });
    });
    const known: readonly string[] = gaps[name].filter((entry: string) => names.includes(entry));
    expect(result.failed.filter((failure) => !known.includes(failure.name))).toEqual([]);
    expect(result.failed.map((failure) => failure.name).sort()).toEqual([...known].sort());
    expect(result.total).toBeGreaterThan(0);
    for (const { name } of result.deviations) expect(entries[name].notes, name).toBeTruthy();
  });

  test.each([
    ['golden/traces.json', 'traces'],
    ['golden/real.json', 'real'],
  ])('%s has every trace', (golden, folder) => {
    const { traces } = JSON.parse(readFileSync(new URL(golden, shared), 'utf8')) as { traces: object };
    const folders = readdirSync(new URL(folder, shared), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(Object.keys(traces).sort()).toEqual(names.sort());
  });
});
