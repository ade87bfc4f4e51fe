/** How durations are distributed: a histogram over a logarithmic axis, with the median marked. */
import type { DurationStat } from '../../workers/session-api.ts';
import { formatCount, formatDuration, formatShare } from '../format/numbers.ts';
import { logScale, tickText } from './log-scale.ts';

interface DistributionProps {
  readonly title: string;
  readonly stat: DurationStat;
  /** CSS colour of the bars, by rule that of a state. */
  readonly colour: string;
}

export function Distribution({ title, stat, colour }: DistributionProps) {
  const bins = binsOf(stat);
  const scale = logScale(bins[0]?.from ?? 1, bins.at(-1)?.to ?? 1);
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
      <div class="distribution-axis" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <span key={tick} style={{ left: percent(tick) }}>
            {tickText(tick)}
          </span>
        ))}
      </div>
    </figure>
  );
}

function binsOf({ bins }: DurationStat) {
  return Array.from({ length: bins.length / 3 }, (_, i) => ({
    from: bins[3 * i],
    to: bins[3 * i + 1],
    count: bins[3 * i + 2],
  }));
}

function summary(title: string, { count, minNs, p50Ns, p99Ns, maxNs }: DurationStat): string {
  if (count === 0) return `${title}: none`;
  const parts = [
    `shortest ${formatDuration(minNs)}`,
    `median ${formatDuration(p50Ns)}`,
    `99 % up to ${formatDuration(p99Ns)}`,
    `longest ${formatDuration(maxNs)}`,
  ];
  return `${title}: ${formatCount(count)}, ${parts.join(', ')}`;
}
