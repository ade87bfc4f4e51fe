/** a waits for b while b waits for c: waits that one holder alone does not explain. */
import { useComputed } from '@preact/signals';
import type { LockChain, ThreadIndex } from '../../engine/protocol/locks.ts';
import { formatCount } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import { barred, durationColumn } from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { type LocksPage, type LockViewProps, showThread } from './locks-page.ts';
import { beginColumn, LockName, ThreadName } from './marks.tsx';

export function ChainTable({ page, children }: LockViewProps) {
  const rows = useComputed(() => page.locks.answer.value?.chains.listed);
  const { count = 0 } = page.locks.answer.value?.chains ?? {};
  const shown = rows.value?.length ?? 0;
  const all = `whole trace, ${plural(count, 'chain')}`;
  return (
    <StatTable
      title="Chains of waits"
      scope={shown < count ? `${all}; the ${formatCount(shown)} longest` : all}
      columns={columns(page, rows.value ?? [])}
      rows={rows}
      order={{ column: 'lasted', descending: true }}
      empty="Nobody waited for a thread that waited itself."
      keyOf={({ from, waiter, lock }) => `${from} ${waiter} ${lock}`}
      onActivate={(chain) => showThread(page, chain.waiter, chain)}
    >
      {children}
    </StatTable>
  );
}

function columns({ locks, view }: LocksPage, rows: readonly LockChain[]): readonly Column<LockChain>[] {
  const thread = (id: string, title: string, of: (chain: LockChain) => ThreadIndex): Column<LockChain> => ({
    id,
    title,
    width: 'minmax(104px, 1fr)',
    numeric: false,
    value: (chain) => locks.threads.value[of(chain)]?.shownName ?? '',
    cell: (chain) => <ThreadName thread={locks.threads.value[of(chain)]} />,
  });
  const lock = (id: string, title: string, of: (chain: LockChain) => string): Column<LockChain> => ({
    id,
    title,
    width: 'minmax(112px, 1.5fr)',
    numeric: false,
    value: (chain) => locks.lockById.value.get(of(chain))?.shownName ?? of(chain),
    cell: (chain) => {
      const found = locks.lockById.value.get(of(chain));
      return found && <LockName lock={found} />;
    },
  });
  return [
    beginColumn(view),
    barred(
      rows,
      () => 'var(--st-lock)',
      durationColumn('lasted', 'Lasted', 'minmax(104px, 1fr)', ({ from, to }) => to - from),
    ),
    thread('waiter', 'Thread', ({ waiter }) => waiter),
    lock('lock', 'waits for', (chain) => chain.lock),
    thread('holder', 'held by', ({ holder }) => holder),
    lock('next', 'which waits for', ({ nextLock }) => nextLock),
    thread('next-holder', 'held by', ({ nextHolder }) => nextHolder),
  ];
}
