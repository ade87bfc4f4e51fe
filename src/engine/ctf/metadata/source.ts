/**
 * The text of one metadata file and the one way to refuse it.
 * The readers below throw a `Refusal` at the first fault, and `readModel` turns it into a value; it catches nothing
 * else. A value passed up through every rule of a recursive descent would take more code.
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
  /** Offsets of the parts, each of which counts lines from 1; absent: the text is one part. */
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

/** Context of all readers: the text, for faults, and a place for warnings. */
export interface Reading {
  readonly source: Source;
  readonly warnings: Fault[];
}

/** Builds a model from a text; a fault if the text was refused. */
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

/** Characters of a line that an excerpt has after the place; a line far longer than people write is left out. */
const EXCERPT_AFTER = 120;
const EXCERPT_MAX = 4096;

/** Line and column (from 1) of an offset in its part, and the line's text. Walks the text: only for faults. */
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
  // Lines of one part among many do not tell the place in the file. Nor do bytes that are no text, whose number
  // changed.
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

/** Refuses well-formed text that makes no sense. */
export function reject(source: Source, at: number, expected: string, found?: string): never {
  refuse(source, at, 'metadata-semantic', expected, found);
}

/** Notes what is ignored. Only the first are kept: finding a place walks through the text. */
export function warn({ source, warnings }: Reading, at: number, expected: string, found: string): void {
  if (warnings.length >= MAX_WARNINGS) return;
  warnings.push(faultAt(source, at, 'metadata-unknown-attribute', expected, found));
}
