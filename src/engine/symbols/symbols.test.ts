import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  buildIdSection,
  codeSection,
  packedSection,
  symbolSections,
  writeElf,
  type WrittenForm,
  type WrittenSection,
  type WrittenSymbol,
} from '../../../test/support/elf-writer.ts';
import { lineSections } from '../../../test/support/line-writer.ts';
import type { Fault } from '../base/fault.ts';
import { joinBytes } from '../base/byte-arrays.ts';
import { memorySource } from '../io/memory-source.ts';
import { buildIdOf, debugLinkOf } from './build-id.ts';
import { type ElfFile, readElf } from './elf-file.ts';
import { moduleSymbols } from './module-symbols.ts';

const FORMS: readonly WrittenForm[] = [
  { is64: true, isLittle: true },
  { is64: true, isLittle: false },
  { is64: false, isLittle: true },
  { is64: false, isLittle: false },
];
const [FORM] = FORMS;
/** Where a program is loaded that has a fixed place. */
const PAGE = 0x40_0000n;
const CODE = PAGE + 0x1000n;

async function elfOf(sections: readonly WrittenSection[], form = FORM, page = PAGE): Promise<ElfFile> {
  const read = await readElf(memorySource('program', writeElf(form, page, sections)));
  if (!read.ok) throw new Error(JSON.stringify(read.fault));
  return read.value;
}

async function namesOf(symbols: readonly WrittenSymbol[], ...places: number[]) {
  const elf = await elfOf([codeSection(CODE, 0x1000), ...symbolSections(FORM, symbols)]);
  const found = await moduleSymbols([elf], () => undefined).at(new Float64Array(places));
  return found.map(({ function: name }) => name);
}

describe.each(FORMS)('a file of $is64 64 bits, little end first $isLittle', (form) => {
  const symbols = symbolSections(form, [
    { name: 'first', value: CODE, size: 16n },
    { name: 'second', value: CODE + 32n, size: 16n },
  ]);
  const unit = {
    directories: ['/src', 'lib'],
    files: [
      ['main.c', 0],
      ['main.c', 0],
      ['part.c', 1],
    ] as const,
    sequences: [
      [
        { address: CODE, file: 1, line: 10 },
        { address: CODE + 4n, file: 2, line: 300 },
        { address: CODE + 12n, file: 1, line: 12 },
        { address: CODE + 16n, file: 0, line: 0 },
      ],
    ],
  };

  test('has its id, the name of its debug file, functions and lines', async () => {
    const name = new TextEncoder().encode('program.debug\0\0\0crc!');
    const link = { name: '.gnu_debuglink', type: 1, bytes: name };
    const lines = lineSections(form, [{ version: 5, ...unit }]);
    const id = buildIdSection(form, 'c0ffee00c0ffee00');
    const elf = await elfOf([codeSection(CODE, 64), ...symbols, id, link, ...lines], form);
    expect(elf.firstPage).toBe(PAGE);
    expect(await buildIdOf(elf)).toBe('c0ffee00c0ffee00');
    expect((await debugLinkOf(elf))?.name).toBe('program.debug');
    const places = new Float64Array([0x1000, 0x1003, 0x1004, 0x100b, 0x100c, 0x1010, 0x102f, 0x1030]);
    expect(await moduleSymbols([elf], () => undefined).at(places)).toEqual([
      { function: 'first', file: '/src/main.c', line: 10, begin: 0x1000 },
      { function: 'first', file: '/src/main.c', line: 10, begin: 0x1000 },
      { function: 'first', file: '/src/lib/part.c', line: 300, begin: 0x1000 },
      { function: 'first', file: '/src/lib/part.c', line: 300, begin: 0x1000 },
      { function: 'first', file: '/src/main.c', line: 12, begin: 0x1000 },
      { function: undefined, file: undefined, line: undefined },
      { function: 'second', file: undefined, line: undefined, begin: 0x1020 },
      { function: undefined, file: undefined, line: undefined },
    ]);
  });

  test.each([2, 3, 4] as const)('has lines of DWARF %d', async (version) => {
    const files = [
      ['main.c', 0],
      ['part.c', 2],
    ] as const;
    for (const isLong of version === 2 ? [false] : [false, true]) {
      const elf = await elfOf(
        [codeSection(CODE, 64), ...lineSections(form, [{ version, ...unit, files, isLong }])],
        form,
      );
      const found = await moduleSymbols([elf], () => undefined).at(new Float64Array([0x1000, 0x1004]));
      expect(found.map(({ file, line }) => [file, line])).toEqual([
        ['main.c', 10],
        ['lib/part.c', 300],
      ]);
    }
  });
});

