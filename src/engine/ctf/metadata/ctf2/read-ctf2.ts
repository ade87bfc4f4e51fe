/** The text of CTF 2 metadata → the model of its trace. */
import type { Fault } from '../../../base/fault.ts';
import { fail, ok } from '../../../base/result.ts';
import type { Result } from '../../../base/result.ts';
import type { TraceModel } from '../../model.ts';
import { Refusal } from '../source.ts';
import type { Source } from '../source.ts';
import { findTexts, readJsonSequence } from './json-sequence.ts';
import { buildTraceModel } from './trace-model.ts';

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
