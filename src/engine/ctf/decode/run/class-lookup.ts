/** Event class ids → index in `StreamClass.events`. Ids are 64-bit; small ones are looked up in an array. */
import { wideOf } from '../../../base/wide-integer.ts';
import type { StreamClass } from '../../model.ts';
import { hasInteger } from '../program/field-classes.ts';

export interface ClassLookup {
  /** Index of the class with a small id, -1: none. */
  readonly dense: Int32Array;
  /** All ids are small. */
  readonly isDense: boolean;
  /** Index of the class with an id of two words, or -1. */
  find(low: number, high: number): number;
}

const LARGEST_DENSE = 1n << 20n;

export function createClassLookup(stream: StreamClass): ClassLookup {
  const ids = idsOf(stream);
  const small = ids.filter((id) => id < LARGEST_DENSE);
  const length = small.reduce((most, id) => Math.max(most, Number(id) + 1), 0);
  const dense = new Int32Array(length).fill(-1);
  const sparse = new Map<bigint, number>();
  ids.forEach((id, index) => {
    if (id < LARGEST_DENSE) dense[Number(id)] = index;
    else sparse.set(id, index);
  });
  return {
    dense,
    isDense: sparse.size === 0,
    find(low, high) {
      if (high === 0 && low >>> 0 < length) return dense[low];
      if (sparse.size === 0) return -1;
      return sparse.get(wideOf(low, high)) ?? -1;
    },
  };
}

/** Ids of the event classes; 0 for events without one. The only class of a stream matches whatever its id. */
function idsOf({ eventHeader, events }: StreamClass): readonly bigint[] {
  const tellsId =
    eventHeader !== undefined &&
    hasInteger(eventHeader, ({ roles }) => roles?.includes('event-class-id') === true);
  return events.length === 1 && !tellsId ? [0n] : events.map(({ id }) => id);
}
