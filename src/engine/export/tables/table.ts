/** A table on its way into a file: columns with their kinds, and rows that come piece by piece. */

/**
 * `integer`: whole numbers of up to 64 bits, signed. `number`: doubles. `json`: text that is JSON. `text`: any text, as
 * it came from the trace.
 */
export type ColumnKind = 'integer' | 'number' | 'text' | 'json';

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** null: it is not known, or there is none. A bigint is an integer that a double cannot hold. */
export type ExportCell = string | number | bigint | null;
/** Cells by column. */
export type ExportRow = readonly ExportCell[];

export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  /** Pieces of any length, whose rows follow each other; gone through once. */
  readonly rows: AsyncIterable<readonly ExportRow[]> | Iterable<readonly ExportRow[]>;
}

/** A file on its way: bytes that follow each other. */
export type FilePieces = AsyncIterable<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}
