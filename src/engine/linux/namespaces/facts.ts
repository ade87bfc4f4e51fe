/**
 * Facts about threads in nested pid namespaces, such as containers, from kernel events: each states the number of a
 * host thread in a namespace. They are few; plain columns.
 */
import { ordered } from '../../base/columns.ts';
import { f64, i32, joinTables, noRows, type Table, u8 } from '../../base/tables.ts';

/** A fork: the child's innermost namespace. */
export const FORKED = 0;
/** A state dump: one of the thread's namespaces. */
export const DUMPED = 1;
/** Contexts of an event: the innermost namespace of its thread. */
export const SEEN = 2;
/** A fork without namespaces: the thread did not exist before. */
export const BORN = 3;

/** Columns of facts, in order of namespace, vtid, time, tid, kind and level. */
export const FACTS = {
  /** HostNs. */
  time: f64(),
  /** Number of the thread on the host. */
  tid: i32(),
  /** Number of the thread in the namespace; 0 for BORN. */
  vtid: i32(),
  /** Inode number of the pid namespace (low 32 bits); 0: not known. */
  ns: i32(),
  /** Depth below the host's own namespace; INNERMOST for SEEN. */
  level: u8(),
  /** FORKED, DUMPED, SEEN or BORN. */
  kind: u8(),
};

export type NamespaceFacts = Readonly<Table<typeof FACTS>>;

/** Greater than any level: Linux has at most 32. */
export const INNERMOST = 255;

/** Number of the host's own pid namespace in Linux (PROC_PID_INIT_INO); low 32 bits. */
const OWN_NAMESPACE = 0xefff_fffc | 0;

/** Number of a nested namespace (low 32 bits); 0: not known, or the host's own. */
export function nestedNamespace(inode: number): number {
  return inode === OWN_NAMESPACE ? 0 : inode;
}

export function noFacts(): NamespaceFacts {
  return noRows(FACTS);
}

/** The first `length` facts in order, without duplicates. Facts from contexts are kept once. */
export function sortedFacts(facts: NamespaceFacts, length = facts.time.length): NamespaceFacts {
  const { time, tid, vtid, ns, level, kind } = facts;
  const columns = [ns, vtid, time, tid, kind, level];
  const order = Uint32Array.from({ length }, (_, row) => row).sort((a, b) => {
    const other = columns.find((column) => column[a] !== column[b]);
    return other === undefined ? 0 : other[a] - other[b];
  });
  /** Threads with this number in the present namespace, by contexts. */
  const seen = new Set<number>();
  const kept = order.filter((row, i) => {
    const before = i > 0 ? order[i - 1] : -1;
    if (before < 0 || ns[row] !== ns[before] || vtid[row] !== vtid[before]) seen.clear();
    if (kind[row] === SEEN) return seen.has(tid[row]) ? false : seen.add(tid[row]).size > 0;
    return before < 0 || columns.some((column) => column[row] !== column[before]);
  });
  return ordered(facts, kept);
}

export function mergeFacts(parts: readonly NamespaceFacts[]): NamespaceFacts {
  return parts.length === 1 ? parts[0] : sortedFacts(joinTables(FACTS, parts));
}
