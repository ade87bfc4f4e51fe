/** Writes line programs of DWARF 2 to 5 for tests. */
import { FieldWriter, type WrittenForm, type WrittenSection } from './elf-writer.ts';

/** A row; the last one of a sequence says where it ends. */
interface WrittenRow {
  readonly address: bigint;
  readonly file: number;
  readonly line: number;
}

export interface WrittenLines {
  readonly version: 2 | 3 | 4 | 5;
  readonly directories: readonly string[];
  /** Name and directory. */
  readonly files: readonly (readonly [string, number])[];
  readonly sequences: readonly (readonly WrittenRow[])[];
  /** Offsets of 64 bits instead of 32. */
  readonly isLong?: boolean;
}

/** Standard instructions are those of version 3; special ones begin at 13, with 14 lines from -3 on. */
const OPERANDS = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
const SPECIAL = { first: 13, base: -3, range: 14 };

/** `.debug_line` of these units, and the section with the texts of version 5. */
export function lineSections(form: WrittenForm, units: readonly WrittenLines[]): WrittenSection[] {
  const texts = new FieldWriter(form).u8(0);
  const lines = units.flatMap((unit) => [...writeUnit(form, unit, texts)]);
  return [
    { name: '.debug_line', type: 1, bytes: Uint8Array.from(lines) },
    { name: '.debug_line_str', type: 1, bytes: texts.done() },
  ];
}

function writeUnit(form: WrittenForm, unit: WrittenLines, texts: FieldWriter): Uint8Array {
  const { version, isLong = false } = unit;
  const offset = (into: FieldWriter, value: number) => (isLong ? into.u64(BigInt(value)) : into.u32(value));
  const head = new FieldWriter(form).u8(1);
  if (version >= 4) head.u8(1);
  head.u8(1, SPECIAL.base & 0xff, SPECIAL.range, SPECIAL.first, ...OPERANDS);
  if (version >= 5) writeFiles5(head, unit, texts, offset);
  else writeFiles2(head, unit);
  const program = new FieldWriter(form);
  for (const rows of unit.sequences) writeSequence(program, rows);
  const whole = new FieldWriter(form).u16(version);
  if (version >= 5) whole.u8(form.is64 ? 8 : 4, 0);
  offset(whole, head.bytes.length);
  whole.u8(...head.bytes, ...program.bytes);
  const out = new FieldWriter(form);
  if (isLong) out.u32(0xffff_ffff);
  return offset(out, whole.bytes.length)
    .u8(...whole.bytes)
    .done();
}

function writeFiles2(into: FieldWriter, { directories, files }: WrittenLines): void {
  for (const directory of directories) into.text(directory);
  into.u8(0);
  for (const [name, directory] of files) into.text(name).uleb(directory).uleb(0).uleb(0);
  into.u8(0);
}

function writeFiles5(
  into: FieldWriter,
  { directories, files }: WrittenLines,
  texts: FieldWriter,
  offset: (into: FieldWriter, value: number) => unknown,
): void {
  const lineText = (text: string) => {
    offset(into, texts.bytes.length);
    texts.text(text);
  };
  // A path in `.debug_line_str`.
  into.u8(1).uleb(1).uleb(0x1f).uleb(directories.length);
  for (const directory of directories) lineText(directory);
  // A path, and the number of a directory in two bytes.
  into.u8(2).uleb(1).uleb(0x1f).uleb(2).uleb(0x05).uleb(files.length);
  for (const [name, directory] of files) {
    lineText(name);
    into.u16(directory);
  }
}

function writeSequence(into: FieldWriter, rows: readonly WrittenRow[]): void {
  const { form } = into;
  into
    .u8(0)
    .uleb(form.is64 ? 9 : 5)
    .u8(2)
    .word(rows[0].address);
  let [{ address }] = rows;
  let [file, line] = [1, 1];
  for (const row of rows.slice(0, -1)) {
    if (row.file !== file) into.u8(4).uleb(row.file);
    const [places, lines] = [Number(row.address - address), row.line - line];
    const special = lines - SPECIAL.base + SPECIAL.range * places + SPECIAL.first;
    if (places >= 0 && lines >= SPECIAL.base && lines < SPECIAL.base + SPECIAL.range && special <= 255)
      into.u8(special);
    else into.u8(2).uleb(places).u8(3).sleb(lines).u8(1);
    ({ address, file, line } = row);
  }
  into
    .u8(2)
    .uleb(Number(rows[rows.length - 1].address - address))
    .u8(0, 1, 1);
}
