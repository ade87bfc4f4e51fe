/** The scales of rows of numbers that are seen, as they become known. */
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { visibleRows } from './draw-list.ts';
import { scaleText } from './plot-scale.ts';
import type { Scene } from '../scene.ts';
import type { ViewModel } from '../view/view-model.ts';

/** Texts of the scales of the rows of numbers in view, by row id. */
export function usePlotScales(
  scene: ReadonlySignal<Scene | undefined>,
  view: ViewModel,
): ReadonlySignal<ReadonlyMap<string, string>> {
  const scales = useSignal<ReadonlyMap<string, string>>(new Map());
  useSignalEffect(() => {
    const current = scene.value;
    if (current === undefined) return;
    for (const signal of [current.drawn, view.rows.scrollTop, view.rows.layout]) void signal.value;
    const frame = current.frame();
    const seen = visibleRows(frame);
    const found = new Map(scales.peek());
    for (const { row } of frame.layout.slice(seen.first, seen.last + 1)) {
      if (row.kind !== 'plot') continue;
      const range = current.store.plotted(current.seriesOf(row));
      if (range !== undefined) found.set(row.id, scaleText(range));
    }
    const isNew = [...found].some(([row, text]) => scales.peek().get(row) !== text);
    if (isNew) scales.value = found;
  });
  return scales;
}
