/**
 * Attributes and texts by number. Numbers are given in the order of first mention, so that they depend only on the
 * sequence of calls.
 */
import type { Attribute, AttributeId, AttributeKind } from './types.ts';

/** Attributes and texts from some number on: what a segment's record adds to those before it. */
export interface TreePart {
  readonly attributes: readonly Attribute[];
  readonly texts: readonly string[];
}

export class AttributeTree {
  readonly attributes: Attribute[] = [];
  readonly texts: string[] = [];
  readonly #idOfPath = new Map<string, AttributeId>();
  readonly #indexOfText = new Map<string, number>();

  /** The attribute with this path, made when it is new; the kind of the first call stays. */
  attribute(path: readonly string[], kind: AttributeKind): AttributeId {
    const key = pathKey(path);
    const known = this.#idOfPath.get(key);
    if (known !== undefined) return known;
    const id = this.attributes.length;
    this.attributes.push({ id, path: [...path], kind });
    this.#idOfPath.set(key, id);
    return id;
  }

  find(path: readonly string[]): AttributeId | undefined {
    return this.#idOfPath.get(pathKey(path));
  }

  /** Index of an interned text. */
  text(text: string): number {
    const known = this.#indexOfText.get(text);
    if (known !== undefined) return known;
    this.#indexOfText.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** What came after the first `attributes` attributes and `texts` texts. */
  partFrom(attributes: number, texts: number): TreePart {
    return { attributes: this.attributes.slice(attributes), texts: this.texts.slice(texts) };
  }

  /** Adds a part written by `partFrom`; parts come in the order in which they were written. */
  add(part: TreePart): void {
    for (const { path, kind } of part.attributes) this.attribute(path, kind);
    for (const text of part.texts) this.text(text);
  }
}

/** Segments may hold any character; their lengths keep ['a/b'] and ['a', 'b'] apart. */
function pathKey(path: readonly string[]): string {
  let key = '';
  for (const segment of path) key += `${segment.length}:${segment}`;
  return key;
}
