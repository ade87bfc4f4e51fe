/** The text of CTF 2 metadata → the model of its trace. */
import { fail, type Fault, ok, type Result } from '../../../base/fault.ts';
import type { TraceModel } from '../../model.ts';
import { Refusal, type Source } from '../source.ts';
import { buildTraceModel } from './trace-model.ts';
import { RECORD_SEPARATOR } from '../metadata-text.ts';
import { readJson, type JsonValue } from './json.ts';

/** Linear in the text but for what aliases multiply, which is bounded. */
export function readCtf2({ text, file }: Source): Result<{ model: TraceModel; warnings: readonly Fault[] }> {
  const source = { text, file, parts: findTexts(text) };
  const warnings: Fault[] = [];
  try {
    return ok({ model: buildTraceModel({ source, warnings }, readJsonSequence(source)), warnings });
  } catch (error) {
    if (error instanceof Refusal) return fail(error.fault);
    throw error;
  }
}

/**
 * Begins of the texts of a JSON text sequence (RFC 7464): each stands behind a record separator, which no JSON text can
 * contain. Texts before the first separator, and those of nothing but white space, are passed over as the RFC allows.
 */
function findTexts(text: string): number[] {
  const begins: number[] = [];
  for (let at = text.indexOf(RECORD_SEPARATOR); at >= 0; at = text.indexOf(RECORD_SEPARATOR, at + 1)) {
    begins.push(at + 1);
  }
  return begins;
}

/** @param source its parts are the JSON texts */
function readJsonSequence(source: Source): JsonValue[] {
  const { text, parts = [] } = source;
  return parts.flatMap((begin, index) => {
    const end = index + 1 < parts.length ? parts[index + 1] - 1 : text.length;
    const piece = text.slice(begin, end);
    return piece.trim() === '' ? [] : [readJson(source, piece, begin)];
  });
}
