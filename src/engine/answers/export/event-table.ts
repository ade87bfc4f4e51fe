/** Events as a table of a file: all of them, or those that a filter accepts, in order of time. */
import type { ExportRow, ExportTable } from '../../export/tables/table.ts';
import type { EventTable } from '../events/event-tables.ts';
import { rowsOf } from '../events/event-rows.ts';
import type { EventRow } from '../../protocol/events.ts';
import { type ExportSource, hostName, TIME_COLUMNS, timeCells } from './export-source.ts';

/** Rows that are read at once: each packet of theirs is decoded for them. */
const PIECE = 16_384;

/** @param table whose events were counted */
export function eventTable(source: ExportSource, table: EventTable): ExportTable {
  return {
    columns: [
      ...TIME_COLUMNS,
      { name: 'host', kind: 'text' },
      { name: 'cpu', kind: 'integer' },
      { name: 'tid', kind: 'integer' },
      { name: 'thread', kind: 'text' },
      { name: 'name', kind: 'text' },
      { name: 'payload', kind: 'json' },
      { name: 'context', kind: 'json' },
      { name: 'common', kind: 'json' },
    ],
    rows: pieces(source, table),
  };
}

async function* pieces(source: ExportSource, { matches }: EventTable): AsyncIterable<ExportRow[]> {
  const { trace, range, hosts, signal, onProgress } = source;
  if (trace.events === undefined) return;
  const begin = range === undefined ? 0 : await matches.rowAt(range.from);
  const end = range === undefined ? matches.length : await matches.rowAt(range.to);
  for (let first = begin; first < end; first += PIECE) {
    signal?.throwIfAborted();
    onProgress?.((first - begin) / (end - begin));
    const places = await matches.rows(first, Math.min(PIECE, end - first));
    const rows = await rowsOf(trace.events, trace, places, 'json');
    yield rows.filter(({ host }) => hosts.includes(host)).map((row) => rowOf(source, row));
  }
}

function rowOf(source: ExportSource, row: EventRow): ExportRow {
  const { timeNs, host, cpu, thread, name, fields } = row;
  return [
    ...timeCells(source, timeNs),
    hostName(source, host),
    cpu < 0 ? null : cpu,
    thread?.tid ?? null,
    thread?.name ?? null,
    name,
    ...[fields.payload, fields.context, fields.common].map((text) => (text === '-' ? null : text)),
  ];
}
