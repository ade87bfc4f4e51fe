/**
 * Plain data with long columns in a store. A record is copied several times on its way, and that of a long trace's
 * packets would be the most memory that reading it takes: long columns are records of their own, in pieces.
 */
import { ok, type Result } from '../base/result.ts';
import type { HistoryRecords } from '../history/persist.ts';

type Column = Int8Array | Uint8Array | Int16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** The record `NAME`. */
interface Stored {
  /** The data, with empty columns where they are long. */
  readonly value: unknown;
  readonly columns: readonly StoredColumn[];
}

/** In the records `NAME/COLUMN/PIECE`. */
interface StoredColumn {
  /** Keys that lead to it. */
  readonly path: readonly string[];
  readonly length: number;
  readonly pieces: number;
}

/** Bytes of a piece, and of the longest column that is none. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Writes objects, arrays, typed arrays and what else a store takes; each piece is a transaction of its own. */
export async function writeInPieces(
  records: HistoryRecords,
  name: string,
  value: unknown,
  pieceBytes = PIECE_BYTES,
): Promise<Result<void>> {
  const columns: StoredColumn[] = [];
  const long: Column[] = [];
  const shell = (part: unknown, path: readonly string[]): unknown => {
    if (isColumn(part)) {
      if (part.byteLength <= pieceBytes) return part;
      const pieces = Math.ceil(part.byteLength / pieceBytes);
      columns.push({ path, length: part.length, pieces });
      long.push(part);
      return part.slice(0, 0);
    }
    if (Array.isArray(part)) return part.map((item, i) => shell(item, [...path, String(i)]));
    if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype)
      return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, shell(item, [...path, key])]));
  };
  // A store that keeps the values themselves copies nothing.
  const stored: Stored = { value: records.copies() ? shell(value, []) : value, columns };
  for (const [index, column] of long.entries()) {
    const rows = Math.ceil(column.length / columns[index].pieces);
    for (let piece = 0; piece < columns[index].pieces; piece++) {
      const content = column.slice(piece * rows, (piece + 1) * rows);
      const written = await records.write([{ name: pieceName(name, index, piece), value: content }]);
      if (!written.ok) return written;
    }
  }
  const written = await records.write([{ name, value: stored }]);
  return written.ok ? ok(undefined) : written;
}

/** What was written; undefined when some of it is not there. */
export async function readPieces(records: HistoryRecords, name: string): Promise<unknown> {
  const stored = (await records.read(name)) as Stored | undefined;
  if (stored === undefined) return undefined;
  for (const [index, { path, length, pieces }] of stored.columns.entries()) {
    const parts = await Promise.all(
      Array.from({ length: pieces }, (_, piece) => records.read(pieceName(name, index, piece))),
    );
    if (!parts.every(isColumn) || parts.reduce((sum, part) => sum + part.length, 0) !== length)
      return undefined;
    const column = new (parts[0].constructor as new (length: number) => Column)(length);
    let at = 0;
    for (const part of parts) {
      column.set(part, at);
      at += part.length;
    }
    const owner = path.slice(0, -1).reduce((part, key) => part[key] as Owner, stored.value as Owner);
    owner[path[path.length - 1]] = column;
  }
  return stored.value;
}

type Owner = Record<string, unknown>;

function isColumn(value: unknown): value is Column {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function pieceName(name: string, column: number, piece: number): string {
  return `${name}/${column}/${piece}`;
}
