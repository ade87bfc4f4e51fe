/** Time on a path by worker and reason. Sums equal the range. */
import { addNumber } from '../base/group-by.ts';
import type { Path } from './path.ts';

export interface PathTotal {
  /** Group of workers: a worker, a process, a host. */
  readonly group: number;
  readonly value: number;
  readonly detail: string;
  ns: number;
  /** ns by blocker, without the group's own time. */
  readonly blockers: Map<number, number>;
  /** Segments with a part in it, oldest first. */
  readonly segments: number[];
}

/** Takes a part of a segment; `blocker`: who took the time, -1 or absent: the worker itself. */
export type TakePart = (value: number, ns: number, detail: string, blocker?: number) => void;

/** @param each visits the parts of a segment, whose ns add up to the segment's @returns most time first */
export function pathTotals(
  { segments }: Path,
  groupOf: (worker: number) => number,
  each: (segment: number, take: TakePart) => void,
): PathTotal[] {
  const totals = new Totals();
  for (let i = 0; i < segments.length; i++) {
    const group = groupOf(segments.worker[i]);
    each(i, (value, ns, detail, blocker = -1) => {
      if (ns === 0) return;
      const total = totals.of(group, value, detail);
      total.ns += ns;
      if (blocker >= 0) addNumber(total.blockers, blocker, ns);
      if (total.segments.at(-1) !== i) total.segments.push(i);
    });
  }
  return totals.list.sort((a, b) => b.ns - a.ns || a.group - b.group || a.value - b.value);
}

/** Totals, looked up by numbers where possible, as a path has very many parts. */
class Totals {
  readonly list: PathTotal[] = [];
  /** Totals by group, value and detail. */
  readonly #known = new Map<number, Map<number, Map<string, PathTotal>>>();

  of(group: number, value: number, detail: string): PathTotal {
    const byValue = madeOnce(this.#known, group, () => new Map<number, Map<string, PathTotal>>());
    const byDetail = madeOnce(byValue, value, () => new Map<string, PathTotal>());
    return madeOnce(byDetail, detail, () => this.#add(group, value, detail));
  }

  #add(group: number, value: number, detail: string): PathTotal {
    const total = { group, value, detail, ns: 0, blockers: new Map<number, number>(), segments: [] };
    this.list.push(total);
    return total;
  }
}

function madeOnce<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
