/** Texts about the visible rows: summaries of their visible part, for assistive technology, when the view rests; scales. */
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { addNumber } from '../../../engine/base/group-by.ts';
import type { DisplayNs } from '../../../engine/base/units.ts';
import { THIN, formatDuration } from '../../format/numbers.ts';
import { plural, visibleText } from '../../format/text.ts';
import { tidAbout, tidAlone } from '../../format/tid.ts';
import { DRAW_NONE, DRAW_STYLES } from '../../draw/draw-codes.ts';
import { visibleLaid } from '../tiles/draw-list.ts';
import { eventsIn, plotIn, sumsIn } from '../parts/hit-test.ts';
import { plotRangeText, scaleText } from '../tiles/plot-scale.ts';
import type { RowTiles } from './row-reader.ts';
import type { Scene } from '../scene.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
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
      // Waits for pieces that are being loaded.
      if (current.store.busy) timer = setTimeout(tell, REST_MS);
      else summaries.value = summariesOf(current);
    };
    let timer = setTimeout(tell, REST_MS);
    return () => clearTimeout(timer);
  });
  return summaries;
}

function summariesOf(scene: Scene): Map<string, string> {
  const { from, to } = rangeOf(scene.frame().view);
  const summaries = new Map<string, string>();
  for (const { row } of visibleLaid(scene.frame())) {
    const words = wordsOf(scene.tilesOf(row), from, to);
    if (words !== undefined) summaries.set(row.id, summary(row, to - from, words));
  }
  return summaries;
}

/** Summary of the loaded part: "running, user 12 %; waits for the disk 31 %", "800 MHz to 2.4 GHz", "about 120 events". */
function wordsOf(row: RowTiles, from: DisplayNs, to: DisplayNs): string | undefined {
  switch (row.series.kind) {
    case 'states':
      return sharesText(sumsIn(row, from, to), to - from);
    case 'plot': {
      const found = plotIn(row, from, to);
      return found === undefined ? 'nothing' : plotRangeText(found.range.unit, found.least, found.most);
    }
    case 'density': {
      const events = eventsIn(row, from, to);
      return events > 0 ? `about ${plural(Math.ceil(events), 'event')}` : 'no events';
    }
    default:
      return undefined;
  }
}

/** Shares of states, largest first; if all are below `LEAST_SHARE`, only that there is some. @internal */
export function sharesText(sums: Float64Array, lengthNs: number): string {
  const shares = new Map<string, number>();
  sums.forEach((ns, code) => {
    const label = DRAW_STYLES[code].label.toLowerCase();
    if (code !== DRAW_NONE && ns > 0) addNumber(shares, label, ns / lengthNs);
  });
  const sorted = [...shares].sort(([, a], [, b]) => b - a);
  const parts = sorted.filter(([, share]) => share >= LEAST_SHARE);
  if (parts.length === 0) return sorted.length > 0 ? `${sorted[0][0]} below 1${THIN}%` : 'nothing';
  return parts.map(([label, share]) => `${label} ${Math.round(100 * share)}${THIN}%`).join('; ');
}

/** @internal */
export function summary(row: RowInfo, lengthNs: number, what: string): string {
  const shown = visibleText(row.name);
  const own = row.name === 'Thread' ? '' : ` ${shown}`;
  const name = row.kind === 'thread' ? `Thread ${tidAlone(row) ?? ''}${own}` : shown;
  const about = tidAbout(row);
  return `${name}${about === undefined ? '' : `, ${about}`}, in the ${formatDuration(lengthNs)} shown: ${what}`;
}

/** Texts of the scales of the rows of numbers in view, by row id, as they become known. */
export function usePlotScales(
  scene: ReadonlySignal<Scene | undefined>,
  view: ViewModel,
): ReadonlySignal<ReadonlyMap<string, string>> {
  const scales = useSignal<ReadonlyMap<string, string>>(new Map());
  useSignalEffect(() => {
    const current = scene.value;
    if (current === undefined) return;
    for (const signal of [current.drawn, view.rows.scrollTop, view.rows.layout]) void signal.value;
    const found = new Map(scales.peek());
    for (const { row } of visibleLaid(current.frame())) {
      if (row.kind !== 'plot') continue;
      const range = current.store.plotted(current.tilesOf(row).series);
      if (range !== undefined) found.set(row.id, scaleText(range));
    }
    const isNew = [...found].some(([row, text]) => scales.peek().get(row) !== text);
    if (isNew) scales.value = found;
  });
  return scales;
}
