/**
 * The filter language of events:
 *
 *     filter  = part { "or" part }
 *     part    = step { ["and"] step }
 *     step    = "not" step | "(" filter ")" | test
 *     test    = FIELD ("=" | "!=" | "<" | "<=" | ">" | ">=") VALUE | FIELD ["not"] "in" "(" VALUE { "," VALUE } ")"
 *             | "time" "in" "sel" | "TEXT"
 *
 * `&&`, `||`, `!` are the same as and, or, not. In texts that are compared `*` stands for any text. An event without a
 * field fulfils no test of it.
 */
import type { Compare, Filter, FilterProblem, Literal, TextPlace } from './filter.ts';

/** Limits on nested brackets and `not`, and on the length of the text. */
const DEEPEST = 64;
const LONGEST = 10_000;

const COMPARES: readonly string[] = ['=', '!=', '<', '<=', '>', '>='] satisfies readonly Compare[];
const AND = new Set(['and', '&&']);
const OR = new Set(['or', '||']);
const NOT = new Set(['not', '!']);

export type Parsed =
  | { readonly ok: true; /** undefined: all events. */ readonly filter: Filter | undefined }
  | { readonly ok: false; readonly problem: FilterProblem };

export function parseFilter(text: string): Parsed {
  if (text.length > LONGEST)
    return { ok: false, problem: { at: LONGEST, length: 1, message: 'The filter is too long.' } };
  const { tokens, problem } = tokensOf(text);
  if (problem !== undefined) return { ok: false, problem };
  if (tokens.length === 0) return { ok: true, filter: undefined };
  try {
    return { ok: true, filter: new Parser(tokens, text.length).whole() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: TextPlace;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens;
    this.#end = { at: length, length: 0 };
  }

  whole(): Filter {
    const filter = this.#filter();
    const token = this.#tokens.at(this.#next);
    if (token !== undefined) throw new Refusal(token, `${token.text} is not expected here.`);
    return filter;
  }

  #filter(): Filter {
    const parts = [this.#part()];
    while (this.#take(OR)) parts.push(this.#part());
    return parts.length === 1 ? parts[0] : { kind: 'or', parts };
  }

  #part(): Filter {
    const parts = [this.#step()];
    while (this.#take(AND) || this.#beginsStep()) parts.push(this.#step());
    return parts.length === 1 ? parts[0] : { kind: 'and', parts };
  }

  #step(): Filter {
    if (++this.#depth > DEEPEST) throw new Refusal(this.#place(), 'The filter is nested too deeply.');
    try {
      if (this.#take(NOT)) return { kind: 'not', part: this.#step() };
      if (!this.#takeSign('(')) return this.#test();
      const filter = this.#filter();
      this.#expectSign(')');
      return filter;
    } finally {
      this.#depth--;
    }
  }

  #test(): Filter {
    const token = this.#tokens.at(this.#next);
    if (token === undefined || token.kind === 'sign' || isKeyword(token))
      throw new Refusal(this.#place(), 'A test is expected here: a field and a value, or a text.');
    this.#next++;
    const text: Filter = { kind: 'text', text: token.text, at: token.at, length: token.length };
    if (token.kind === 'quoted') return text;
    return this.#comparison(token) ?? this.#membership(token) ?? text;
  }

  #comparison(field: Token): Filter | undefined {
    const sign = this.#tokens.at(this.#next);
    if (sign?.kind !== 'sign' || !COMPARES.includes(sign.text)) return undefined;
    this.#next++;
    return this.#fieldTest(field, sign.text as Compare, [this.#value()]);
  }

  #membership(field: Token): Filter | undefined {
    const isNot = this.#word(0) === 'not' && this.#word(1) === 'in';
    if (!isNot && this.#word(0) !== 'in') return undefined;
    this.#next += isNot ? 2 : 1;
    if (field.text === 'time' && this.#word(0) === 'sel') return this.#fieldTest(field, '=', [this.#value()]);
    this.#expectSign('(');
    const values = [this.#value()];
    while (this.#takeSign(',')) values.push(this.#value());
    this.#expectSign(')');
    return this.#fieldTest(field, isNot ? '!=' : '=', values);
  }

  #fieldTest({ text: field, at }: Token, compare: Compare, values: readonly Literal[]): Filter {
    const { at: lastAt, length } = this.#tokens[this.#next - 1];
    return { kind: 'field', field, compare, values, at, length: lastAt + length - at };
  }

  #value(): Literal {
    const token = this.#tokens.at(this.#next);
    if (token === undefined || token.kind === 'sign')
      throw new Refusal(this.#place(), 'A value is expected here.');
    this.#next++;
    return { text: token.text, isQuoted: token.kind === 'quoted', at: token.at, length: token.length };
  }

  #beginsStep(): boolean {
    const token = this.#tokens.at(this.#next);
    if (token === undefined) return false;
    if (token.kind === 'sign') return token.text === '(' || token.text === '!';
    return token.kind === 'quoted' || !isKeyword(token) || token.text === 'not';
  }

  #word(ahead: number): string | undefined {
    const token = this.#tokens.at(this.#next + ahead);
    return token?.kind === 'word' ? token.text : undefined;
  }

  #take(texts: ReadonlySet<string>): boolean {
    const token = this.#tokens.at(this.#next);
    if (token === undefined || token.kind === 'quoted' || !texts.has(token.text)) return false;
    this.#next++;
    return true;
  }

  #takeSign(sign: string): boolean {
    const token = this.#tokens.at(this.#next);
    if (token?.kind !== 'sign' || token.text !== sign) return false;
    this.#next++;
    return true;
  }

  #expectSign(sign: string): void {
    if (!this.#takeSign(sign)) throw new Refusal(this.#place(), `${sign} is expected here.`);
  }

  #place(): TextPlace {
    return this.#tokens.at(this.#next) ?? this.#end;
  }
}

function isKeyword({ kind, text }: Token): boolean {
  return kind === 'word' && (text === 'and' || text === 'or' || text === 'not' || text === 'in');
}

export interface Token extends TextPlace {
  readonly kind: 'word' | 'quoted' | 'sign';
  /** Text without quotes and escapes. */
  readonly text: string;
}

const BLANK = /\s*/y;
const SIGN = /==|!=|<=|>=|&&|\|\||[=<>!(),]/y;
const QUOTED = /"(?:[^"\\]|\\.)*"/sy;
const WORD = /[^\s=<>!(),"&|]+/y;

/** The tokens before the first problem, and that problem. */
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
    else tokens.push({ kind: 'quoted', text: quoted.slice(1, -1).replace(/\\(.)/gs, '$1'), ...place });
    at += taken.length;
  }
}

const SAME_AS: Readonly<Record<string, string>> = { '==': '=' };

function unreadable(text: string, at: number): FilterProblem {
  if (text[at] === '"') return { at, length: text.length - at, message: 'The closing quote is missing.' };
  return { at, length: 1, message: `${text[at]} has no meaning here.` };
}

/** Thrown where a filter is invalid. `parseFilter` and `resolveFilter` catch it. */
export class Refusal extends Error {
  readonly problem: FilterProblem;

  constructor({ at, length }: TextPlace, message: string) {
    super(message);
    this.problem = { at, length, message };
  }
}
