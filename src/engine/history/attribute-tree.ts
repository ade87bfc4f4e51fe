/**
 * Attributes and texts by number. Numbers are given in the order of first mention, so that they depend only on the
 * sequence of calls.
 */
import type { AttributeMembers } from './attribute-members.ts';
import type { Attribute, AttributeId, AttributeKind } from './types.ts';

/** A segment of paths: traces with many threads mention attributes so often that joining the segments would cost. */
class Node {
  id: AttributeId = -1;
  children: Map<string, Node> | undefined = undefined;
}

export class AttributeTree {
  readonly texts: string[] = [];
  /** Those with a path of their own, by number. */
  readonly #named: Attribute[] = [];
  readonly #members: AttributeMembers | undefined;
  /** All of them, as far as somebody asked. */
  readonly #listed: Attribute[] = [];
  /** Of these: those that can be found. */
  #found = 0;
  readonly #root = new Node();
  readonly #indexOfText = new Map<string, number>();

  /** @param members attributes that are numbered without the tree, between those that it numbers */
  constructor(members?: AttributeMembers) {
    this.#members = members;
  }

  /** How many there are. */
  get length(): number {
    const named = this.#named.length === 0 ? 0 : this.#named[this.#named.length - 1].id + 1;
    return Math.max(named, this.#members?.length ?? 0);
  }

  /** All attributes by number; their paths are made for who asks first. */
  get attributes(): readonly Attribute[] {
    for (const attribute of this.#unlisted()) this.#listed.push(attribute);
    return this.#listed;
  }

  /**
   * The attribute with this path, made when it is new; the kind of the first call stays. The path is not one of a
   * family's.
   */
  attribute(path: readonly string[], kind: AttributeKind): AttributeId {
    const node = this.#nodeOf(path);
    if (node.id < 0) {
      node.id = this.length;
      this.#named.push({ id: node.id, path: [...path], kind });
    }
    return node.id;
  }

  find(path: readonly string[]): AttributeId | undefined {
    const { attributes } = this;
    for (; this.#found < attributes.length; this.#found++) {
      const node = this.#nodeOf(attributes[this.#found].path);
      if (node.id < 0) node.id = this.#found;
    }
    let node: Node | undefined = this.#root;
    for (const segment of path) node = node?.children?.get(segment);
    return node === undefined || node.id < 0 ? undefined : node.id;
  }

  /** Index of an interned text. */
  text(text: string): number {
    const known = this.#indexOfText.get(text);
    if (known !== undefined) return known;
    this.#indexOfText.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** As text, for the store: one long text is read back faster than many small objects. */
  toText(): string {
    const attributes = [...this.#listed, ...this.#unlisted()];
    return JSON.stringify({
      attributes: attributes.map(({ path, kind }) => [kind, ...path]),
      texts: this.texts,
    });
  }

  /** The tree that `toText` wrote; undefined when `text` is none. */
  static fromText(text: string): AttributeTree | undefined {
    const stored = parseTree(text);
    if (stored === undefined) return undefined;
    const tree = new AttributeTree();
    for (const [id, [kind, ...path]] of stored.attributes.entries())
      tree.#named.push({ id, path, kind: kind as AttributeKind });
    for (const entry of stored.texts) tree.text(entry);
    return tree;
  }

  /** Those that nobody asked for so far. */
  #unlisted(): Attribute[] {
    const [first, end] = [this.#listed.length, this.length];
    if (first === end) return [];
    const unlisted: Attribute[] = [];
    for (const named of this.#named) {
      if (named.id < first) continue;
      this.#addMembers(unlisted, first + unlisted.length, named.id);
      unlisted.push(named);
    }
    this.#addMembers(unlisted, first + unlisted.length, end);
    return unlisted;
  }

  #addMembers(list: Attribute[], from: AttributeId, to: AttributeId): void {
    const members = this.#members;
    if (members !== undefined) for (let id = from; id < to; id++) list.push(members.attribute(id));
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
  readonly attributes: readonly (readonly string[])[];
  readonly texts: readonly string[];
}

function parseTree(text: string): StoredTree | undefined {
  try {
    const { attributes, texts } = JSON.parse(text) as Partial<StoredTree>;
    return Array.isArray(attributes) && Array.isArray(texts) ? { attributes, texts } : undefined;
  } catch {
    // Not what we wrote: the caller reports damage.
    return undefined;
  }
}
