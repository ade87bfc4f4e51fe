/**
 * Descriptions in words of the visible part of every visible row, when the view rests: text for assistive technology.
 */
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import type { DisplayNs } from '../../../engine/base/units.ts';
import { THIN, formatDuration } from '../../format/numbers.ts';
import { plural, visibleText } from '../../format/text.ts';
import { tidAbout, tidAlone } from '../../format/tid.ts';
import { DRAW_NONE, DRAW_STYLES, drawCodeOf, withoutTone } from '../../draw/draw-codes.ts';
import { visibleRows } from '../tiles/draw-list.ts';
import { addShares, eventsIn, plotIn } from '../parts/hit-test.ts';
import { levelOf } from '../tiles/levels.ts';
import { plotRangeText } from '../tiles/plot-scale.ts';
import { readRow } from './row-reader.ts';
import type { Scene } from '../scene.ts';
import type { Series } from '../tiles/series.ts';
import type { ViewModel } from '../view/view-model.ts';
import { rangeOf } from '../view/viewport.ts';

const REST_MS = 400;
/** Shares below a hundredth are left out. */
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
    const tell = () => {
      // What is on its way would be missing.
      if (current.store.busy) timer = setTimeout(tell, REST_MS);
      else summaries.value = summariesOf(current);
    };
    let timer = setTimeout(tell, REST_MS);
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
    const { from, to } = rangeOf(frame.view);
    if (series.kind === 'states')
      summaries.set(row.id, summaryOf(series, sumsOf(scene, series, from, to), to - from));
    else if (series.kind === 'plot')
      summaries.set(row.id, summary(series, to - from, numbersText(scene, series, from, to)));
    else if (series.kind === 'density')
      summaries.set(row.id, summary(series, to - from, eventsText(scene, series, from, to)));
  }
  return summaries;
}

/** ns by draw code. */
function sumsOf(scene: Scene, series: Series, from: DisplayNs, to: DisplayNs): Float64Array {
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
function summaryOf(series: Series, sums: Float64Array, lengthNs: number): string {
  return summary(series, lengthNs, sharesText(sums, lengthNs));
}

/** Shares by the names of looks, largest first; of one alone that is less than `LEAST_SHARE` that there is some. @internal */
export function sharesText(sums: Float64Array, lengthNs: number): string {
  const shares = new Map<string, number>();
  sums.forEach((ns, code) => {
    const label = DRAW_STYLES[code].label.toLowerCase();
    if (code !== DRAW_NONE && ns > 0) shares.set(label, (shares.get(label) ?? 0) + ns / lengthNs);
  });
  const sorted = [...shares].sort(([, a], [, b]) => b - a);
  const parts = sorted.filter(([, share]) => share >= LEAST_SHARE);
  if (parts.length === 0) return sorted.length > 0 ? `${sorted[0][0]} below 1${THIN}%` : 'nothing';
  return parts.map(([label, share]) => `${label} ${Math.round(100 * share)}${THIN}%`).join('; ');
}

/** @internal */
export function summary({ row }: Pick<Series, 'row'>, lengthNs: number, what: string): string {
  const shown = visibleText(row.name);
  const own = row.name === 'Thread' ? '' : ` ${shown}`;
  const name = row.kind === 'thread' ? `Thread ${tidAlone(row) ?? ''}${own}` : shown;
  const about = tidAbout(row);
  return `${name}${about === undefined ? '' : `, ${about}`}, in the ${formatDuration(lengthNs)} shown: ${what}`;
}

/** "800 MHz to 2.4 GHz", as far as they have been asked for. */
function numbersText(scene: Scene, series: Series, from: DisplayNs, to: DisplayNs): string {
  const { view, width, ratio } = scene.frame();
  const found = plotIn(scene.store, series, levelOf(view, width * ratio), from, to);
  return found === undefined ? 'nothing' : plotRangeText(found.range.unit, found.least, found.most);
}

/** "about 120 events", as far as they have been asked for. */
function eventsText(scene: Scene, series: Series, from: DisplayNs, to: DisplayNs): string {
  const { view, width, ratio } = scene.frame();
  const events = eventsIn(scene.store, series, levelOf(view, width * ratio), from, to);
  return events > 0 ? `about ${plural(Math.ceil(events), 'event')}` : 'no events';
}
