/**
 * Writes the output of the command line. Names out of traces may hold what a terminal obeys, or be of any length: every line
 * is made safe here, and ESLint refuses other ways to write.
 */
import type { SentencePart } from '../engine/protocol/summary.ts';
import { writeFile } from 'node:fs/promises';
import type { Fault } from '../engine/base/fault.ts';
import { ByteText, plainBytes } from '../engine/base/byte-text.ts';
import { cutText, escapedCharacters, visibleCharacters } from '../engine/base/visible-text.ts';

/** Longest line that is printed, UTF-16 code units. */
const LONGEST_LINE = 4096;
/** Length of JSON that is gathered before it is written, UTF-16 code units. */
const PIECE = 65_536;

/**
 * Prints a line to stdout.
 * @param most length at which the line is cut, UTF-16 code units
 */
export function print(line = '', most = LONGEST_LINE): void {
  console.log(safeLine(line, most));
}

/** Prints many lines to stdout, some thousands at a time. */
export function printLines(lines: Iterable<string>): void {
  let text = '';
  for (const line of lines) {
    text += `${safeLine(line, LONGEST_LINE)}\n`;
    if (text.length < PIECE) continue;
    console.log(text.slice(0, -1));
    text = '';
  }
  if (text !== '') console.log(text.slice(0, -1));
}

/** Prints a line to stderr. */
export function printError(line: string): void {
  console.error(safeLine(line, LONGEST_LINE));
}

/** Prints JSON for programs to stdout. Escapes change no value of it. */
export function printJson(value: unknown): void {
  console.log(escapedCharacters(JSON.stringify(value)));
}

/** List in JSON whose members are made when they are written: there may be a million. */
export class JsonList {
  constructor(readonly members: Iterable<unknown> | AsyncIterable<unknown>) {}
}

/** Writes an object whose properties may be such lists, as the same text as `printJson` would. */
export async function writeJson(value: object): Promise<void> {
  let text = '{';
  let separator = '';
  for (const [key, property] of Object.entries(value) as [string, unknown][]) {
    if (property === undefined) continue;
    text += `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    if (!(property instanceof JsonList)) {
      text += JSON.stringify(property);
      continue;
    }
    let before = '[';
    for await (const member of property.members) {
      text += before + JSON.stringify(member);
      before = ',';
      if (text.length < PIECE) continue;
      await writeCanonical(escapedCharacters(text));
      text = '';
    }
    text += before === '[' ? '[]' : ']';
  }
  await writeCanonical(`${escapedCharacters(text)}}\n`);
}

/** Writes canonical text, which is printable ASCII, or other text that is safe, to stdout; waits where the reader of a pipe is slow. */
export function writeCanonical(text: string | Uint8Array): Promise<void> | void {
  if (process.stdout.write(text)) return;
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** Lines that are made as bytes, and written many at a time. */
export class LineWriter {
  /** Gets the line. */
  readonly text = new ByteText();
  #begin = 0;

  /** Ends the line, which becomes as `print` would print it. @returns a promise where the reader of a pipe is slow */
  end(): Promise<void> | void {
    const { text } = this;
    const isSafe = text.length - this.#begin <= LONGEST_LINE && isPlain(text.bytes, this.#begin, text.length);
    if (!isSafe) {
      const line = new TextDecoder().decode(text.bytes.subarray(this.#begin, text.length));
      text.length = this.#begin;
      text.text(safeLine(line, LONGEST_LINE));
    }
    text.byte(LINE_END);
    this.#begin = text.length;
    if (text.length > PIECE) return this.flush();
  }

  flush(): Promise<void> | void {
    this.#begin = 0;
    return writeCanonical(this.text.take());
  }
}

const PLAIN = plainBytes();
const LINE_END = 0x0a;

function isPlain(bytes: Uint8Array, begin: number, end: number): boolean {
  for (let i = begin; i < end; i++) if (PLAIN[bytes[i]] === 0) return false;
  return true;
}

/** Ends a command for a fault that is all there is to say. */
export class FaultError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.code);
    this.fault = fault;
  }
}

/** A file, or stdout, that the system refuses to write. */
export function unwritable(file: string, { message }: Error): Fault {
  return { code: 'output-unwritable', place: { file }, found: message };
}

/**
 * Writes a file that the user asked for.
 * @throws FaultError where the system refuses it
 */
export function writeOutput(path: string, content: Parameters<typeof writeFile>[1]): Promise<void> {
  return writing(path, () => writeFile(path, content));
}

/** Writes at a place. @throws FaultError for what the system refuses */
export async function writing(place: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    // What makes the content may fail too, and that is no fault of the file.
    if (error instanceof Error && 'syscall' in error) throw new FaultError(unwritable(place, error));
    throw error;
  }
}

/** Writes over the last line of stderr, which has to be a terminal. */
export function rewriteLine(line: string): void {
  process.stderr.write(`\r${safeLine(line, LONGEST_LINE)}\x1b[K`);
}

/** Words of a sentence, with lengths in ms and shares in percent; `--json` has all digits. */
export function sentenceText(sentence: readonly SentencePart[]): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      const { kind, value } = part;
      if (kind === 'count') return String(value);
      return kind === 'ns' ? `${(value / 1e6).toFixed(3)} ms` : percent(value);
    })
    .join('');
}

function safeLine(line: string, most: number): string {
  return visibleCharacters(cutText(line, most));
}

/** Text of a share from 0 to 1: "12.5 %". */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Text of the share that a time is of a whole one, both in ns. */
export function shareText(ns: number, wholeNs: number): string {
  return `${((100 * ns) / Math.max(1, wholeNs)).toFixed(1)} %`;
}
