/**
 * Names of processes, by pid. LTTng-UST dumps the name of a process when it begins to record it, in an event of its own:
 * that is all that tells it where neither contexts nor the environment do.
 */
import { compareText } from '../base/compare-text.ts';

export interface ProcessNames {
  /** Ascending, each once; at most MOST_PROCESSES, those with the least. */
  readonly pids: Int32Array;
  readonly names: readonly string[];
  /** TimeNs of the event. */
  readonly namedAt: Float64Array;
}

export interface NamedProcess {
  readonly pid: number;
  readonly name: string;
  readonly namedAt: number;
}

/** Of a recorded host there are some hundred; a hostile trace has as many as events. */
const MOST_PROCESSES = 16_384;

/** The latest name of each; of several at one time the greatest, so that no order of merges matters. */
export function processNames(told: readonly NamedProcess[]): ProcessNames {
  const sorted = [...told].sort(
    (a, b) => a.pid - b.pid || b.namedAt - a.namedAt || compareText(b.name, a.name),
  );
  const kept = sorted.filter(({ pid }, i) => i === 0 || pid !== sorted[i - 1].pid).slice(0, MOST_PROCESSES);
  return {
    pids: Int32Array.from(kept, ({ pid }) => pid),
    names: kept.map(({ name }) => name),
    namedAt: Float64Array.from(kept, ({ namedAt }) => namedAt),
  };
}

export function mergeProcessNames(parts: readonly ProcessNames[]): ProcessNames {
  return processNames(
    parts.flatMap(({ pids, names, namedAt }) =>
      names.map((name, i) => ({ pid: pids[i], name, namedAt: namedAt[i] })),
    ),
  );
}

/** '' where it is not told. */
export function nameOfProcess({ pids, names }: ProcessNames, pid: number): string {
  return names[pids.indexOf(pid)] ?? '';
}
