/**
 * Names of processes by pid and pid namespace. LTTng-UST dumps the name of a process in an event when it begins to
 * record it: the only name where neither contexts nor the environment have one.
 */
import { compare } from '../base/compare.ts';

export interface ProcessNames {
  /** Ascending with their namespaces, distinct; at most MOST_PROCESSES, the least ones. */
  readonly pids: Int32Array;
  /** Pid namespaces as `nestedNamespace` has them. */
  readonly namespaces: Int32Array;
  readonly names: readonly string[];
  /** HostNs of the event. */
  readonly namedAt: Float64Array;
}

export interface NamedProcess {
  readonly pid: number;
  readonly ns: number;
  readonly name: string;
  readonly namedAt: number;
}

/** Maximum number of processes. A recorded host has some hundred; a hostile trace has as many as events. */
const MOST_PROCESSES = 16_384;

/** The latest name of each; of several at one time the greatest, so that the order of merges does not matter. */
export function processNames(named: readonly NamedProcess[]): ProcessNames {
  const sorted = [...named].sort(
    (a, b) => a.pid - b.pid || a.ns - b.ns || b.namedAt - a.namedAt || compare(b.name, a.name),
  );
  const kept = sorted
    .filter(({ pid, ns }, i) => i === 0 || pid !== sorted[i - 1].pid || ns !== sorted[i - 1].ns)
    .slice(0, MOST_PROCESSES);
  return {
    pids: Int32Array.from(kept, ({ pid }) => pid),
    namespaces: Int32Array.from(kept, ({ ns }) => ns),
    names: kept.map(({ name }) => name),
    namedAt: Float64Array.from(kept, ({ namedAt }) => namedAt),
  };
}

export function mergeProcessNames(parts: readonly ProcessNames[]): ProcessNames {
  return processNames(
    parts.flatMap(({ pids, namespaces, names, namedAt }) =>
      names.map((name, i) => ({ pid: pids[i], ns: namespaces[i], name, namedAt: namedAt[i] })),
    ),
  );
}

/** Name of a process; '' if not known. */
export function nameOfProcess({ pids, namespaces, names }: ProcessNames, pid: number, ns: number): string {
  for (let at = pids.indexOf(pid); at >= 0 && pids[at] === pid; at++)
    if (namespaces[at] === ns) return names[at];
  return '';
}
