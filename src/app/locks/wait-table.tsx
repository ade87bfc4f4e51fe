/** Single waits: those of a lock, of a thread, for a thread, in the selected range. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { LockWaitLine, LockWaitsAnswer } from '../../engine/protocol/locks.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount, formatDuration, formatRange, formatShare } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import { exactTime } from '../timeline/timeline.tsx';
import { useChosenRow } from '../widgets/table/chosen-row.ts';
import type { Column } from '../widgets/table/column.ts';
import { barred, durationColumn, explained, wide } from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { OUTCOME_WORDS, WAY_WORDS } from './lock-words.ts';
import { type LocksPage, type LockViewProps, showWait } from './locks-page.ts';
import { LockName, ThreadName } from './marks.tsx';
import { HOLDER_CHOICE, LOCK_CHOICE, useWaitFilter, WAITER_CHOICE, type WaitFilter } from './wait-filter.ts';
import { WaitActions, WaitSentence } from './wait-words.tsx';

/** Waits that are listed; of more the longest. */
const MOST = 1000;

export function WaitTable({ page, children }: LockViewProps) {
  const { locks, view, app } = page;
  const filter = useWaitFilter(locks);
  const answer = useLiveAnswer(
    () => ({ ...filter.wanted(), ...view.range.value, known: locks.answer.value }),
    ({ known: _, ...wanted }) => app.session.ask('lockWaits', { ...wanted, order: 'longest', limit: MOST }),
  );
  const rows = useComputed(() => answer.value?.waits);
  const chosen = useChosenRow(keyOf, ({ ns }: LockWaitLine) => ns);
  const row = chosen.rowOf(rows.value ?? []);
  return (
    <div class="locks-split">
      <StatTable
        title="Waits"
        scope={answer.value === undefined ? '' : scopeOf(answer.value)}
        columns={columns(page, rows.value ?? [], filter.wanted().holder !== undefined)}
        rows={rows}
        order={{ column: 'waited', descending: true }}
        empty="No wait is like this."
        keyOf={keyOf}
        onActivate={(wait) => {
          chosen.choose(wait);
          showWait(page, wait);
        }}
        isSelected={chosen.isChosen}
      >
        {children}
      </StatTable>
      <aside class="locks-detail" aria-label="Which waits">
        <FilterChips page={page} filter={filter} />
        {row && (
          <section class="lock-longest" aria-label="Wait">
            <h4>{chosen.isChosen(row) ? 'This wait' : 'The longest of them'}</h4>
            <p>
              <WaitSentence page={page} wait={row} />
            </p>
            <WaitActions page={page} wait={row} />
          </section>
        )}
      </aside>
    </div>
  );
}

function keyOf({ lock, waiter, from }: LockWaitLine): string {
  return `${lock} ${waiter} ${from}`;
}

function scopeOf({ count, totalNs, waits }: LockWaitsAnswer): string {
  const all = `${plural(count, 'wait')}, ${formatDuration(totalNs)}`;
  return waits.length < count ? `${all}; the ${formatCount(waits.length)} longest` : all;
}

interface FilterChipsProps {
  readonly page: LocksPage;
  readonly filter: WaitFilter;
}

/** Limits of the list; a click takes one away. */
function FilterChips({ page: { locks, view }, filter }: FilterChipsProps) {
  const { lock, waiter, holder } = filter.wanted();
  const range = view.range.value;
  const nameOf = (row: string) => locks.threads.value.find((one) => one.row === row)?.shownName ?? row;
  return (
    <div class="lock-chips">
      {lock !== undefined && (
        <Chip drop={() => filter.drop(LOCK_CHOICE)}>
          for {locks.lockById.value.get(lock)?.shownName ?? lock}
        </Chip>
      )}
      {waiter !== undefined && <Chip drop={() => filter.drop(WAITER_CHOICE)}>{nameOf(waiter)} waits</Chip>}
      {holder !== undefined && (
        <Chip drop={() => filter.drop(HOLDER_CHOICE)}>
          {holder === null ? 'holder not known' : `${nameOf(holder)} holds`}
        </Chip>
      )}
      {range !== undefined && (
        <Chip drop={() => view.selectRange(undefined)}>{formatRange(range.from, range.to)}</Chip>
      )}
      {lock === undefined && waiter === undefined && holder === undefined && range === undefined && (
        <span class="muted">All contended waits of the trace</span>
      )}
    </div>
  );
}

interface ChipProps {
  drop(): void;
  readonly children: ComponentChildren;
}

function Chip({ drop, children }: ChipProps) {
  return (
    <button class="chip" aria-pressed={true} title="Click to take this away" onClick={drop}>
      {children} ×
    </button>
  );
}

function columns(
  { locks, view }: LocksPage,
  rows: readonly LockWaitLine[],
  isPart: boolean,
): readonly Column<LockWaitLine>[] {
  const threads = locks.threads.value;
  const lockOf = ({ lock }: LockWaitLine) => locks.lockById.value.get(lock);
  return [
    {
      id: 'thread',
      title: 'Thread',
      width: 'minmax(104px, 1fr)',
      numeric: false,
      value: ({ waiter }) => threads[waiter]?.shownName ?? '',
      cell: ({ waiter }) => <ThreadName thread={threads[waiter]} />,
    },
    {
      id: 'lock',
      title: 'Lock',
      width: 'minmax(120px, 1.5fr)',
      numeric: false,
      value: (wait) => lockOf(wait)?.shownName ?? wait.lock,
      cell: (wait) => {
        const lock = lockOf(wait);
        return lock && <LockName lock={lock} />;
      },
    },
    {
      id: 'from',
      title: 'From',
      copyTitle: 'From, ns',
      width: '112px',
      numeric: true,
      wideOnly: true,
      value: ({ from }) => from,
      cell: ({ from }) => <span class="mono faint">{exactTime(from, view.timeStyle.value)}</span>,
    },
    barred(
      rows,
      () => 'var(--st-lock)',
      durationColumn('waited', isPart ? 'Waited for it' : 'Waited', 'minmax(112px, 1fr)', ({ ns }) => ns),
    ),
    wide(
      explained('Part of the wait that it spent on a CPU', {
        id: 'spinning',
        title: 'Spinning',
        width: '60px',
        numeric: true,
        value: ({ spinningNs }) => spinningNs,
        cell: ({ spinningNs, from, to }) =>
          spinningNs === 0 ? '' : formatShare(spinningNs / Math.max(1, to - from)),
      }),
    ),
    explained('Who handed the lock over, or held it at the end', {
      id: 'by',
      title: 'Holder',
      width: 'minmax(104px, 1fr)',
      numeric: false,
      value: ({ by }) => threads[by]?.shownName ?? '',
      cell: ({ by }) => <ThreadName thread={threads[by]} />,
    }),
    {
      id: 'end',
      title: 'End',
      width: 'minmax(96px, 1fr)',
      numeric: false,
      wideOnly: true,
      value: endWords,
      cell: (wait) => <span class="muted ellipsis">{endWords(wait)}</span>,
    },
  ];
}

function endWords({ outcome, way, mode, isLossy }: LockWaitLine): string {
  return [
    OUTCOME_WORDS[outcome],
    mode === 'shared' && 'shared',
    way !== 'lock' && WAY_WORDS[way],
    isLossy && 'events lost',
  ]
    .filter(Boolean)
    .join(', ');
}
