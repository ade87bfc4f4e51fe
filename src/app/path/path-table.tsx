/** Time on the path, by thread and state, by host or by cause; the rows add up to the range. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { ExperimentInfo, PathCulprit } from '../../workers/session-api.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { formatDuration, formatMs } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import {
  barred,
  explained,
  msColumn,
  nameCell,
  numberColumn,
  shareColumn,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { Column } from '../widgets/table/column.ts';
import { DRAW_STYLES } from '../draw/draw-codes.ts';
import { Swatch } from '../draw/swatch.tsx';
import type { ExplainedPath } from './path-state.ts';
import { pathRows, type PathBy, type PathRow } from './path-rows.ts';

const CHOICES: readonly { readonly id: PathBy; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'host', title: 'Host' },
  { id: 'cause', title: 'Cause' },
];

interface PathTableProps {
  readonly answer: ReadonlySignal<ExplainedPath | undefined>;
  readonly info: ExperimentInfo;
  /** Shows the longest segment of a row of the table. */
  readonly onShow: (segment: number) => void;
}

export function PathTable({ answer, info, onShow }: PathTableProps) {
  const by = useChoice('path.by', CHOICES);
  const rows = useComputed(() => answer.value && pathRows(answer.value, by.value, info));
  const whole = answer.value === undefined ? 0 : answer.value.to - answer.value.from;
  const sum = rows.value?.reduce((total, { ns }) => total + ns, 0) ?? 0;
  return (
    <div class="path-table">
      <StatTable
        key={by.value}
        title="Time on the path"
        scope={plural(rows.value?.length ?? 0, 'row')}
        columns={columns(by.value, rows.value ?? [], whole, info.hosts.length > 1)}
        rows={rows}
        filterable={false}
        order={{ column: 'time', descending: true }}
        empty="Nothing lies on this path."
        keyOf={(row) => row.key}
        onActivate={(row) => row.longest >= 0 && onShow(row.longest)}
      >
        <Segmented label="Time on the path by" options={CHOICES} chosen={by.value} onChoose={by.choose} />
      </StatTable>
      {rows.value !== undefined && (
        <p class="path-sum">
          <b>Sum</b>{' '}
          <span>{sum === whole ? 'equals the time asked for' : `of ${formatDuration(whole)} asked for`}</span>
          <span class="grow" />
          <b>{formatMs(sum)}</b> ms
        </p>
      )}
    </div>
  );
}

/** Lines of the hover title. */
const MOST_DETAILS = 8;

/** A row's state with who took its time or the calls that it was in, a line each. */
function detailText({ state, details, served }: PathRow): string {
  const others = served.length > 0 ? ['The disk served meanwhile:', ...listed(served)] : [];
  return [state, ...listed(details), ...others].join('\n');
}

function listed(all: readonly PathCulprit[]): string[] {
  const lines = all
    .slice(0, MOST_DETAILS)
    .map(({ text, ns }) => `${formatDuration(ns)}  ${visibleText(text)}`);
  return all.length > MOST_DETAILS ? [...lines, `and ${all.length - MOST_DETAILS} more`] : lines;
}

function columns(by: PathBy, rows: readonly PathRow[], whole: number, hosts: boolean): Column<PathRow>[] {
  const state: Column<PathRow> = {
    id: 'state',
    title: by === 'cause' ? 'What' : 'State',
    width: 'minmax(148px, 1.6fr)',
    numeric: false,
    value: (row) => row.state,
    cell: (row) => (
      <span class="path-state" title={detailText(row)}>
        <Swatch code={row.code} />
        <span class="ellipsis">{row.state}</span>
      </span>
    ),
  };
  const time = barred(
    rows,
    ({ code }) => `var(--st-${DRAW_STYLES[code].token})`,
    msColumn('time', 'Time, ms', 'minmax(112px, 0.6fr)', (row) => row.ns),
  );
  const share = shareColumn<PathRow>('Share', '64px', (row) => row.ns / whole);
  const count = explained(
    'Parts of segments: one has a part for each state and system call that it was in',
    numberColumn<PathRow>('parts', 'Parts', '76px', (row) => row.parts),
  );
  const name = nameCell<PathRow>('Thread', (row) => visibleText(row.name), undefined, 'minmax(144px, 1fr)');
  // Also on narrow screens: threads and interrupts of two hosts may have the same names.
  const host = {
    ...textColumn<PathRow>('host', 'Host', '64px', (row) => row.host),
    wideOnly: false,
  };
  switch (by) {
    case 'thread':
      return hosts ? [name, host, state, time, share] : [name, state, time, share, wide(count)];
    case 'host':
      return [{ ...nameCell<PathRow>('Host', (row) => row.host), id: 'host' }, state, time, share, count];
    case 'cause':
      return [state, time, share, count];
  }
}
