/**
 * The timeline: overview, ruler, gutter and rows. All that the rest of the page uses of this folder is exported here.
 */
import './timeline.css';
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { focusedId, Gutter } from './parts/gutter.tsx';
import { OverviewStrip } from './parts/overview-strip.tsx';
import { usePlotScales } from './tiles/plot-scales.ts';
import { useRowSummaries } from './rows/row-summaries.ts';
import type { RowView } from './view/row-view.ts';
import { RowTools } from './parts/row-tools.tsx';
import { loadGpuBars } from './render/gpu-bars.ts';
import { RowsArea } from './parts/rows-area.tsx';
import { Ruler } from './parts/ruler.tsx';
import type { FrameStats, Scene } from './scene.ts';
import { SelectedSaid } from './parts/selection-announcer.tsx';
import type { TimelineSource } from './timeline-source.ts';
import type { ViewModel } from './view/view-model.ts';

export type { TimelineSource } from './timeline-source.ts';
export { createViewModel, type ViewModel } from './view/view-model.ts';
export type { ShownPath } from './view/shown-path.ts';
export { rangeOf, type TimeRange } from './view/viewport.ts';
export { exactTime, wallTime, type TimeMode, type TimeStyle } from './time-text.ts';
export { rowById } from './rows/row-by-id.ts';
export { isLayerRow, rowTitle } from './rows/row-kinds.ts';
export { unknownReason } from './tiles/unknown-reason.ts';
export { hasStates } from './tiles/series.ts';
export { lockLanes, lockRows } from './rows/lock-lanes.ts';
export type { SortBy } from './rows/row-order.ts';
export { showRows, writeRows } from './rows/rows-link.ts';

/** Does what is better done before the first picture than with it: looking for a GPU blocks the page. */
export async function prepareTimeline(): Promise<void> {
  await loadGpuBars();
}

const ROWS = 'timeline-rows';

/** Gives the keyboard to the rows, on the one that it was on last. */
export function focusRows(): void {
  document.getElementById(ROWS)?.focus();
}

interface TimelineProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
  /** Hears what every frame cost; for benches. */
  readonly onFrame?: (stats: FrameStats) => void;
  /** Between ruler and rows: what stands over the gutter, and what over the time. */
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

/** Note in place of the rows, when the filter leaves none. */
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
