/** Pages for files of executions without their traces: the tab Compare alone, or the trend over many files. */
import './compare.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { isSameDefinition } from '../../engine/layers/executions/definition.ts';
import {
  recordedAt,
  type Trend,
  trendOf,
  type TrendPoint,
  trendSentence,
} from '../../engine/layers/executions/ranking/trend.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { useApp } from '../context/app-context.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { readExecutions } from '../files/read-recordings.ts';
import { formatDuration } from '../format/numbers.ts';
import { roundStep } from '../../engine/words/scale.ts';
import { plural, visibleText } from '../format/text.ts';
import { durationColumn, nameCell, numberColumn, textColumn } from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { ComparePanel } from './compare-panel.tsx';
import { createCompareState } from './compare-state.ts';
import { definitionText } from './definition-words.ts';
import { fileSource } from './executions-source.ts';

export function ExecutionsPage({ database }: { readonly database: ExecutionDatabase }) {
  const app = useApp();
  const compare = useMemo(() => {
    const state = createCompareState(fileSource(app.session, database), app.executionFiles);
    state.choose(database.answer.definition);
    return state;
  }, []);
  useEffect(() => () => compare.dispose(), []);
  return (
    <main class="compare-page">
      <ComparePanel app={app} compare={compare} />
    </main>
  );
}

/** Trend over many files of executions: how long executions take in each recording, and since when they are slower. */
export function TrendPage() {
  const { executionFiles } = useApp();
  const fault = useSignal<Fault | undefined>(undefined);
  const files = executionFiles.trend.value;
  const [first] = files;
  const trend = useComputed(() =>
    trendOf(executionFiles.trend.value.filter((file) => isSameDefinition(file.definition, first.definition))),
  );
  const rows = useComputed(() => trend.value.points.map((point, number) => ({ ...point, number })));
  const compare = async ({ number }: { readonly number: number }) => {
    const fileOf = (at: number) => files.find(({ trace }) => trace === trend.peek().points.at(at)?.trace);
    const [own, before] = await Promise.all(
      [fileOf(number), number === 0 ? undefined : fileOf(number - 1)].map(
        (one) => one && readExecutions({ path: one.file, file: one.read }),
      ),
    );
    const refused = [own, before].find((read) => read?.ok === false);
    fault.value = refused?.ok === false ? refused.fault : undefined;
    if (!own?.ok || refused !== undefined) return;
    executionFiles.opened.value = own.value;
    executionFiles.against.value = before?.ok ? before.value : undefined;
  };
  const others = files.length - trend.value.points.length;
  return (
    <main class="compare-page trend">
      <section class="trend-head">
        {fault.value && <FaultCard fault={fault.value} />}
        <p class="muted">{definitionText(first.definition)}</p>
        <p>{visibleText(trendSentence(trend.value, formatDuration))}</p>
        {others > 0 && <p class="muted">{plural(others, 'file')} of other executions: left out.</p>}
        <TrendChart trend={trend.value} onChoose={(number) => void compare({ number })} />
      </section>
      <StatTable
        title="Recordings"
        scope="in order of time; Enter or a click compares one with that before it"
        rows={rows}
        columns={[
          nameCell<TrendRow>('File', ({ file }) => file),
          textColumn<TrendRow>('recorded', 'Recorded (UTC)', '148px', recordedAt),
          numberColumn<TrendRow>('executions', 'Executions', '88px', ({ sorted }) => sorted.length),
          durationColumn<TrendRow>('median', 'Median', '96px', ({ medianNs }) => medianNs),
          durationColumn<TrendRow>('p95', 'p95', '96px', ({ p95Ns }) => p95Ns),
        ]}
        order={{ column: 'recorded', descending: false }}
        empty="There are no recordings."
        keyOf={({ trace }) => trace}
        onActivate={(row) => void compare(row)}
        isSelected={({ number }) => number === trend.value.slower?.point}
      />
    </main>
  );
}

type TrendRow = TrendPoint & { readonly number: number };

interface TrendChartProps {
  readonly trend: Trend;
  onChoose(number: number): void;
}

const LINES = [
  { name: 'p95', nsOf: ({ p95Ns }: TrendPoint) => p95Ns, colour: 'var(--grp-b)' },
  { name: 'median', nsOf: ({ medianNs }: TrendPoint) => medianNs, colour: 'var(--grp-a)' },
] as const;
/** Least number of lines of the grid. */
const STEPS = 3;

/** Chart of median and 95th percentile by recording, in order of time. The table has the same numbers for screen readers. */
function TrendChart({ trend: { points, slower }, onChoose }: TrendChartProps) {
  const most = Math.max(1, ...points.map(({ p95Ns }) => p95Ns || 0));
  const step = roundStep(most / STEPS);
  const top = Math.ceil(most / step) * step;
  const x = (number: number) => `${(100 * (number + 0.5)) / points.length}%`;
  const y = (ns: number) => `${100 - (100 * ns) / top}%`;
  // Recordings without executions have no point.
  const shown = [...points.keys()].filter((at) => points[at].sorted.length > 0);
  const grid = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step);
  return (
    <figure class="trend-chart" aria-hidden="true">
      <div class="trend-scale">
        {grid.map((ns) => (
          <span key={ns} style={{ top: y(ns) }}>
            {formatDuration(ns)}
          </span>
        ))}
      </div>
      <svg>
        {grid.map((ns) => (
          <line key={ns} class="trend-grid" x1="0" x2="100%" y1={y(ns)} y2={y(ns)} />
        ))}
        {slower && <line class="trend-slower" x1={x(slower.point)} x2={x(slower.point)} y1="0" y2="100%" />}
        {LINES.map(({ name, nsOf, colour }) => (
          <g key={name} style={{ stroke: colour, fill: colour }}>
            {shown.slice(1).map((at, i) => (
              <line
                key={at}
                x1={x(shown[i])}
                y1={y(nsOf(points[shown[i]]))}
                x2={x(at)}
                y2={y(nsOf(points[at]))}
              />
            ))}
            {shown.map((at) => (
              <circle key={at} cx={x(at)} cy={y(nsOf(points[at]))} r="4" onClick={() => onChoose(at)}>
                <title>{`${visibleText(points[at].file)}: ${name} ${formatDuration(nsOf(points[at]))}`}</title>
              </circle>
            ))}
          </g>
        ))}
      </svg>
      <figcaption>
        {LINES.map(({ name, colour }) => (
          <span key={name}>
            <span class="compare-mark" style={{ background: colour }} /> {name}
          </span>
        ))}
        {slower && <span class="trend-words">┆ first slower one</span>}
      </figcaption>
    </figure>
  );
}
