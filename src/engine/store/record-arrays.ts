/**
 * Splits a record into the bytes of its typed arrays, which are most of it, and the rest. A database copies its input
 * several times; bytes alone can be stored where that is cheapest.
 */

/** Minimum bytes of an array that is taken out of its record. */
const LARGE = 4096;

export interface SplitRecord {
  /** The record with an empty array of the same type in the place of each large one. */
  readonly rest: unknown;
  /** The bytes of each large or empty array, not copied, in order of the record. */
  readonly arrays: readonly Uint8Array[];
}

/** Splits plain objects, arrays and maps; anything else in them stays as it is. */
export function splitArrays(value: unknown): SplitRecord {
  const arrays: Uint8Array[] = [];
  const rest = withArrays(value, (array) => {
    if (array.byteLength > 0 && array.byteLength < LARGE) return array;
    arrays.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return new (typeOf(array))(0);
  });
  return { rest, arrays };
}

/**
 * The record of which `splitArrays` made `rest`. Each array has a buffer of its own.
 * @param lengths bytes of each array
 * @param bytes of all arrays; a single one takes this buffer
 */
export function joinArrays(rest: unknown, lengths: readonly number[], bytes: ArrayBuffer): unknown {
  let next = 0;
  let at = 0;
  return withArrays(rest, (array) => {
    if (array.byteLength > 0) return array;
    const end = at + lengths[next++];
    const own = lengths.length === 1 ? bytes : bytes.slice(at, end);
    at = end;
    return new (typeOf(array))(own);
  });
}

type Change = (array: ArrayBufferView) => ArrayBufferView;

/** A value with arrays replaced. Parts without replaced arrays are not copied: records may be many small objects. */
function withArrays(value: unknown, change: Change): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return value instanceof DataView ? value : change(value);
  if (Array.isArray(value)) return listWithArrays(value, change);
  if (value instanceof Map) return mapWithArrays(value, change);
  return Object.prototype.toString.call(value) === '[object Object]'
    ? objectWithArrays(value, change)
    : value;
}

function listWithArrays(list: readonly unknown[], change: Change): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = withArrays(list[i], change);
    if (item !== list[i]) (copy ??= [...list])[i] = item;
  }
  return copy ?? list;
}

function mapWithArrays(map: ReadonlyMap<unknown, unknown>, change: Change): ReadonlyMap<unknown, unknown> {
  let copy: Map<unknown, unknown> | undefined;
  for (const [key, value] of map) {
    const item = withArrays(value, change);
    if (item !== value) (copy ??= new Map(map)).set(key, item);
  }
  return copy ?? map;
}

function objectWithArrays(object: object, change: Change): object {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(object)) {
    const item = withArrays(value, change);
    if (item !== value) (copy ??= { ...object })[key] = item;
  }
  return copy ?? object;
}

function typeOf(array: ArrayBufferView): new (from: ArrayBuffer | number) => ArrayBufferView {
  return array.constructor as new (from: ArrayBuffer | number) => ArrayBufferView;
}
