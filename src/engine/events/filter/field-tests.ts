/** A test of a field, as it applies to the rows of one event class. */
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { findMembers, memberClass } from '../../ctf/decode/program/members.ts';
import type { FieldPlace, Rows } from '../../ctf/decode/rows/rows.ts';
import type { IntegerClass } from '../../ctf/model.ts';
import { matcherOf } from '../../base/glob.ts';
import { type EventOfStream, type FieldName, fieldPlace, wantOf } from './field-wants.ts';
import { acceptedRanges, flipOf, isWithin, rangeWords } from './integer-ranges.ts';
import type { FieldNode } from './resolved.ts';

/** Whether a row fulfils a test. */
export interface RowTest {
  holds(rows: Rows, row: number): boolean;
}

/** undefined: no event of the class fulfils it. */
export function fieldTest(node: FieldNode, of: EventOfStream, plan: ProjectionPlan): RowTest | undefined {
  const integer = integerClassOf(of, node);
  if (integer !== undefined) {
    const place = fieldPlace(plan, of, node, 'wide');
    const ranges = acceptedRanges(integer, node.compare, node.values);
    return (
      place && ranges && new IntegerTest(place, rangeWords(ranges, integer), integer, node.compare === '!=')
    );
  }
  const place = fieldPlace(plan, of, node, 'string');
  return place && new StringTest(place, node);
}

/** The class of an integer field; undefined: it is none. */
export function integerClassOf({ event, stream }: EventOfStream, field: FieldName): IntegerClass | undefined {
  const place = findMembers(wantOf(field, 'wide'), stream, event).at(0);
  const type = place && memberClass(place, stream, event);
  return type?.kind === 'integer' ? type : undefined;
}

class IntegerTest implements RowTest {
  readonly #place: FieldPlace;
  readonly #ranges: Int32Array;
  readonly #flip: number;
  readonly #isNegated: boolean;

  constructor(place: FieldPlace, ranges: Int32Array, { signed }: IntegerClass, isNegated: boolean) {
    this.#place = place;
    this.#ranges = ranges;
    this.#flip = flipOf(signed);
    this.#isNegated = isNegated;
  }

  holds({ words, at }: Rows, row: number): boolean {
    const base = at[row];
    const { presence, bit, offset } = this.#place;
    if (((words[base + presence] >>> bit) & 1) === 0) return false;
    const low = words[base + offset];
    return isWithin(this.#ranges, words[base + offset + 1], low, this.#flip) !== this.#isNegated;
  }
}

class StringTest implements RowTest {
  readonly #place: FieldPlace;
  readonly #matchers: readonly ((text: string) => boolean)[];
  readonly #isNegated: boolean;
  readonly #decoder = new TextDecoder();
  /** Texts by what they come to: in most traces few. */
  readonly #known = new Map<string, boolean>();

  constructor(place: FieldPlace, { compare, values }: FieldNode) {
    this.#place = place;
    this.#matchers = values.map(({ text }) => matcherOf(text));
    this.#isNegated = compare === '!=';
  }

  holds(rows: Rows, row: number): boolean {
    const bytes = bytesAt(rows, row, this.#place);
    return bytes !== undefined && this.#matches(this.#decoder.decode(bytes)) !== this.#isNegated;
  }

  #matches(text: string): boolean {
    let found = this.#known.get(text);
    if (found === undefined) {
      if (this.#known.size > MOST_KNOWN) this.#known.clear();
      found = this.#matchers.some((matches) => matches(text));
      this.#known.set(text, found);
    }
    return found;
  }
}

const MOST_KNOWN = 10_000;

/** Whether one of some text fields of a row contains a text. */
export class ContainsTest implements RowTest {
  readonly #places: readonly FieldPlace[];
  readonly #wanted: Uint8Array;

  /** @param text of which the case of ASCII letters does not matter */
  constructor(text: string, of: EventOfStream, fields: readonly FieldName[], plan: ProjectionPlan) {
    this.#places = fields.flatMap((field) => fieldPlace(plan, of, field, 'string') ?? []);
    this.#wanted = new TextEncoder().encode(text).map(lowerCase);
  }

  holds(rows: Rows, row: number): boolean {
    for (const place of this.#places) {
      const bytes = bytesAt(rows, row, place);
      if (bytes !== undefined && contains(bytes, this.#wanted)) return true;
    }
    return false;
  }
}

/** The bytes of a text field; undefined: the event does not have it. */
function bytesAt(
  { words, at, bytes }: Rows,
  row: number,
  { presence, bit, offset }: FieldPlace,
): Uint8Array | undefined {
  const base = at[row];
  if (((words[base + presence] >>> bit) & 1) === 0) return undefined;
  const from = words[base + offset];
  return bytes.subarray(from, from + words[base + offset + 1]);
}

function contains(bytes: Uint8Array, wanted: Uint8Array): boolean {
  const last = bytes.length - wanted.length;
  for (let from = 0; from <= last; from++) {
    let same = 0;
    while (same < wanted.length && lowerCase(bytes[from + same]) === wanted[same]) same++;
    if (same === wanted.length) return true;
  }
  return false;
}

function lowerCase(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
