/** Heat map of waits between threads: rows wait for columns. Arrows move over the cells (ARIA pattern "grid"). */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { BlockingMatrix as Cells } from '../../engine/protocol/locks.ts';
import { fixedDigits, formatExact } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import type { NamedThread } from './locks-state.ts';
import {
  type MatrixView,
  matrixView,
  NOBODY_KNOWN,
  OTHERS,
  type Side,
} from '../../engine/answers/locks/matrix-view.ts';

export interface MatrixCell {
  readonly waiter: Side;
  readonly holder: Side;
}

interface BlockingMatrixProps {
  readonly title: string;
  readonly matrix: Cells;
  readonly threads: readonly NamedThread[];
  onChoose(cell: MatrixCell): void;
}

export function BlockingMatrix({ title, matrix, threads, onChoose }: BlockingMatrixProps) {
  const view = useMemo(() => matrixView(matrix, threads.length), [matrix, threads.length]);
  const active = useSignal(0);
  const isMoved = useRef(false);
  const table = useRef<HTMLTableElement>(null);
  const width = view.holders.length;
  const at = Math.min(active.value, Math.max(0, view.ns.length - 1));
  useLayoutEffect(() => {
    if (isMoved.current) table.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus();
    isMoved.current = false;
  });
  if (view.ns.length === 0) return <p class="locks-empty muted">Nobody waited for another thread.</p>;
  const choose = (cell: number) => {
    active.value = cell;
    const [waiter, holder] = [view.waiters[Math.floor(cell / width)], view.holders[cell % width]];
    if (view.ns[cell] > 0 && waiter !== OTHERS && holder !== OTHERS) onChoose({ waiter, holder });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = cellOfKey(event.key, at, width, view.ns.length);
    if (to !== undefined) {
      isMoved.current = to !== at;
      active.value = to;
    } else if (event.key === 'Enter' || event.key === ' ') choose(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="blocking-part">
      <h4>
        {title} <span class="faint">{view.most < MS ? 'µs' : 'ms'}, rows wait for columns</span>
      </h4>
      <div class="blocking-scroll">
        <table class="blocking" role="grid" aria-label={title} ref={table} onKeyDown={onKeyDown}>
          <thead>
            <tr>
              <th scope="col" class="blocking-corner faint">
                waits for
              </th>
              {view.holders.map((holder) => (
                <SideHead
                  key={holder}
                  scope="col"
                  side={holder}
                  threads={threads}
                  others={view.otherHolders}
                />
              ))}
              <th scope="col" class="blocking-sum">
                Sum
              </th>
            </tr>
          </thead>
          <tbody>
            {view.waiters.map((waiter, row) => (
              <tr key={waiter}>
                <SideHead scope="row" side={waiter} threads={threads} others={view.otherWaiters} />
                {view.holders.map((holder, column) => {
                  const cell = row * width + column;
                  return (
                    <Cell
                      key={holder}
                      {...{ view, cell, threads, waiter, holder }}
                      isActive={cell === at}
                      onChoose={() => choose(cell)}
                    />
                  );
                })}
                <Sum view={view} ns={sumOf(view.ns, row * width, width, 1)} />
              </tr>
            ))}
            <tr>
              <th scope="row">Sum</th>
              {view.holders.map((holder, column) => (
                <Sum key={holder} view={view} ns={sumOf(view.ns, column, view.waiters.length, width)} />
              ))}
              <Sum view={view} ns={sumOf(view.ns, 0, view.ns.length, 1)} />
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface SideHeadProps {
  readonly scope: 'row' | 'col';
  readonly side: Side;
  readonly threads: readonly NamedThread[];
  readonly others: number;
}

function SideHead({ scope, side, threads, others }: SideHeadProps) {
  const thread = side >= 0 ? threads[side] : undefined;
  // The tid, which distinguishes threads of one name, is never cut.
  const [, name, tid = ''] = /^(.*?)(\(\d[^()]*\))?$/.exec(sideName(side, threads, others)) ?? [];
  return (
    <th scope={scope} title={thread && `${thread.shownName}, tid ${thread.tid}`}>
      <span class="blocking-head">
        {thread && <span class="lock-thread-mark" style={{ background: thread.mark }} />}
        {scope === 'col' && tid !== '' ? (
          tid.slice(1, -1)
        ) : (
          <>
            <span class={thread ? 'ellipsis' : 'ellipsis muted'}>{name}</span>
            {tid}
          </>
        )}
      </span>
    </th>
  );
}

interface CellProps extends MatrixCell {
  readonly view: MatrixView;
  readonly cell: number;
  readonly threads: readonly NamedThread[];
  readonly isActive: boolean;
  onChoose(): void;
}

function Cell({ view, cell, threads, waiter, holder, isActive, onChoose }: CellProps) {
  const ns = view.ns[cell];
  const names = [
    sideName(waiter, threads, view.otherWaiters),
    sideName(holder, threads, view.otherHolders),
  ] as const;
  const said =
    ns > 0
      ? `${names[0]} waited ${formatExact(ns)} for ${names[1]}, in ${plural(view.waits[cell], 'wait')}`
      : `${names[0]} never waited for ${names[1]}`;
  return (
    <td
      class={waiter === holder && ns === 0 ? 'own' : ns === 0 ? 'none' : ''}
      style={{ '--heat': heatOf(ns, view) }}
      tabIndex={isActive ? 0 : -1}
      aria-selected={false}
      aria-label={ns > 0 ? `${shortTime(ns, view)}: ${said}` : said}
      title={ns > 0 ? `${said}\nClick to list them` : said}
      onClick={onChoose}
    >
      {ns > 0 && shortTime(ns, view)}
    </td>
  );
}

function Sum({ view, ns }: { readonly view: MatrixView; readonly ns: number }) {
  return (
    <td class="blocking-sum" title={formatExact(ns)}>
      {shortTime(ns, view)}
    </td>
  );
}

function sideName(side: Side, threads: readonly NamedThread[], others: number): string {
  if (side === OTHERS) return plural(others, 'other');
  return side === NOBODY_KNOWN ? 'not known' : threads[side].shownName;
}

/** Share of the lock colour, so that cells with little time still differ from empty ones. */
function heatOf(ns: number, { most }: MatrixView): string {
  return ns === 0 ? '0%' : `${Math.round(10 + 45 * (ns / most))}%`;
}

const MS = 1e6;
const US = 1e3;

/** Writes a time as a number in the unit of the whole table. */
function shortTime(ns: number, { most }: MatrixView): string {
  const tenth = (most < MS ? US : MS) / 10;
  return ns > 0 && ns < tenth ? '<0.1' : fixedDigits(Math.round(ns / tenth), 1);
}

function sumOf(values: Float64Array, from: number, count: number, step: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += values[from + i * step];
  return sum;
}

/** Number of the cell that a key moves to; undefined: another key. */
function cellOfKey(key: string, at: number, width: number, length: number): number | undefined {
  const column = at % width;
  switch (key) {
    case 'ArrowRight':
      return column < width - 1 ? at + 1 : at;
    case 'ArrowLeft':
      return column > 0 ? at - 1 : at;
    case 'ArrowDown':
      return at + width < length ? at + width : at;
    case 'ArrowUp':
      return at >= width ? at - width : at;
    case 'Home':
      return at - column;
    case 'End':
      return at - column + width - 1;
    default:
      return undefined;
  }
}
