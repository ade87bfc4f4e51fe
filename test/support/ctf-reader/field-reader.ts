/**
 * Field classes → functions that read their values (CTF 1.8.3 section 4). Independent of the engine's decoder and much
 * slower: what it reads can be written again, and both can be compared.
 */
import type {
  FieldClass,
  FieldRef,
  IntegerClass,
  Scope,
  StructClass,
} from '../../../src/engine/ctf/model.ts';
import { type StructValue, type Value, alignmentOf } from '../ctf-writer/value.ts';
import type { BitReader } from './bit-reader.ts';

const MOST_ELEMENTS = 1e6;

type ReadField = (from: BitReader) => Value;

/** The last values of the integers that lengths and tags refer to, by their place. */
export type Selectors = Map<string, bigint>;

/** Which integers are marked where they were read. */
export type IsMarked = (type: IntegerClass) => boolean;

export function readerOf(
  type: StructClass,
  scope: Scope,
  selectors: Selectors,
  isMarked: IsMarked,
): (from: BitReader) => StructValue {
  return compile(type, scope, { selectors, isMarked }) as (from: BitReader) => StructValue;
}

interface Context {
  readonly selectors: Selectors;
  readonly isMarked: IsMarked;
}

function compile(type: FieldClass, place: string, context: Context): ReadField {
  const align = alignmentOf(type);
  const read = compileAligned(type, place, context);
  if (align === 1) return read;
  return (from) => {
    from.align(align);
    return read(from);
  };
}

function compileAligned(type: FieldClass, place: string, context: Context): ReadField {
  const { selectors } = context;
  switch (type.kind) {
    case 'integer': {
      const marked = context.isMarked(type);
      return (from) => {
        if (marked) from.marks.push({ position: from.position, type });
        const value = from.integer(type.size, type.byteOrder, type.signed);
        selectors.set(place, BigInt(value));
        return value;
      };
    }
    case 'bits':
      return (from) => from.integer(type.size, type.byteOrder, false);
    case 'float':
      return (from) => floatOf(BigInt(from.integer(type.size, type.byteOrder, false)), type.size);
    case 'string':
      return (from) => from.text();
    case 'text':
    case 'blob': {
      const length = lengthOf(type.length, selectors);
      return (from) => from.raw(length());
    }
    case 'array': {
      const length = lengthOf(type.length, selectors);
      const element = compile(type.element, `${place}.-1`, context);
      return (from) => {
        const elements = length();
        // Elements may have no bits, so that the bytes do not bound their number.
        if (elements > MOST_ELEMENTS) throw new RangeError(`${elements} elements are too many`);
        return Array.from({ length: elements }, () => element(from));
      };
    }
    case 'struct':
      return compileStruct(type, place, context);
    case 'variant': {
      const options = type.options.map((option, index) => compile(option.type, `${place}.${index}`, context));
      return (from) => {
        const tag = selectorOf(type.tag, selectors);
        const option = type.options.findIndex(({ ranges }) =>
          ranges.some((range) => range.from <= tag && tag <= range.to),
        );
        if (option < 0) throw new RangeError(`no option for tag ${tag}`);
        return { option, value: options[option](from) };
      };
    }
    case 'optional':
      throw new RangeError('CTF 1.8 has no optional fields');
  }
}

/** Whole clock values, and counters that go on from packet to packet. */
export function isClockOrCounter(type: IntegerClass): boolean {
  const counts =
    type.roles?.some((role) => role === 'packet-sequence' || role === 'discarded-events') ?? false;
  return counts || (type.clock !== undefined && type.size === 64);
}

function compileStruct(type: StructClass, place: string, context: Context): ReadField {
  const members = type.members.map(({ name, type: member }, index) => ({
    name,
    read: compile(member, `${place}.${index}`, context),
  }));
  return (from) => {
    const value: Record<string, Value> = {};
    for (const member of members) value[member.name] = member.read(from);
    return value;
  };
}

function lengthOf(length: number | FieldRef, selectors: Selectors): () => number {
  return typeof length === 'number' ? () => length : () => Number(selectorOf(length, selectors));
}

function selectorOf(ref: FieldRef, selectors: Selectors): bigint {
  const value = selectors.get([ref.scope, ...ref.steps].join('.'));
  if (value === undefined) throw new RangeError(`${ref.text} has not been read`);
  return value;
}

function floatOf(bits: bigint, size: number): number {
  const view = new DataView(new ArrayBuffer(8));
  if (size === 64) {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (size !== 32) throw new RangeError('16-bit reals are not read');
  view.setUint32(0, Number(bits));
  return view.getFloat32(0);
}
