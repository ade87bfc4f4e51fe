/**
 * Attributes without a path of their own: each is of a family and has two numbers, from which its path is made when
 * somebody asks. A trace of many short threads has four times as many of them, and a picture needs no names.
 */
import type { SharedHistory } from './shared-history.ts';
import type { Attribute, AttributeFamily, AttributeId } from './types.ts';

/** Columns by attribute, see `SharedHistory`. */
export interface MemberColumns {
  readonly family: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
}

export class AttributeMembers {
  readonly #families: AttributeFamily[] = [];
  #columns: MemberColumns;
  #count: { readonly attributes: Int32Array };

  constructor({ attributes, cursor }: Pick<SharedHistory, 'attributes' | 'cursor'>) {
    this.#columns = attributes;
    this.#count = cursor;
  }

  /** Attributes in all, those with a path of their own too. */
  get length(): number {
    return this.#count.attributes[0];
  }

  /** Returns the family's number. */
  addFamily(family: AttributeFamily): number {
    return this.#families.push(family) - 1;
  }

  /** An attribute that has no path of its own. */
  attribute(id: AttributeId): Attribute {
    const { family, first, second } = this.#columns;
    const { kind, pathOf } = this.#families[family[id]];
    return { id, path: pathOf(first[id], second[id]), kind };
  }

  /** The history's memory goes: what is needed of it is copied. */
  keep(): void {
    const { length } = this;
    const { family, first, second } = this.#columns;
    this.#columns = {
      family: family.slice(0, length),
      first: first.slice(0, length),
      second: second.slice(0, length),
    };
    this.#count = { attributes: Int32Array.of(length) };
  }
}
