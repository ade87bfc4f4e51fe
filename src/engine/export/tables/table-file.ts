/** Files that a table can be written as. */
import { ByteText, plainBytes } from '../../base/byte-text.ts';
import { csvCell } from '../../base/csv-cell.ts';
import { visibleCharacters, escapedCharacters } from '../../base/visible-text.ts';
import { parquetPieces } from './parquet.ts';
import { type Cells, type ExportColumn, type ExportTable, type FilePieces, utf8 } from './table.ts';

const WRITERS = {
  csv: csvPieces,
  json: jsonPieces,
  parquet: parquetPieces,
} satisfies Record<string, (table: ExportTable) => FilePieces>;

export type TableFormat = keyof typeof WRITERS;
export const TABLE_FORMATS = Object.keys(WRITERS) as readonly TableFormat[];

export function tableFile(table: ExportTable, format: TableFormat): FilePieces {
  return WRITERS[format](table);
}

const [QUOTE, COMMA, RETURN, NEW_LINE] = [0x22, 0x2c, 0x0d, 0x0a];
const [OBJECT_BEGIN, OBJECT_END, MINUS] = [0x7b, 0x7d, 0x2d];
const PRINTABLE = plainBytes();
const PLAIN_JSON = plainBytes('"\\');
const PLAIN_CSV = plainBytes('",');
/** Printable characters that make a spreadsheet take a cell for a formula. */
const PLAIN_BEGIN = plainBytes('=+-@');

/** CSV (RFC 4180, in UTF-8): a line of names, then a line for each row; unknown values are empty. */
async function* csvPieces({ columns, groups }: ExportTable): FilePieces {
  yield utf8(`${columns.map(({ name }) => csvCell(visibleCharacters(name))).join(',')}\r\n`);
  const out = new ByteText();
  const writers = columns.map((column) => csvWriter(column, out));
  for await (const { length, cells } of groups) {
    for (let row = 0; row < length; row++) {
      for (let i = 0; i < writers.length; i++) {
        if (i > 0) out.byte(COMMA);
        const value = cells[i].values[row];
        if (!Number.isNaN(value)) writers[i](cells[i], value);
      }
      out.byte(RETURN);
      out.byte(NEW_LINE);
    }
    yield out.written;
    out.length = 0;
  }
}

/** Writes a value of a cell, or its text. */
type WriteCell = (cells: Cells, value: number) => void;

function csvWriter({ kind, base }: ExportColumn, out: ByteText): WriteCell {
  if (kind === 'integer') return integerWriter(base, out);
  if (kind === 'number') return (_, value) => out.text(String(value));
  return ({ texts }, text) => {
    const { bytes } = texts.out;
    let [begin, end] = [texts.beginOf(text), texts.endOf(text)];
    if (kind === 'value') {
      if (bytes[begin] === MINUS) return out.copy(bytes, begin, end);
      if (bytes[begin] === QUOTE) {
        // A JSON string without escapes equals the text between its quotes.
        [begin, end] = [begin + 1, end - 1];
        if (bytes.subarray(begin, end).includes(BACKSLASH))
          return out.text(
            csvCell(visibleCharacters(JSON.parse(textOf(bytes, begin - 1, end + 1)) as string)),
          );
      }
    }
    if (begin === end) return;
    const isFormula = PLAIN_BEGIN[bytes[begin]] === 0;
    if (!isFormula && out.copyPlain(bytes, begin, end, PLAIN_CSV)) return;
    if (isFormula || !quoted(bytes, begin, end, out))
      out.text(csvCell(visibleCharacters(textOf(bytes, begin, end))));
  };
}

const BACKSLASH = 0x5c;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array, begin: number, end: number): string {
  return decoder.decode(bytes.subarray(begin, end));
}

/**
 * Writes printable bytes in quotes, with quotes among them doubled.
 * @returns false: some bytes are not printable, and nothing was written
 */
function quoted(from: Uint8Array, begin: number, end: number, out: ByteText): boolean {
  out.reserve(2 * (end - begin) + 2);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = QUOTE;
  for (let i = begin; i < end; i++) {
    const byte = from[i];
    if (byte < 0x20 || byte > 0x7e) return false;
    if (byte === QUOTE) bytes[at++] = QUOTE;
    bytes[at++] = byte;
  }
  bytes[at++] = QUOTE;
  out.length = at;
  return true;
}

function integerWriter(base: bigint = 0n, out: ByteText): WriteCell {
  if (base === 0n) return (_, value) => out.digits(value);
  const [billions, rest] = [Number(base / BILLION), Number(base % BILLION)];
  return (_, value) => {
    const sum = rest + value;
    if (sum >= 0 && base >= 0n && Number.isSafeInteger(sum)) out.digits(sum, billions);
    else out.text(String(base + BigInt(value)));
  };
}

const BILLION = 1_000_000_000n;

/**
 * A JSON array with a line for each row: an object of its known values. An integer that a double cannot hold is written
 * as text. Hidden characters are escaped.
 */
async function* jsonPieces({ columns, groups }: ExportTable): FilePieces {
  const out = new ByteText();
  const names = columns.map(({ name }) => utf8(`${escapedCharacters(JSON.stringify(name))}:`));
  const writers = columns.map((column) => jsonWriter(column, out));
  let separator = '[\n';
  for await (const { length, cells } of groups) {
    for (let row = 0; row < length; row++) {
      out.text(separator);
      separator = ',\n';
      let before = OBJECT_BEGIN;
      for (let i = 0; i < writers.length; i++) {
        const value = cells[i].values[row];
        if (Number.isNaN(value)) continue;
        out.byte(before);
        before = COMMA;
        out.copy(names[i]);
        writers[i](cells[i], value);
      }
      if (before === OBJECT_BEGIN) out.byte(before);
      out.byte(OBJECT_END);
    }
    yield out.written;
    out.length = 0;
  }
  yield utf8(separator === '[\n' ? '[]\n' : '\n]\n');
}

function jsonWriter({ kind, base }: ExportColumn, out: ByteText): WriteCell {
  if (kind === 'integer') {
    const integer = integerWriter(base, out);
    if (base === undefined) return integer;
    return (cells, value) => {
      out.byte(QUOTE);
      integer(cells, value);
      out.byte(QUOTE);
    };
  }
  if (kind === 'number') return (_, value) => out.text(JSON.stringify(value));
  return ({ texts }, text) => {
    const { bytes } = texts.out;
    const [begin, end] = [texts.beginOf(text), texts.endOf(text)];
    if (kind !== 'text') {
      if (!out.copyPlain(bytes, begin, end, PRINTABLE))
        out.text(escapedCharacters(textOf(bytes, begin, end)));
      return;
    }
    const before = out.length;
    out.byte(QUOTE);
    if (out.copyPlain(bytes, begin, end, PLAIN_JSON)) return out.byte(QUOTE);
    out.length = before;
    out.text(escapedCharacters(JSON.stringify(textOf(bytes, begin, end))));
  };
}
