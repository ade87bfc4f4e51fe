/** Intervals in rows of call stacks: what they are called is kept as it is without symbols. */
import type { IntervalInfo } from '../../protocol/rows.ts';
import type { QueryContext } from '../context/query.ts';
import { tablesByNow } from './stacks-of.ts';

/** Begins the ids of rows of call stacks. */
const STACK_ROWS = 'stack:';

/** The interval with the name of its function, and so its neighbours; one of another row as it is. */
export async function withFunctionNames(
  context: QueryContext,
  host: number,
  found: Promise<IntervalInfo | undefined>,
): Promise<IntervalInfo | undefined> {
  const info = await found;
  const tables = info?.row.startsWith(STACK_ROWS) === true ? tablesByNow(context, host) : undefined;
  if (info === undefined || tables === undefined) return info;
  const { byPlace } = await context.trace.frameNames(tables);
  const named = <Words extends { readonly stateText: string }>(words: Words): Words => {
    return { ...words, stateText: byPlace.get(words.stateText) ?? words.stateText };
  };
  const { previous, next } = info;
  return { ...named(info), previous: previous && named(previous), next: next && named(next) };
}
