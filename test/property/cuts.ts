/** Times at which traces are cut. Half of them are those of events: there it matters which side has what happens then. */
import fc from 'fast-check';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { TimeRange } from '../../src/engine/protocol/range.ts';

export const share = fc.double({ noNaN: true, min: 0, max: 1 });

/** A share of a trace's length, or of the number of its events. */
export const cut = fc.record({ share, atEvent: fc.boolean() });

export type Cut = typeof cut extends fc.Arbitrary<infer T> ? T : never;

/** @returns ns since the trace's first event, at most `lengthNs` */
export async function timeOfCut({ share, atEvent }: Cut, api: SessionApi, lengthNs: number): Promise<number> {
  if (!atEvent) return Math.round(share * lengthNs);
  const { total } = await api.ask('eventSearch', { filter: '' });
  const first = Math.min(total - 1, Math.floor(share * total));
  const { rows } = await api.ask('eventRows', { filter: '', first, count: 1 });
  return rows[0].timeNs;
}

/** From a cut on, `length` of what is behind it, but at least 1 ns. */
export async function rangeFrom(
  begin: Cut,
  length: number,
  api: SessionApi,
  lengthNs: number,
): Promise<TimeRange> {
  const from = Math.min(await timeOfCut(begin, api, lengthNs), lengthNs - 1);
  return { from, to: from + Math.max(1, Math.round(length * (lengthNs - from))) };
}
