/** Table of the time on the path by thread, program, process, host or cause; its rows add up to the range. */
import type { ReadonlySignal } from '@preact/signals';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { PathBlocker } from '../../engine/protocol/paths.ts';
import { type OwnerKind, type PathOwner, pathOwners } from '../../engine/answers/paths/path-owners.ts';
import type { ComponentChildren } from 'preact';
import { useComputedOf } from '../controls/computed-of.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { formatDuration, formatMs } from '../format/numbers.ts';
import { hostName, plural, visibleText } from '../format/text.ts';
import {
  barred,
  cellColumn,
  explained,
  inAllWidths,
  msColumn,
  nameCell,
  numberColumn,
  shareColumn,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { type Part, PartsBar } from '../widgets/table/bars.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { Column } from '../widgets/table/column.ts';
import { DRAW_STYLES, DRAW_UNKNOWN } from '../draw/draw-codes.ts';
import { Swatch } from '../draw/swatch.tsx';
import type { ExplainedPath } from './path-state.ts';
import { ownerStates, pathRows, type PathBy, type PathRow } from './path-rows.ts';

const CHOICES: readonly { readonly id: PathBy | OwnerKind; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'program', title: 'Program' },
  { id: 'process', title: 'Process' },
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
  const hosts = info.hosts.length > 1;
  const options = CHOICES.filter(({ id }) => id !== 'host' || hosts);
  const by = useChoice('path.by', options);
  const whole = answer.value === undefined ? 0 : answer.value.to - answer.value.from;
  const sum = answer.value?.parts.reduce((total, { ns }) => total + ns, 0) ?? 0;
  const choice = (
    <Segmented label="Time on the path by" options={options} chosen={by.value} onChoose={by.choose} />
  );
  const common = { answer, info, whole, onShow, children: choice };
  return (
    <div class="path-table">
      {by.value === 'thread' || by.value === 'cause' ? (
        <StatesTable key={by.value} by={by.value} {...common} />
      ) : (
        <OwnersTable key={by.value} by={by.value} {...common} />
      )}
      {answer.value !== undefined && (
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

interface TableOfPathProps extends PathTableProps {
  /** Length of the range that was asked for, ns. */
  readonly whole: number;
  readonly children: ComponentChildren;
}

const COMMON = {
  title: 'Time on the path',
  filterable: false,
  order: { column: 'time', descending: true },
  empty: 'Nothing lies on this path.',
} as const;

/** Table with a row for each state of each thread, or of all threads together. */
function StatesTable(props: TableOfPathProps & { readonly by: PathBy }) {
  const { answer, by, info, whole, onShow, children } = props;
  const rows = useComputedOf(() => answer.value && pathRows(answer.value, by, info), [answer, by, info]);
  return (
    <StatTable
      {...COMMON}
      scope={plural(rows.value?.length ?? 0, 'row')}
      columns={columns(by, rows.value ?? [], whole, info.hosts.length > 1)}
      rows={rows}
      keyOf={({ key }) => key}
      onActivate={(row) => row.longest >= 0 && onShow(row.longest)}
    >
      {children}
    </StatTable>
  );
}

const OWNER_WORDS = {
  program: { title: 'Program', one: 'program', many: 'programs' },
  process: { title: 'Process', one: 'process', many: 'processes' },
  host: { title: 'Host', one: 'host', many: 'hosts' },
} as const;

/** Table with a row for each program, process or host, with the sum of its states. */
function OwnersTable(props: TableOfPathProps & { readonly by: OwnerKind }) {
  const { answer, by, info, whole, onShow, children } = props;
  const owners = useComputedOf(() => {
    const path = answer.value;
    if (path === undefined) return undefined;
    return pathOwners(path, by, info.hosts).map((owner) => ({ ...owner, ...ownerStates(path, owner) }));
  }, [answer, by, info]);
  const { one, many } = OWNER_WORDS[by];
  return (
    <StatTable
      {...COMMON}
      scope={plural(owners.value?.length ?? 0, one, many)}
      columns={ownerColumns(by, owners.value ?? [], whole, info)}
      rows={owners}
      keyOf={({ key }) => key}
      onActivate={(row) => row.longest >= 0 && onShow(row.longest)}
    >
      {children}
    </StatTable>
  );
}

type ShownOwner = PathOwner & ReturnType<typeof ownerStates>;

function ownerColumns(
  by: OwnerKind,
  owners: readonly ShownOwner[],
  whole: number,
  { hosts }: ExperimentInfo,
): Column<ShownOwner>[] {
  const hostOf = ({ host }: PathOwner) => hostName(hosts, host);
  const host = inAllWidths(textColumn('host', 'Host', '64px', hostOf));
  const most = owners.reduce((longest, { ns }) => Math.max(longest, ns), 0);
  const bar = (owner: ShownOwner) => <PartsBar parts={partsOf(owner)} total={most} />;
  const states = { ...cellColumn('states', 'States', 'minmax(88px, 1.4fr)', () => '', bar), sortable: false };
  return [
    nameCell<ShownOwner>(OWNER_WORDS[by].title, (owner) => visibleText(owner.name)),
    ...(by === 'process'
      ? [{ ...numberColumn<ShownOwner>('pid', 'pid', '64px', ({ pid }) => pid, true), cell: pidCell }]
      : [numberColumn<ShownOwner>('processes', 'Processes', '84px', ({ processes }) => processes)]),
    ...(hosts.length > 1 && by !== 'host' ? [host] : []),
    states,
    msColumn('time', 'Time, ms', 'minmax(96px, 0.6fr)', ({ ns }) => ns),
    shareColumn('Share', '64px', ({ ns }) => ns / whole),
  ];
}

function pidCell({ pid }: PathOwner) {
  return pid < 0 ? '' : <span class="mono faint">{pid}</span>;
}

function partsOf({ states }: ShownOwner): Part[] {
  return states.map(({ code, ns }) => ({
    label: DRAW_STYLES[code].label,
    colour: `var(--st-${DRAW_STYLES[code].token})`,
    unknown: code === DRAW_UNKNOWN,
    ns,
  }));
}

/** Most lines of the hover title. */
const MOST_DETAILS = 8;

/** Hover title of a row: its state, and the blockers or system calls, one each line. */
function detailText({ state, details, served }: PathRow): string {
  const others = served.length > 0 ? ['The disk served meanwhile:', ...listed(served)] : [];
  return [state, ...listed(details), ...others].join('\n');
}

function listed(all: readonly PathBlocker[]): string[] {
  const lines = all
    .slice(0, MOST_DETAILS)
    .map(({ text, ns }) => `${formatDuration(ns)}  ${visibleText(text)}`);
  return all.length > MOST_DETAILS ? [...lines, `and ${all.length - MOST_DETAILS} more`] : lines;
}

function columns(by: PathBy, rows: readonly PathRow[], whole: number, hosts: boolean): Column<PathRow>[] {
  const state = cellColumn(
    'state',
    by === 'cause' ? 'What' : 'State',
    'minmax(148px, 1.6fr)',
    (row: PathRow) => row.state,
    (row) => (
      <span class="path-state" title={detailText(row)}>
        <Swatch code={row.code} />
        <span class="ellipsis">{row.state}</span>
      </span>
    ),
  );
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
  // Also on narrow screens, since threads and interrupts of two hosts may have the same names.
  const host = inAllWidths(textColumn<PathRow>('host', 'Host', '64px', (row) => row.host));
  if (by === 'cause') return [state, time, share, count];
  return hosts ? [name, host, state, time, share] : [name, state, time, share, wide(count)];
}
