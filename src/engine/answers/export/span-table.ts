/** Spans of overlays as a table of a file, thread by thread. */
import { columnsOf, type ExportRow, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { spanTracks } from './layer-spans.ts';
import { type ExportSource, hostName, timeCells, timeColumns } from './export-source.ts';

export function spanTable(source: ExportSource): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'host'),
      ...columnsOf('integer', 'tid', 'level'),
      ...columnsOf('text', 'name', 'label'),
    ],
    pieces(source),
  );
}

async function* pieces(source: ExportSource): AsyncIterable<ExportRow[]> {
  const { trace, layers, hosts, range, signal } = source;
  if (layers === undefined) return;
  for (const host of trace.hosts) {
    if (!hosts.includes(host.index)) continue;
    for await (const { name, tid, level, spans } of spanTracks(layers, host, range)) {
      signal?.throwIfAborted();
      const track = [hostName(source, host.index), tid > 0 ? tid : null, level, name];
      yield spans.map(({ from, to, hasEnd, text }) => {
        return [...timeCells(source, from), hasEnd ? to - from : null, ...track, text];
      });
    }
  }
}
