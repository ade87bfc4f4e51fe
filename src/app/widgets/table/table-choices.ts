/** How a table is ordered and filtered, as choices that the page's link carries. */
import { useEffect, useRef } from 'preact/hooks';
import { useChoices } from '../../controls/choices.ts';
import type { SortOrder } from './column.ts';

/**
 * The order stays when the table leaves, the filter leaves with it.
 * @param title of the table, by which its choices are named
 * @param first order without a choice
 */
export function useTableChoices(title: string, first: SortOrder) {
  const choices = useChoices();
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const [orderName, filterName] = [`${name}.order`, `${name}.filter`];
  const filter = choices.text(filterName) ?? '';
  const shown = useRef(filter);
  shown.current = filter;
  useEffect(
    () => () => {
      // A link may have brought one for the next table of this name.
      if ((choices.text(filterName) ?? '') === shown.current) choices.choose(filterName, undefined);
    },
    [],
  );
  return {
    /** Undefined: none was chosen. Reads a signal. */
    order: () => readOrder(choices.text(orderName)),
    setOrder: (order: SortOrder) => {
      const text = orderText(order);
      choices.choose(orderName, text === orderText(first) ? undefined : text);
    },
    /** Reads a signal. */
    filter: () => choices.text(filterName) ?? '',
    setFilter: (text: string) => choices.choose(filterName, text === '' ? undefined : text),
  };
}

function orderText({ column, descending }: SortOrder): string {
  return `${column}~${descending ? 'down' : 'up'}`;
}

function readOrder(text: string | undefined): SortOrder | undefined {
  const [, column, direction] = /^(.+)~(up|down)$/.exec(text ?? '') ?? [];
  return column === undefined ? undefined : { column, descending: direction === 'down' };
}
