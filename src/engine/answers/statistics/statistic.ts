/** What the statistics have in common: each is a query about a range of some hosts. */
import type { EventKind } from '../../trace/event-kinds.ts';
import type { HostHistory } from '../context/host.ts';
import type { Query, QueryContext } from '../context/query.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { missingEvents } from '../context/recorded.ts';
import type { MissingEvents, StatisticRequest } from '../../protocol/statistics.ts';

/** What is counted: a range of some hosts. */
export interface StatisticScope extends QueryContext {
  readonly hosts: readonly HostHistory[];
  readonly range: TimeRange | undefined;
}

/** Statistics before it is known what they lack. */
export type Counted<Stats> = Omit<Stats, keyof MissingEvents>;

export interface Statistic<Stats, Request extends StatisticRequest = StatisticRequest> extends Query<
  Request,
  Counted<Stats> & MissingEvents
> {
  /** Events without which it says nothing. */
  readonly essential: readonly EventKind[];
}

interface Definition<Stats, Request> extends Pick<Statistic<Stats>, 'essential' | 'isTransferred'> {
  /** A part of it is missing unless some event of each group was to be recorded. */
  readonly needs: readonly (readonly EventKind[])[];
  /** What it says of no hosts. */
  readonly none: Counted<Stats>;
  readonly count: (scope: StatisticScope, request: Request) => Promise<Counted<Stats>>;
}

export function statistic<Stats extends MissingEvents, Request extends StatisticRequest = StatisticRequest>({
  essential,
  isTransferred,
  needs,
  none,
  count,
}: Definition<Stats, Request>): Statistic<Stats, Request> {
  return {
    essential,
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
