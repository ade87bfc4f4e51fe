/**
 * Facts that kernel events give about threads in nested pid namespaces, as containers have them: each that a thread of
 * the host is called so in a namespace, few of them; plain columns.
 */

/** A fork: the child's innermost namespace. */
export const FORKED = 0;
/** A state dump: one of the thread's namespaces. */
export const DUMPED = 1;
/** Contexts of an event: the innermost namespace of the thread in which it happened. */
export const SEEN = 2;
/** A fork that gives no namespaces: the thread did not live before. */
export const BORN = 3;

/** Facts in order of namespace, vtid, time, tid, kind and level. */
export interface NamespaceFacts {
  /** HostNs. */
  readonly time: Float64Array;
  /** Number of the thread on the host. */
  readonly tid: Int32Array;
  /** Number of the thread in the namespace; 0 of BORN. */
  readonly vtid: Int32Array;
  /** Inode number of the pid namespace (low 32 bits); 0: not known. */
  readonly ns: Int32Array;
  /** How deep it lies below the host's own; INNERMOST of SEEN. */
  readonly level: Uint8Array;
  /** FORKED, DUMPED, SEEN or BORN. */
  readonly kind: Uint8Array;
}

/** Deeper than all levels in a trace: Linux has at most 32. */
export const INNERMOST = 255;

/** Linux gives the host's own pid namespace this number (PROC_PID_INIT_INO); low 32 bits. */
const OWN_NAMESPACE = 0xefff_fffc | 0;

/** A namespace's number (low 32 bits) where it is a nested one; 0 where it is not known, or is the host's own. */
export function nestedNamespace(inode: number): number {
  return inode === OWN_NAMESPACE ? 0 : inode;
}

export function noFacts(): NamespaceFacts {
  return factsOf(new Float64Array(0), new Int32Array(0), new Uint32Array(0));
}

/** Words of a fact behind its time: tid, vtid, ns, level, kind. */
export const FACT_WORDS = 5;

/** The rows `order` of facts that were written one after the other. */
function factsOf(time: Float64Array, words: Int32Array, order: Uint32Array): NamespaceFacts {
  const column = (word: number) => Int32Array.from(order, (row) => words[FACT_WORDS * row + word]);
  return {
    time: Float64Array.from(order, (row) => time[row]),
    tid: column(0),
    vtid: column(1),
    ns: column(2),
    level: Uint8Array.from(column(3)),
    kind: Uint8Array.from(column(4)),
  };
}

/** Facts in their order, each once. What contexts give becomes a fact once. */
export function sortedFacts(time: Float64Array, words: Int32Array): NamespaceFacts {
  const word = (row: number, index: number) => words[FACT_WORDS * row + index];
  const order = Uint32Array.from(time, (_, row) => row).sort(
    (a, b) =>
      word(a, 2) - word(b, 2) ||
      word(a, 1) - word(b, 1) ||
      time[a] - time[b] ||
      word(a, 0) - word(b, 0) ||
      word(a, 4) - word(b, 4) ||
      word(a, 3) - word(b, 3),
  );
  /** Threads that have this number in the namespace at hand, by contexts. */
  const seen = new Set<number>();
  const kept = order.filter((row, i) => {
    const before = i > 0 ? order[i - 1] : -1;
    const isSame = (index: number) => word(row, index) === word(before, index);
    if (before < 0 || !isSame(2) || !isSame(1)) seen.clear();
    const tid = word(row, 0);
    if (word(row, 4) === SEEN) return seen.has(tid) ? false : seen.add(tid).size > 0;
    return !(before >= 0 && time[row] === time[before] && [0, 1, 2, 3, 4].every(isSame));
  });
  return factsOf(time, words, kept);
}

export function mergeFacts(parts: readonly NamespaceFacts[]): NamespaceFacts {
  if (parts.length === 1) return parts[0];
  const length = parts.reduce((sum, part) => sum + part.time.length, 0);
  const time = new Float64Array(length);
  const words = new Int32Array(FACT_WORDS * length);
  let at = 0;
  for (const part of parts) {
    time.set(part.time, at);
    for (let i = 0; i < part.time.length; i++, at++) {
      words.set([part.tid[i], part.vtid[i], part.ns[i], part.level[i], part.kind[i]], FACT_WORDS * at);
    }
  }
  return sortedFacts(time, words);
}
