/** Notes as a file, to be given to others who have the same trace. */
import { objectOf } from '../../engine/base/json-object.ts';
import type { GatheredFiles } from '../files/dropped-files.ts';
import { readNotes, type ReadNotes } from './note.ts';

/** Characters; `MOST_NOTES` notes have fewer. */
const LONGEST_FILE = 1_000_000;

/** JSON. @param trace fingerprint of the experiment, of whose times the notes are */
export function notesFile(trace: string, notes: readonly unknown[]): string {
  return JSON.stringify({ wakepath: 'notes', trace, notes }, undefined, 2);
}

/** Bytes from which it is known that a file is one of notes. */
const BEGIN_BYTES = 64;
const BEGIN = /^\s*\{\s*"wakepath"\s*:\s*"notes"/;
/** Bytes of UTF-8 that have more than `LONGEST_FILE` characters. */
const TOO_LONG_BYTES = 3 * LONGEST_FILE + 3;

/** The text of a single file of notes among what is given; undefined: it is none, where several files are at once. */
export function notesIn({ files }: GatheredFiles): Promise<string | undefined> | undefined {
  const [first] = files;
  if (files.length !== 1 || first.path.includes('/')) return undefined;
  const { file } = first;
  return file
    .slice(0, BEGIN_BYTES)
    .text()
    .then((begin) => (BEGIN.test(begin) ? file.slice(0, TOO_LONG_BYTES).text() : undefined))
    .catch(() => undefined);
}

/** @returns the notes in it, or in words why there are none for this experiment */
export function readNotesFile(text: string, trace: string): ReadNotes | string {
  if (text.length > LONGEST_FILE && BEGIN.test(text.slice(0, BEGIN_BYTES)))
    return `This file of notes is too long: it has more than ${LONGEST_FILE} characters.`;
  const content = text.length <= LONGEST_FILE ? objectOf(text) : undefined;
  if (content?.wakepath !== 'notes' || !Array.isArray(content.notes)) return 'This is not a file of notes.';
  if (content.trace !== trace) return 'These notes are of another trace.';
  return readNotes(content.notes);
}
