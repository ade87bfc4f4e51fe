/**
 * Attributes with a path, and texts, by number. Numbers are given in order of first use, so they depend only on the
 * sequence of calls. Members of a family (the state of each thread) have a number and no path: their maker keeps the
 * number, as a trace of many short threads has hundreds of thousands.
 */
import { objectOf } from '../base/json-object.ts';
import { TextList } from '../base/text-list.ts';
import type { Attribute, AttributeId, AttributeKind } from './types.ts';

/** Node of a path: traces with many threads look up attributes too often to join path segments. */
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
   * The attribute with this path, of the kind given in the first call.
   * @param next number for a new attribute
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

  /** The tree that `toText` wrote; undefined: `text` is not such a tree. */
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

/** Undefined: the text is damaged, which the caller reports. */
function parseTree(text: string): StoredTree | undefined {
  const { attributes, texts } = (objectOf(text) ?? {}) as Partial<StoredTree>;
  return Array.isArray(attributes) && Array.isArray(texts) ? { attributes, texts } : undefined;
}
