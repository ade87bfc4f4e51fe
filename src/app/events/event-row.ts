/** The row of the timeline that an event lies in, and rows of which the events can be listed. */
import type { EventLine } from '../../engine/protocol/events.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { rowById } from '../timeline/timeline.tsx';

/** The id of its CPU's row, else of its thread's, else of its stream's; undefined: there is none. */
export function rowOfEvent(rows: readonly RowInfo[], event: EventLine): string | undefined {
  const { host, cpu, stream } = event;
  const known = [`cpu:${host}:${cpu}`, ...threadsOf(event)].find((id) => rowById(rows, id) !== undefined);
  if (known !== undefined) return known;
  return rows.find((row) => row.kind === 'stream' && row.host === host && row.name === stream)?.id;
}

/** Ids of the rows that its thread may have where contexts give it: its own, or one with many others. */
function threadsOf({ host, fields }: EventLine): readonly string[] {
  const vtid = contextNumber(fields, 'vtid');
  if (vtid === undefined) return [];
  return [`thread:${host}:${contextNumber(fields, 'vpid') ?? -1}.${vtid}`, `more-threads:${host}`];
}

/** Names in strings do not look like this: their quotes are escaped. */
function contextNumber({ common, context }: EventLine['fields'], name: string): string | undefined {
  return new RegExp(`"${name}":(\\d+)`).exec(`${common} ${context}`)?.[1];
}

/** The row with this id, if its events can be distinguished from those of others. */
export function listedRowOf(rows: readonly RowInfo[], id: string | undefined): RowInfo | undefined {
  const row = rowById(rows, id ?? '');
  return row !== undefined && (row.kind === 'cpu' || row.events > 0) ? row : undefined;
}
