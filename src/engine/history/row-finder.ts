/**
 * Finds many attributes in one section after another. A long trace has tens of thousands of threads and hundreds of
 * segments, each with the few threads that lived then: the cost is the number of a segment's rows, not of the requested
 * attributes.
 */
import { widened } from '../base/columns.ts';
import { stableOrder } from '../base/stable-order.ts';
import { rowIn, rowTable, type Section } from './query-context.ts';
import type { AttributeId } from './types.ts';

/** Ratio of a segment's rows to requested attributes above which it is searched instead of scanned. */
const MANY_ROWS = 8;

export class RowFinder {
  /** Number of attributes found in the current section; for each the index in the request, and the row. */
  length = 0;
  place: Int32Array = new Int32Array(64);
  row: Int32Array = new Int32Array(64);
  /** Index in the request plus 1, by attribute; 0: not requested. Empty until needed. */
  #placeOf = new Uint32Array(0);
  /** Whether no attribute is requested twice; otherwise all are searched. */
  #isUnique = true;

  constructor(private readonly attributes: ArrayLike<AttributeId>) {}

  /** Finds the attributes in a section; sections come in any order. */
  find(section: Section): void {
    const { attribute } = rowTable(section);
    this.length = 0;
    if (attribute.length > MANY_ROWS * this.attributes.length || !this.#hasPlaces()) this.#search(section);
    else this.#goThrough(attribute);
  }

  /** The rows that were found, as a view. */
  rows(): Int32Array {
    return this.row.subarray(0, this.length);
  }

  /** Indices of those found, in the order of the request. */
  inOrder(): Uint32Array {
    return stableOrder(Float64Array.from(this.place.subarray(0, this.length)));
  }

  #search(section: Section): void {
    let next = 0;
    for (let place = 0; place < this.attributes.length; place++) {
      const row = rowIn(section, this.attributes[place], next);
      if (row < 0) continue;
      next = row + 1;
      this.#push(place, row);
    }
  }

  #goThrough(attribute: Int32Array): void {
    const placeOf = this.#placeOf;
    for (let row = 0; row < attribute.length; row++) {
      const place = attribute[row] < placeOf.length ? placeOf[attribute[row]] : 0;
      if (place > 0) this.#push(place - 1, row);
    }
  }

  #push(place: number, row: number): void {
    if (this.length === this.row.length) {
      const capacity = 2 * this.length;
      this.place = widened(this.place, capacity);
      this.row = widened(this.row, capacity);
    }
    this.place[this.length] = place;
    this.row[this.length++] = row;
  }

  #hasPlaces(): boolean {
    if (this.#placeOf.length > 0 || !this.#isUnique) return this.#isUnique;
    const attributes = this.attributes;
    let most = 0;
    for (let place = 0; place < attributes.length; place++) most = Math.max(most, attributes[place]);
    this.#placeOf = new Uint32Array(most + 1);
    for (let place = 0; place < attributes.length; place++) {
      if (attributes[place] < 0) continue;
      if (this.#placeOf[attributes[place]] > 0) this.#isUnique = false;
      this.#placeOf[attributes[place]] = place + 1;
    }
    return this.#isUnique;
  }
}
