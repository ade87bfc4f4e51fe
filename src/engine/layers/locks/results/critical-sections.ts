/** Critical sections as a tree: how long threads held locks, by the locks held at once in order, and waited for others. */
import { TupleIndex } from '../../../base/tuple-index.ts';
import type { LockModel } from '../model/lock-model.ts';
import { lockChanges, type Open, openAfter } from './lock-changes.ts';

const KINDS = ['thread', 'hold', 'wait'] as const;

export interface CriticalSection {
  /** Number of the enclosing section, which comes before; -1: it is a thread's. */
  readonly parent: number;
  readonly kind: (typeof KINDS)[number];
  /** Row of the model's threads for a thread's section, else of its locks. */
  readonly of: number;
  /** ns, including nested sections. */
  readonly ns: number;
}

/** Locks held at one time that are distinguished; with more, time counts for the last of them. */
const MOST_NESTED = 16;

interface Place {
  readonly thread: number;
  /** The present section; -1: no lock is held. */
  section: number;
  /** HostNs. */
  since: number;
}

export function criticalSections(model: LockModel): CriticalSection[] {
  const { thread, lock } = model.waits;
  const tree = new SectionTree();
  const opens = new Map<number, Open>();
  const places = new Map<number, Place>();
  const { order, time, wait, change } = lockChanges(model);
  for (const i of order) {
    const of = thread[wait[i]];
    const place = places.get(of) ?? { thread: tree.child(-1, 'thread', of), section: -1, since: time[i] };
    places.set(of, place);
    tree.add(place.section, time[i] - place.since);
    place.since = time[i];
    place.section = innermost(openAfter(opens, of, wait[i], change[i]), place.thread, lock, tree);
  }
  return tree.sections();
}

/** Finds the innermost section. Locks may be released in any order, so it is found from the outermost on. */
function innermost({ holds, waits }: Open, ofThread: number, lock: Int32Array, tree: SectionTree): number {
  if (holds.length === 0) return -1;
  let section = ofThread;
  for (let i = 0; i < holds.length && i < MOST_NESTED; i++)
    section = tree.child(section, 'hold', lock[holds[i]]);
  const wait = waits.at(-1);
  return wait === undefined ? section : tree.child(section, 'wait', lock[wait]);
}

/** Sections returned at most: the largest, with all their parents. */
const MOST_SECTIONS = 5000;

class SectionTree {
  /** Enclosing section, kind, thread or lock. */
  readonly #index = new TupleIndex();
  /** Time without nested sections, ns. */
  readonly #ns: number[] = [];

  /** Section of a thread or lock within another one. */
  child(parent: number, kind: CriticalSection['kind'], of: number): number {
    const section = this.#index.place(parent, KINDS.indexOf(kind), of, 0);
    this.#ns[section] ??= 0;
    return section;
  }

  /** @param section -1: none */
  add(section: number, ns: number): void {
    if (section >= 0) this.#ns[section] += ns;
  }

  sections(): CriticalSection[] {
    const ns = [...this.#ns];
    const [parent, kind, of] = [0, 1, 2].map((word) => this.#index.column(word));
    for (let i = ns.length - 1; i >= 0; i--) if (parent[i] >= 0) ns[parent[i]] += ns[i];
    const kept = [...ns.keys()]
      .filter((i) => ns[i] > 0)
      .sort((a, b) => ns[b] - ns[a] || a - b)
      .slice(0, MOST_SECTIONS)
      .sort((a, b) => a - b);
    const numbers = new Map(kept.map((i, number) => [i, number]));
    return kept.map((i) => {
      return { parent: numbers.get(parent[i]) ?? -1, kind: KINDS[kind[i]], of: of[i], ns: ns[i] };
    });
  }
}
