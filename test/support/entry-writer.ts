/** Writes `.debug_info` for tests: one unit with a function, into which others are inlined, each into the one before. */
import { FieldWriter, type WrittenForm, type WrittenSection } from './elf-writer.ts';

export interface WrittenFunction {
  readonly name: string;
  readonly from: bigint;
  readonly size: number;
  /** Of those that are inlined. */
  readonly call?: { readonly file: number; readonly line: number };
}

/** Those after the first are inlined; the last one says its code as a list of ranges. */
export function entrySections(
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
