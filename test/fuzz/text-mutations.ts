/** Changes to the text of metadata, of either language: tokens of TSDL and of JSON are cut the same way. */
import type { Random } from '../support/simulator/random.ts';
import { boundaryValue } from './boundary-values.ts';

/** Words with their quotes, numbers, names, spaces, single signs. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[A-Za-z_][\w-]*|\d[\w.]*|\s+|[^]/g;
const NUMBER = /^\d/;
const WORD = /^["A-Za-z_]/;
/** What sizes, places and layouts are said by. */
const TELLING =
  /^"?(size|align|alignment|minimum-alignment|length|id|freq|frequency|offset(_s)?|precision|base|preferred-display-base|exp_dig|mant_dig|major|minor|version|byte_order|byte-order|bit-order|signed|encoding|map|seconds|cycles|stream_id)"?$/;
const VALUES = [
  'le',
  'be',
  'network',
  'native',
  'true',
  'false',
  'UTF8',
  'none',
  '"little-endian"',
  '"ftl"',
  'null',
];
/** Nesting that a reader must not follow without end. */
const DEPTHS = [2, 10, 100, 3000];
const DEEP = [
  { open: 'struct { ', close: ' } x;' },
  { open: 'variant <x> { ', close: ' } x;' },
  { open: '(', close: ')' },
  { open: 'integer { size = ', close: ' }' },
  { open: '{', close: '}' },
  { open: '[', close: ']' },
  { open: '{"a":', close: '}' },
  { open: 'typealias struct { ', close: ' } := a; ' },
];

export type ChangeTokens = (tokens: string[], random: Random, other: () => readonly string[]) => void;

export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

export const TOKEN_CHANGES: Readonly<Record<string, ChangeTokens>> = {
  'number: boundary'(tokens, random) {
    put(tokens, random, isNumber, () => String(boundaryValue(random)));
  },
  'attribute: value'(tokens, random) {
    const at = pickPlace(tokens, random, (token) => TELLING.test(token));
    const value = at < 0 ? -1 : nextPlace(tokens, at, (token) => NUMBER.test(token) || WORD.test(token));
    if (value < 0) return;
    const isPlain = NUMBER.test(tokens[value]) || random.chance(0.4);
    tokens[value] = isPlain ? String(boundaryValue(random)) : random.pick(VALUES);
  },
  'word: another of the text'(tokens, random) {
    put(tokens, random, isWord, () => random.pick(tokens.filter(isWord)));
  },
  'word: broken'(tokens, random) {
    put(tokens, random, isWord, (word) =>
      random.pick([
        word.slice(1),
        `_${word}`,
        word.repeat(random.pick([2, 5000])),
        `${word}\0`,
        '"',
        'é\u{1f600}',
        '',
      ]),
    );
  },
  'tokens: swapped'(tokens, random) {
    const [a, b] = [pickPlace(tokens, random, isSolid), pickPlace(tokens, random, isSolid)];
    if (a >= 0) [tokens[a], tokens[b]] = [tokens[b], tokens[a]];
  },
  'tokens: dropped'(tokens, random) {
    tokens.splice(random.between(0, tokens.length), random.pick([1, 1, 2, 5, 40]));
  },
  'tokens: doubled'(tokens, random) {
    const at = random.between(0, tokens.length);
    const run = tokens.slice(at, at + random.pick([1, 2, 5, 40]));
    for (let times = random.pick([1, 1, 3, 200]); times > 0; times--) tokens.splice(at, 0, ...run);
  },
  'block: dropped'(tokens, random) {
    const [from, to] = blockOf(tokens, random);
    tokens.splice(from, to - from);
  },
  'block: doubled'(tokens, random) {
    const [from, to] = blockOf(tokens, random);
    tokens.splice(to, 0, ...tokens.slice(from, to));
  },
  'block: of another'(tokens, random, other) {
    const theirs = other();
    const [from, to] = blockOf(theirs, random);
    const [begin, end] = blockOf(tokens, random);
    tokens.splice(begin, random.chance(0.5) ? end - begin : 0, ...theirs.slice(from, to));
  },
  'block: deeper'(tokens, random) {
    const [from, to] = blockOf(tokens, random);
    const { open, close } = random.pick(DEEP);
    const depth = random.pick(DEPTHS);
    const closed = random.chance(0.8) ? close.repeat(depth) : '';
    tokens.splice(from, to - from, open.repeat(depth), ...tokens.slice(from, to), closed);
  },
  'text: cut'(tokens, random) {
    tokens.splice(random.between(0, tokens.length));
  },
  'array: longer'(tokens, random) {
    const at = pickPlace(tokens, random, (token) => token === ';');
    if (at >= 0) tokens.splice(at, 0, `[${boundaryValue(random)}]`.repeat(random.pick([1, 1, 2, 8])));
  },
};

function isNumber(token: string): boolean {
  return NUMBER.test(token);
}

function isWord(token: string): boolean {
  return WORD.test(token);
}

function isSolid(token: string): boolean {
  return token.trim() !== '';
}

/** Index of a random token that fits, near a random place; -1: there is none. */
function pickPlace(tokens: readonly string[], random: Random, fits: (token: string) => boolean): number {
  const from = random.between(0, tokens.length);
  const after = nextPlace(tokens, from - 1, fits);
  return after >= 0 ? after : nextPlace(tokens, -1, fits);
}

function nextPlace(tokens: readonly string[], before: number, fits: (token: string) => boolean): number {
  return tokens.findIndex((token, index) => index > before && fits(token));
}

function put(
  tokens: string[],
  random: Random,
  fits: (token: string) => boolean,
  value: (before: string) => string,
): void {
  const at = pickPlace(tokens, random, fits);
  if (at >= 0) tokens[at] = value(tokens[at]);
}

/** [from, to) of what stands in some brackets, these included; a token where there are none. */
function blockOf(tokens: readonly string[], random: Random): [number, number] {
  const from = pickPlace(tokens, random, (token) => token === '{' || token === '[');
  if (from < 0) return [0, Math.min(1, tokens.length)];
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    if (tokens[at] === '{' || tokens[at] === '[') depth++;
    else if (tokens[at] === '}' || tokens[at] === ']') depth--;
    if (depth === 0) return [from, at + 1];
  }
  return [from, tokens.length];
}
