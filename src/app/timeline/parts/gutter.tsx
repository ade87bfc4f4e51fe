/** Names of the visible rows, with folds, pins and time on CPU; they are the grid's rows for assistive technology. */
import type { ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { columnsOf, indicesOf } from '../../../engine/answers/rows/row-writer.ts';
import type { HostInfo } from '../../../engine/protocol/session.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { THIN, formatCount, formatDuration, formatShort } from '../../format/numbers.ts';
import { plural, visibleText } from '../../format/text.ts';
import { tidText, tidWords } from '../../format/tid.ts';
import { TextButton } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import type { LaidRow } from '../rows/row-layout.ts';
import type { TimelineSource } from '../timeline-source.ts';
import type { RowView } from '../view/row-view.ts';
import type { ViewModel } from '../view/view-model.ts';

interface GutterProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
  /** Descriptions in words of the visible part of each row, by row id. */
  readonly summaries: ReadonlySignal<ReadonlyMap<string, string>>;
  /** Texts of the scales of rows of numbers, by row id. */
  readonly scales: ReadonlySignal<ReadonlyMap<string, string>>;
}

/** Id of a row's element, by which the grid names the focused row. */
function gutterId(row: string): string {
  return `gutter-${row}`;
}

/** Rows rendered beyond either end of the visible ones. */
const MARGIN = 4;

/** Rows that are rendered, and the position of the first one. Reads signals. */
function renderedRows({ layout, scrollTop, height }: RowView) {
  const first = Math.max(0, layout.value.positionAt(scrollTop.value) - MARGIN);
  const last = layout.value.positionAt(scrollTop.value + height.value) + MARGIN;
  return { first, rendered: layout.value.slice(first, last + 1) };
}

/** Element id of the focused row; undefined if it is not rendered. Reads signals. */
export function focusedId({ rows, focusedRow }: ViewModel): string | undefined {
  const found = renderedRows(rows).rendered.find(({ row }) => row.id === focusedRow.value);
  return found && gutterId(found.row.id);
}

export function Gutter({ source, view, summaries, scales }: GutterProps) {
  const { layout, scrollTop } = view.rows;
  const { first, rendered } = renderedRows(view.rows);
  const { value: all } = source.rows;
  const busiest = useMemo(() => busiestOf(all), [all]);
  const hosts = new Map(source.info.value?.hosts.map((host) => [host.index, host]));
  return (
    <div class="gutter" role="rowgroup">
      <div class="gutter-rows" style={{ transform: `translateY(${-scrollTop.value}px)` }}>
        {rendered.map((laid, i) => (
          <GutterRow
            key={laid.row.id}
            laid={laid}
            index={first + i}
            view={view}
            host={hosts.get(laid.row.host)}
            busiest={busiest.get(laid.row.host) ?? 0}
            summary={summaries.value.get(laid.row.id) ?? ''}
            scale={scales.value.get(laid.row.id)}
          />
        ))}
        {layout.value.hidden > 0 && (
          <div class="gutter-hidden" role="row" style={{ top: `${layout.value.height}px` }}>
            <span role="gridcell">
              {plural(layout.value.hidden, 'row')} not active here{' '}
              <TextButton class="link" onClick={() => (view.rows.activeOnly.value = false)} text="Show all" />
            </span>
          </div>
        )}
      </div>
    </div>
  );
}

interface GutterRowProps {
  readonly laid: LaidRow;
  readonly index: number;
  readonly view: ViewModel;
  readonly host: HostInfo | undefined;
  /** ns on CPU of the host's busiest thread. */
  readonly busiest: number;
  readonly summary: string;
  readonly scale: string | undefined;
}

