/** Reading fields out of decoded rows (layout: `ctf/decode/rows/rows.ts`). */
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { type FieldPlace, NO_ROWS, type Rows } from '../../ctf/decode/rows/rows.ts';
import type { TextTable } from './text-table.ts';

export type { FieldPlace } from '../../ctf/decode/rows/rows.ts';

/** Places of some fields of a kind; looked up once per plan, not per row. */
export function placesOf<Field extends string>(
  plan: ProjectionPlan,
  kind: string,
  fields: readonly Field[],
): Readonly<Record<Field, FieldPlace>> {
  const places = fields.map((field) => [field, plan.field(kind, field)]);
  return Object.fromEntries(places) as Record<Field, FieldPlace>;
}

/** Reads the rows of one chunk after the other. Long-lived, like all that hot code reads (docs/developer/hot-code.md). */
export class RowReader implements Rows {
  length = 0;
  time = NO_ROWS.time;
  kind = NO_ROWS.kind;
  eventClass = NO_ROWS.eventClass;
  at = NO_ROWS.at;
  words = NO_ROWS.words;
  bytes = NO_ROWS.bytes;

  open(rows: Rows): void {
    this.length = rows.length;
    this.time = rows.time;
    this.kind = rows.kind;
    this.eventClass = rows.eventClass;
    this.at = rows.at;
    this.words = rows.words;
    this.bytes = rows.bytes;
  }

  /** Releases the chunk's memory. */
  close(): void {
    this.open(NO_ROWS);
  }

  has(row: number, place: FieldPlace): boolean {
    return ((this.words[this.at[row] + place.presence] >>> place.bit) & 1) === 1;
  }

  /** A 32-bit integer, or -1 when the event has no such field. */
  int(row: number, place: FieldPlace): number {
    return this.has(row, place) ? this.words[this.at[row] + place.offset] : -1;
  }

  /** A signed 64-bit integer as a number (exact within 2^53), or `absent`. */
  wide(row: number, place: FieldPlace, absent: number): number {
    if (!this.has(row, place)) return absent;
    const at = this.at[row] + place.offset;
    return this.words[at + 1] * 0x1_0000_0000 + (this.words[at] >>> 0);
  }

  /**
   * Index of a text in `texts`, or -1 when the event has no such field.
   * @param guess index of the likely text (the known name of the thread): saves the look-up
   */
  text(row: number, place: FieldPlace, texts: TextTable, guess = -1): number {
    if (!this.has(row, place)) return -1;
    const at = this.at[row] + place.offset;
    const offset = this.words[at];
    const length = this.words[at + 1];
    if (guess >= 0 && texts.equals(guess, this.bytes, offset, length)) return guess;
    return texts.ofBytes(this.bytes, offset, length);
  }
}
