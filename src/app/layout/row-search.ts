/** Rows by name or number, and other things by name: best matches first. */
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { tidText } from '../format/tid.ts';
import { ROW_KINDS } from '../timeline/rows/row-kinds.ts';

/** Rows whose name holds the query, or whose tid begins with it; best matches first. */
export function findRows(rows: readonly RowInfo[], query: string): readonly RowInfo[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return rows
    .filter((row) => ROW_KINDS[row.kind].isFound)
    .map((row) => ({ row, rank: rankOf(row, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || b.row.cpuTimeNs - a.row.cpuTimeNs || b.row.events - a.row.events)
    .map(({ row }) => row);
}

/** Things whose name holds the query, best matches first; equal ones stay in the order given. */
export function findNamed<Named extends { readonly name: string }>(
  things: readonly Named[],
  query: string,
): readonly Named[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return things
    .map((thing) => ({ thing, rank: nameRank(thing.name, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ thing }) => thing);
}

/** 0: no match. An exact number or name comes before a begin, a begin before the middle. */
function rankOf(row: RowInfo, wanted: string): number {
  // "3402" or, if it was used again, "3402#4".
  const tid = tidText(row) ?? '';
  if (tid === wanted || String(row.tid) === wanted) return 4;
  return Math.max(nameRank(row.name, wanted), tid.startsWith(wanted) ? 2 : 0);
}

function nameRank(text: string, wanted: string): number {
  const name = text.toLowerCase();
  if (name === wanted) return 4;
  if (name.startsWith(wanted)) return 3;
  return name.includes(wanted) ? 1 : 0;
}
