/** Two columns of histograms, one for each group: a row for each metric. */
import { formatCount } from '../format/numbers.ts';
import { BrushedHistogram } from '../widgets/histogram/brushed-histogram.tsx';
import type { MetricColumn } from './metric-columns.ts';
import type { ComparedProps } from './compare-page.ts';
import { GROUP_NAMES, groupWords } from './group-rule.ts';

export function HistogramColumns({ page: { compare }, comparison }: ComparedProps) {
  const groups = compare.groups.value;
  if (groups === undefined) return null;
  const words = groupWords(
    compare.rule.value,
    comparison,
    compare.source.about()?.name ?? '',
    compare.source.usualRule(),
    compare.source.recordings(),
  );
  const counts = { a: comparison.counts('a'), b: comparison.counts('b') };
  const total = comparison.answer.length;
  return (
    <section class="compare-histograms" aria-label="Metrics of both groups">
      <div class="compare-heads">
        {GROUP_NAMES.map((name) => (
          <div key={name}>
            <h3 class="ellipsis">
              <span class="compare-mark" style={{ background: `var(--grp-${name})` }} /> {name.toUpperCase()},{' '}
              {words[name].title}
            </h3>
            <p class="muted ellipsis" title={words[name].about}>
              {formatCount(groups[name].length)} of {formatCount(total)}
              <span class="faint">, {words[name].about}</span>
            </p>
          </div>
        ))}
      </div>
      <div class="compare-metrics">
        {comparison.columns.map((column, i) => {
          const means = { a: meanOf(column.values, groups.a), b: meanOf(column.values, groups.b) };
          return (
            <section key={column.name} class="compare-metric" aria-label={column.title}>
              <h4>
                <span class="ellipsis">{column.title}</span>
                <span class="nowrap">
                  mean {meanText(column, groups.a)} → {meanText(column, groups.b)}
                </span>
              </h4>
              {GROUP_NAMES.map((name) => (
                <BrushedHistogram
                  key={name}
                  label={`${column.title} in ${name.toUpperCase()}`}
                  scale={column.scale}
                  counts={counts[name][i]}
                  all={column.all}
                  colour={`var(--grp-${name})`}
                  mean={means[name]}
                  range={compare.rangeOf(name, column.name)}
                  format={column.format}
                  tick={column.tick}
                  onBrush={(range) => compare.brush(name, column.name, range)}
                />
              ))}
            </section>
          );
        })}
      </div>
      <p class="faint">
        Drag in a histogram to choose a range. The other histograms then show executions within it.
      </p>
    </section>
  );
}

/** Mean of a group; undefined: no execution has a value. */
function meanOf(values: Float64Array, group: Int32Array): number | undefined {
  let [count, sum] = [0, 0];
  for (const i of group) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
  }
  return count === 0 ? undefined : sum / count;
}

/** The mean of a group as text. */
export function meanText(column: MetricColumn, group: Int32Array): string {
  const mean = meanOf(column.values, group);
  return mean === undefined ? '–' : column.format(mean);
}
