/**
 * Tokens of TSDL (CTF 1.8.3 appendix C.1): one pass over the text, one token at a time; only names and strings are
 * copied. Also the steps that the rules of the grammar share: test the current token, go on, refuse.
 */
import { refuse, type Source } from '../source.ts';
import type { LeafNode } from './ast.ts';

type Bracket = '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>';
type Punctuation = Bracket | ':=' | ':' | ';' | '...' | '.' | '=' | ',' | '*' | '+' | '-' | '->';

type TokenKind = 'end' | 'name' | 'number' | 'string' | Punctuation;

interface Token {
  kind: TokenKind;
  /** Offsets in the text; `end` is behind the last character. */
  at: number;
  end: number;
  /** Text of a name, or of a string with its escapes replaced. */
  text: string;
  /** Value of a number; a bigint where a number would not be exact. */
  value: number | bigint;
}

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
/** Digits of a number: 64 binary ones and some leading zeros; far longer numbers would take long to convert. */
const MAX_DIGITS = 100;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)?/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const PUNCTUATION = /:=|\.\.\.|->|[{}[\]()<>:;.=,*+-]/y;
/** Escape in a string; up to three hexadecimal digits, like babeltrace2. */
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,3})|([0-7]{1,3})|([^]))/g;
const SIMPLE_ESCAPES: ReadonlyMap<string, number> = new Map(
  Object.entries({ n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '\\': 92, "'": 39, '"': 34, '?': 63 }),
);

const isBlank = (code: number) => code === 32 || code === 10 || code === 9 || code === 13;
const isDigit = (code: number) => code >= 48 && code <= 57;
const isNameStart = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

/** Scanner of a text; the first `next` gives the first token. */
export class Scanner {
  /** The current token; `next` overwrites it. */
  readonly token: Token = { kind: 'end', at: 0, end: 0, text: '', value: 0 };
  readonly #source: Source;
  readonly #text: string;
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(source: Source) {
    this.#source = source;
    this.#text = source.text;
  }

  next(): void {
    const { token } = this;
    const at = this.#skipBlanks(token.end);
    token.at = at;
    if (at >= this.#text.length) {
      token.kind = 'end';
      token.end = at;
      return;
    }
    const code = this.#text.charCodeAt(at);
    if (isNameStart(code)) this.#readName(at);
    else if (isDigit(code)) this.#readNumber(at);
    else if (code === 34 || code === 39) this.#readString(at, this.#text[at]);
    else this.#readPunctuation(at);
  }

