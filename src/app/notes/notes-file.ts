/** Notes as a file, for others who have the same trace. */
import { objectOf } from '../../engine/base/json-object.ts';
import type { GatheredFiles } from '../files/dropped-files.ts';
import { readNotes, type ReadNotes } from './note.ts';

/** Most characters of a file; `MOST_NOTES` notes have fewer. */
const LONGEST_FILE = 1_000_000;

/** Notes as JSON. @param trace fingerprint of their experiment */
export function notesFile(trace: string, notes: readonly unknown[]): string {
  return JSON.stringify({ wakepath: 'notes', trace, notes }, undefined, 2);
}

/** Bytes at the begin that identify a file of notes. */
const BEGIN_BYTES = 64;
const BEGIN = /^\s*\{\s*"wakepath"\s*:\s*"notes"/;
/** Bytes of UTF-8 that certainly have more than `LONGEST_FILE` characters. */
const TOO_LONG_BYTES = 3 * LONGEST_FILE + 3;

/** Text of the file, if a single file of notes was given. Undefined, also in the promise: something else was. */
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

/** @returns the notes, or a text that says why there are none for this experiment */
export function readNotesFile(text: string, trace: string): ReadNotes | string {
  if (text.length > LONGEST_FILE && BEGIN.test(text.slice(0, BEGIN_BYTES)))
    return `This file of notes is too long: it has more than ${LONGEST_FILE} characters.`;
  const content = text.length <= LONGEST_FILE ? objectOf(text) : undefined;
  if (content?.wakepath !== 'notes' || !Array.isArray(content.notes)) return 'This is not a file of notes.';
  if (content.trace !== trace) return 'These notes are of another trace.';
  return readNotes(content.notes);
}
