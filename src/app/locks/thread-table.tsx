/** Table of threads that waited for locks or made others wait. */
import { useComputed } from '@preact/signals';
import type { LockSums } from '../../engine/layers/locks/results/lock-sums.ts';
import { formatShare } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  durationColumn,
  explained,
  hostColumns,
  msColumn,
  numberColumn,
  tidColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { BlockingMatrix } from './blocking-matrix.tsx';
import { IdleNote } from './lock-table.tsx';
import type { LockViewProps } from './locks-page.ts';
import type { NamedThread } from './locks-state.ts';
import { lockBars, threadColumn } from './marks.tsx';
import { timesOf } from '../../engine/answers/locks/matrix-view.ts';
import { useWaitFilter } from './wait-filter.ts';

interface ThreadRow extends LockSums {
  readonly thread: NamedThread;
  /** Time that others waited for it, ns. */
  readonly blameNs: number;
}

export function ThreadTable({ page, children }: LockViewProps) {
  const { locks, view, app } = page;
  const filter = useWaitFilter(locks);
  const rows = useComputed(() => {
    const { answer, threads } = locks;
    if (answer.value === undefined) return undefined;
    const { blame } = timesOf(answer.value.matrix, threads.value.length);
    return answer.value.threadSums.map((sums): ThreadRow => {
      return { ...sums, thread: threads.value[sums.thread], blameNs: blame[sums.thread] };
    });
  });
  const all = rows.value ?? [];
  return (
    <div class="locks-split">
      <StatTable
        title="Threads and locks"
        scope={`whole trace, ${plural(all.length, 'thread')}`}
        columns={[
          threadColumn<ThreadRow>('name', 'Thread', 'minmax(120px, 1.5fr)', ({ thread }) => thread),
          tidColumn<ThreadRow>(({ thread }) => thread),
          ...hostColumns<ThreadRow>(app.experiment.info.value, ({ thread }) => thread.host),
          ...timeColumns(all),
        ]}
        rows={rows}
        order={{ column: 'blame', descending: true }}
        empty="No thread used a lock."
        keyOf={({ thread }) => thread.row}
        onActivate={({ thread }) => view.show(thread.row)}
      >
        {children}
      </StatTable>
      <aside class="locks-detail" aria-label="Who made whom wait">
        {locks.answer.value && (
          <>
            <BlockingMatrix
              title="Who made whom wait"
              matrix={locks.answer.value.matrix}
              threads={locks.threads.value}
              onChoose={filter.showCell}
            />
            <IdleNote locks={locks.locks.value} />
          </>
        )}
      </aside>
    </div>
  );
}

function timeColumns(rows: readonly ThreadRow[]): readonly Column<ThreadRow>[] {
  return [
    explained(
      'Time that other threads waited for it',
      barred(
        rows,
        () => 'var(--c-load-line)',
        msColumn('blame', 'Made others wait, ms', 'minmax(104px, 1fr)', ({ blameNs }) => blameNs),
      ),
    ),
    lockBars(
      rows,
      msColumn('waited', 'Waited, ms', 'minmax(92px, 1fr)', ({ wait }) => wait.totalNs),
    ),
    numberColumn('waits', 'Waits', '52px', ({ wait }) => wait.count),
    durationColumn('longest', 'Longest', '76px', ({ wait }) => wait.maxNs),
    explained('Part of its waits in which it was on a CPU, as a thread that spins is', {
      ...numberColumn<ThreadRow>('spinning', 'On a CPU', '60px', spinningShareOf),
      cell: (row) => (row.wait.totalNs === 0 ? '' : formatShare(spinningShareOf(row))),
    }),
    numberColumn('requests', 'Requests', '56px', ({ requests }) => requests),
    msColumn('held', 'Held, ms', '80px', ({ hold }) => hold.totalNs),
  ];
}

function spinningShareOf({ wait, spinningNs }: ThreadRow): number {
  return spinningNs / Math.max(1, wait.totalNs);
}
