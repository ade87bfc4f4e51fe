/**
 * The text of one metadata file and the one way to refuse it.
 *
 * The readers below throw a `Refusal` at the first fault and `readModel` turns it into a value: it is the only thing that
 * it catches. A value passed up through every rule of a recursive descent would say the same at more length.
 */
import { fail, type Fault, type FaultCode, ok, type Place, type Result } from '../../base/fault.ts';
import type { TraceModel } from '../model.ts';

export interface Metadata {
  readonly model: TraceModel;
  /** Warnings about what was ignored: unknown attributes. */
  readonly warnings: readonly Fault[];
}

/** Begins each JSON text of metadata in the form of CTF 2 (RFC 7464). */
export const RECORD_SEPARATOR = '\u001e';

export interface Source {
  readonly text: string;
  readonly file: string;
  /** Where the parts begin that each count lines from 1, in order; none: there is one. */
  readonly parts?: readonly number[];
}

/** @internal */
export class Refusal extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.code);
    this.fault = fault;
  }
}

/** Context that reading needs everywhere: the text, for faults, and a place for warnings. */
export interface Reading {
  readonly source: Source;
  readonly warnings: Fault[];
}

/** Result of building a model of a text, or why the text was refused. */
export function readModel(source: Source, build: (reading: Reading) => TraceModel): Result<Metadata> {
  const warnings: Fault[] = [];
  try {
    return ok({ model: build({ source, warnings }), warnings });
  } catch (error) {
    if (error instanceof Refusal) return fail(error.fault);
    throw error;
  }
}

const MAX_WARNINGS = 100;

/** A line is kept until a little behind the place; one that is far longer than people write is left out. */
const EXCERPT_AFTER = 120;
const EXCERPT_MAX = 4096;

/** Line and column (from 1) of an offset in its part, with its line. Walks the text: only for faults. */
function placeOf(source: Source, at: number): Place {
  const { text, file, parts } = source;
  let line = 1;
  let begin = parts?.findLast((part) => part <= at) ?? 0;
  for (let i = text.indexOf('\n', begin); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) {
    line++;
    begin = i + 1;
  }
  const newline = text.indexOf('\n', begin);
  const end = newline < 0 ? text.length : newline;
  const column = at - begin + 1;
  // Lines of one part among many do not say where in the file it is. Bytes that are no text have become another number
  // of them.
  const before = text.slice(0, at);
  const byte = parts && !before.includes('\ufffd') ? new TextEncoder().encode(before).length : undefined;
  if (column > EXCERPT_MAX) return { file, byte, line, column };
  const excerpt = text.slice(begin, Math.min(end, at + EXCERPT_AFTER)).replace(/\r$/, '');
  return { file, byte, line, column, excerpt };
}

function faultAt(source: Source, at: number, code: FaultCode, expected: string, found?: string): Fault {
  return { code, place: placeOf(source, at), expected, found };
}

export function refuse(source: Source, at: number, code: FaultCode, expected: string, found?: string): never {
  throw new Refusal(faultAt(source, at, code, expected, found));
}

/** Refuses what is well formed but cannot be meant. */
export function reject(source: Source, at: number, expected: string, found?: string): never {
  refuse(source, at, 'metadata-semantic', expected, found);
}

/** Notes what is ignored. The first of them are enough: finding a place costs a walk through the text. */
export function warn({ source, warnings }: Reading, at: number, expected: string, found: string): void {
  if (warnings.length >= MAX_WARNINGS) return;
  warnings.push(faultAt(source, at, 'metadata-unknown-attribute', expected, found));
}