describe('functions', () => {
  test('are where they say: the innermost one, up to its end', async () => {
    const symbols = [
      { name: 'outer', value: CODE, size: 100n },
      { name: 'inner', value: CODE + 10n, size: 10n },
    ];
    expect(await namesOf(symbols, 0x1000, 0x100a, 0x1013, 0x1014, 0x1063, 0x1064, 0xfff)).toEqual([
      ...['outer', 'inner', 'inner', 'outer', 'outer', undefined, undefined],
    ]);
  });

  test('of no size end where the next one begins, the last one with its code', async () => {
    const symbols = [
      { name: 'first', value: CODE, size: 0n },
      { name: 'last', value: CODE + 16n, size: 0n },
    ];
    const names = await namesOf(symbols, 0x100f, 0x1010, 0x1fff, 0x2000);
    expect(names).toEqual(['first', 'last', 'last', undefined]);
  });

  test('of one begin are global, weak, local, then in order of name', async () => {
    const at = (name: string, binding: number, size = 16n) => ({ name, binding, size, value: CODE });
    expect(await namesOf([at('local', 0), at('weak', 2), at('global', 1)], 0x1000)).toEqual(['global']);
    expect(await namesOf([at('weak', 2), at('local', 0)], 0x1000)).toEqual(['weak']);
    expect(await namesOf([at('b', 1), at('a', 1), at('c', 1)], 0x1000)).toEqual(['a']);
    expect(await namesOf([at('long', 0, 32n), at('short', 1)], 0x1000, 0x1010)).toEqual(['short', 'long']);
  });

  test('are no data, and defined here', async () => {
    const at = { value: CODE, size: 16n };
    expect(await namesOf([{ ...at, name: 'data', type: 1 }], 0x1000)).toEqual([undefined]);
    expect(await namesOf([{ ...at, name: 'elsewhere', section: 0 }], 0x1000)).toEqual([undefined]);
    expect(await namesOf([{ ...at, name: 'chosen', type: 10 }], 0x1000)).toEqual(['chosen']);
  });

  test('that are packed by xz beside those of .dynsym are told to be missing', async () => {
    const called = symbolSections(FORM, [{ name: 'called', value: CODE, size: 8n }], ['.dynsym', '.dynstr']);
    const packed = { name: '.gnu_debugdata', type: 1, bytes: Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0) };
    const faults: Fault[] = [];
    const symbols = moduleSymbols([await elfOf([...called, packed])], (fault) => faults.push(fault));
    expect((await symbols.at(new Float64Array([0x1000])))[0].function).toBe('called');
    expect(faults.map(({ code }) => code)).toEqual(['symbols-packed']);
  });

  test('are those of .dynsym where .symtab has none, or another file has them', async () => {
    const called = symbolSections(FORM, [{ name: 'called', value: CODE, size: 8n }], ['.dynsym', '.dynstr']);
    const all = symbolSections(FORM, [{ name: 'all', value: CODE, size: 8n }]);
    const stripped = await elfOf([...called]);
    const place = new Float64Array([0x1000]);
    const nameIn = async (...files: [ElfFile, ...ElfFile[]]) =>
      (await moduleSymbols(files, () => undefined).at(place))[0].function;
    expect(await nameIn(stripped)).toBe('called');
    expect(await nameIn(await elfOf([...called, ...all]))).toBe('all');
    expect(await nameIn(stripped, await elfOf(all))).toBe('all');
  });

  test('of the kernel have addresses beyond 2^53', async () => {
    const page = 0xffff_ffff_8100_0000n;
    const symbols = symbolSections(FORM, [{ name: 'schedule', value: page + 0x40n, size: 16n }]);
    const elf = await elfOf([codeSection(page, 64), ...symbols], FORM, page);
    const [found] = await moduleSymbols([elf], () => undefined).at(new Float64Array([0x4f]));
    expect([elf.firstPage, found.function]).toEqual([page, 'schedule']);
  });
});

