/** Notes: times of an experiment that the user marked, each with a text. */
import { compare } from '../../engine/base/compare.ts';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { TimeRange } from '../timeline/timeline.tsx';

/** A note. Times are whole ns of display time, as in links; equal ends: a moment. */
export interface Note extends TimeRange {
  readonly id: string;
  /** Row whose interval was marked, if any. */
  readonly row?: string;
  /** One line; '' while nothing is written. */
  readonly text: string;
}

/** Largest number of notes of one experiment: they share the browser's few megabytes with those of others. */
export const MOST_NOTES = 200;
/** Most UTF-16 units of a text. */
export const LONGEST_TEXT = 500;
const LONGEST_ID = 1000;

/** Notes read from stored contents, in order, and the number of those left out. */
export interface ReadNotes {
  readonly notes: readonly Note[];
  /** Number of values that are no notes, or repeat an id. */
  readonly unreadable: number;
  /** Number of notes beyond `MOST_NOTES`. */
  readonly tooMany: number;
}

/** Reads stored notes, which anybody may have written. */
export function readNotes(stored: unknown): ReadNotes {
  const found = new Map<string, Note>();
  let unreadable = 0;
  let tooMany = 0;
  for (const value of Array.isArray(stored) ? (stored as readonly unknown[]) : []) {
    const note = readNote(value);
    if (note === undefined || found.has(note.id)) unreadable++;
    else if (found.size === MOST_NOTES) tooMany++;
    else found.set(note.id, note);
  }
  return { notes: inOrder([...found.values()]), unreadable, tooMany };
}

/** Sorts by begin, then by length. */
export function inOrder(notes: readonly Note[]): readonly Note[] {
  return [...notes].sort((a, b) => a.from - b.from || a.to - b.to || compare(a.id, b.id));
}

/** Text of a note, made of typed or pasted text. */
export function noteText(typed: string): string {
  return typed.replace(/\s/g, ' ').slice(0, LONGEST_TEXT);
}

/** The next or previous note from the one with this id, or else from a time; wraps around at the ends. */
export function neighbourOf(
  notes: readonly Note[],
  id: string | undefined,
  timeNs: DisplayNs,
  direction: -1 | 1,
): Note | undefined {
  const at = notes.findIndex((note) => note.id === id);
  const next = at >= 0 ? at + 1 : notes.filter(({ from }) => from <= timeNs).length;
  const before = at >= 0 ? at - 1 : notes.filter(({ from }) => from < timeNs).length - 1;
  return notes.at((direction > 0 ? next : before) % notes.length);
}

function readNote(value: unknown): Note | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, from, to, row, text } = value as Readonly<Record<string, unknown>>;
  if (!isId(id) || !isTime(from) || !isTime(to) || to < from || typeof text !== 'string') return undefined;
  return { id, from, to, row: isId(row) ? row : undefined, text: noteText(text) };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID;
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
