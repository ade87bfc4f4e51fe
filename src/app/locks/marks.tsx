/** Names of locks and threads with a mark in their colour (a square for locks, a disc for threads), and columns of tables. */
import type { LockSums } from '../../engine/layers/locks/results/lock-sums.ts';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import type { Column } from '../widgets/table/column.ts';
import { lockTitle } from './lock-words.ts';
import {
  barred,
  cellColumn,
  durationColumn,
  explained,
  msColumn,
  numberColumn,
} from '../widgets/table/stat-columns.tsx';
import type { LocksState, NamedLock, NamedThread } from './locks-state.ts';

function LockName({ lock }: { readonly lock: NamedLock }) {
  return (
    <span class="lock-name">
      <span class="lock-mark" style={{ background: lock.mark }} />
      <span class="table-name ellipsis" title={lockTitle(lock)}>
        {lock.shortName}
      </span>
      {lock.isIdle === true && <span class="lock-idle">idle</span>}
    </span>
  );
}

/** @param thread undefined: not known */
export function ThreadName({ thread }: { readonly thread: NamedThread | undefined }) {
  if (thread === undefined) return <span class="faint">not known</span>;
  return (
    <span class="lock-name">
      <span class="lock-thread-mark" style={{ background: thread.mark }} />
      <span class="table-name ellipsis">{thread.shownName}</span>
    </span>
  );
}

export function beginColumn<Row extends { readonly from: number }>(view: ViewModel): Column<Row> {
  return {
    ...numberColumn<Row>('from', 'From', '112px', ({ from }) => from),
    copyTitle: 'From, ns',
    cell: ({ from }) => <span class="mono faint">{exactTime(from, view.timeStyle.value)}</span>,
  };
}

/** @param threadOf undefined: not known */
export function threadColumn<Row>(
  id: string,
  title: string,
  width: string,
  threadOf: (row: Row) => NamedThread | undefined,
): Column<Row> {
  const value = (row: Row) => threadOf(row)?.shownName ?? '';
  return cellColumn(id, title, width, value, (row) => <ThreadName thread={threadOf(row)} />);
}

/** @param lockOf id of a lock, a futex or a lock of the kernel */
export function lockColumn<Row>(
  { nameOf, lockById }: LocksState,
  id: string,
  title: string,
  width: string,
  lockOf: (row: Row) => string,
): Column<Row> {
  const value = (row: Row) => nameOf(lockOf(row));
  const cell = (row: Row) => {
    const lock = lockById.value.get(lockOf(row));
    return lock ? <LockName lock={lock} /> : <span class="table-name ellipsis">{value(row)}</span>;
  };
  return cellColumn(id, title, width, value, cell);
}

/** The column with bars of waits for locks. */
export function lockBars<Row>(rows: readonly Row[], column: Column<Row>): Column<Row> {
  return barred(rows, () => 'var(--st-lock)', column);
}

/** Columns of the waits for a lock: their sum, the 99th percentile, and the longest. */
export function waitColumns<Row extends Pick<LockSums, 'wait'>>(
  rows: readonly Row[],
): readonly Column<Row>[] {
  const p99 = durationColumn<Row>('p99', '99 % within', '68px', ({ wait }) => wait.p99Ns);
  return [
    lockBars(
      rows,
      msColumn('waited', 'Waited, ms', 'minmax(92px, 1fr)', ({ wait }) => wait.totalNs),
    ),
    explained('Time that 99 of 100 waits took at most', p99),
    durationColumn('longest', 'Longest', '68px', ({ wait }) => wait.maxNs),
  ];
}