describe.each(FORMS)('objects of data, $is64 64 bits, little end first $isLittle', (form) => {
  const DATA = PAGE + 0x3000n;
  const data = (name: string, flags: number, type = 1): WrittenSection => ({
    ...{ name, type, flags, address: DATA },
    bytes: new Uint8Array(0x100),
  });
  const [CONSTANT, WRITABLE, OF_THREADS] = [2, 3, 0x403];
  const cache = { name: 'cache', value: DATA + 16n, size: 64n, type: 1, section: 2 };

  async function objectsIn(
    section: WrittenSection,
    symbols: readonly WrittenSymbol[],
    ...places: number[]
  ): Promise<(string | undefined)[]> {
    const elf = await elfOf([codeSection(CODE, 16), section, ...symbolSections(form, symbols)], form);
    const found = await moduleSymbols([elf], () => undefined).objectsAt(new Float64Array(places));
    return found.map((object) => object && `${object.name} ${object.offset}`);
  }

  test('are where they say, up to their end, in the file or only in memory', async () => {
    const symbols = [cache, { ...cache, name: 'inner', value: DATA + 24n, size: 8n }];
    const places = [0x300f, 0x3010, 0x3018, 0x301f, 0x3020, 0x304f, 0x3050];
    const expected = [undefined, 'cache 0', 'inner 0', 'inner 7', 'cache 16', 'cache 63', undefined];
    for (const type of [1, 8])
      expect(await objectsIn(data('.bss', WRITABLE, type), symbols, ...places)).toEqual(expected);
  });

  test('are in data that the program writes, and is one for all threads', async () => {
    for (const flags of [0, CONSTANT, OF_THREADS, 7])
      expect(await objectsIn(data('.data', flags), [cache], 0x3010)).toEqual([undefined]);
  });

  test('have a size, and lie in their section', async () => {
    const others: WrittenSymbol[] = [
      { ...cache, size: 0n },
      { ...cache, size: 0xf1n },
      { ...cache, value: DATA - 1n },
      { ...cache, type: 2 },
      { ...cache, type: 6 },
      { ...cache, section: 0 },
      { ...cache, section: 1 },
      { ...cache, section: 0xfff1 },
    ];
    for (const other of others)
      expect(await objectsIn(data('.data', WRITABLE), [other], 0x3010)).toEqual([undefined]);
    const whole = await objectsIn(data('.data', WRITABLE), [{ ...cache, size: 0xf0n }], 0x3010);
    expect(whole).toEqual(['cache 0']);
  });
});

