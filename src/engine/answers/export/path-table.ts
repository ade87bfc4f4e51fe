/** The segments of an active path as a table of a file, oldest first. */
import { columnsOf, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { LABELS } from '../../graph/path-codes.ts';
import type { PathAnswer } from '../../protocol/paths.ts';
import { type ExportSource, hostName, timeCells, timeColumns } from './export-source.ts';

export function pathTable(source: ExportSource, path: PathAnswer): ExportTable {
  const { segments: s, workers, causes } = path;
  const rows = Array.from({ length: s.length }, (_, i) => {
    const { name, tid, host } = workers[s.worker[i]];
    return [
      ...timeCells(source, s.from[i]),
      s.to[i] - s.from[i],
      hostName(source, host),
      tid ?? null,
      name,
      LABELS[s.label[i]],
      s.cause[i] < 0 ? null : causes[s.cause[i]],
      s.depth[i],
    ];
  });
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'host'),
      ...columnsOf('integer', 'tid'),
      ...columnsOf('text', 'worker', 'label', 'cause'),
      ...columnsOf('integer', 'depth'),
    ],
    [rows],
  );
}
