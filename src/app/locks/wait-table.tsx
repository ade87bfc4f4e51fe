/** Tables of single waits (for a lock, of a thread, for a thread, in the selected range) and of chains of waits. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { LockChain, LockWaitLine, LockWaitsAnswer, ThreadIndex } from '../../engine/protocol/locks.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount, formatDuration, formatExact, formatRange, formatShare } from '../format/numbers.ts';
import { joined, plural, visibleText } from '../format/text.ts';
import { useChosenRow } from '../widgets/table/chosen-row.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  cellColumn,
  durationColumn,
  explained,
  inAllWidths,
  numberColumn,
  textColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { OUTCOME_WORDS, WAY_WORDS } from './lock-words.ts';
import { type LocksPage, type LockViewProps, showThread, showWait } from './locks-page.ts';
import { beginColumn, lockBars, lockColumn, threadColumn, ThreadName } from './marks.tsx';
import { HOLDER_CHOICE, LOCK_CHOICE, useWaitFilter, WAITER_CHOICE, type WaitFilter } from './wait-filter.ts';
import { WaitActions, WaitSentence } from './wait-words.tsx';

/** Most waits that are listed, the longest ones. */
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

function Chip({ drop, children }: { drop(): void; readonly children: ComponentChildren }) {
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
  const nameOf = (thread: number) => threads[thread]?.shownName ?? 'not known';
  const holderNames = ({ holders = [] }: LockWaitLine) =>
    holders.map(({ thread }) => nameOf(thread)).join(', ');
  const holderTitle = ({ holders = [] }: LockWaitLine) =>
    holders.map(({ thread, ns }) => `${formatExact(ns)}  ${nameOf(thread)}`).join('\n');
  const spinsIn = ({ spinningNs = 0, lock }: LockWaitLine) =>
    spinningNs > 0 && locks.lockById.value.get(lock)?.kind !== 'file';
  return [
    threadColumn<LockWaitLine>('thread', 'Thread', 'minmax(88px, 1fr)', ({ waiter }) => threads[waiter]),
    lockColumn<LockWaitLine>(locks, 'lock', 'Lock', 'minmax(112px, 1.5fr)', ({ lock }) => lock),
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
    lockBars(
      rows,
      durationColumn('waited', isPart ? 'Waited for it' : 'Waited', 'minmax(96px, 1fr)', ({ ns }) => ns),
    ),
    ...(rows.some(spinsIn)
      ? [
          explained('Part of the wait in which the thread spun on a CPU', {
            ...numberColumn<LockWaitLine>('spinning', 'Spinning', '60px', ({ spinningNs = 0 }) => spinningNs),
            cell: (wait) =>
              spinsIn(wait) ? formatShare((wait.spinningNs ?? 0) / (wait.to - wait.from)) : '',
          }),
        ]
      : []),
    explained(
      'Threads that the wait was for, longest first, as the matrix has it',
      cellColumn('holders', 'Held by', 'minmax(120px, 1.2fr)', holderNames, (wait) =>
        wait.holders === undefined ? (
          <span class="faint">not recorded</span>
        ) : (
          <span class="ellipsis" title={holderTitle(wait)}>
            {holderNames(wait)}
          </span>
        ),
      ),
    ),
    explained(
      'Thread that released the lock, or woke the waiter',
      cellColumn(
        'by',
        'Released by',
        'minmax(96px, 0.8fr)',
        ({ by }) => nameOf(by),
        ({ by, via }) =>
          by < 0 && via === undefined ? (
            <span class="faint">nobody</span>
          ) : (
            <ThreadName thread={threads[by]} />
          ),
      ),
    ),
    cellColumn('end', 'End', 'minmax(64px, 0.6fr)', endWords, (wait) => (
      <span class="muted ellipsis">{endWords(wait)}</span>
    )),
  ];
}

function endWords({ outcome, way, mode, isLossy }: LockWaitLine): string {
  return joined([
    OUTCOME_WORDS[outcome],
    mode === 'shared' && 'shared',
    way !== 'lock' && WAY_WORDS[way],
    isLossy && 'events lost',
  ]);
}

/** Table of chains, where a waits for b while b waits for c. */
export function ChainTable({ page, children }: LockViewProps) {
  const rows = useComputed(() => page.locks.answer.value?.chains.listed);
  const { count = 0 } = page.locks.answer.value?.chains ?? {};
  const shown = rows.value?.length ?? 0;
  const all = `whole trace, ${plural(count, 'chain')}`;
  return (
    <StatTable
      title="Chains of waits"
      scope={shown < count ? `${all}; the ${formatCount(shown)} longest` : all}
      columns={chainColumns(page, rows.value ?? [])}
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

function chainColumns({ locks, view }: LocksPage, rows: readonly LockChain[]): readonly Column<LockChain>[] {
  const threadOf = (thread: ThreadIndex) => locks.threads.value[thread];
  const [threadWidth, lockWidth] = ['minmax(104px, 1fr)', 'minmax(112px, 1.5fr)'];
  return [
    beginColumn(view),
    lockBars(
      rows,
      durationColumn('lasted', 'Lasted', 'minmax(104px, 1fr)', ({ from, to }) => to - from),
    ),
    threadColumn('waiter', 'Thread', threadWidth, ({ waiter }) => threadOf(waiter)),
    lockColumn(locks, 'lock', 'waits for', lockWidth, ({ lock }) => lock),
    threadColumn('holder', 'held by', threadWidth, ({ holder }) => threadOf(holder)),
    lockColumn(locks, 'next', 'which waits for', lockWidth, ({ nextLock }) => nextLock),
    threadColumn('next-holder', 'held by', threadWidth, ({ nextHolder }) => threadOf(nextHolder)),
  ];
}
