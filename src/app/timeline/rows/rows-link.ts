/** The reader's choice of rows in a link: their order, and whether only those are shown that are active in view. */
import type { SortBy } from './row-order.ts';
import type { RowView } from '../view/row-view.ts';

/** Others come by themselves. */
const LINKED: readonly SortBy[] = ['view', 'name', 'tid'];

/** Reads signals. */
export function writeRows(parts: URLSearchParams, rows: RowView): void {
  const { value: sort } = rows.sort;
  if (LINKED.includes(sort)) parts.set('sort', sort);
  const { value: only } = rows.activeOnly;
  if (only !== undefined) parts.set('rows', only ? 'active' : 'all');
}

export function showRows(parts: URLSearchParams, rows: RowView): void {
  const sort = LINKED.find((known) => known === parts.get('sort'));
  if (sort !== undefined) rows.sort.value = sort;
  else if (LINKED.includes(rows.sort.peek())) rows.sort.value = 'cpu';
  const only = parts.get('rows');
  rows.activeOnly.value = only === 'active' ? true : only === 'all' ? false : undefined;
}
