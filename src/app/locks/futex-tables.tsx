/** Waits whose holder is not visible: futexes without lock events, and locks of the kernel. */
import { useComputed } from '@preact/signals';
import type { FutexLine, KernelLockLine, ThreadIndex } from '../../engine/protocol/locks.ts';
import { formatCount } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  durationColumn,
  explained,
  hostColumns,
  msColumn,
  numberColumn,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { LocksPage, LockViewProps } from './locks-page.ts';

export function FutexTables({ page, children }: LockViewProps) {
  const futexes = useComputed(() => page.locks.answer.value?.futexes);
  const kernelLocks = useComputed(() => page.locks.answer.value?.kernelLocks);
  const hasFutexes = (futexes.value?.length ?? 0) > 0;
  const hasLocks = (kernelLocks.value?.length ?? 0) > 0;
  return (
    <div class={hasFutexes && hasLocks ? 'locks-halves' : 'locks-whole'}>
      {hasFutexes && (
        <StatTable
          title="Futexes"
          scope={`whole trace, ${plural(futexes.value?.length ?? 0, 'futex', 'futexes')}`}
          columns={futexColumns(page, futexes.value ?? [])}
          rows={futexes}
          order={{ column: 'blocked', descending: true }}
          empty="No thread waited in a futex."
          keyOf={({ host, pid, address }) => `${host} ${pid} ${address}`}
          onActivate={({ wakers }) => showFirst(page, wakers)}
        >
          {children}
        </StatTable>
      )}
      {hasLocks && (
        <StatTable
          title="Locks of the kernel"
          scope={`whole trace, ${plural(kernelLocks.value?.length ?? 0, 'lock')}`}
          columns={kernelColumns(page, kernelLocks.value ?? [])}
          rows={kernelLocks}
          order={{ column: 'waited', descending: true }}
          empty="No thread waited for a lock of the kernel."
          keyOf={({ host, address, kind }) => `${host} ${address} ${kind}`}
          onActivate={({ waiters }) => showFirst(page, waiters)}
        >
          {!hasFutexes && children}
        </StatTable>
      )}
    </div>
  );
}

interface Times {
  readonly thread: ThreadIndex;
  readonly times: number;
}

function showFirst({ locks, view }: LocksPage, [first]: readonly Times[]): void {
  const row = first && locks.threads.value[first.thread]?.row;
  if (row !== undefined) view.show(row);
}

/** "fight-2 12 times, fight-0 3 times". */
function timesText({ locks }: LocksPage, times: readonly Times[], nobody = 'not known'): string {
  const name = ({ thread, times: count }: Times) =>
    `${locks.threads.value[thread]?.shownName ?? nobody} ${formatCount(count)}\u2009×`;
  return times.map(name).join(', ');
}

function futexColumns(page: LocksPage, rows: readonly FutexLine[]): readonly Column<FutexLine>[] {
  return [
    {
      ...textColumn<FutexLine>('address', 'Futex', '112px', ({ address }) => address),
      wideOnly: false,
      cell: ({ address }) => <span class="mono ellipsis">{visibleText(address)}</span>,
    },
    textColumn<FutexLine>('process', 'Process', 'minmax(96px, 1fr)', ({ process, pid }) =>
      `${visibleText(process)} ${pid < 0 ? '' : pid}`.trim(),
    ),
    ...hostColumns<FutexLine>(page.app.experiment.info.value, ({ host }) => host),
    numberColumn<FutexLine>('waits', 'Waits', '56px', ({ waits }) => waits),
    barred(
      rows,
      () => 'var(--st-lock)',
      explained(
        'Time in which threads were blocked in it',
        msColumn<FutexLine>('blocked', 'Blocked, ms', 'minmax(112px, 1fr)', ({ blockedNs }) => blockedNs),
      ),
    ),
    wide(
      explained(
        'Waits that another thread’s call, or its end, ended',
        numberColumn<FutexLine>('woken', 'Woken', '56px', ({ woken }) => woken),
      ),
    ),
    {
      ...textColumn<FutexLine>('wakers', 'Woken by', 'minmax(120px, 2fr)', ({ wakers }) =>
        timesText(page, wakers),
      ),
      wideOnly: false,
    },
  ];
}

function kernelColumns(page: LocksPage, rows: readonly KernelLockLine[]): readonly Column<KernelLockLine>[] {
  return [
    textColumn<KernelLockLine>('kind', 'Kind', 'minmax(96px, 1fr)', ({ kind }) => visibleText(kind)),
    {
      ...textColumn<KernelLockLine>('address', 'Address', '136px', ({ address }) => address),
      wideOnly: false,
      cell: ({ address }) => <span class="mono ellipsis">{visibleText(address)}</span>,
    },
    ...hostColumns<KernelLockLine>(page.app.experiment.info.value, ({ host }) => host),
    numberColumn<KernelLockLine>('waits', 'Waits', '56px', ({ wait }) => wait.count),
    barred(
      rows,
      () => 'var(--st-lock)',
      msColumn<KernelLockLine>('waited', 'Waited, ms', 'minmax(112px, 1fr)', ({ wait }) => wait.totalNs),
    ),
    wide(durationColumn<KernelLockLine>('p99', '99 %', '72px', ({ wait }) => wait.p99Ns)),
    durationColumn<KernelLockLine>('longest', 'Longest', '76px', ({ wait }) => wait.maxNs),
    numberColumn<KernelLockLine>('waiters', 'Waiters', '56px', ({ maxWaiters }) => maxWaiters),
    textColumn<KernelLockLine>('threads', 'Threads', 'minmax(120px, 2fr)', ({ waiters }) =>
      timesText(page, waiters),
    ),
    wide(
      explained(
        'Who woke the waiters, and so released last; who held the lock, and for how long, is not recorded',
        textColumn<KernelLockLine>('wakers', 'Let in by', 'minmax(120px, 2fr)', ({ wakers }) =>
          timesText(page, wakers, 'nobody, it spun'),
        ),
      ),
    ),
  ];
}
