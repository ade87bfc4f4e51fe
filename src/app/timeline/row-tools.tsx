/** Over the gutter: filter, fold all, sorting. */
import { useSignal } from '@preact/signals';
import { Icon } from '../controls/icon.tsx';
import type { SortBy } from './row-order.ts';
import type { RowView } from './row-view.ts';

const SORT_WORDS: Record<SortBy, string> = {
  found: 'As found',
  cpu: 'CPU time',
  name: 'Name',
  tid: 'tid',
  path: 'On path only',
};
const CHOICES: readonly SortBy[] = ['cpu', 'name', 'tid'];

export function RowTools({ rows }: { readonly rows: RowView }) {
  const menuOpen = useSignal(false);
  const choose = (sort: SortBy) => {
    rows.sort.value = sort;
    menuOpen.value = false;
  };
  return (
    <div class="row-tools">
      <label class="row-filter">
        <Icon name="filter" />
        <input
          type="text"
          placeholder="Filter rows"
          aria-label="Filter rows by name or tid"
          value={rows.filter.value}
          onInput={(event) => (rows.filter.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') rows.filter.value = '';
            event.stopPropagation();
          }}
        />
      </label>
      {rows.filter.value !== '' && (
        <button class="row-tool" aria-label="Clear filter" onClick={() => (rows.filter.value = '')}>
          <Icon name="close" />
        </button>
      )}
      <button
        class="row-tool"
        title="Fold or unfold all"
        aria-label="Fold or unfold all"
        onClick={rows.toggleAllFolds}
      >
        <Icon name="folds" />
      </button>
      <div
        class="row-sort"
        onFocusOut={(event) => {
          const to = event.relatedTarget;
          if (!(to instanceof Node && event.currentTarget.contains(to))) menuOpen.value = false;
        }}
      >
        <button
          class="row-tool"
          aria-haspopup="menu"
          aria-expanded={menuOpen.value}
          title="Order of the rows"
          onClick={() => (menuOpen.value = !menuOpen.value)}
        >
          <Icon name="sort" />
          <span class="row-sort-word">{SORT_WORDS[rows.sort.value]}</span>
        </button>
        {menuOpen.value && (
          <div class="row-sort-menu" role="menu">
            {[...(rows.timeOnPath.value ? (['path'] as const) : []), ...CHOICES].map((sort) => (
              <button
                key={sort}
                role="menuitemradio"
                aria-checked={rows.sort.value === sort}
                onClick={() => choose(sort)}
              >
                {SORT_WORDS[sort]}
              </button>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
