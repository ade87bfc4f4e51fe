/**
 * Tables as Parquet: each group of rows is a row group, so that memory does not grow with the file. Pages are written
 * here, from whole columns; the library, which takes single values, writes the metadata. Apache Parquet format 2: data
 * pages V2, PLAIN values, or RLE_DICTIONARY where texts repeat.
 */
import type { ParquetWriter } from 'hyparquet-writer';
import { ByteText } from '../../base/byte-text.ts';
import { loadCode } from '../../base/later-code.ts';
import type { Cells, ColumnKind, ExportColumn, ExportTable, FilePieces } from './table.ts';

const TYPES = {
  integer: 'INT64',
  number: 'DOUBLE',
  text: 'STRING',
  json: 'STRING',
  value: 'STRING',
} as const satisfies Record<ColumnKind, string>;

/** @param facts metadata of the whole file, texts by name */
export async function* parquetPieces(
  { columns, groups }: ExportTable,
  facts: Readonly<Record<string, string>> = {},
): FilePieces {
  const library = await loadCode(() => import('hyparquet-writer'));
  const writer = new library.ByteWriter();
  const columnData = columns.map(({ name, kind }) => ({ name, type: TYPES[kind], data: [] }));
  const schema = library.schemaFromColumnData({ columnData });
  const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }));
  const parquet = new library.ParquetWriter({ writer, schema, kvMetadata, createdBy: 'wakepath' });
  for await (const { length, cells } of groups) {
    const begin = writer.offset;
    const chunks = columns.map((column, i) => writeColumn(parquet, column, cells[i], length));
    const size = chunks.reduce((sum, { meta_data }) => sum + meta_data.total_uncompressed_size, 0n);
    const rows = BigInt(length);
    parquet.num_rows += rows;
    parquet.row_groups.push({
      columns: chunks,
      total_byte_size: size,
      num_rows: rows,
      total_compressed_size: BigInt(writer.offset - begin),
    });
    yield writer.getBytes();
    // The position within the file continues.
    writer.index = 0;
  }
  void parquet.finish();
  yield writer.getBytes();
}

/** Numbers of page types and encodings in the format. */
const [DICTIONARY_PAGE, DATA_PAGE] = [2, 3];
const [PLAIN, RLE_DICTIONARY] = [0, 8];

/**
 * Writes the cells of a column.
 * @returns metadata of the column
 */
function writeColumn(
  { writer, compressors }: ParquetWriter,
  column: ExportColumn,
  { values, texts }: Cells,
  length: number,
) {
  const begin = writer.offset;
  let uncompressed = 0;
  // Times that do not fit into 64 bits are left out.
  if (column.base !== undefined && BigInt.asIntN(64, column.base) !== column.base) values.fill(NaN);
  const writePage = (kind: number, levels: Uint8Array, page: Uint8Array, facts: readonly number[]): void => {
    const compressed = compressors.SNAPPY(page);
    const before = writer.offset;
    for (const number of [kind, levels.length + page.length, levels.length + compressed.length])
      writeField(writer, number);
    // The type's own header is field 7 or 8 of a page header, written after field 3.
    writer.appendUint8(((kind === DICTIONARY_PAGE ? 4 : 5) << 4) | STRUCT);
    for (const fact of facts) writeField(writer, fact);
    writer.appendUint8(END);
    writer.appendUint8(END);
    uncompressed += writer.offset - before + levels.length + page.length;
    writer.appendBytes(levels);
    writer.appendBytes(compressed);
  };
  const known = numberOfKnown(values, length);
  const isNumber = column.kind === 'integer' || column.kind === 'number';
  // Texts that do not repeat are written in order of the rows.
  const isDictionary = !isNumber && texts.length < known;
  const dictionaryAt = writer.offset;
  if (isDictionary) writePage(DICTIONARY_PAGE, NOTHING, texts.out.written, [texts.length, PLAIN]);
  const pageAt = writer.offset;
  const levels = levelsOf(values, length, known);
  const page = isDictionary
    ? packed(values, length, known, Math.max(1, 32 - Math.clz32(texts.length - 1)))
    : isNumber
      ? numbersOf(column, values, length, known)
      : texts.out.written;
  const encoding = isDictionary ? RLE_DICTIONARY : PLAIN;
  writePage(DATA_PAGE, levels, page, [length, length - known, length, encoding, levels.length, 0]);
  const encodings = isDictionary ? (['PLAIN', 'RLE_DICTIONARY'] as const) : (['PLAIN'] as const);
  return {
    file_offset: BigInt(begin),
    meta_data: {
      type: isNumber ? TYPES[column.kind] : ('BYTE_ARRAY' as const),
      encodings: [...encodings],
      path_in_schema: [column.name],
      codec: 'SNAPPY' as const,
      num_values: BigInt(length),
      total_uncompressed_size: BigInt(uncompressed),
      total_compressed_size: BigInt(writer.offset - begin),
      data_page_offset: BigInt(pageAt),
      ...(isDictionary && { dictionary_page_offset: BigInt(dictionaryAt) }),
      ...(isNumber && known > 0 && { statistics: statisticsOf(column, values, length, known) }),
    },
  };
}

