/** Table of locks by cost; beside it the matrix of waits, or the chosen lock. */
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { useChoices } from '../controls/choices.ts';
import { formatCount, formatMs, formatShare } from '../format/numbers.ts';
import { listed, plural, visibleText } from '../format/text.ts';
import { PartsBar } from '../widgets/table/bars.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  explained,
  hostColumns,
  msColumn,
  numberColumn,
  inAllWidths,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { holdParts, spinningShare } from './lock-words.ts';
import { LockDetail } from './lock-detail.tsx';
import { LOCK_CHOICE, useWaitFilter } from './wait-filter.ts';
import { BlockingMatrix } from './blocking-matrix.tsx';
import { type LockViewProps, showLock } from './locks-page.ts';
import type { LocksState, NamedLock } from './locks-state.ts';
import { lockColumn, waitColumns } from './marks.tsx';

export function LockTable({ page, children }: LockViewProps) {
  const { locks: state, app } = page;
  const choices = useChoices();
  useEffect(() => void (state.isRankWanted.value = true), []);
  const filter = useWaitFilter(state);
  const rows = useComputed(() => (state.answer.value === undefined ? undefined : state.locks.value));
  const chosen = state.lockById.value.get(choices.text(LOCK_CHOICE) ?? '');
  const all = rows.value ?? [];
  const columns = lockColumns(state, all, app.experiment.info.value);
  const show = ({ id }: NamedLock) => {
    choices.choose(LOCK_CHOICE, id);
    showLock(page, id);
  };
  return (
    <div class="locks-split">
      <StatTable
        title="Locks"
        scope={`whole trace, ${plural(all.length, 'lock')}`}
        columns={columns}
        rows={rows}
        order={{ column: isRanked(all) ? 'paths' : 'waited', descending: true }}
        empty="No lock was used."
        keyOf={({ id }) => id}
        onActivate={show}
        isSelected={({ id }) => id === chosen?.id}
      >
        {children}
      </StatTable>
      <aside class="locks-detail" aria-label={chosen === undefined ? 'Who made whom wait' : 'Lock'}>
        {chosen !== undefined ? (
          <LockDetail key={chosen.id} page={page} lock={chosen} />
        ) : (
          state.answer.value && (
            <>
              <BlockingMatrix
                title="Who made whom wait"
                matrix={state.answer.value.matrix}
                threads={state.threads.value}
                onChoose={filter.showCell}
              />
              <IdleNote locks={all} />
              <ColumnWords columns={columns} />
            </>
          )
        )}
      </aside>
    </div>
  );
}

/** Note on the locks that are not in the matrix, and why. */
export function IdleNote({ locks }: { readonly locks: readonly NamedLock[] }) {
  const idle = locks.filter(({ isIdle, contended }) => isIdle === true && contended > 0);
  if (idle.length === 0) return null;
  return (
    <p class="muted">
      Without {listed(idle.map(({ shownName }) => shownName))}: who holds {idle.length === 1 ? 'it' : 'them'}{' '}
      waits for work, so that waiting for {idle.length === 1 ? 'it' : 'them'} is idleness.
    </p>
  );
}

function ColumnWords({ columns }: { readonly columns: readonly Column<NamedLock>[] }) {
  return (
    <details class="locks-words">
      <summary>What the columns say</summary>
      <dl>
        {columns.map(
          ({ id, title, about }) =>
            about !== undefined && (
              <div key={id}>
                <dt>{title}</dt> <dd>{about}</dd>
              </div>
            ),
        )}
      </dl>
    </details>
  );
}

/** @param info of the experiment, which says whether it has several hosts */
function lockColumns(
  state: LocksState,
  rows: readonly NamedLock[],
  info: ExperimentInfo | undefined,
): readonly Column<NamedLock>[] {
  return [
    lockColumn<NamedLock>(state, 'name', 'Lock', 'minmax(128px, 1.5fr)', ({ id }) => id),
    ...processColumns(rows),
    ...hostColumns<NamedLock>(info, ({ host }) => host),
    ...countColumns(rows),
    ...(isRanked(rows) ? [PATH_COLUMN] : []),
    ...HOLD_COLUMNS,
  ];
}

function isRanked(rows: readonly NamedLock[]): boolean {
  return rows.some(({ pathNs }) => pathNs !== undefined);
}

/** The column of the process, if the locks are of several. */
function processColumns(rows: readonly NamedLock[]): readonly Column<NamedLock>[] {
  const processes = textColumn<NamedLock>('process', 'Process', '88px', ({ process, pid }) =>
    pid < 0 ? 'several' : `${visibleText(process)} ${pid}`,
  );
  return new Set(rows.map(({ host, pid }) => `${host} ${pid}`)).size > 1 ? [inAllWidths(processes)] : [];
}

function countColumns(rows: readonly NamedLock[]): readonly Column<NamedLock>[] {
  return [
    explained('Requests that waited for another thread, of all requests', {
      ...numberColumn<NamedLock>('contended', 'Contended', '64px', ({ contended }) => contended),
      cell: ({ contended, requests }) => (
        <span title={requests === 0 ? '' : formatShare(contended / requests)}>
          {formatCount(contended)} <span class="faint">of {formatCount(requests)}</span>
        </span>
      ),
    }),
    ...waitColumns(rows),
    explained('Part of the waits in which the waiter spun on a CPU', {
      ...wide(numberColumn<NamedLock>('spinning', 'Spinning', '60px', (lock) => spinningShare(lock) ?? -1)),
      cell: (lock) => {
        const share = spinningShare(lock);
        return share === undefined ? '' : formatShare(share);
      },
    }),
    explained(
      'Most threads that waited at one time',
      wide(numberColumn('waiters', 'At once', '52px', ({ maxWaiters }) => maxWaiters)),
    ),
  ];
}

const HOLD_COLUMNS: readonly Column<NamedLock>[] = [
  msColumn('held', 'Held, ms', '80px', ({ hold }) => hold.totalNs),
  explained('What the holders did while they held it', {
    id: 'parts',
    title: 'While held',
    width: '88px',
    numeric: false,
    sortable: false,
    value: (lock) => (holdParts(lock) ?? []).map(({ label, ns }) => `${label} ${ns}`).join('; '),
    cell: (lock) => {
      const parts = holdParts(lock);
      if (parts === undefined) return <span class="faint">unknown</span>;
      return lock.hold.totalNs > 0 && <PartsBar parts={parts} total={lock.hold.totalNs} />;
    },
  }),
  explained('How evenly threads bore the waits (Jain’s index): 1 when all waited equally long', {
    ...wide(numberColumn<NamedLock>('fairness', 'Fairness', '48px', ({ jainPpm }) => jainPpm ?? -1)),
    cell: ({ jainPpm }) => (jainPpm === undefined ? '' : (jainPpm / 1e6).toFixed(2)),
  }),
];

/** Column of the time on critical paths; waits that are idleness sort last. */
const PATH_COLUMN: Column<NamedLock> = explained(
  'What waits for it cost: their time on critical paths, without what was due to another lock',
  {
    id: 'paths',
    title: 'On paths, ms',
    copyTitle: 'On paths, ns',
    width: '84px',
    numeric: true,
    value: ({ pathNs, isIdle }) => (isIdle === true ? -1 : (pathNs ?? -1)),
    cell: ({ pathNs, isIdle }) =>
      isIdle === true ? (
        <span class="faint">idleness</span>
      ) : pathNs === undefined ? (
        <span class="faint">unknown</span>
      ) : (
        formatMs(pathNs)
      ),
  },
);
