/** Histogram of durations over a logarithmic axis, with the median marked. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ElementSize } from '../../browser/element-size.ts';
import type { DurationSummary } from '../../../engine/protocol/statistics.ts';
import { formatCount, formatDuration, formatShare } from '../../format/numbers.ts';
import { Axis } from './axis.tsx';
import { logScale, tickText } from '../../../engine/words/scale.ts';

/** Width of the longest label of a tick with its gap, CSS pixels. */
const LABEL_WIDTH = 44;

interface DistributionProps {
  readonly title: string;
  readonly stat: DurationSummary;
  /** CSS colour of the bars, by rule that of a state. */
  readonly colour: string;
}

export function Distribution({ title, stat, colour }: DistributionProps) {
  const bins = barsOf(stat);
  const [axis, width] = useWidth();
  // Labels stay within the axis: at a share of the axis, a label is shifted by the same share of its width.
  const room = Math.max(1, width - LABEL_WIDTH);
  const scale = logScale(bins[0]?.from ?? 1, bins.at(-1)?.to ?? 1, LABEL_WIDTH / room);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const percent = (ns: number) => `${100 * scale.place(ns)}%`;
  return (
    <figure class="distribution">
      <figcaption>
        <span class="ellipsis">{title}</span>
        <span class="faint nowrap">{formatCount(stat.count)}</span>
      </figcaption>
      <div class="distribution-plot" role="img" aria-label={summary(title, stat)}>
        {bins.map(({ from, to, count }) => (
          <span
            key={from}
            class="distribution-bar"
            title={`${formatDuration(from)} to ${formatDuration(to)}\n${formatCount(count)} of ${formatCount(stat.count)}, ${formatShare(count / stat.count)}`}
            style={{
              left: percent(from),
              width: `${100 * (scale.place(to) - scale.place(from))}%`,
              '--share': count / most,
              '--bar': colour,
            }}
          />
        ))}
        {stat.count > 0 && (
          <span
            class="distribution-median"
            title={`median ${formatDuration(stat.p50Ns)}`}
            style={{ left: percent(stat.p50Ns) }}
          />
        )}
      </div>
      <Axis scale={scale} text={tickText} element={axis} />
    </figure>
  );
}

interface Bar {
  /** ns. */
  readonly from: number;
  to: number;
  count: number;
}

/** Most bars, which are then wide enough to be seen. */
const MOST_BARS = 40;
const BINS_AN_OCTAVE = 8;

/** Bars of the bins; if there are too many, neighbours within an octave are joined. */
function barsOf({ bins }: DurationSummary): readonly Bar[] {
  if (bins.length === 0) return [];
  const span = binNumber(bins[bins.length - 3]) - binNumber(bins[0]) + 1;
  let together = 1;
  while (together < BINS_AN_OCTAVE && span / together > MOST_BARS) together *= 2;
  const bars: Bar[] = [];
  let current = -1;
  for (let i = 0; i < bins.length; i += 3) {
    const number = Math.floor(binNumber(bins[i]) / together);
    const last = bars.at(-1);
    if (last === undefined || number !== current)
      bars.push({ from: bins[i], to: bins[i + 1], count: bins[i + 2] });
    else Object.assign(last, { to: bins[i + 1], count: last.count + bins[i + 2] });
    current = number;
  }
  return bars;
}

/** Number of the bin that begins at a duration: eight equal ones an octave. */
function binNumber(from: number): number {
  const octave = Math.floor(Math.log2(Math.max(1, from)));
  return octave * BINS_AN_OCTAVE + Math.floor((Math.max(1, from) / 2 ** octave - 1) * BINS_AN_OCTAVE);
}

function summary(title: string, { count, minNs, p50Ns, p99Ns, maxNs }: DurationSummary): string {
  if (count === 0) return `${title}: none`;
  const parts = [
    `shortest ${formatDuration(minNs)}`,
    `median ${formatDuration(p50Ns)}`,
    `99 % up to ${formatDuration(p99Ns)}`,
    `longest ${formatDuration(maxNs)}`,
  ];
  return `${title}: ${formatCount(count)}, ${parts.join(', ')}`;
}

/** Inner width of an element, in CSS pixels; 0 before it is known. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const size = new ElementSize(element.current, () => (width.value = size.width));
    width.value = size.width;
    return () => size.dispose();
  }, []);
  return [element, width.value] as const;
}
