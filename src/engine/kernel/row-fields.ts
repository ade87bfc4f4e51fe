/** Reading fields out of decoded rows (layout: `ctf/decode/rows.ts`). `at` is the place of a row's word 0. */
import type { ProjectionPlan } from '../analysis/contract.ts';
import type { Rows } from '../ctf/decode/rows.ts';
import type { TextTable } from './text-table.ts';

/** Where a field of a meaning is: word offset in the row and presence bit. */
export type FieldPlace = ReturnType<ProjectionPlan['field']>;

/** Where some fields of a meaning are; looked up once per plan, not per row. */
export function placesOf<Field extends string>(
  plan: ProjectionPlan,
  meaning: string,
  fields: readonly Field[],
): Readonly<Record<Field, FieldPlace>> {
  const places = fields.map((field) => [field, plan.field(meaning, field)]);
  return Object.fromEntries(places) as Record<Field, FieldPlace>;
}

export function hasField(rows: Rows, at: number, place: FieldPlace): boolean {
  return ((rows.words[at] >>> place.bit) & 1) === 1;
}

/** A 32-bit integer, or `absent`. */
export function intAt(rows: Rows, at: number, place: FieldPlace, absent: number): number {
  return hasField(rows, at, place) ? rows.words[at + place.offset] : absent;
}

/** A signed 64-bit integer as a number (exact within 2^53), or `absent`. */
export function wideAt(rows: Rows, at: number, place: FieldPlace, absent: number): number {
  if (!hasField(rows, at, place)) return absent;
  const { words } = rows;
  return words[at + place.offset + 1] * 0x1_0000_0000 + (words[at + place.offset] >>> 0);
}

/**
 * Index of a text in `texts`, or -1 when the event has no such field.
 * @param guess index of the text that it probably is (the name known of the thread): spares the look-up
 */
export function textAt(rows: Rows, at: number, place: FieldPlace, texts: TextTable, guess = -1): number {
  if (!hasField(rows, at, place)) return -1;
  const { words, bytes } = rows;
  const offset = words[at + place.offset];
  const length = words[at + place.offset + 1];
  if (guess >= 0 && texts.equals(guess, bytes, offset, length)) return guess;
  return texts.ofBytes(bytes, offset, length);
}
