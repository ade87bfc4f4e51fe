/** Intervals in rows of call stacks: what they are called is kept as it is without symbols. */
import { firstWhere } from '../../base/lower-bound.ts';
import type { DisplayNs } from '../../base/units.ts';
import { isUnnamedFrame } from '../../layers/executions/frames.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import type { QueryContext } from '../context/query.ts';
import { tablesByNow } from './stacks-of.ts';

/** Begins the ids of rows of call stacks. */
const STACK_ROWS = 'stack:';
/** Clocks that are moved round to whole ns. */
const ROUNDING_NS = 0.5;

/**
 * The interval with the name of its function, and so its neighbours; one of another row as it is. Where the innermost
 * frame has no name, as one of a library, it is the innermost one that has.
 */
export async function withFunctionNames(
  context: QueryContext,
  host: number,
  found: Promise<IntervalInfo | undefined>,
): Promise<IntervalInfo | undefined> {
  const info = await found;
  const tables = info?.row.startsWith(STACK_ROWS) === true ? tablesByNow(context, host) : undefined;
  if (info === undefined || tables === undefined) return info;
  const { texts, byPlace } = await context.trace.frameNames(tables);
  const clock = context.trace.time.of(host);
  // `stack:HOST:thread:KEY:INDEX:SETTINGS`
  const thread = tables.threads.at(Number(info.row.split(':').at(-2)));
  const { tree } = tables;
  const nameAt = (from: DisplayNs): string | undefined => {
    if (thread === undefined) return undefined;
    const { times, stacks, inside } = thread;
    const at = clock.toHost(from) + ROUNDING_NS;
    const last = firstWhere(0, times.length, (i) => times[i] > at) - 1;
    for (let stack = last < 0 ? 0 : inside[last] || stacks[last]; stack > 0; stack = tree.parent[stack])
      if (!isUnnamedFrame(texts[tree.frame[stack]])) return texts[tree.frame[stack]];
    return undefined;
  };
  const named = <Words extends Pick<IntervalInfo, 'stateText' | 'from'>>(words: Words): Words => {
    return { ...words, stateText: byPlace.get(words.stateText) ?? nameAt(words.from) ?? words.stateText };
  };
  const { previous, next } = info;
  return { ...named(info), previous: previous && named(previous), next: next && named(next) };
}
