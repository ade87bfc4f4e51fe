/**
 * JSON text sequences (RFC 7464): texts that each begin behind a record separator, which no JSON text can contain. What
 * stands before the first separator, and texts of nothing but white space, are passed over as the RFC allows.
 */
import { RECORD_SEPARATOR } from '../metadata-text.ts';
import type { Source } from '../source.ts';
import { readJson } from './json.ts';
import type { JsonValue } from './json.ts';

/** Where the JSON texts begin. */
export function findTexts(text: string): number[] {
  const begins: number[] = [];
  for (let at = text.indexOf(RECORD_SEPARATOR); at >= 0; at = text.indexOf(RECORD_SEPARATOR, at + 1)) {
    begins.push(at + 1);
  }
  return begins;
}

/** @param source its parts are the JSON texts */
export function readJsonSequence(source: Source): JsonValue[] {
  const { text, parts = [] } = source;
  return parts.flatMap((begin, index) => {
    const end = index + 1 < parts.length ? parts[index + 1] - 1 : text.length;
    const piece = text.slice(begin, end);
    return piece.trim() === '' ? [] : [readJson(source, piece, begin)];
  });
}
