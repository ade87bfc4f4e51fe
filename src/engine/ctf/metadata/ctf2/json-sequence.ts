/**
 * JSON text sequences (RFC 7464): texts that each begin behind a record separator, which no JSON text can contain. What
 * stands before the first separator, and texts of nothing but white space, are passed over as the RFC allows.
 */
import type { Source } from '../source.ts';
import { readJson } from './json.ts';
import type { JsonValue } from './json.ts';

const RECORD_SEPARATOR = '\u001e';

/** Whether metadata are such a sequence: the way to tell CTF 2 from CTF 1.8. */
export function isJsonSequence(bytes: Uint8Array): boolean {
  return bytes[0] === RECORD_SEPARATOR.charCodeAt(0);
}

export function readJsonSequence(source: Source): JsonValue[] {
  const { text } = source;
  const values: JsonValue[] = [];
  for (let begin = text.indexOf(RECORD_SEPARATOR) + 1; begin > 0;) {
    const next = text.indexOf(RECORD_SEPARATOR, begin);
    const piece = text.slice(begin, next < 0 ? undefined : next);
    if (piece.trim() !== '') values.push(readJson(source, piece, begin));
    begin = next + 1;
  }
  return values;
}