describe('lines', () => {
  const unit = {
    version: 5 as const,
    directories: ['/src'],
    files: [
      ['a.c', 0],
      ['a.c', 0],
    ] as const,
  };
  /** The line at a place, and the faults of finding it. */
  const lineOf = async (sections: readonly WrittenSection[]) => {
    const faults: Fault[] = [];
    const elf = await elfOf([codeSection(CODE, 64), ...sections]);
    const [{ line }] = await moduleSymbols([elf], (fault) => faults.push(fault)).at(
      new Float64Array([0x1004]),
    );
    return { line, faults };
  };
  const linesIn = async (...sequences: { address: bigint; file: number; line: number }[][]) => {
    const { line, faults } = await lineOf(lineSections(FORM, [{ ...unit, sequences }]));
    expect(faults).toEqual([]);
    return line;
  };
  const row = (at: number, line: number) => ({ address: PAGE + BigInt(at), file: 1, line });

  test('of one place are the last ones', async () => {
    expect(await linesIn([row(0x1004, 1), row(0x1004, 2), row(0x1008, 0)])).toBe(2);
  });

  test('that are said again and again end with a fault', async () => {
    const sequences = Array.from({ length: 2000 }, () => [row(0x1000, 0), row(0x1008, 0)]);
    const { line, faults } = await lineOf(lineSections(FORM, [{ ...unit, sequences }]));
    expect([line, faults.map(({ code }) => code)]).toEqual([undefined, ['symbols-unreadable']]);
  });

  test('are unknown where no line is to blame, and where the sequence is of code that was left out', async () => {
    expect(await linesIn([row(0x1000, 0), row(0x1008, 0)])).toBeUndefined();
    expect(await linesIn([row(0, 7), row(0x2000, 0)])).toBeUndefined();
    expect(await linesIn([row(0, 7), row(0x2000, 0)], [row(0x1004, 8), row(0x1008, 0)])).toBe(8);
  });

  test('are unpacked where older compilers packed them, and called them .zdebug', async () => {
    const sections = lineSections(FORM, [{ ...unit, sequences: [[row(0x1000, 3), row(0x1008, 0)]] }]);
    const packed = sections.map(({ name, bytes, ...section }) => {
      const mark = new TextEncoder().encode('ZLIB\0\0\0\0\0\0\0\0');
      new DataView(mark.buffer).setUint32(8, bytes.length);
      return {
        ...section,
        name: name.replace('.debug', '.zdebug'),
        bytes: joinBytes([mark, zlibSync(bytes)]),
      };
    });
    expect(await lineOf(packed)).toEqual({ line: 3, faults: [] });
  });

  test('are unpacked where zlib packed them; what is packed otherwise, or damaged, is a fault', async () => {
    const sections = lineSections(FORM, [{ ...unit, sequences: [[row(0x1000, 3), row(0x1008, 0)]] }]);
    const linesOf = async (kind: number, cut = 0) => {
      const [first, ...more] = sections.map((section) => packedSection(FORM, section, kind));
      const lines = { ...first, bytes: first.bytes.slice(0, first.bytes.length - cut) };
      const { line, faults } = await lineOf([lines, ...more]);
      return { line, faults: faults.map(({ code, found }) => [code, found]) };
    };
    expect(await linesOf(1)).toEqual({ line: 3, faults: [] });
    expect(await linesOf(2)).toEqual({ line: undefined, faults: [['symbols-unreadable', 'by zstd']] });
    const cut = await linesOf(1, 10);
    expect([cut.line, cut.faults.map(([code]) => code)]).toEqual([undefined, ['symbols-unreadable']]);
  });

  test('are unknown where addresses go back, and where the end of the sequence is missing', async () => {
    const sections = lineSections(FORM, [{ ...unit, sequences: [[row(0x1000, 3), row(0x1008, 0)]] }]);
    const cut = sections.map((section) =>
      section.name === '.debug_line' ? { ...section, bytes: withoutEnd(section.bytes) } : section,
    );
    expect((await lineOf(cut)).line).toBeUndefined();
    // A step back is one of 2^64 - 4 bytes ahead.
    expect(await linesIn([row(0x1000, 1), row(0x1008, 2), row(0x1004, 3), row(0x100c, 0)])).toBeUndefined();
  });
});

/** A unit that ends before the three bytes that end its sequence. */
function withoutEnd(bytes: Uint8Array): Uint8Array {
  const cut = bytes.slice(0, bytes.length - 3);
  new DataView(cut.buffer).setUint32(0, cut.length - 4, true);
  return cut;
}
