/** Savings in the executions of a group, from a replay of each. */
import { compare } from '../../base/compare.ts';
import { changeLabel } from '../../words/change-words.ts';
import type { ExecutionsAnswer } from '../../protocol/executions.ts';
import type * as protocol from '../../protocol/what-if.ts';

/** Maximum number of executions replayed of a group, evenly spread. */
const MOST_EXECUTIONS = 100;
/** Smallest share of its time that an execution must gain to count. */
const LEAST_GAIN = 0.05;

/** Members of a list, at most `most`, evenly spread. */
function evenly<T>(list: ArrayLike<T>, most: number): T[] {
  const { length } = list;
  return Array.from({ length: Math.min(length, most) }, (_, i) =>
    length <= most ? list[i] : list[Math.floor(((i + 0.5) * length) / most)],
  );
}

/**
 * Requests for executions of a group, evenly spread.
 * @param most default: 100
 */
export function groupRequests(
  { threads, thread, from, to }: Pick<ExecutionsAnswer, 'threads' | 'thread' | 'from' | 'to'>,
  group: ArrayLike<number>,
  change: Omit<protocol.WhatIfRequest, 'row' | 'range'>,
  most = MOST_EXECUTIONS,
): protocol.WhatIfRequest[] {
  return evenly(group, most).map((i) => {
    return { row: threads[thread[i]].row, range: { from: from[i], to: to[i] }, ...change };
  });
}

interface Found {
  readonly line: protocol.WhatIfLine;
  /** Saving by number of the replayed execution; absent: it saves nothing there. */
  readonly saved: Map<number, protocol.Saving>;
  gain: number;
}

export class GroupSavings {
  /** Durations of the executions replayed, ns. */
  readonly #durations: number[] = [];
  readonly #found = new Map<string, Found>();

  /** Number of executions replayed. */
  get length(): number {
    return this.#durations.length;
  }

  /** Median of their durations, ns; NaN: none was replayed. */
  get median(): number {
    return medianOf(this.#durations);
  }

  add({ from, to, lines }: protocol.WhatIfAnswer): void {
    const number = this.#durations.push(to - from) - 1;
    for (const line of lines) {
      const key = `${line.kind} ${line.name}`;
      const known = this.#found.get(key) ?? { line, saved: new Map<number, protocol.Saving>(), gain: 0 };
      this.#found.set(key, known);
      known.saved.set(number, line.saved);
      if (line.saved.careful >= LEAST_GAIN * (to - from)) known.gain++;
    }
  }

  /** The changes, ordered by mean careful saving. */
  lines(): protocol.WhatIfGroupLine[] {
    const lines = Array.from(this.#found.values(), ({ line: { kind, name, label }, saved, gain }) => {
      const each = (of: keyof protocol.Saving): number[] =>
        this.#durations.map((_, number) => saved.get(number)?.[of] ?? 0);
      const both = (sumUp: (saved: readonly number[]) => number): protocol.Saving => {
        return { careful: sumUp(each('careful')), hopeful: sumUp(each('hopeful')) };
      };
      const left = (ns: readonly number[]): number => medianOf(this.#durations.map((all, i) => all - ns[i]));
      return { kind, name, label, gain, mean: both(meanOf), median: both(medianOf), medianThen: both(left) };
    });
    return lines.sort((a, b) => b.mean.careful - a.mean.careful || compare(changeLabel(a), changeLabel(b)));
  }
}

const meanOf = (values: readonly number[]): number =>
  Math.round(values.reduce((sum, each) => sum + each, 0) / values.length);

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return Math.round((sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2);
}

/** Replays executions one by one while `isWanted`; calls `onAdded` after each. Leaves undefined answers out. */
export async function replayGroup(
  requests: readonly protocol.WhatIfRequest[],
  ask: (request: protocol.WhatIfRequest) => Promise<protocol.WhatIfAnswer | undefined>,
  onAdded: (savings: GroupSavings) => void = () => {},
  isWanted: () => boolean = () => true,
): Promise<GroupSavings> {
  const savings = new GroupSavings();
  for (const request of requests) {
    if (!isWanted()) break;
    const answer = await ask(request);
    if (answer === undefined) continue;
    savings.add(answer);
    onAdded(savings);
  }
  return savings;
}
