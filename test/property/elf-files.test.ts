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
  FieldWriter,
  type WrittenSection,
} from '../support/elf-writer.ts';
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

interface WrittenFunction {
  readonly name: string;
  readonly from: bigint;
  readonly size: number;
  /** Of those that are inlined. */
  readonly call?: { readonly file: number; readonly line: number };
}

/** `.debug_info`: functions after the first are inlined, each into the one before; the last one says its code as ranges. */
function entrySections(
  form: WrittenForm,
  version: 2 | 3 | 4 | 5,
  functions: readonly WrittenFunction[],
): WrittenSection[] {
  const dwarf5 = version >= 5;
  const sectionOffset = version >= 4 ? 0x17 : 0x06;
  const abbreviations = new FieldWriter(form)
    // Unit: line program, begin of code, its length.
    .u8(1, 0x11, 1, 0x10, sectionOffset, 0x11, 0x01, 0x12, 0x06, 0, 0)
    // A function as it is in the source: its name.
    .u8(2, 0x2e, 0, 0x03, 0x08, 0, 0)
    // A function with code: origin, begin, length.
    .u8(3, 0x2e, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0, 0)
    // An inlined one: file and line of its call, too.
    .u8(4, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x05, 0, 0)
    // One with a list of ranges.
    .u8(5, 0x1d, 1, 0x31, 0x13, 0x55, sectionOffset, 0x58, 0x0b, 0x59, 0x05, 0, 0, 0);
  const unit = new FieldWriter(form).u16(version);
  const addressBytes = form.is64 ? 8 : 4;
  if (dwarf5) unit.u8(1, addressBytes).u32(0);
  else unit.u32(0).u8(addressBytes);
  const [{ from: begin, size }] = functions;
  unit.u8(1).u32(0).word(begin).u32(size);
  // References count from the length of the unit.
  const origins = functions.map(({ name }) => {
    const at = 4 + unit.bytes.length;
    unit.u8(2).text(name);
    return at;
  });
  functions.forEach(({ from, size: bytes, call }, i) => {
    const isListed = i > 0 && i === functions.length - 1;
    unit.u8(i === 0 ? 3 : isListed ? 5 : 4).u32(origins[i]);
    if (isListed) unit.u32(0);
    else unit.word(from).u32(bytes);
    if (call !== undefined) unit.u8(call.file).u16(call.line);
  });
  unit.u8(0, ...functions.map(() => 0));
  const { from, size: last } = functions[functions.length - 1];
  const offset = Number(from - begin);
  const ranges = new FieldWriter(form);
  if (dwarf5)
    ranges
      .u8(4)
      .uleb(offset)
      .uleb(offset + last)
      .u8(0);
  else
    ranges
      .word(offset)
      .word(offset + last)
      .word(0)
      .word(0);
  const info = new FieldWriter(form).u32(unit.bytes.length).u8(...unit.bytes);
  return [
    { name: '.debug_info', type: 1, bytes: info.done() },
    { name: '.debug_abbrev', type: 1, bytes: abbreviations.done() },
    { name: dwarf5 ? '.debug_rnglists' : '.debug_ranges', type: 1, bytes: ranges.done() },
  ];
}
