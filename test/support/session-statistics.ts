/** All statistics that a session has, for tests that compare two of them. */
import type { StatisticName } from '../../src/engine/answers/statistics/tables.ts';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { AnswerOf, RequestOf } from '../../src/engine/protocol/queries.ts';
import type { TimeRange } from '../../src/engine/protocol/range.ts';
import { STATISTIC_NAMES } from '../../src/engine/answers/statistics/statistics.ts';

/** By name; without bytes of events, which depend on packets: events are aligned in them. */
export async function statisticsOf(api: Pick<SessionApi, 'ask'>, range: TimeRange | undefined) {
  const all: Partial<Record<StatisticName, object>> = {};
  for (const name of STATISTIC_NAMES)
    all[name] = await api.ask(name, { range, withPairs: true } as RequestOf<typeof name>);
  const { events } = all.counts as AnswerOf<'counts'>;
  return { ...all, counts: events.map(({ bytes: _, ...event }) => event) };
}
