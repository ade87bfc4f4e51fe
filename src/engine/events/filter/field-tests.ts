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
export type RowTest = (rows: Rows, row: number) => boolean;

/** undefined: no event of the class fulfils it. */
export function fieldTest(node: FieldNode, of: EventOfStream, plan: ProjectionPlan): RowTest | undefined {
  const integer = integerClassOf(of, node);
  if (integer === undefined) {
    const place = fieldPlace(plan, of, node, 'string');
    return place && stringTest(place, node);
  }
  const place = fieldPlace(plan, of, node, 'wide');
  const ranges = acceptedRanges(integer, node.compare, node.values);
  return place && ranges && integerTest(place, rangeWords(ranges, integer), integer, node.compare === '!=');
}

/** The class of an integer field; undefined: it is none. */
export function integerClassOf({ event, stream }: EventOfStream, field: FieldName): IntegerClass | undefined {
  const place = findMembers(wantOf(field, 'wide'), stream, event).at(0);
  const type = place && memberClass(place, stream, event);
  return type?.kind === 'integer' ? type : undefined;
}

function integerTest(
  { presence, bit, offset }: FieldPlace,
  ranges: Int32Array,
  { signed }: IntegerClass,
  isNegated: boolean,
): RowTest {
  const flip = flipOf(signed);
  return ({ words, at }, row) => {
    const base = at[row];
    if (((words[base + presence] >>> bit) & 1) === 0) return false;
    const low = words[base + offset];
    return isWithin(ranges, words[base + offset + 1], low, flip) !== isNegated;
  };
}

function stringTest({ presence, bit, offset }: FieldPlace, { compare, values }: FieldNode): RowTest {
  const matchers = values.map(({ text }) => matcherOf(text));
  const isNegated = compare === '!=';
  const decoder = new TextDecoder();
  /** Texts by hash: in most traces few. */
  const known = new Map<number, { readonly bytes: Uint8Array; readonly isMeant: boolean }>();
  return ({ words, at, bytes }, row) => {
    const base = at[row];
    if (((words[base + presence] >>> bit) & 1) === 0) return false;
    const from = words[base + offset];
    const to = from + words[base + offset + 1];
    const hash = hashOf(bytes, from, to);
    const found = known.get(hash);
    if (found !== undefined && isSame(found.bytes, bytes, from, to)) return found.isMeant !== isNegated;
    const own = bytes.slice(from, to);
    const text = decoder.decode(own);
    const isMeant = matchers.some((matches) => matches(text));
    if (known.size > MOST_KNOWN) known.clear();
    known.set(hash, { bytes: own, isMeant });
    return isMeant !== isNegated;
  };
}

const MOST_KNOWN = 10_000;

/** FNV-1a, with the length. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x0100_0193);
  return hash;
}

function isSame(known: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (known.length !== to - from) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[from + at]) return false;
  return true;
}

/**
 * Whether one of some text fields of a row contains a text.
 * @param text not empty, of which the case of ASCII letters does not matter
 */
export function containsTest(
  text: string,
  of: EventOfStream,
  fields: readonly FieldName[],
  plan: ProjectionPlan,
): RowTest {
  const places = fields.flatMap((field) => fieldPlace(plan, of, field, 'string') ?? []);
  const wanted = new TextEncoder().encode(text).map(lowerCase);
  return ({ words, at, bytes }, row) => {
    const base = at[row];
    for (const { presence, bit, offset } of places) {
      if (((words[base + presence] >>> bit) & 1) === 0) continue;
      const from = words[base + offset];
      if (contains(bytes, from, from + words[base + offset + 1], wanted)) return true;
    }
    return false;
  };
}

/** Whether the bytes [from, to) contain others, which are small letters and not none. */
function contains(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  const { length, 0: first } = wanted;
  const last = to - length;
  for (let at = from; at <= last; at++) {
    if (lowerCase(bytes[at]) !== first) continue;
    let same = 1;
    while (same < length && lowerCase(bytes[at + same]) === wanted[same]) same++;
    if (same === length) return true;
  }
  return false;
}

function lowerCase(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
