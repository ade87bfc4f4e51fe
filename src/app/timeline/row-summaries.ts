/** What the visible part of every visible row shows, in words, when the view rests: text for assistive technology. */
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { THIN, formatDuration } from '../format/numbers.ts';
import { DRAW_NONE, DRAW_STYLES, drawCodeOf, withoutTone } from './draw-codes.ts';
import { visibleRows } from './draw-list.ts';
import { addShares } from './hit-test.ts';
import { levelOf } from './levels.ts';
import { readRow } from './row-reader.ts';
import type { Scene } from './scene.ts';
import type { Series } from './series.ts';
import type { ViewModel } from './view-model.ts';
import { rangeOf } from './viewport.ts';

const REST_MS = 400;
/** Shares below a hundredth are not told. */
const LEAST_SHARE = 0.01;

export function useRowSummaries(
  scene: ReadonlySignal<Scene | undefined>,
  view: ViewModel,
): ReadonlySignal<ReadonlyMap<string, string>> {
  const summaries = useSignal<ReadonlyMap<string, string>>(new Map());
  useSignalEffect(() => {
    const current = scene.value;
    for (const signal of [view.viewport, view.rows.scrollTop, view.rows.layout]) void signal.value;
    if (!current) return;
    const timer = setTimeout(() => (summaries.value = summariesOf(current)), REST_MS);
    return () => clearTimeout(timer);
  });
  return summaries;
}

function summariesOf(scene: Scene): Map<string, string> {
  const frame = scene.frame();
  const seen = visibleRows(frame);
  const summaries = new Map<string, string>();
  for (const { row } of frame.layout.slice(seen.first, seen.last + 1)) {
    const series = scene.seriesOf(row);
    if (series.kind !== 'states') continue;
    const range = rangeOf(frame.view);
    summaries.set(
      row.id,
      summaryOf(series, sumsOf(scene, series, range.from, range.to), range.to - range.from),
    );
  }
  return summaries;
}

/** ns by draw code. */
function sumsOf(scene: Scene, series: Series, from: number, to: number): Float64Array {
  const { view, width, ratio } = scene.frame();
  const sums = new Float64Array(DRAW_STYLES.length);
  readRow(scene.store, series, levelOf(view, width * ratio), from, to, {
    interval: (begin, end, value) => {
      sums[withoutTone(drawCodeOf(series.row.kind, value))] += end - begin;
    },
    mixed: (begin, end, shares, at) => addShares(sums, shares, at, end - begin),
  });
  return sums;
}

/** "In 5.850 s: Running, user 12 %, Waits for the disk 31 %". */
export function summaryOf(series: Series, sums: Float64Array, lengthNs: number): string {
  const parts = [...sums]
    .map((ns, code) => ({ code, share: ns / lengthNs }))
    .filter(({ code, share }) => code !== DRAW_NONE && share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .map(({ code, share }) => `${DRAW_STYLES[code].label.toLowerCase()} ${Math.round(100 * share)}${THIN}%`);
  const name =
    series.row.kind === 'thread' ? `Thread ${series.row.tid ?? ''} ${series.row.name}` : series.row.name;
  const what = parts.length > 0 ? parts.join('; ') : 'nothing';
  return `${name}, in the ${formatDuration(lengthNs)} shown: ${what}`;
}
