/** Locks and threads by name, each with the mark of its colour: a square for locks, a disc for threads; begins of waits. */
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import type { Column } from '../widgets/table/column.ts';
import { lockTitle } from './lock-words.ts';
import type { NamedLock, NamedThread } from './locks-state.ts';

export function LockName({ lock }: { readonly lock: NamedLock }) {
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

/** @param thread undefined: nobody is known */
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
    id: 'from',
    title: 'From',
    copyTitle: 'From, ns',
    width: '112px',
    numeric: true,
    value: ({ from }) => from,
    cell: ({ from }) => <span class="mono faint">{exactTime(from, view.timeStyle.value)}</span>,
  };
}
