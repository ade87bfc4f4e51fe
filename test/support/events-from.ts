/** A part of the table of events. */
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { EventRow, EventSet } from '../../src/engine/protocol/events.ts';

/** From the first event at a time or later on. @param set default: all events */
export async function eventsFrom(
  api: Pick<SessionApi, 'ask'>,
  timeNs: number,
  count: number,
  set: Partial<EventSet> = {},
): Promise<readonly EventRow[]> {
  return (await api.ask('eventRows', { filter: '', ...set, atNs: timeNs, first: 0, count })).rows;
}
