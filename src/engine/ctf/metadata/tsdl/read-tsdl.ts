/** TSDL text → the model of its trace. */
import type { Fault } from '../../../base/fault.ts';
import { fail, ok } from '../../../base/result.ts';
import type { Result } from '../../../base/result.ts';
import type { TraceModel } from '../../model.ts';
import { parseTsdl } from './parser.ts';
import { Refusal } from '../source.ts';
import type { Source } from '../source.ts';
import { buildTraceModel } from './trace-model.ts';

/** Warnings: attributes that are ignored. Linear in the text but for what aliases multiply, which is bounded. */
export function readTsdl(source: Source): Result<{ model: TraceModel; warnings: readonly Fault[] }> {
  const warnings: Fault[] = [];
  try {
    return ok({ model: buildTraceModel({ source, warnings }, parseTsdl(source)), warnings });
  } catch (error) {
    if (error instanceof Refusal) return fail(error.fault);
    throw error;
  }
}
