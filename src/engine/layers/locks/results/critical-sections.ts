/**
 * Critical sections as a tree: for how long each thread held locks, by the locks that it held at one time in the order in
 * which it took them, and for how long it waited for further ones meanwhile.
 */
import type { LockModel } from '../model/lock-model.ts';
import { lockChanges, type Open, openAfter } from './lock-changes.ts';

export interface CriticalSection {
  /** Number of the section around it, which comes before; -1: it is a thread's. */
  readonly parent: number;
  readonly kind: 'thread' | 'hold' | 'wait';
  /** Row of the model's threads, of others of its locks. */
  readonly of: number;
  /** ns, sections within it included. */
  readonly ns: number;
}

/** Locks held at one time that are told apart; time with more counts for the last of them. */
const MOST_NESTED = 16;

/** Place of a thread in the tree. */
interface Place {
  readonly thread: number;
  /** The section in which time goes by; -1: it holds nothing. */
  section: number;
  /** HostNs. */
  since: number;
}

export function criticalSections(model: LockModel): CriticalSection[] {
  const { thread, lock } = model.waits;
  const tree = new SectionTree(Math.max(model.locks.length, model.threads.length));
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

/** Locks need not be released in the order in which they were taken, so that sections are looked for from the outermost on. */
function innermost({ holds, waits }: Open, ofThread: number, lock: Int32Array, tree: SectionTree): number {
  if (holds.length === 0) return -1;
  let section = ofThread;
  for (let i = 0; i < holds.length && i < MOST_NESTED; i++)
    section = tree.child(section, 'hold', lock[holds[i]]);
  const wait = waits.at(-1);
  return wait === undefined ? section : tree.child(section, 'wait', lock[wait]);
}

/** Sections that are handed on: of more the largest, in which no parent is missing. */
const MOST_SECTIONS = 5000;

class SectionTree {
  readonly #parent: number[] = [];
  readonly #kind: CriticalSection['kind'][] = [];
  readonly #of: number[] = [];
  /** Time without sections within, ns. */
  readonly #ns: number[] = [];
  readonly #numbers = new Map<number, number>();
  readonly #most: number;

  /** @param most `of` is less */
  constructor(most: number) {
    this.#most = most;
  }

  /** The section of a thread or lock within another one. */
  child(parent: number, kind: CriticalSection['kind'], of: number): number {
    const key = 2 * ((parent + 1) * this.#most + of) + (kind === 'wait' ? 1 : 0);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#parent.push(parent) - 1;
    this.#kind.push(kind);
    this.#of.push(of);
    this.#ns.push(0);
    this.#numbers.set(key, number);
    return number;
  }

  /** @param section -1: none */
  add(section: number, ns: number): void {
    if (section >= 0) this.#ns[section] += ns;
  }

  sections(): CriticalSection[] {
    const ns = [...this.#ns];
    for (let i = ns.length - 1; i >= 0; i--) if (this.#parent[i] >= 0) ns[this.#parent[i]] += ns[i];
    const kept = ns
      .map((_, i) => i)
      .filter((i) => ns[i] > 0)
      .sort((a, b) => ns[b] - ns[a] || a - b)
      .slice(0, MOST_SECTIONS)
      .sort((a, b) => a - b);
    const numbers = new Map(kept.map((i, number) => [i, number]));
    return kept.map((i) => {
      return {
        parent: numbers.get(this.#parent[i]) ?? -1,
        kind: this.#kind[i],
        of: this.#of[i],
        ns: ns[i],
      };
    });
  }
}
