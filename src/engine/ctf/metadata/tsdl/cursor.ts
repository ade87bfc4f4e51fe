/** The scanner with what the rules of the grammar ask of it: what the current token is, and to go on or to refuse. */
import { createScanner } from './scanner.ts';
import type { Token, TokenKind } from './scanner.ts';
import { refuse } from '../source.ts';
import type { Source } from '../source.ts';

/** Deeper nesting is refused: real metadata stay below 10, and the parser must not run out of stack. */
export const MAX_NESTING = 64;

export interface Cursor {
  readonly source: Source;
  /** The current token. */
  readonly token: Token;
  is(kind: TokenKind): boolean;
  isWord(word: string): boolean;
  /** Whether the token after the current one is of one of the kinds. */
  isBefore(...kinds: readonly TokenKind[]): boolean;
  /** Offset behind the token before the current one: where a rule that has just been read ends. */
  end(): number;
  next(): void;
  /** Goes on behind `offset`. */
  moveTo(offset: number): void;
  /** Passes a token of this kind. */
  expect(kind: TokenKind, what?: string): void;
  /** Refuses the current token. */
  fault(expected: string): never;
  /** Runs a rule that may contain itself. */
  nested<T>(rule: () => T): T;
}

/** At the first token. */
export function createCursor(source: Source): Cursor {
  const scanner = createScanner(source);
  const { token } = scanner;
  let previousEnd = 0;
  let depth = 0;

  function is(kind: TokenKind): boolean {
    return token.kind === kind;
  }

  function isWord(word: string): boolean {
    return token.kind === 'name' && token.text === word;
  }

  function isBefore(...kinds: readonly TokenKind[]): boolean {
    const current = { ...token };
    scanner.next();
    const { kind } = token;
    Object.assign(token, current);
    return kinds.includes(kind);
  }

  function end(): number {
    return previousEnd;
  }

  function next(): void {
    previousEnd = token.end;
    scanner.next();
  }

  function moveTo(offset: number): void {
    token.end = offset;
    next();
  }

  function expect(kind: TokenKind, what = `\`${kind}\``): void {
    if (token.kind !== kind) fault(what);
    next();
  }

  function fault(expected: string): never {
    const { kind, at } = token;
    const written = source.text.slice(at, token.end).slice(0, 60);
    const found = kind === 'end' ? 'the end of the metadata' : `\`${written}\``;
    refuse(source, at, 'metadata-syntax', expected, found);
  }

  function nested<T>(rule: () => T): T {
    if (++depth > MAX_NESTING) refuse(source, token.at, 'over-limit', `nesting at most ${MAX_NESTING} deep`);
    const result = rule();
    depth--;
    return result;
  }

  scanner.next();
  return { source, token, is, isWord, isBefore, end, next, moveTo, expect, fault, nested };
}
