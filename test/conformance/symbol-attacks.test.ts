/** Files of programs and names that were written to take long (`fixtures/attack`): each ends soon, and says so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { readElf } from '../../src/engine/symbols/elf-file.ts';
import { moduleSymbols } from '../../src/engine/symbols/module-symbols.ts';
import { codeSection, packedSection, symbolSections, writeElf } from '../support/elf-writer.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';

const FORM = { is64: true, isLittle: true };
/** Seconds of processor time that an input below 1 MB may take. */
const MOST_SECONDS = 15;

const attack = (name: string) => join(projectDir(), 'test/fixtures/attack', name);

/** Result with the seconds of processor time that it took. */
async function timed<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}

/** Codes of the faults of a look-up of so many places. */
async function codesOf(bytes: Uint8Array, places: number): Promise<readonly string[]> {
  const elf = await readElf(memorySource('program', bytes));
  if (!elf.ok) return [elf.fault.code];
  const codes: string[] = [];
  const symbols = moduleSymbols([elf.value], ({ code }) => codes.push(code));
  await symbols.at(Float64Array.from({ length: places }, (_, i) => 0x1000 + 16 * i));
  return codes;
}

describe('debug information that names its parts again and again', { timeout: 60_000 }, () => {
  const files = ['ranges-4', 'ranges-5', 'units-many', 'info-leaves-small'];
  test.each(
    files.flatMap((name) => (DEEP ? [100, 20_000] : [20_000]).map((places) => [name, places] as const)),
  )('%s, %d places', async (name, places) => {
    const bytes = readFileSync(attack(`elf/${name}`));
    const { result, seconds } = await timed(() => codesOf(bytes, places));
    expect(result).toContain('symbols-unreadable');
    expect(seconds).toBeLessThan(MOST_SECONDS);
  });
});

test(
  'a section that stands for a thousand times its bytes is not unpacked',
  { timeout: 60_000 },
  async () => {
    const lines = packedSection(FORM, { name: '.debug_line', type: 1, bytes: new Uint8Array(40 * 2 ** 20) });
    const bytes = writeElf(FORM, 0n, [codeSection(0x1000n, 64), lines]);
    expect(bytes.length).toBeLessThan(2 ** 20);
    expect(await codesOf(bytes, 4)).toEqual(['symbols-unreadable']);
  },
);

test('thousands of symbol tables are not all gone through', { timeout: 60_000 }, async () => {
  const symbols = Array.from({ length: 2000 }, (_, i) => ({
    name: `o${i}`,
    value: 0x1000n,
    size: 8n,
    type: 1,
  }));
  const table = symbolSections(FORM, symbols);
  const tables = Array.from({ length: 400 }, () => table).flat();
  const bytes = writeElf(FORM, 0n, [codeSection(0x1000n, 64), ...tables]);
  const { seconds } = await timed(() => codesOf(bytes, 100));
  expect(seconds).toBeLessThan(MOST_SECONDS);
});

test('a name that takes the library exponential time stays as it is', { timeout: 60_000 }, async () => {
  const { result, seconds } = await timed(() =>
    inspectJson<{ readonly frames: readonly (readonly unknown[])[] }>('symbols', attack('slow-name')),
  );
  expect(seconds).toBeLessThan(MOST_SECONDS);
  for (const frame of result.frames) expect(String(frame[5])).toMatch(/^_Z1fDT(psda)+$/);
});
