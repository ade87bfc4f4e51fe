/** Rows by name or number, best matches first. */
import type { RowInfo } from '../../workers/session-api.ts';
import { tidText } from '../format/tid.ts';
import { ROW_KINDS } from '../timeline/row-kinds.ts';

/** At most `most` rows whose name holds the query, or whose tid begins with it. */
export function findRows(rows: readonly RowInfo[], query: string, most: number): readonly RowInfo[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return rows
    .filter((row) => ROW_KINDS[row.kind].isFound)
    .map((row) => ({ row, rank: rankOf(row, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || b.row.cpuTimeNs - a.row.cpuTimeNs || b.row.events - a.row.events)
    .slice(0, most)
    .map(({ row }) => row);
}

/** 0: no match. An exact number or name comes before a begin, a begin before the middle. */
function rankOf(row: RowInfo, wanted: string): number {
  const name = row.name.toLowerCase();
  // "3402" or, if it was used again, "3402#4".
  const tid = tidText(row) ?? '';
  if (tid === wanted || String(row.tid) === wanted || name === wanted) return 4;
  if (name.startsWith(wanted)) return 3;
  if (tid.startsWith(wanted)) return 2;
  return name.includes(wanted) ? 1 : 0;
}
