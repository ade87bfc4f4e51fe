/** Sizes of field classes in bits, as far as the class alone tells. */
import { alignmentOf, partsOf, type FieldClass, type IntegerClass } from '../../model.ts';

/** Greater sizes count as not constant: no packet holds them. */
const LARGEST = 2 ** 30;

/** Bits of a field that begins at its own alignment; -1 when they depend on data. */
export function constantSize(type: FieldClass): number {
  switch (type.kind) {
    case 'integer':
      return type.variable === true ? -1 : type.size;
    case 'float':
    case 'bits':
      return type.size;
    case 'text':
    case 'blob':
      return typeof type.length === 'number' ? bounded(type.length * 8) : -1;
    case 'array':
      return typeof type.length === 'number' ? constantArray(type.element, type.length) : -1;
    case 'struct': {
      let size = 0;
      for (const member of type.members) {
        const part = constantSize(member.type);
        if (part < 0) return -1;
        size = alignUp(size, alignmentOf(member.type)) + part;
      }
      return bounded(size);
    }
    case 'string':
    case 'variant':
    case 'optional':
      return -1;
  }
}

/** Arrays of elements without bits are not constant: their length is bounded by no bits, so it is checked when it is read. */
function constantArray(element: FieldClass, length: number): number {
  if (length === 0) return 0;
  const size = constantSize(element);
  return size <= 0 ? -1 : bounded(alignUp(size, alignmentOf(element)) * (length - 1) + size);
}

function bounded(size: number): number {
  return size <= LARGEST ? size : -1;
}

/** The least bits a field can take, at most 2^30: bounds the rounds of a loop by the bits that are left. */
export function leastSize(type: FieldClass): number {
  return Math.min(computeLeast(type), LARGEST);
}

function computeLeast(type: FieldClass): number {
  switch (type.kind) {
    case 'integer':
      return type.variable === true ? 8 : type.size;
    case 'float':
    case 'bits':
      return type.size;
    case 'string':
      return 8;
    case 'text':
    case 'blob':
      return typeof type.length === 'number' ? type.length * 8 : 0;
    case 'array':
      return typeof type.length === 'number' ? leastSize(type.element) * type.length : 0;
    case 'struct':
      return type.members.reduce((sum, member) => sum + leastSize(member.type), 0);
    case 'variant':
      return type.options.length === 0
        ? 0
        : Math.min(...type.options.map((option) => leastSize(option.type)));
    case 'optional':
      return 0;
  }
}

/** The next multiple of a power of two. */
export function alignUp(bits: number, alignment: number): number {
  return Math.ceil(bits / alignment) * alignment;
}

/** Whether an integer at or below a field class passes a test. */
export function hasInteger(type: FieldClass, test: (type: IntegerClass) => boolean): boolean {
  return type.kind === 'integer' ? test(type) : partsOf(type).some((part) => hasInteger(part, test));
}