/** A row's name. It reads signals, so scrolling renders only the rows that come into sight. */
function GutterRow({ laid, index, view, host, busiest, summary, scale }: GutterRowProps) {
  const { row, depth, y, height, children, open, pinned } = laid;
  const { rows } = view;
  const onPath = rows.timeOnPath.value;
  const selected = view.focusedRow.value === row.id;
  // Faint if a path is shown and the row is not on it.
  const isOfThreads = row.kind === 'thread' || row.kind === 'process';
  const offPath = isOfThreads && onPath?.has(row.id) === false;
  const right =
    scale === undefined ? (pathText(laid, onPath) ?? rightOf(laid, host, busiest)) : { text: scale };
  const address = row.kind === 'host' ? (host?.hostname ?? '') : '';
  const name = visibleText(row.name);
  const fold = children > 0;
  return (
    <div
      class={`gutter-row ${row.kind === 'host' ? 'host' : ''} ${fold ? 'group' : ''} ${selected ? 'selected' : ''} ${offPath ? 'off-path' : ''}`}
      style={{ top: `${y}px`, height: `${height}px`, paddingLeft: `${indentOf(laid)}px` }}
      id={gutterId(row.id)}
      data-row={row.id}
      role="row"
      aria-rowindex={index + 1}
      aria-level={depth + 1}
      aria-expanded={fold ? open : undefined}
      aria-selected={selected}
      title={fullName(row)}
      onClick={() => view.selectRow(row.id)}
      onDblClick={() => fold && rows.toggleFold(row.id)}
    >
      <span class="gutter-title" role="gridcell">
        {fold ? (
          <button
            class="gutter-fold"
            tabIndex={-1}
            aria-label={open ? `Fold ${name}` : `Unfold ${name}`}
            onClick={(event) => {
              event.stopPropagation();
              rows.toggleFold(row.id);
            }}
          >
            <Icon size={12} name={open ? 'chevron-down' : 'chevron-right'} />
          </button>
        ) : (
          <span class="gutter-fold">{pinned && <Icon size={12} name="pin" />}</span>
        )}
        {row.kind === 'host' && <Icon size={12} name="host" />}
        <span class="gutter-name">{name}</span>
        {address !== '' && address !== row.name && <span class="gutter-id">{visibleText(address)}</span>}
        {row.tid !== undefined && <span class="gutter-id">{tidText(row)}</span>}
      </span>
      <span class="said" role="gridcell">
        {summary}
      </span>
      <span class="gutter-right" role="gridcell">
        {right.text}
        {right.share !== undefined && (
          <span class="gutter-share">
            <i style={{ width: `${Math.max(right.share > 0 ? 2 : 0, 100 * right.share)}%` }} />
          </span>
        )}
      </span>
      {isOfThreads && (
        <span class="gutter-pin" role="gridcell">
          <button
            tabIndex={-1}
            aria-pressed={pinned}
            aria-label={pinned ? `Unpin ${name}` : `Pin ${name}`}
            onClick={(event) => {
              event.stopPropagation();
              rows.togglePin(row.id);
            }}
          >
            <Icon size={12} name="pin" />
          </button>
        </span>
      )}
    </div>
  );
}

interface Right {
  readonly text?: string;
  /** Time on CPU relative to the host's busiest thread. */
  readonly share?: number;
}

/** Time on the shown path; undefined: no path is shown. */
function pathText({ row }: LaidRow, onPath: ReadonlyMap<string, number> | undefined): Right | undefined {
  const ns = row.kind === 'host' ? undefined : onPath?.get(row.id);
  if (ns !== undefined && ns > 0) return { text: formatDuration(ns) };
  return onPath !== undefined && row.kind === 'thread' ? {} : undefined;
}

function rightOf({ row, children }: LaidRow, host: HostInfo | undefined, busiest: number): Right {
  switch (row.kind) {
    case 'host': {
      const room = host ? host.cpus * (row.lastNs - row.firstNs) : 0;
      if (!(room > 0 && row.cpuTimeNs > 0)) return {};
      const percent = (100 * row.cpuTimeNs) / room;
      // If events were lost, some time of the CPUs is unknown.
      return host?.lost.length === 0
        ? { text: `CPU ${Math.round(percent)}${THIN}%` }
        : { text: `CPU ≥ ${Math.floor(percent)}${THIN}%` };
    }
    case 'program':
      return { text: `${formatCount(children)} processes` };
    case 'process':
      return { text: `${formatCount(children)} threads` };
    case 'tracer':
    case 'kernel-threads':
    case 'namespace':
    case 'never-ran':
    case 'resources':
    case 'group':
      return { text: formatCount(children) };
    case 'thread':
      if (row.events > 0) return { text: formatShort(row.events) };
      return { share: busiest > 0 ? row.cpuTimeNs / busiest : 0 };
    case 'stream':
    case 'more-threads':
      return { text: formatShort(row.events) };
    default:
      return {};
  }
}

function busiestOf(rows: readonly RowInfo[]): Map<number, number> {
  const busiest = new Map<number, number>();
  const columns = columnsOf(rows);
  for (const row of indicesOf(columns, 'thread')) {
    const [host, time] = [columns.host[row], columns.cpuTimeNs[row]];
    if (time > (busiest.get(host) ?? -1)) busiest.set(host, time);
  }
  return busiest;
}

/** CSS pixels before the name of a row. */
export function indentOf({ depth, row }: Pick<LaidRow, 'depth' | 'row'>): number {
  return row.kind === 'cpu' ? 32 : 8 + Math.max(0, depth) * (depth > 1 ? 12 : 8);
}

function fullName(row: RowInfo): string {
  const tid = row.tid === undefined ? '' : `, tid ${tidWords(row)}`;
  const pid = row.pid === undefined || row.pid < 0 || row.pid === row.tid ? '' : `, pid ${row.pid}`;
  return `${visibleText(row.name)}${tid}${pid}`;
}
