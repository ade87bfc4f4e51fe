/** Contract of a statistic: a query about a range of some hosts. */
import type { EventKind } from '../../trace/event-kinds.ts';
import type { HostHistory } from '../context/host.ts';
import type { Query, QueryContext } from '../context/query.ts';
import type { TimeRange } from '../../protocol/range.ts';
import type { StatisticTables } from './columns.ts';
import { missingEvents } from '../context/recorded.ts';
import type { MissingEvents, StatisticRequest } from '../../protocol/statistics.ts';

/** The counted part of a trace: a range of some hosts. */
export interface StatisticScope extends QueryContext {
  readonly hosts: readonly HostHistory[];
  readonly range: TimeRange | undefined;
}

/** A statistic before its missing events are added. */
export type Counted<Stats> = Omit<Stats, keyof MissingEvents>;

interface Question<Stats, Request extends StatisticRequest> extends Pick<
  Query<Request, Stats>,
  'isTransferred'
> {
  /** Groups of kinds of events: a part of the answer is missing unless some event of each group was to be recorded. */
  readonly needs: readonly (readonly EventKind[])[];
  /** The answer for no hosts. */
  readonly none: Counted<Stats>;
  readonly count: (scope: StatisticScope, request: Request) => Promise<Counted<Stats>>;
}

/** A question about a range of some hosts. */
export function rangeQuery<Stats extends MissingEvents, Request extends StatisticRequest>(
  question: Question<Stats, Request>,
): Query<Request, Counted<Stats> & MissingEvents> {
  const { needs, none, count, isTransferred } = question;
  return {
    isTransferred,
    nothing: () => ({ ...none, missing: [] }),
    async answer(context, request) {
      const all = context.trace.hosts;
      const { range, hosts: only } = request;
      const hosts = only === undefined ? all : all.filter(({ index }) => only.includes(index));
      const counted = await count({ ...context, hosts, range }, request);
      return { ...counted, missing: missingEvents(hosts, needs) };
    },
  };
}

interface Definition<Stats, Request extends StatisticRequest> extends Question<Stats, Request> {
  /** Its tables: columns that are drawn, printed and written. */
  readonly tables: StatisticTables<Stats>;
}

export function statistic<Stats extends MissingEvents, Request extends StatisticRequest = StatisticRequest>(
  definition: Definition<Stats, Request>,
) {
  return { ...definition, ...rangeQuery(definition) };
}