  #take(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.#text) ? pattern.lastIndex : at;
  }

  #skipBlanks(from: number): number {
    const text = this.#text;
    let at = from;
    for (;;) {
      while (isBlank(text.charCodeAt(at))) at++;
      if (text.charCodeAt(at) !== 47) return at;
      const behind = this.#endOfComment(at);
      if (behind === at) return at;
      at = behind;
    }
  }

  /** `at` itself if no comment begins there. */
  #endOfComment(at: number): number {
    if (this.#text.startsWith('/*', at)) {
      const close = this.#text.indexOf('*/', at + 2);
      if (close < 0)
        refuse(this.#source, at, 'metadata-syntax', 'a comment that ends', '`/*` without its `*/`');
      return close + 2;
    }
    if (!this.#text.startsWith('//', at)) return at;
    const newline = this.#text.indexOf('\n', at);
    return newline < 0 ? this.#text.length : newline;
  }

  #readName(at: number): void {
    const end = this.#take(NAME, at);
    // `L"text"` is a string as well
    if (end === at + 1 && this.#text[at] === 'L' && (this.#text[end] === '"' || this.#text[end] === "'")) {
      return this.#readString(end, this.#text[end]);
    }
    this.token.kind = 'name';
    this.token.end = end;
    this.token.text = this.#text.slice(at, end);
  }

  #readNumber(at: number): void {
    const end = this.#take(NUMBER, at);
    const digits = this.#text.slice(at, end).replace(/[uUlL]+$/, '');
    if (digits.length > MAX_DIGITS)
      refuse(this.#source, at, 'metadata-syntax', 'an integer of at most 64 bits');
    const octal = digits.length > 1 && digits[0] === '0' && isDigit(digits.charCodeAt(1));
    const value = octal
      ? BigInt(`0o${digits.slice(1)}`)
      : digits.length > 15
        ? BigInt(digits)
        : Number(digits);
    if (value > MAX_U64) refuse(this.#source, at, 'metadata-syntax', 'an integer of at most 64 bits', digits);
    this.token.kind = 'number';
    this.token.end = end;
    this.token.value = value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  #readString(open: number, quote: string): void {
    let close = this.#text.indexOf(quote, open + 1);
    while (close >= 0 && this.#isEscaped(close, open)) close = this.#text.indexOf(quote, close + 1);
    if (close < 0)
      refuse(this.#source, open, 'metadata-syntax', 'a string that ends', 'a quote without its pair');
    const inner = this.#text.slice(open + 1, close);
    this.token.kind = 'string';
    this.token.end = close + 1;
    this.token.text = inner.includes('\\') ? this.#unescape(inner, open + 1) : inner;
  }

  /** Whether an odd number of backslashes stands before it. */
  #isEscaped(at: number, open: number): boolean {
    let count = 0;
    while (at - 1 - count > open && this.#text[at - 1 - count] === '\\') count++;
    return count % 2 === 1;
  }

  /** Replaces escapes, which are bytes and may form characters together; a null ends the text. */
  #unescape(inner: string, at: number): string {
    let text = '';
    let bytes: number[] = [];
    let from = 0;
    const appendUntil = (to: number): void => {
      text += this.#utf8.decode(Uint8Array.from(bytes)) + inner.slice(from, to);
      bytes = [];
    };
    for (const escape of inner.matchAll(ESCAPE)) {
      if (escape.index > from) appendUntil(escape.index);
      bytes.push(this.#byteOf(escape, at + escape.index));
      from = escape.index + escape[0].length;
    }
    appendUntil(inner.length);
    const end = text.indexOf('\0');
    return end < 0 ? text : text.slice(0, end);
  }

  #byteOf([escape, hex, octal, simple]: readonly (string | undefined)[], at: number): number {
    if (hex !== undefined) return parseInt(hex, 16) & 0xff;
    if (octal !== undefined) return parseInt(octal, 8) & 0xff;
    return (
      SIMPLE_ESCAPES.get(simple ?? '') ??
      refuse(this.#source, at, 'metadata-syntax', 'a known escape sequence', escape)
    );
  }

  #readPunctuation(at: number): void {
    const end = this.#take(PUNCTUATION, at);
    if (end === at)
      refuse(this.#source, at, 'metadata-syntax', 'a token of TSDL', describeCharacter(this.#text, at));
    this.token.kind = this.#text.slice(at, end) as Punctuation;
    this.token.end = end;
  }
}

function describeCharacter(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 32 && code < 127 ? `\`${text[at]}\`` : name;
}

/** Deeper nesting is refused: real metadata stay below 10, and the parser must not run out of stack. */
const MAX_NESTING = 64;

/** A place in a text, at first that of the first token. */
export class Cursor {
  readonly source: Source;
  /** The current token. */
  readonly token: Token;
  /** Leaf types that were parsed, by their text. */
  readonly leaves = new Map<string, LeafNode>();
  readonly #scanner: Scanner;
  #previousEnd = 0;
  #depth = 0;

  constructor(source: Source) {
    this.source = source;
    this.#scanner = new Scanner(source);
    this.token = this.#scanner.token;
    this.#scanner.next();
  }

  is(kind: TokenKind): boolean {
    return this.token.kind === kind;
  }

  isWord(word: string): boolean {
    return this.token.kind === 'name' && this.token.text === word;
  }

  /** Whether the token after the current one is of one of the kinds. */
  isBefore(...kinds: readonly TokenKind[]): boolean {
    const current = { ...this.token };
    this.#scanner.next();
    const { kind } = this.token;
    Object.assign(this.token, current);
    return kinds.includes(kind);
  }

  /** Offset after the token before the current one: the end of a rule that was just parsed. */
  end(): number {
    return this.#previousEnd;
  }

  next(): void {
    this.#previousEnd = this.token.end;
    this.#scanner.next();
  }

  /** Moves on to `offset`. */
  moveTo(offset: number): void {
    this.token.end = offset;
    this.next();
  }

  /** Skips a token of this kind if it is the current one. @returns whether it was */
  accept(kind: TokenKind): boolean {
    if (this.token.kind !== kind) return false;
    this.next();
    return true;
  }

  /** Skips a token of this kind, or refuses another. @returns its text */
  expect(kind: TokenKind, what = `\`${kind}\``): string {
    if (this.token.kind !== kind) this.fault(what);
    const { text } = this.token;
    this.next();
    return text;
  }

  /** Refuses the current token. */
  fault(expected: string): never {
    const { kind, at, end } = this.token;
    const written = this.source.text.slice(at, end).slice(0, 60);
    const found = kind === 'end' ? 'the end of the metadata' : `\`${written}\``;
    refuse(this.source, at, 'metadata-syntax', expected, found);
  }

  /** Runs a rule that may contain itself. */
  nested<T>(rule: () => T): T {
    if (++this.#depth > MAX_NESTING)
      refuse(this.source, this.token.at, 'over-limit', `nesting at most ${MAX_NESTING} deep`);
    const result = rule();
    this.#depth--;
    return result;
  }
}

/** Words of C's types, which may be joined: `unsigned long`. */
const TYPE_WORDS: ReadonlySet<string> = new Set([
  ...['const', 'char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

/** Words that cannot name an alias or a field. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['align', 'callsite', 'clock', 'enum', 'env', 'event', 'floating_point', 'integer', 'stream'],
  ...['string', 'struct', 'trace', 'typealias', 'typedef', 'variant'],
  ...TYPE_WORDS,
]);

/** Whether a word can be part of the name of a type. */
export function isTypeWord(word: string): boolean {
  return !RESERVED.has(word) || TYPE_WORDS.has(word);
}
