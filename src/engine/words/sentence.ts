/** Sentences of findings. Names out of the trace are separate parts, so that callers can mark or replace them. */
import { capitalised } from '../base/first-letter.ts';
import type { Name, NameKind, NamedPart, Quantity, SentencePart } from '../protocol/summary.ts';

export const ns = (value: number): Quantity => ({ kind: 'ns', value });
export const share = (value: number): Quantity => ({ kind: 'share', value });
export const count = (value: number): Quantity => ({ kind: 'count', value });

export const name = (text: string, kind: NameKind): Name => ({ kind, text });

/** Words known only at run time that are not names: a noun, a system call, a number. */
export const word = (text: string): readonly NamedPart[] => [text];

type Between = NamedPart | readonly NamedPart[] | undefined | false;

/** Literal texts only: the compiler rejects names in place of words. */
type Literal<T> = string extends T ? never : T;

/** Template of a sentence: said`${count(3)} threads waited`. Parts are inserted; undefined and false are left out. */
export function said<const Parts extends readonly Between[]>(
  words: TemplateStringsArray,
  ...between: Parts & { readonly [I in keyof Parts]: Literal<Parts[I]> }
): NamedPart[] {
  const parts: NamedPart[] = [];
  words.forEach((text, i) => {
    addPart(parts, text);
    const next = between[i] as Between;
    if (next === undefined || next === false) return;
    if (typeof next === 'string' || !isParts(next)) addPart(parts, next);
    else for (const part of next) addPart(parts, part);
  });
  return parts;
}

/** The sentence with names among its words. */
export function plain(sentence: readonly NamedPart[]): SentencePart[] {
  const parts: SentencePart[] = [];
  for (const part of sentence) addPart(parts, typeof part !== 'string' && 'text' in part ? part.text : part);
  return parts;
}

/** The sentence with a capital letter, unless it begins with a name. */
export function capital([first = '', ...rest]: readonly NamedPart[]): NamedPart[] {
  return [typeof first === 'string' ? capitalised(first) : first, ...rest];
}

function addPart<Part>(parts: (Part | string)[], part: Part | string): void {
  const last = parts.at(-1);
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
  else if (part !== '') parts.push(part);
}

function isParts(part: Quantity | Name | readonly NamedPart[]): part is readonly NamedPart[] {
  return Array.isArray(part);
}

/** "a", "a and b", "a, b and c", "a, b, c and 4 more" */
export function listed(names: readonly string[], kind: NameKind, most = 3): NamedPart[] {
  const shown = names.slice(0, names.length === most + 1 ? most + 1 : most);
  const more = names.length - shown.length;
  return shown
    .flatMap((text, i) => {
      const isLast = more === 0 && i === shown.length - 1;
      return said`${i > 0 && (isLast ? ' and ' : ', ')}${name(text, kind)}`;
    })
    .concat(more > 0 ? said` and ${count(more)} more` : []);
}
