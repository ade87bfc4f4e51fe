/** Functions and lines of a large ELF file. */
import { statSync, writeFileSync } from 'node:fs';
import { openNodeSource } from '../src/engine/io/node-source.ts';
import { SymbolFiles } from '../src/engine/symbols/symbol-files.ts';
import { codeSection, writeElf, type WrittenSection } from '../test/support/elf-writer.ts';
import { lineSections, type WrittenLines } from '../test/support/line-writer.ts';
import { median } from './measure.mjs';

const FORM = { is64: true, isLittle: true };
const CODE = 0x1000;
/** The file is of 100 MB. */
const FUNCTIONS = 600_000;
const FUNCTION_BYTES = 64;
/** As long as names of C++ are. */
const NAME_BYTES = 60;
const ENTRY_BYTES = 24;
const FUNCTIONS_PER_UNIT = 400;
const LINES_PER_FUNCTION = 12;
/** What is looked up: as many frames as a trace with many samples has. */
const PLACES = 20_000;

/** Bytes of the file, and of its tables of symbols and names. */
export function writeLargeElf(path: string): Record<string, number> {
  const [symbols, strings] = symbolTable();
  const code = codeSection(BigInt(CODE), FUNCTIONS * FUNCTION_BYTES);
  const elf = writeElf(FORM, 0n, [code, symbols, strings, ...lineSections(FORM, lineUnits())]);
  writeFileSync(path, elf);
  return { bytes: elf.length, tables: symbols.bytes.length + strings.bytes.length };
}

/** In an order in which no linker would write them. */
function symbolTable(): [WrittenSection, WrittenSection] {
  const entries = new DataView(new ArrayBuffer(FUNCTIONS * ENTRY_BYTES));
  const names = new Uint8Array(1 + FUNCTIONS * NAME_BYTES);
  for (let i = 0; i < FUNCTIONS; i++) {
    const place = (i * 7919) % FUNCTIONS;
    const nameAt = 1 + i * NAME_BYTES;
    new TextEncoder().encodeInto(
      `_ZN7company7product9component${String(place).padStart(NAME_BYTES - 32)}Ev`.replaceAll(' ', '_'),
      names.subarray(nameAt, nameAt + NAME_BYTES - 1),
    );
    entries.setUint32(i * ENTRY_BYTES, nameAt, true);
    entries.setUint8(i * ENTRY_BYTES + 4, 0x12);
    entries.setUint16(i * ENTRY_BYTES + 6, 1, true);
    entries.setBigUint64(i * ENTRY_BYTES + 8, BigInt(CODE + place * FUNCTION_BYTES), true);
    entries.setBigUint64(i * ENTRY_BYTES + 16, BigInt(FUNCTION_BYTES), true);
  }
  const bytes = new Uint8Array(entries.buffer);
  return [
    { name: '.symtab', type: 2, bytes, link: '.strtab', entryBytes: ENTRY_BYTES },
    { name: '.strtab', type: 3, bytes: names },
  ];
}

function lineUnits(): WrittenLines[] {
  return Array.from({ length: FUNCTIONS / FUNCTIONS_PER_UNIT }, (_, unit) => {
    const begin = CODE + unit * FUNCTIONS_PER_UNIT * FUNCTION_BYTES;
    const rows = Array.from({ length: FUNCTIONS_PER_UNIT * LINES_PER_FUNCTION }, (_, i) => {
      const address = BigInt(begin + Math.floor((i * FUNCTION_BYTES) / LINES_PER_FUNCTION));
      return { address, file: 1, line: 10 + (i % 500) };
    });
    const end = { address: BigInt(begin + FUNCTIONS_PER_UNIT * FUNCTION_BYTES), file: 0, line: 0 };
    return {
      version: 5,
      directories: ['/src'],
      files: [['a.h', 0] as const, [`unit-${unit}.cc`, 0] as const],
      sequences: [[...rows, end]],
    };
  });
}

/**
 * ms from the file to the names of functions and the lines of many frames, the first time and with the symbols at hand; and
 * the most memory that the process took more than before, in sizes of the tables of symbols.
 * @param tables bytes of these
 */
export async function symbolsBench(
  path: string,
  tables: number,
  rounds: number,
): Promise<Record<string, number>> {
  const places = Float64Array.from(
    { length: PLACES },
    (_, i) => CODE + ((i * 104_729) % (FUNCTIONS * FUNCTION_BYTES)),
  );
  const file = { kind: 'path' as const, path: 'program', absolute: path, size: statSync(path).size };
  const before = process.resourceUsage().maxRSS;
  const times: { readonly first: number; readonly again: number }[] = [];
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    const symbols = await new SymbolFiles([file], openNodeSource).module({
      path: 'program',
      buildId: undefined,
    });
    const found = await symbols?.at(places);
    const first = performance.now() - begin;
    // Later rounds have what the ones before left for the garbage collector.
    if (round === 0) memory = process.resourceUsage().maxRSS - before;
    if (found?.some((one) => one.function === undefined || one.line === undefined) !== false)
      throw new Error('a place has no function or no line');
    const second = performance.now();
    await symbols?.at(places);
    times.push({ first, again: performance.now() - second });
  }
  return {
    'symbols.ms': median(times.map(({ first }) => first)),
    'symbols.againMs': median(times.map(({ again }) => again)),
    'symbols.memoryRatio': (memory * 1024) / tables,
  };
}
