/** The scanner with what the rules of the grammar ask of it: what the current token is, and to go on or to refuse. */
import { Scanner, type Token, type TokenKind } from './scanner.ts';
import { refuse, type Source } from '../source.ts';

/** Deeper nesting is refused: real metadata stay below 10, and the parser must not run out of stack. */
const MAX_NESTING = 64;

/** Begins at the first token. */
export class Cursor {
  readonly source: Source;
  /** The current token. */
  readonly token: Token;
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

  /** Offset behind the token before the current one: where a rule that has just been read ends. */
  end(): number {
    return this.#previousEnd;
  }

  next(): void {
    this.#previousEnd = this.token.end;
    this.#scanner.next();
  }

  /** Goes on behind `offset`. */
  moveTo(offset: number): void {
    this.token.end = offset;
    this.next();
  }

  /** Passes a token of this kind. */
  expect(kind: TokenKind, what = `\`${kind}\``): void {
    if (this.token.kind !== kind) this.fault(what);
    this.next();
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

/** Words that cannot name an alias or a field. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['align', 'callsite', 'clock', 'const', 'enum', 'env', 'event', 'floating_point', 'integer', 'stream'],
  ...['string', 'struct', 'trace', 'typealias', 'typedef', 'variant'],
  ...['char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

/** Words of C's types among the reserved ones, which may be joined: `unsigned long`. */
const TYPE_WORDS: ReadonlySet<string> = new Set([
  ...['const', 'char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

/** Whether a word can be part of the name of a type. */
export function isTypeWord(word: string): boolean {
  return !RESERVED.has(word) || TYPE_WORDS.has(word);
}
