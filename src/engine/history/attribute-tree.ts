/**
 * Attributes with a path of their own, and texts, by number. Numbers are given in the order of first mention, so that
 * they depend only on the sequence of calls. What belongs to a family (the state of each thread) has a number and no
 * path: its maker keeps the number, and a trace of many short threads has hundreds of thousands.
 */
import { objectOf } from '../base/json-object.ts';
import { TextList } from '../base/text-list.ts';
import type { Attribute, AttributeId, AttributeKind } from './types.ts';

/** A segment of paths: traces with many threads mention attributes so often that joining the segments would cost. */
class Node {
  id: AttributeId = -1;
  children: Map<string, Node> | undefined = undefined;
}

export class AttributeTree {
  readonly attributes: Attribute[] = [];
  readonly #root = new Node();
  readonly #texts = new TextList();

  get texts(): readonly string[] {
    return this.#texts.list;
  }

  /**
   * The attribute with this path; the kind of the first call stays.
   * @param next number that a new one gets
   */
  attribute(path: readonly string[], kind: AttributeKind, next: AttributeId): AttributeId {
    const node = this.#nodeOf(path);
    if (node.id < 0) {
      node.id = next;
      this.attributes.push({ id: next, path: [...path], kind });
    }
    return node.id;
  }

  find(path: readonly string[]): AttributeId | undefined {
    let node: Node | undefined = this.#root;
    for (const segment of path) node = node?.children?.get(segment);
    return node === undefined || node.id < 0 ? undefined : node.id;
  }

  /** Index of an interned text. */
  text(text: string): number {
    return this.#texts.indexOf(text);
  }

  /** Text of the tree, for the store. */
  toText(): string {
    return JSON.stringify({
      attributes: this.attributes.map(({ id, kind, path }) => [id, kind, ...path]),
      texts: this.texts,
    });
  }

  /** The tree that `toText` wrote; undefined when `text` is none. */
  static fromText(text: string): AttributeTree | undefined {
    const stored = parseTree(text);
    if (stored === undefined) return undefined;
    const tree = new AttributeTree();
    for (const [id, kind, ...path] of stored.attributes) tree.attribute(path, kind, id);
    for (const entry of stored.texts) tree.text(entry);
    return tree;
  }

  #nodeOf(path: readonly string[]): Node {
    let node = this.#root;
    for (const segment of path) {
      node.children ??= new Map();
      let child = node.children.get(segment);
      if (child === undefined) node.children.set(segment, (child = new Node()));
      node = child;
    }
    return node;
  }
}

interface StoredTree {
  readonly attributes: readonly (readonly [id: AttributeId, kind: AttributeKind, ...path: string[]])[];
  readonly texts: readonly string[];
}

/** undefined: it is not what we wrote, and the caller reports damage. */
function parseTree(text: string): StoredTree | undefined {
  const { attributes, texts } = (objectOf(text) ?? {}) as Partial<StoredTree>;
  return Array.isArray(attributes) && Array.isArray(texts) ? { attributes, texts } : undefined;
}
