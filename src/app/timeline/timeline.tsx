/**
 * The timeline: overview, ruler, gutter and rows. All that the rest of the page uses of this folder is exported here.
 */
import type { TimelineSource } from './timeline-source.ts';
import type { ViewModel } from './view-model.ts';

export type { TimelineSource } from './timeline-source.ts';
export { createViewModel, type Hover, type SelectedInterval, type ViewModel } from './view-model.ts';
export { rangeOf, type TimeRange, type Viewport } from './viewport.ts';
export { DRAW_STYLES, LEGEND_CODES, drawCodeOf } from './draw-codes.ts';
export { watchPalette, type Palette, type PaletteWatch } from './palette.ts';
export { drawSwatch } from './state-painter.ts';
export { PaletteContext, Swatch } from './swatch.tsx';
export { exactTime, type TimeMode, type TimeStyle } from './time-text.ts';
export type { SortBy } from './row-layout.ts';

interface TimelineProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
}

/** Fills its parent; expects a `PaletteContext`. */
export function Timeline({ view }: TimelineProps) {
  return <div class="timeline" role="grid" aria-rowcount={view.rows.layout.value.rows.length} />;
}
