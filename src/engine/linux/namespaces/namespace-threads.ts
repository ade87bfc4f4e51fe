/**
 * Maps thread numbers in pid namespaces to threads of the host, at a time. A fact holds from its time until the next
 * one with the same namespace and number. A fact from a state dump holds from the begin of the trace on, unless the
 * thread was forked in the trace.
 */
import { addTo } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { BORN, DUMPED, FORKED, type NamespaceFacts } from './facts.ts';

/** No event describes the thread: its number counts as that of the host. */
export const NOBODY_KNOWN = -1;

/** Times since when facts of one namespace, number and thread hold; rows are sorted by the key's columns, `since` last. */
interface Index {
  readonly vtid: Int32Array;
  /** Namespace, or tid. */
  readonly key: Int32Array;
  readonly since: Float64Array;
  readonly tid: Int32Array;
}

/** Numbers of a table's threads in namespaces, by row; 0: a thread is only in the host's own. */
export interface InsideNumbers {
  /** Number in the innermost namespace. */
  readonly vtid: Int32Array;
  /** Inode number of that (low 32 bits), 0 also where it is not known. */
  readonly ns: Int32Array;
}

export class NamespaceThreads {
  readonly #facts: NamespaceFacts;
  readonly #byNamespace: Index;
  readonly #byThread: Index;

  constructor(facts: NamespaceFacts) {
    this.#facts = facts;
    const since = beginsOf(facts);
    this.#byNamespace = indexOf(facts, since, facts.ns);
    this.#byThread = indexOf(facts, since, facts.tid);
  }

  /** Whether some thread is in a nested namespace. */
  get isNested(): boolean {
    return this.#byNamespace.tid.length > 0;
  }

  /**
   * The host's tid of a user-space event's thread; NOBODY_KNOWN: no kernel event tells.
   * @param vtid by its context, like `ns` (low 32 bits): 0 if not recorded
   * @param time HostNs
   * @param running tid of the thread that its CPU runs then, 0 or less: not known. Used if no namespace is recorded
   */
  tidOf(vtid: number, ns: number, time: number, running: number): number {
    const index = ns === 0 ? this.#byThread : this.#byNamespace;
    const row = lastBefore(index, vtid, ns === 0 ? running : ns, time);
    return row < 0 ? NOBODY_KNOWN : index.tid[row];
  }

  /**
   * Numbers of a table's threads in the innermost namespaces.
   * @param first HostNs, begin of each life of a tid
   */
  insideNumbers(tid: Int32Array, first: Float64Array): InsideNumbers {
    const facts = this.#facts;
    const numbers = { vtid: new Int32Array(tid.length), ns: new Int32Array(tid.length) };
    const lives = livesOf(new Set(facts.tid), tid);
    const levels = new Uint8Array(tid.length);
    for (let fact = 0; fact < facts.tid.length; fact++) {
      if (facts.kind[fact] === BORN) continue;
      const thread = lifeAt(lives.get(facts.tid[fact]) ?? [], first, facts.time[fact]);
      // On one level facts with a namespace follow those without.
      if (thread < 0 || facts.level[fact] < levels[thread]) continue;
      if (facts.level[fact] === levels[thread] && facts.ns[fact] === 0) continue;
      levels[thread] = facts.level[fact];
      numbers.vtid[thread] = facts.vtid[fact];
      numbers.ns[thread] = facts.ns[fact];
    }
    return numbers;
  }
}

/** Times since when facts hold, by fact; HostNs. */
function beginsOf({ time, tid, kind }: NamespaceFacts): Float64Array {
  const born = new Map<number, number>();
  for (let fact = 0; fact < tid.length; fact++) {
    if (kind[fact] !== FORKED && kind[fact] !== BORN) continue;
    born.set(tid[fact], Math.min(time[fact], born.get(tid[fact]) ?? Infinity));
  }
  return time.map((at, fact) =>
    kind[fact] === DUMPED && !((born.get(tid[fact]) ?? Infinity) <= at) ? -Infinity : at,
  );
}

function indexOf(facts: NamespaceFacts, since: Float64Array, key: Int32Array): Index {
  const { vtid, tid, kind, time } = facts;
  const order = [...tid.keys()]
    .filter((fact) => kind[fact] !== BORN)
    .sort(
      (a, b) =>
        vtid[a] - vtid[b] ||
        key[a] - key[b] ||
        (since[a] === since[b] ? time[a] - time[b] || a - b : since[a] - since[b]),
    );
  const column = (of: Int32Array) => Int32Array.from(order, (fact) => of[fact]);
  return {
    vtid: column(vtid),
    key: column(key),
    since: Float64Array.from(order, (fact) => since[fact]),
    tid: column(tid),
  };
}

/** The last row of a number and key that holds at `time`; -1: none. */
function lastBefore(index: Index, vtid: number, key: number, time: number): number {
  const isBehind = (row: number) =>
    (index.vtid[row] - vtid || index.key[row] - key || (index.since[row] <= time ? -1 : 1)) > 0;
  const row = firstWhere(0, index.vtid.length, isBehind) - 1;
  return row >= 0 && index.vtid[row] === vtid && index.key[row] === key ? row : -1;
}

/** Rows of some tids of a table, by tid. */
function livesOf(wanted: ReadonlySet<number>, tid: Int32Array): ReadonlyMap<number, readonly number[]> {
  const lives = new Map<number, number[]>();
  for (let row = 0; wanted.size > 0 && row < tid.length; row++)
    if (wanted.has(tid[row])) addTo(lives, tid[row], row);
  return lives;
}

/** The last life that began by a time, else the first; -1: there is none. */
function lifeAt(lives: readonly number[], first: Float64Array, time: number): number {
  return lives.findLast((life) => first[life] <= time) ?? lives[0] ?? -1;
}
