/** Damaged ELF files: whatever bytes they have, reading ends, does not throw, and names only what is in the file. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/engine/base/fault.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { buildIdOf, debugLinkOf } from '../../src/engine/symbols/build-id.ts';
import { readElf } from '../../src/engine/symbols/elf-file.ts';
import { moduleSymbols } from '../../src/engine/symbols/module-symbols.ts';
import {
  buildIdSection,
  codeSection,
  packedSection,
  symbolSections,
  writeElf,
  type WrittenForm,
} from '../support/elf-writer.ts';
import { entrySections } from '../support/entry-writer.ts';
import { lineSections } from '../support/line-writer.ts';
import { forAll } from '../support/for-all.ts';

const PAGE = 0x40_0000n;
const CODE = PAGE + 0x1000n;
/** Within the code, before it and behind. */
const PLACES = Float64Array.from({ length: 24 }, (_, i) => 0xff8 + 4 * i);
const DATA = PAGE + 0x2000n;
/** Within the data, before it and behind. */
const DATA_PLACES = Float64Array.from({ length: 24 }, (_, i) => 0x1ff8 + 4 * i);
/** ms: a hundred times what a file that small takes. */
const LONGEST = 5000;

function program(form: WrittenForm, version: 2 | 3 | 4 | 5, isPacked: boolean): Uint8Array {
  const functions = Array.from({ length: 8 }, (_, i) => {
    return {
      name: `function_${i}`,
      value: CODE + BigInt(8 * i),
      size: i % 3 === 0 ? 0n : 8n,
      binding: i % 3,
    };
  });
  const objects = Array.from({ length: 4 }, (_, i) => {
    return { name: `object_${i}`, value: DATA + BigInt(16 * i), size: 12n, type: 1, section: 2 };
  });
  const row = (at: number, file: number, line: number) => ({ address: CODE + BigInt(at), file, line });
  const unit = {
    version,
    directories: ['/src', 'lib'],
    files: [
      ['main.c', 0],
      ['part.c', 1],
    ] as const,
    sequences: [
      [row(0, 1, 5), row(8, 1, 6), row(12, 1, 400), row(32, 1, 0)],
      [row(32, 1, 50), row(40, 1, 49), row(64, 1, 0)],
    ],
  };
  const entries = entrySections(form, version, [
    { name: 'outer', from: CODE, size: 64 },
    { name: 'middle', from: CODE, size: 32, call: { file: 1, line: 7 } },
    { name: 'inner', from: CODE + 8n, size: 8, call: { file: 1, line: 9 } },
  ]);
  const [lines, texts] = lineSections(form, [unit, unit]);
  return writeElf(form, PAGE, [
    codeSection(CODE, 64),
    { name: '.data', type: 1, flags: 3, address: DATA, bytes: new Uint8Array(64) },
    ...symbolSections(form, [...functions, ...objects]),
    buildIdSection(form, 'c0ffee00'.repeat(5)),
    { name: '.gnu_debuglink', type: 1, bytes: new TextEncoder().encode('program.debug\0') },
    isPacked ? packedSection(form, lines) : lines,
    isPacked ? packedSection(form, texts) : texts,
    ...entries.map((section) => (isPacked ? packedSection(form, section) : section)),
  ]);
}

/** All that is read of a file. */
async function readAll(bytes: Uint8Array) {
  const faults: Fault[] = [];
  const elf = await readElf(memorySource('program', bytes));
  if (!elf.ok) return { faults: [elf.fault], symbols: [], objects: [] };
  await buildIdOf(elf.value);
  await debugLinkOf(elf.value);
  const module = moduleSymbols([elf.value], (fault) => faults.push(fault));
  const [symbols, objects] = [await module.at(PLACES), await module.objectsAt(DATA_PLACES)];
  return { faults, symbols, objects };
}

const FORM = fc.record({ is64: fc.boolean(), isLittle: fc.boolean() });
const VERSION = fc.constantFrom(2, 3, 4, 5);
const FLIPS = fc.array(
  fc.record({ at: fc.nat(), byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)) }),
  { minLength: 1, maxLength: 8 },
);

test('a sound file is read without faults', async () => {
  for (const isPacked of [false, true]) {
    for (const version of [2, 3, 4, 5] as const) {
      for (const is64 of [false, true]) {
        const { faults, symbols, objects } = await readAll(
          program({ is64, isLittle: is64 }, version, isPacked),
        );
        const file = version === 5 ? '/src/lib/part.c' : 'main.c';
        const middle = { function: 'middle', file, line: 7 };
        expect(faults).toEqual([]);
        expect(symbols[2]).toMatchObject({ function: 'function_0', line: 5, inlined: [middle] });
        expect(symbols[4].inlined).toEqual([{ function: 'inner', file, line: 9 }, middle]);
        expect(symbols[6].inlined).toEqual([middle]);
        expect(symbols[10].inlined).toBeUndefined();
        const [before, , first, , inFirst, between] = objects;
        expect([before, between]).toEqual([undefined, undefined]);
        expect([first, inFirst]).toEqual([0, 8].map((offset) => ({ name: 'object_0', offset })));
      }
    }
  }
});

test('changed bytes and missing ends', () =>
  forAll(
    300,
    [FORM, VERSION, fc.boolean(), FLIPS, fc.option(fc.nat())],
    async (form, version, isPacked, flips, end) => {
      const whole = program(form, version, isPacked);
      const bytes = end === null ? whole : whole.slice(0, end % whole.length);
      for (const { at, byte } of flips) if (bytes.length > 0) bytes[at % bytes.length] = byte;
      const begin = performance.now();
      const { symbols, objects, faults } = await readAll(bytes);
      expect(performance.now() - begin).toBeLessThan(LONGEST);
      const text = new TextDecoder().decode(bytes);
      for (const symbol of symbols) {
        if (symbol.function !== undefined) expect(text).toContain(symbol.function);
        for (const call of symbol.inlined ?? []) {
          if (!isPacked) expect(text).toContain(call.function);
          expect(call.file === undefined).toBe(call.line === undefined);
        }
        expect(symbol.file === undefined).toBe(symbol.line === undefined);
        if (symbol.line !== undefined)
          expect(Number.isSafeInteger(symbol.line) && symbol.line > 0).toBe(true);
      }
      for (const { name, offset } of objects.filter((object) => object !== undefined)) {
        expect(text).toContain(name);
        expect(Number.isSafeInteger(offset) && offset >= 0).toBe(true);
      }
      for (const { code } of faults)
        expect(['symbols-unreadable', 'truncated', 'file-unreadable']).toContain(code);
    },
  ));
