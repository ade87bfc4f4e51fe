/** A filter's text in words: names and numbers, texts in quotes, comparisons, brackets. */
import type { FilterProblem, TextPlace } from './filter.ts';

export interface Token extends TextPlace {
  readonly kind: 'word' | 'quoted' | 'sign';
  /** Without quotes and escapes. */
  readonly text: string;
}

const BLANK = /\s*/y;
const SIGN = /==|!=|<=|>=|&&|\|\||[=<>!(),]/y;
const QUOTED = /"(?:[^"\\]|\\.)*"/sy;
const WORD = /[^\s=<>!(),"&|]+/y;

/** The tokens up to the first problem, if there is one. */
export function tokensOf(text: string): {
  readonly tokens: readonly Token[];
  readonly problem?: FilterProblem;
} {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += take(BLANK)?.length ?? 0;
    if (at === text.length) return { tokens };
    const sign = take(SIGN);
    const quoted = sign === undefined ? take(QUOTED) : undefined;
    const taken = sign ?? quoted ?? take(WORD);
    if (taken === undefined) return { tokens, problem: unreadable(text, at) };
    const place = { at, length: taken.length };
    if (sign !== undefined) tokens.push({ kind: 'sign', text: SAME_AS[sign] ?? sign, ...place });
    else if (quoted === undefined) tokens.push({ kind: 'word', text: taken, ...place });
    else tokens.push({ kind: 'quoted', text: unquoted(quoted), ...place });
    at += taken.length;
  }
}

const SAME_AS: Readonly<Record<string, string>> = { '==': '=' };

function unquoted(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(.)/gs, '$1');
}

function unreadable(text: string, at: number): FilterProblem {
  if (text[at] === '"') return { at, length: text.length - at, message: 'The closing quote is missing.' };
  return { at, length: 1, message: `${text[at]} has no meaning here.` };
}

/** Leaves the descent through a filter where something is wrong with it. `parseFilter` and `resolveFilter` catch it. */
export class Refusal extends Error {
  readonly problem: FilterProblem;

  constructor({ at, length }: TextPlace, message: string) {
    super(message);
    this.problem = { at, length, message };
  }
}
