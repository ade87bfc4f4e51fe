/** Pictures of a report as SVG. Colours are classes of the report's style (`report-html.ts`). Pure. */
import { cutText } from '../../base/visible-text.ts';
import type { HistogramPicture, MatrixPicture, PathPicture } from '../../protocol/report.ts';
import type { Saving } from '../../protocol/what-if.ts';
import { fixedDigits, formatCount, formatDuration } from '../../words/numbers.ts';
import { linearScale, logScale, type Scale, tickText } from '../../words/scale.ts';
import { type Markup, safe } from './markup.ts';

/** Pixels. */
const WIDTH = 880;
const GUTTER = 170;
const LINE = 24;
const AXIS = 22;
/** Smallest distance of two ticks, and of a label's middle from the end, as shares of the axis. */
const LEAST_GAP = 0.2;
const MARGIN = 0.03;
/** Characters that fit into the gutter. */
const MOST_LETTERS = 24;

/** Path as a line for each thread, drawn where the path leads through it. */
export function pathSvg({ from, to, workers, pieces }: PathPicture): Markup {
  const height = workers.length * LINE;
  const { place, ticks } = linearScale(from, to, LEAST_GAP);
  const x = (time: number): number => round(GUTTER + (WIDTH - GUTTER) * place(time));
  const lines = workers.map(({ name }, i) => {
    const y = i * LINE;
    return safe`<line x1="0" x2="${WIDTH}" y1="${y + LINE}" y2="${y + LINE}" class="grid" />
      <text x="0" y="${y + 16}">${cutText(name, MOST_LETTERS)}<title>${name}</title></text>`;
  });
  const marks = ticks.filter(isWithin(place)).map(
    (tick) =>
      safe`<line x1="${x(tick)}" x2="${x(tick)}" y1="0" y2="${height + 4}" class="grid" />
        <text x="${x(tick)}" y="${height + AXIS - 4}" class="tick" text-anchor="middle"
          >${tickText(tick)}</text
        >`,
  );
  const boxes = pieces.map((piece) => {
    const width = Math.max(0.75, round(x(piece.to) - x(piece.from)));
    const y = piece.worker * LINE + 4;
    return safe`<rect
      x="${x(piece.from)}"
      y="${y}"
      width="${width}"
      height="${LINE - 8}"
      class="s-${piece.state}"
    />`;
  });
  const words = `Critical path over ${formatDuration(to - from)}, by thread`;
  return svg(height + AXIS, words, [...lines, ...marks, ...boxes]);
}

/** Bars of executions by duration, with the slow ones in another colour. */
export function histogramSvg({ bins }: HistogramPicture): Markup {
  const height = 120;
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const width = WIDTH / bins.length;
  const heightOf = (count: number): number => (count === 0 ? 0 : Math.max(2, round((height * count) / most)));
  const bars = bins.map(({ from, to, count, slow }, i) => {
    const [all, part] = [heightOf(count), heightOf(slow)];
    const bar = (own: number, style: string): Markup =>
      safe`<rect
        x="${round(i * width + 1)}"
        y="${height - own}"
        width="${round(width - 2)}"
        height="${own}"
        class="${style}"
      />`;
    const title = `${formatCount(count)} of ${formatDuration(from)} to ${formatDuration(to)}`;
    return (
      count > 0 && safe`<g><title>${title}</title>${bar(all, 'usual')}${slow > 0 && bar(part, 'slow')}</g>`
    );
  });
  const [shortest, longest] = [bins[0].from, bins[bins.length - 1].to];
  const { place, ticks } = logScale(shortest, longest, LEAST_GAP / 2);
  const marks = ticks.filter(isWithin(place)).map((tick) => {
    const at = round(WIDTH * place(tick));
    return safe`<line x1="${at}" x2="${at}" y1="${height}" y2="${height + 5}" class="axis" />
      <text x="${at}" y="${height + AXIS - 3}" class="tick" text-anchor="middle">${tickText(tick)}</text>`;
  });
  const words = `${formatCount(bins.reduce((sum, { count }) => sum + count, 0))} executions from ${formatDuration(shortest)} to ${formatDuration(longest)}`;
  const axis = safe`<line x1="0" x2="${WIDTH}" y1="${height}" y2="${height}" class="axis" />`;
  return svg(height + AXIS, words, [axis, bars, marks]);
}

/** Cells of threads that wait (rows) for others (columns), in ms or µs. */
export function matrixSvg({ lock, waiters, holders, ns }: MatrixPicture): Markup {
  const most = Math.max(1, ...ns.flat());
  const [scale, unit] = most < 1e6 ? [1e3, 'µs'] : [1e6, 'ms'];
  const width = Math.min(120, (WIDTH - GUTTER) / Math.max(1, holders.length));
  const letters = Math.max(4, Math.floor(width / 7.5));
  const head = holders.map(
    (holder, i) =>
      safe`<text x="${round(GUTTER + (i + 0.5) * width)}" y="16" text-anchor="middle"
        >${cutText(holder, letters)}<title>${holder}</title></text
      >`,
  );
  const rows = waiters.map((waiter, i) => {
    const y = (i + 1) * LINE;
    const cells = ns[i].map((value, j) => {
      const x = round(GUTTER + j * width);
      const place = safe`x="${x + 1}" y="${y + 1}" width="${round(width - 2)}" height="${LINE - 2}"`;
      const heat = value === 0 ? 0 : round(0.1 + (0.45 * value) / most);
      const box = safe`<rect
          ${place}
          class="cell"
        />${value > 0 && safe`<rect ${place} class="heat" fill-opacity="${heat}" />`}`;
      const text = value < scale / 10 ? '<0.1' : fixedDigits(Math.round((10 * value) / scale), 1);
      const middle = round(x + width / 2);
      return safe`${box}${value > 0 && safe`<text x="${middle}" y="${y + 16}" text-anchor="middle">${text}</text>`}`;
    });
    return safe`<text x="0" y="${y + 16}">${cutText(waiter, MOST_LETTERS)}<title>${waiter}</title></text
      >${cells}`;
  });
  const corner = safe`<text x="0" y="16" class="tick">${unit}, waits for</text>`;
  return svg((waiters.length + 1) * LINE, `Time for which threads waited for each other for ${lock}`, [
    corner,
    head,
    rows,
  ]);
}

/** Range of a saving as a bar, whose full width is `whole`, ns. */
export function savingSvg({ careful, hopeful }: Saving, whole: number): Markup {
  const width = 120;
  const at = (ns: number): number => round((width * Math.min(Math.max(0, ns), whole)) / Math.max(1, whole));
  const [low, high] = [at(Math.min(careful, hopeful)), at(Math.max(careful, hopeful))];
  return safe`<svg viewBox="0 0 ${width} 10" width="${width}" height="10" aria-hidden="true">
    <rect width="${width}" height="10" class="cell" />
    <rect width="${low}" height="10" class="saved" />
    <rect x="${low}" width="${high - low}" height="10" class="perhaps" />
  </svg>`;
}

function svg(height: number, words: string, content: Parameters<typeof safe>[1]): Markup {
  return safe`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${words}">${content}</svg>`;
}

/** Test whether the label of a tick fits between the ends of the axis. */
function isWithin(place: Scale['place']): (tick: number) => boolean {
  return (tick) => place(tick) <= 1 - MARGIN;
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
