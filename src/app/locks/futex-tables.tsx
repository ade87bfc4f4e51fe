/** Tables of waits without visible holders: futexes without lock events, and locks of the kernel. */
import { useComputed } from '@preact/signals';
import type { FutexLine, KernelLockLine, ThreadIndex } from '../../engine/protocol/locks.ts';
import { formatCount } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  explained,
  hostColumns,
  inAllWidths,
  msColumn,
  nameCell,
  numberColumn,
  textColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { LocksPage, LockViewProps } from './locks-page.ts';
import { lockBars, waitColumns } from './marks.tsx';
import { useWaitFilter } from './wait-filter.ts';

export function FutexTables({ page, children }: LockViewProps) {
  const futexes = useComputed(() => page.locks.answer.value?.futexes);
  const kernelLocks = useComputed(() => page.locks.answer.value?.kernelLocks);
  const filter = useWaitFilter(page.locks);
  const hasFutexes = (futexes.value?.length ?? 0) > 0;
  const hasLocks = (kernelLocks.value?.length ?? 0) > 0;
  return (
    <div class={hasFutexes && hasLocks ? 'locks-halves' : 'locks-whole'}>
      {hasLocks && (
        <StatTable
          title="Locks of the kernel"
          scope={`whole trace, ${plural(kernelLocks.value?.length ?? 0, 'lock')}`}
          columns={kernelColumns(page, kernelLocks.value ?? [])}
          rows={kernelLocks}
          order={{ column: 'waited', descending: true }}
          empty="No thread waited for a lock of the kernel."
          keyOf={({ id }) => id}
          onActivate={({ id }) => filter.showLock(id)}
        >
          {children}
        </StatTable>
      )}
      {hasFutexes && (
        <StatTable
          title="Futexes"
          scope={`whole trace, ${plural(futexes.value?.length ?? 0, 'futex', 'futexes')}`}
          columns={futexColumns(page, futexes.value ?? [])}
          rows={futexes}
          order={{ column: 'blocked', descending: true }}
          empty="No thread waited in a futex."
          keyOf={({ host, pid, address }) => `${host} ${pid} ${address}`}
          onActivate={({ id }) => filter.showLock(id)}
        >
          {!hasLocks && children}
        </StatTable>
      )}
    </div>
  );
}

interface Times {
  readonly thread: ThreadIndex;
  readonly times: number;
}

/** "fight-2 12 times, fight-0 3 times". */
function timesText({ locks }: LocksPage, times: readonly Times[], nobody = 'not known'): string {
  const name = ({ thread, times: count }: Times) =>
    `${locks.threads.value[thread]?.shownName ?? nobody} ${formatCount(count)}\u2009×`;
  return times.map(name).join(', ');
}

/** Name that the reader gave to the lock of a futex, else the futex's. */
function shownName({ locks }: LocksPage, id: string, name: string): string {
  return locks.lockById.value.get(id)?.shownName ?? visibleText(name);
}

/** "rwsem 0x…d5f0, mostly in mmap": the table is of kernel locks only, and an address alone means little. */
function shortKernelName({ name, place }: KernelLockLine): string {
  return visibleText(`${name.replace(/ of the kernel$/, '')}, ${place}`);
}

function addressColumn<Row>(address: (row: Row) => string): Column<Row> {
  return {
    ...textColumn<Row>('address', 'Address', '128px', address),
    cell: (row) => <span class="mono faint">{visibleText(address(row))}</span>,
  };
}

function futexColumns(page: LocksPage, rows: readonly FutexLine[]): readonly Column<FutexLine>[] {
  return [
    explained('The lock or variable that it is in, where that is known, else its address', {
      ...nameCell<FutexLine>(
        'Futex',
        ({ id, name }) => shownName(page, id, name),
        undefined,
        'minmax(128px, 1.5fr)',
      ),
    }),
    addressColumn<FutexLine>(({ address }) => address),
    ...hostColumns<FutexLine>(page.app.experiment.info.value, ({ host }) => host),
    numberColumn('waits', 'Waits', '48px', ({ waits }) => waits),
    lockBars(
      rows,
      explained(
        'Time in which threads were blocked in it',
        msColumn('blocked', 'Blocked, ms', 'minmax(92px, 1fr)', ({ blockedNs }) => blockedNs),
      ),
    ),
    explained(
      'Waits that another thread’s call, or its end, ended',
      numberColumn('woken', 'Woken', '48px', ({ woken }) => woken),
    ),
    inAllWidths(
      textColumn<FutexLine>('wakers', 'Woken by', 'minmax(96px, 2fr)', ({ wakers }) =>
        timesText(page, wakers),
      ),
    ),
  ];
}

function kernelColumns(page: LocksPage, rows: readonly KernelLockLine[]): readonly Column<KernelLockLine>[] {
  return [
    nameCell<KernelLockLine>('Lock', shortKernelName, undefined, 'minmax(92px, 1.8fr)'),
    addressColumn<KernelLockLine>(({ address }) => address),
    explained(
      'System calls in which threads waited for it, longest first; "none" is outside system calls: a page fault, for one',
      inAllWidths(
        textColumn<KernelLockLine>('calls', 'In calls', 'minmax(88px, 1fr)', ({ calls }) =>
          calls.map(({ call = 'not recorded' }) => (call === '' ? 'none' : visibleText(call))).join(', '),
        ),
      ),
    ),
    ...hostColumns<KernelLockLine>(page.app.experiment.info.value, ({ host }) => host),
    numberColumn('waits', 'Waits', '48px', ({ wait }) => wait.count),
    ...waitColumns(rows),
    explained(
      'Most threads that waited at one time',
      numberColumn('waiters', 'At once', '52px', ({ maxWaiters }) => maxWaiters),
    ),
    explained(
      'Threads that released it last and so let waiters in; who held it, and for how long, is not recorded',
      inAllWidths(
        textColumn<KernelLockLine>('wakers', 'Let in by', 'minmax(96px, 1.5fr)', ({ wakers }) =>
          timesText(page, wakers, 'nobody, it spun'),
        ),
      ),
    ),
    inAllWidths(
      textColumn<KernelLockLine>('threads', 'Threads', 'minmax(96px, 1.5fr)', ({ waiters }) =>
        timesText(page, waiters),
      ),
    ),
  ];
}
