/** Sentences of findings. */
import type { Quantity, SentencePart } from '../protocol/summary.ts';

export const ns = (value: number): Quantity => ({ kind: 'ns', value });
export const share = (value: number): Quantity => ({ kind: 'share', value });
export const count = (value: number): Quantity => ({ kind: 'count', value });

/** Template of a sentence: said`${count(3)} threads waited`. Parts of sentences are taken in, undefined and false are left out. */
export function said(
  words: TemplateStringsArray,
  ...between: readonly (SentencePart | readonly SentencePart[] | undefined | false)[]
): SentencePart[] {
  const parts: SentencePart[] = [];
  const add = (part: SentencePart): void => {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  };
  words.forEach((text, i) => {
    add(text);
    const next = between[i];
    if (next === undefined || next === false) return;
    if (typeof next === 'string' || !isParts(next)) add(next);
    else next.forEach(add);
  });
  return parts;
}

function isParts(part: Quantity | readonly SentencePart[]): part is readonly SentencePart[] {
  return Array.isArray(part);
}

/** "a", "a and b", "a, b and c", "a, b, c and 4 more" */
export function listed(names: readonly string[], most = 3): SentencePart[] {
  const shown = names.slice(0, names.length === most + 1 ? most + 1 : most);
  const more = names.length - shown.length;
  if (more > 0) return said`${shown.join(', ')} and ${count(more)} more`;
  return [names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`];
}
