/** The timeline (overview, ruler, gutter and rows), and exports of this folder for the rest of the page. */
import './timeline.css';
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { IntervalInfo, RowInfo } from '../../engine/protocol/rows.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import { focusedId, Gutter } from './parts/gutter.tsx';
import { OverviewStrip } from './parts/overview-strip.tsx';
import { usePlotScales, useRowSummaries } from './rows/row-texts.ts';
import type { RowView } from './view/row-view.ts';
import { RowTools } from './parts/row-tools.tsx';
import { loadGpuBars } from './render/bars-slot.ts';
import { RowsArea } from './parts/rows-area.tsx';
import { Ruler } from './parts/ruler.tsx';
import type { FrameStats, Scene } from './scene.ts';
import { rowById } from './rows/row-by-id.ts';
import { threadsText, unknownReason } from './tiles/interval-names.ts';
import type { TimelineSource } from './timeline-source.ts';
import type { ViewModel } from './view/view-model.ts';

export type { TimelineSource } from './timeline-source.ts';
export { createViewModel, type ViewModel } from './view/view-model.ts';
export type { ShownPath } from './view/shown-path.ts';
export { rangeOf, type TimeRange } from './view/viewport.ts';
export { exactTime, wallTime, type TimeMode, type TimeStyle } from './time-text.ts';
export { lockLanes, lockRows, rowById } from './rows/row-by-id.ts';
export { isLayerRow, rowTitle } from './rows/row-kinds.ts';
export { unknownReason } from './tiles/interval-names.ts';
export { hasStates } from './tiles/series.ts';
export type { SortBy } from './rows/row-order.ts';
export { showRows, writeRows } from './view/row-view.ts';

/** Prepares the first picture: looking for a GPU blocks the page. */
export async function prepareTimeline(): Promise<void> {
  await loadGpuBars();
}

const ROWS = 'timeline-rows';

/** Moves the focus to the rows, at the last focused one. */
export function focusRows(): void {
  document.getElementById(ROWS)?.focus();
}

interface TimelineProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
  /** Called with the cost of every frame, for benches. */
  readonly onFrame?: (stats: FrameStats) => void;
  /** Elements between ruler and rows, above the gutter and above the time. */
  readonly children?: ComponentChildren;
}

/** Fills its parent; expects a `PaletteContext`. */
export function Timeline({ source, view, onFrame, children }: TimelineProps) {
  const scene = useSignal<Scene | undefined>(undefined);
  const summaries = useRowSummaries(scene, view);
  const scales = usePlotScales(scene, view);
  const focused = useComputed(() => focusedId(view));
  return (
    <div class="timeline">
      <OverviewStrip source={source} view={view} />
      <div class="timeline-head">
        <RowTools rows={view.rows} hasStates={source.info.value?.hasKernel ?? true} />
        <Ruler view={view} />
        {children}
      </div>
      <div
        class="timeline-rows"
        id={ROWS}
        role="treegrid"
        aria-label="Rows over time"
        aria-rowcount={view.rows.layout.value.length}
        aria-multiselectable="false"
        aria-activedescendant={focused}
        tabIndex={0}
      >
        <Gutter source={source} view={view} summaries={summaries} scales={scales} />
        <RowsArea
          source={source}
          view={view}
          scene={scene}
          onScene={(made) => (scene.value = made)}
          onFrame={onFrame}
        />
      </div>
      <NoRowFound rows={view.rows} />
      <SelectedSaid source={source} view={view} />
    </div>
  );
}

/** Note in place of the rows, if the filter leaves none. */
function NoRowFound({ rows }: { readonly rows: RowView }) {
  const filter = rows.filter.value;
  return (
    <div class="timeline-none" role="status">
      {filter !== '' && rows.layout.value.length === 0 && (
        <>
          <p>No row has “{filter}” in its name</p>
          <button class="button outlined" onClick={() => (rows.filter.value = '')}>
            Clear the filter
          </button>
        </>
      )}
    </div>
  );
}

/** Text of the selected interval for assistive technology, since keys step through intervals outside its panel. */
function SelectedSaid({ source, view }: Pick<TimelineProps, 'source' | 'view'>) {
  const selected = view.selected.value;
  const row = selected && rowById(source.rows.value, selected.row);
  return (
    <p class="said" role="status">
      {selected?.info !== undefined && row !== undefined && intervalWords(selected.info, row)}
    </p>
  );
}

/** "worker 1234: Waits, on the disk, 3.412 ms, read, ended by the disk". */
function intervalWords(interval: IntervalInfo, row: RowInfo): string {
  const { stateText, from, to, threads, interrupt, syscall, causeText } = interval;
  const facts = [
    `${[row.name, tidWords(row)].filter(Boolean).join(' ')}: ${stateText}`,
    formatDuration(to - from),
    unknownReason(interval),
    threads && threadsText(threads),
    interrupt,
    syscall,
    causeText,
  ];
  return facts
    .filter((fact) => fact !== undefined)
    .map(visibleText)
    .join(', ');
}
