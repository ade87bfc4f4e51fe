/** Definitions that links say a layer shows, as plain data. Pure. */
import { keyOf, type Offered } from './choices.ts';

export interface DefinitionWords<Definition> {
  /** Parts of a definition that tell it from others, as plain data. */
  words(definition: Definition): readonly unknown[];
  /** One of the reader's own; undefined: a link has words that make no sense. */
  own(words: readonly unknown[]): Definition | undefined;
}

/** A link may come from anybody. */
const MOST_DEFINITIONS = 64;
const LONGEST_TEXT = 200;
const MOST_TEXTS = 8;

/** Definitions that are suggested in these words, or the reader's own; those that make no sense are left out. */
export function linkedDefinitions<Definition>(
  { words, own }: DefinitionWords<Definition>,
  text: string,
  { suggestions }: Pick<Offered<Definition>, 'suggestions'>,
): Definition[] {
  const suggested = new Map(suggestions.map(({ definition }) => [keyOf(words(definition)), definition]));
  return listIn(text)
    .slice(0, MOST_DEFINITIONS)
    .flatMap((each) => (Array.isArray(each) ? (suggested.get(keyOf(each)) ?? own(each) ?? []) : []));
}

/** Names of events and fields, as a link has them. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT;
}

export function areNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MOST_TEXTS && value.every(isName);
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
