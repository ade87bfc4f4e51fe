/** Tools above the gutter: filter, fold all, sorting, grouping. */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { IconButton, TextButton } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import type { SortBy } from '../rows/row-order.ts';
import type { RowView } from '../view/row-view.ts';

const SORT_WORDS: Record<SortBy, string> = {
  found: 'As found',
  cpu: 'CPU time',
  view: 'Time in view',
  name: 'Name',
  tid: 'tid',
  path: 'On path',
};
const CHOICES: readonly SortBy[] = ['cpu', 'view', 'name', 'tid'];

interface RowToolsProps {
  readonly rows: RowView;
  /** Whether states are known; else rows of threads sort by their events in place of time on CPU. */
  readonly hasStates: boolean;
}

export function RowTools({ rows, hasStates }: RowToolsProps) {
  const menuOpen = useSignal(false);
  const words = hasStates ? SORT_WORDS : { ...SORT_WORDS, cpu: 'Events' };
  const choices = [
    ...(rows.timeOnPath.value ? (['path'] as const) : []),
    ...CHOICES.filter((sort) => hasStates || sort !== 'view'),
  ];
  const choose = (sort: SortBy) => {
    rows.sort.value = sort;
    menuOpen.value = false;
  };
  const grouping = (words: string, isChosen: ReadonlySignal<boolean>, toggle: () => void, title?: string) => (
    <TextButton
      class="row-grouping"
      role="menuitemcheckbox"
      aria-checked={isChosen.value}
      title={title}
      onClick={() => {
        toggle();
        menuOpen.value = false;
      }}
      text={words}
    />
  );
  return (
    <div class="row-tools">
      <label class="row-filter">
        <Icon name="filter" />
        <input
          type="text"
          placeholder="Filter"
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
      <IconButton
        class="row-tool"
        icon="folds"
        label="Fold or unfold all"
        onClick={() => rows.toggleAllFolds()}
      />
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
          title={
            rows.hasNamespaces.value || rows.hasForks.value || rows.hasPrograms.value
              ? 'Order and grouping of the rows'
              : 'Order of the rows'
          }
          onClick={() => (menuOpen.value = !menuOpen.value)}
        >
          <Icon name="sort" />
          <span class="row-sort-word">{words[rows.sort.value]}</span>
        </button>
        {menuOpen.value && (
          <div class="row-sort-menu" role="menu">
            {choices.map((sort) => (
              <button
                key={sort}
                role="menuitemradio"
                aria-checked={rows.sort.value === sort}
                onClick={() => choose(sort)}
              >
                {words[sort]}
              </button>
            ))}
            {grouping(
              'Active in view only',
              rows.isActiveOnly,
              rows.toggleActiveOnly,
              'Leaves out threads that neither run nor are ready to run in the visible time',
            )}
            {rows.hasForks.value && grouping('Below what forked them', rows.byFork, rows.toggleByFork)}
            {rows.hasPrograms.value && grouping('Group by program', rows.byProgram, rows.toggleByProgram)}
            {rows.hasNamespaces.value &&
              !rows.byFork.value &&
              grouping('Group by namespace', rows.byNamespace, rows.toggleByNamespace)}
          </div>
        )}
      </div>
    </div>
  );
}
