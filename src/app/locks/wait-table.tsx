/** Single waits: those of a lock, of a thread, for a thread, in the selected range. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { LockWaitLine, LockWaitsAnswer } from '../../engine/protocol/locks.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount, formatDuration, formatExact, formatRange, formatShare } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { useChosenRow } from '../widgets/table/chosen-row.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  durationColumn,
  explained,
  inAllWidths,
  textColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { OUTCOME_WORDS, WAY_WORDS } from './lock-words.ts';
import { type LocksPage, type LockViewProps, showWait } from './locks-page.ts';
import { beginColumn, LockName, ThreadName } from './marks.tsx';
import { HOLDER_CHOICE, LOCK_CHOICE, useWaitFilter, WAITER_CHOICE, type WaitFilter } from './wait-filter.ts';
import { WaitActions, WaitSentence } from './wait-words.tsx';

/** Waits that are listed; of more the longest. */
const MOST = 1000;

export function WaitTable({ page, children }: LockViewProps) {
  const { locks, view, app } = page;
  const filter = useWaitFilter(locks);
  const answer = useLiveAnswer(
    () => ({ ...filter.wanted(), ...view.range.value, known: locks.answer.value }),
    ({ known: _, ...wanted }) =>
      app.session.ask('lockWaits', { ...wanted, kernel: true, holders: true, order: 'longest', limit: MOST }),
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
      {lock !== undefined && <Chip drop={() => filter.drop(LOCK_CHOICE)}>for {locks.nameOf(lock)}</Chip>}
      {waiter !== undefined && <Chip drop={() => filter.drop(WAITER_CHOICE)}>{nameOf(waiter)} waits</Chip>}
      {holder !== undefined && (
        <Chip drop={() => filter.drop(HOLDER_CHOICE)}>
          {holder === null ? 'for nobody known' : `for ${nameOf(holder)}`}
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
  const nameOf = (thread: number) => threads[thread]?.shownName ?? 'not known';
  const holderNames = ({ holders = [] }: LockWaitLine) =>
    holders.map(({ thread }) => nameOf(thread)).join(', ');
  const holderTitle = ({ holders = [] }: LockWaitLine) =>
    holders.map(({ thread, ns }) => `${formatExact(ns)}  ${nameOf(thread)}`).join('\n');
  const spinsIn = ({ spinningNs = 0, lock }: LockWaitLine) =>
    spinningNs > 0 && locks.lockById.value.get(lock)?.kind !== 'file';
  return [
    {
      id: 'thread',
      title: 'Thread',
      width: 'minmax(88px, 1fr)',
      numeric: false,
      value: ({ waiter }) => threads[waiter]?.shownName ?? '',
      cell: ({ waiter }) => <ThreadName thread={threads[waiter]} />,
    },
    {
      id: 'lock',
      title: 'Lock',
      width: 'minmax(112px, 1.5fr)',
      numeric: false,
      value: ({ lock }) => locks.nameOf(lock),
      cell: (wait) => {
        const lock = lockOf(wait);
        return lock === undefined ? (
          <span class="table-name ellipsis">{locks.nameOf(wait.lock)}</span>
        ) : (
          <LockName lock={lock} />
        );
      },
    },
    ...(rows.some(({ call }) => call !== undefined)
      ? [
          inAllWidths(
            textColumn<LockWaitLine>('call', 'Call', 'minmax(72px, 0.6fr)', ({ call }) =>
              call === '' ? 'none' : visibleText(call ?? ''),
            ),
          ),
        ]
      : []),
    beginColumn(view),
    barred(
      rows,
      () => 'var(--st-lock)',
      durationColumn('waited', isPart ? 'Waited for it' : 'Waited', 'minmax(96px, 1fr)', ({ ns }) => ns),
    ),
    ...(rows.some(spinsIn)
      ? [
          explained<LockWaitLine>('Part of the wait in which the thread spun on a CPU', {
            id: 'spinning',
            title: 'Spinning',
            width: '60px',
            numeric: true,
            value: ({ spinningNs = 0 }) => spinningNs,
            cell: (wait) =>
              spinsIn(wait) ? formatShare((wait.spinningNs ?? 0) / (wait.to - wait.from)) : '',
          }),
        ]
      : []),
    explained('Threads that the wait was for, longest first, as the matrix has it', {
      id: 'holders',
      title: 'Held by',
      width: 'minmax(120px, 1.2fr)',
      numeric: false,
      value: holderNames,
      cell: (wait) =>
        wait.holders === undefined ? (
          <span class="faint">not recorded</span>
        ) : (
          <span class="ellipsis" title={holderTitle(wait)}>
            {holderNames(wait)}
          </span>
        ),
    }),
    explained('Thread that released the lock, or woke the waiter', {
      id: 'by',
      title: 'Released by',
      width: 'minmax(96px, 0.8fr)',
      numeric: false,
      value: ({ by }) => nameOf(by),
      cell: ({ by, via }) =>
        by < 0 && via === undefined ? <span class="faint">nobody</span> : <ThreadName thread={threads[by]} />,
    }),
    {
      id: 'end',
      title: 'End',
      width: 'minmax(64px, 0.6fr)',
      numeric: false,
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