const NOTHING = new Uint8Array(0);
/** Types of fields in Thrift's compact protocol, and the end of a struct. */
const [INTEGER, STRUCT, END] = [5, 12, 0];

/** Writes an integer field of Thrift, numbered one after the previous field. */
function writeField(writer: ParquetWriter['writer'], value: number): void {
  writer.appendUint8((1 << 4) | INTEGER);
  writer.appendZigZag(value);
}

function numberOfKnown(values: Float64Array, length: number): number {
  let known = 0;
  for (let row = 0; row < length; row++) if (!Number.isNaN(values[row])) known++;
  return known;
}

/** 1 for each known value, as runs in the hybrid encoding of RLE and bit packing. */
function levelsOf(values: Float64Array, length: number, known: number): Uint8Array {
  if (known < length) {
    const isKnown = new Float64Array(length);
    for (let row = 0; row < length; row++) if (!Number.isNaN(values[row])) isKnown[row] = 1;
    return packed(isKnown, length, length, 1).subarray(1);
  }
  const out = new ByteText();
  writeLength(out, 2 * length);
  out.byte(1);
  return out.take();
}

/** Known numbers as one bit-packed run, preceded by a byte with their width. */
function packed(values: Float64Array, length: number, known: number, width: number): Uint8Array {
  const out = new ByteText();
  out.byte(width);
  const eights = Math.ceil(known / 8);
  writeLength(out, 2 * eights + 1);
  out.reserve(eights * width + 1);
  const { bytes } = out;
  let at = out.length;
  let [bits, waiting] = [0, 0];
  for (let row = 0; row < length; row++) {
    if (Number.isNaN(values[row])) continue;
    bits |= values[row] << waiting;
    for (waiting += width; waiting >= 8; waiting -= 8) {
      bytes[at++] = bits;
      bits >>>= 8;
    }
  }
  const end = out.length + eights * width;
  bytes.fill(0, at, end);
  if (waiting > 0) bytes[at] = bits;
  out.length = end;
  return out.take();
}

/** Writes an unsigned number as LEB128. */
function writeLength(out: ByteText, value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) out.byte((rest & 0x7f) | 0x80);
  out.byte(rest);
}

/** Known numbers in the form of a page. */
function numbersOf(
  { name, kind, base = 0n }: ExportColumn,
  values: Float64Array,
  length: number,
  known: number,
) {
  const words = new Int32Array(2 * known);
  const doubles = new Float64Array(words.buffer);
  const [high, low] = [Number(base >> 32n), Number(BigInt.asUintN(32, base))];
  let at = 0;
  for (let row = 0; row < length; row++) {
    const value = values[row];
    if (Number.isNaN(value)) continue;
    if (kind === 'number') doubles[at++] = value;
    else {
      if (!Number.isInteger(value)) throw new Error(`column ${name} has whole numbers, not ${value}`);
      const upper = Math.floor(value / TWO_TO_32);
      const sum = low + value - upper * TWO_TO_32;
      words[2 * at] = sum;
      words[2 * at++ + 1] = high + upper + (sum < TWO_TO_32 ? 0 : 1);
    }
  }
  return new Uint8Array(words.buffer);
}

const TWO_TO_32 = 2 ** 32;

function statisticsOf(
  { kind, base = 0n }: ExportColumn,
  values: Float64Array,
  length: number,
  known: number,
) {
  let [least, most] = [Infinity, -Infinity];
  for (let row = 0; row < length; row++) {
    if (values[row] < least) least = values[row];
    if (values[row] > most) most = values[row];
  }
  const valueOf = (value: number) => (kind === 'number' ? value : base + BigInt(value));
  return { null_count: BigInt(length - known), min_value: valueOf(least), max_value: valueOf(most) };
}
