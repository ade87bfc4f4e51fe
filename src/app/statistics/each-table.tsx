/** Statistics that list single occurrences: system calls, waits for a CPU, reads, writes and syncs, disk requests, interrupts. */
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { firstWhere } from '../../engine/base/lower-bound.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type {
  DurationMark,
  Meanwhile,
  Occurrences,
  OccurrencesRequest,
} from '../../engine/protocol/statistics.ts';
import { useApp } from '../context/app-context.ts';
import { useChoice, useChoices } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { useLatestAnswer } from '../experiment/live-answer.ts';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { joined, plural, visibleText } from '../format/text.ts';
import { parseTime } from '../format/time-entry.ts';
import { isReading } from '../opening/progress-row.tsx';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { Distribution } from '../widgets/histogram/distribution.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  cellColumn,
  durationColumn,
  explained,
  hostColumns,
  inAllWidths,
  nameCell,
  numberColumn,
  textColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { MeanwhileDetail, MeanwhileLane } from './meanwhile.tsx';
import { Scatter } from './scatter.tsx';
import { showMark } from './duration-detail.tsx';

type Of = OccurrencesRequest['of'];

interface Kind {
  readonly title: string;
  /** Word for one: "call". */
  readonly noun: string;
  /** Head of what it is: "Call". */
  readonly what: string;
  readonly about?: string;
  /** Begin and end of the durations: "Entry to return". */
  readonly took: string;
  /** CSS colour of bars and points. */
  readonly colour: string;
  readonly empty: string;
}

const KINDS: Readonly<Record<Of, Kind>> = {
  syscalls: {
    title: 'Each system call',
    noun: 'call',
    what: 'Call',
    took: 'Entry to return',
    colour: 'var(--st-kernel)',
    empty: 'No system call returned in this time.',
  },
  sched: {
    title: 'Each wait for a CPU',
    noun: 'wait',
    what: 'After it was',
    took: 'Runnable to running',
    colour: 'var(--st-ready)',
    empty: 'No thread came to a CPU in this time.',
  },
  io: {
    title: 'Each read, write and sync',
    noun: 'call',
    what: 'Call',
    took: 'Entry to return',
    colour: 'var(--st-kernel)',
    empty: 'No thread read or wrote in this time, or system calls were not recorded.',
  },
  requests: {
    title: 'Each request of a disk',
    noun: 'request',
    what: 'Flags',
    about: 'R read, W write, D discard, F flush, A read ahead, S synchronous, M metadata',
    took: 'Queue to completion',
    colour: 'var(--st-disk)',
    empty: 'No request of a disk ended in this time, or block events were not recorded.',
  },
  irq: {
    title: 'Each interrupt',
    noun: 'duration',
    what: 'Interrupt',
    took: 'Entry to exit, raise to entry',
    colour: 'var(--st-irq)',
    empty: 'No interrupt began and ended in this time.',
  },
};

/** Number of the longest ones for which the table shows what ran meanwhile. */
const MOST_LANES = 40;

const THREADS = [
  { id: 'all', title: 'All' },
  { id: 'real-time', title: 'Real-time' },
] as const;

interface EachTableProps {
  readonly of: Of;
  readonly view: ViewModel;
  readonly info: ExperimentInfo;
  /** Time that the durations cover: "whole trace". */
  readonly scope: string;
  readonly children?: ComponentChildren;
}

/** Rows are numbers: places in the columns of the answer. */
export function EachTable({ of, view, info, scope, children }: EachTableProps) {
  const { session, experiment } = useApp();
  const { title, noun, took, colour } = KINDS[of];
  const choices = useChoices();
  const threads = useChoice('each-sched.threads', THREADS);
  const limitName = `each-${of}.limit`;
  const limit = parseTime(choices.text(limitName) ?? '');
  const chosen = useSignal(0);
  // Single interrupts are not stored, so they are read from files.
  const needsFiles = of === 'irq' && !experiment.hasFiles.value;
  const answer = useLatestAnswer(
    () => ({
      range: view.range.value,
      isReading: isReading(experiment.progress.value),
      hasFiles: experiment.hasFiles.value,
      isRealTime: of === 'sched' && threads.value === 'real-time',
    }),
    ({ range, isRealTime }, signal) => session.ask('occurrences', { of, range, isRealTime }, { signal }),
  );
  const rows = useComputed(() => answer.value && Array.from({ length: answer.value.length }, (_, i) => i));
  const all = answer.value;
  const shown = all !== undefined && chosen.value < all.length ? chosen.value : 0;
  const explains = of === 'sched' || of === 'irq';
  const lanes = useMeanwhile(() => (explains ? answer.value : undefined), 0, MOST_LANES);
  const detail = useMeanwhile(() => (explains ? answer.value : undefined), shown, 1);
  const show = (i: number) => {
    if (all === undefined) return;
    chosen.value = i;
    showMark(view, markOf(all, i), of === 'syscalls' || of === 'io');
  };
  return (
    <div class="with-detail">
      <StatTable
        title={title}
        scope={all === undefined ? '' : joined([limitText(all, limit), scope, countText(all, noun)])}
        columns={all === undefined ? [] : columns(of, all, info, view, limit, lanes)}
        rows={rows}
        order={{ column: 'took', descending: true }}
        empty={
          needsFiles ? NEEDS_FILES : emptyText(of, threads.value === 'real-time', experiment.hasFiles.value)
        }
        keyOf={String}
        rowOf={(i) => all?.owners[all.owner[i]].row}
        onActivate={show}
        {...(explains && { isSelected: (i: number) => i === shown })}
      >
        {children}
        {of === 'sched' && (
          <Segmented label="Threads" options={THREADS} chosen={threads.value} onChoose={threads.choose} />
        )}
        {explains && (
          <label class="field each-limit" title="Marks what took longer">
            <span class="faint">Limit</span>
            <input
              type="text"
              aria-label="Limit: marks what took longer"
              placeholder="100 µs"
              value={choices.text(limitName) ?? ''}
              onInput={({ currentTarget: { value } }) =>
                choices.choose(limitName, value === '' ? undefined : value)
              }
            />
          </label>
        )}
      </StatTable>
      {all !== undefined && all.length > 0 && (
        <aside class="duration-detail" aria-label="Over time">
          {detail !== undefined && (
            <MeanwhileDetail
              title={joined([
                all.owners[all.owner[shown]].name,
                of === 'irq' && all.names[all.subject[shown]],
              ])}
              mark={markOf(all, shown)}
              meanwhile={detail[0]}
              view={view}
            />
          )}
          <h4>Over time</h4>
          <Scatter
            fromNs={all.fromNs}
            ns={all.ns}
            extent={view.range.value ?? { from: 0, to: info.lengthNs }}
            colour={colour}
            textOf={(i) => visibleText(`${all.names[all.subject[i]]}, ${all.owners[all.owner[i]].name}`)}
            timeText={(ns) => exactTime(ns, view.timeStyle.value)}
            onChoose={show}
          />
          <div class="distributions">
            <Distribution title={took} stat={all.durations} colour={colour} />
          </div>
        </aside>
      )}
    </div>
  );
}

const NEEDS_FILES = 'Single interrupts are read from the files of the trace. Open them again.';

function emptyText(of: Of, isRealTime: boolean, hasFiles: boolean): string {
  if (of !== 'sched' || !isRealTime) return KINDS[of].empty;
  return hasFiles
    ? 'No thread came to a CPU by a real-time priority in this time.'
    : 'Priorities are read from the files of the trace. Open them again.';
}

function markOf({ owners, owner, fromNs, ns }: Occurrences, i: number): DurationMark {
  const { row, name } = owners[owner[i]];
  return { row, name, fromNs: fromNs[i], ns: ns[i] };
}

/** Accounts of `count` of the occurrences from `first` on; undefined: not known yet. Reads signals of `listed`. */
function useMeanwhile(
  listed: () => Occurrences | undefined,
  first: number,
  count: number,
): readonly Meanwhile[] | undefined {
  const { session } = useApp();
  const from = useSignal(first);
  from.value = first;
  const answer = useLatestAnswer(
    () => ({ all: listed(), first: from.value }),
    async ({ all, first: begin }, signal) => {
      if (all === undefined) return undefined;
      const length = Math.max(0, Math.min(count, all.length - begin));
      const stretches = Array.from({ length }, (_, i) => markOf(all, begin + i));
      return { all, begin, found: await session.ask('meanwhile', { stretches }, { signal }) };
    },
  );
  const known = answer.value;
  const isOfThese = known !== undefined && known.all === listed() && known.begin === first;
  return isOfThese && known.found.length > 0 ? known.found : undefined;
}

/** "16 above 1 ms". */
function limitText({ ns, length, durations: { count } }: Occurrences, limit: number | undefined): string {
  if (limit === undefined) return '';
  const above = firstWhere(0, length, (i) => ns[i] <= limit);
  const atLeast = above === length && length < count ? 'at least ' : '';
  return `${atLeast}${formatCount(above)} above ${formatDuration(limit)}`;
}

function countText({ durations: { count }, length }: Occurrences, noun: string): string {
  const text = plural(count, noun);
  return length < count ? `the longest ${formatCount(length)} of ${text}` : text;
}

function columns(
  of: Of,
  all: Occurrences,
  info: ExperimentInfo,
  view: ViewModel,
  limit = Infinity,
  lanes: readonly Meanwhile[] | undefined,
): readonly Column<number>[] {
  const { owners, names, owner, subject, bytes, fromNs, ns } = all;
  const { what, about, colour } = KINDS[of];
  const begin = numberColumn<number>('from', 'Begin', '120px', (i) => fromNs[i]);
  const took = durationColumn<number>('took', 'Took', 'minmax(104px, 1fr)', (i) => ns[i]);
  const name = { ...nameCell<number>(what, (i) => visibleText(names[subject[i]])), id: 'what' };
  const size = bytesColumn<number>('size', 'Size', (i) => bytes[i]);
  return [
    {
      ...begin,
      copyTitle: 'Begin, ns',
      cell: (i) => <span class="mono">{exactTime(fromNs[i], view.timeStyle.value)}</span>,
    },
    // The first is the longest.
    barred(ns.length === 0 ? [] : [0], (i) => (ns[i] > limit ? 'var(--c-bad)' : colour), took),
    ...(limit < Infinity ? [aboveColumn(ns, limit)] : []),
    ...(lanes === undefined ? [] : [laneColumn(lanes)]),
    ...(of === 'requests' ? requestTimes(all) : []),
    about === undefined ? name : explained(about, name),
    ...(of === 'io' || of === 'requests' ? [{ ...size, cell: unlessUnknown(size) }] : []),
    ...fileColumns(all),
    nameCell<number>(of === 'irq' ? 'On' : 'Thread', (i) => visibleText(owners[owner[i]].name)),
    ...(of === 'irq' ? [] : [tidColumn<number>((i) => owners[owner[i]])]),
    ...(of === 'requests' ? requestPlaces(all) : []),
    ...hostColumns<number>(info, (i) => owners[owner[i]].host),
  ];
}

/** Column of the time beyond the limit; empty where it is shorter. */
function aboveColumn(ns: Float64Array, limit: number): Column<number> {
  const column = durationColumn<number>('above', 'Above limit', '88px', (i) => Math.max(0, ns[i] - limit));
  return explained(`Longer than ${formatDuration(limit)} by`, column);
}

function laneColumn(lanes: readonly Meanwhile[]): Column<number> {
  const lane = (i: number) => i < lanes.length && <MeanwhileLane pieces={lanes[i].pieces} />;
  return explained(`What ran on the CPU meanwhile, of the ${MOST_LANES} longest; click a row to read it`, {
    ...wide(cellColumn<number>('meanwhile', 'Meanwhile', 'minmax(96px, 2fr)', () => '', lane)),
    sortable: false,
  });
}

/** The cell of a column, empty where the value is not known. */
function unlessUnknown({ value, cell }: Column<number>): Column<number>['cell'] {
  return (i) => (Number.isNaN(value(i)) ? '' : cell(i));
}

/** Columns about files, if any occurrence has one. */
function fileColumns({ names, file, requests }: Occurrences): readonly Column<number>[] {
  if (!file.some((place) => names[place] !== '')) return [];
  const path = textColumn<number>('file', 'File', 'minmax(160px, 3fr)', (i) => visibleText(names[file[i]]));
  const shown = inAllWidths(path);
  if (requests === undefined) return [shown];
  const call = textColumn<number>('call', 'In call', '72px', (i) => visibleText(names[requests.call[i]]));
  return [
    explained('System call of the thread in which it made the request', inAllWidths(call)),
    explained('File that this call was about', shown),
  ];
}

/** Columns with the time of a disk request in queue and device; in the queue only if an insertion was recorded. */
function requestTimes({ ns, requests }: Occurrences): readonly Column<number>[] {
  if (requests === undefined) return [];
  const { queuedNs } = requests;
  const disk = durationColumn<number>('disk', 'At the disk', '88px', (i) => ns[i] - (queuedNs[i] || 0));
  if (queuedNs.every((queued) => Number.isNaN(queued))) return [disk];
  const queued = durationColumn<number>('queued', 'Queued', '80px', (i) => queuedNs[i]);
  const cell: typeof queued.cell = (i) =>
    Number.isNaN(queuedNs[i]) ? <span class="faint">unknown</span> : queued.cell(i);
  return [
    explained('In the queue of the kernel, before it was given to the disk', { ...queued, cell }),
    disk,
  ];
}

function requestPlaces({ names, requests }: Occurrences): readonly Column<number>[] {
  if (requests === undefined) return [];
  const { sector, disk } = requests;
  return [
    wide(numberColumn<number>('sector', 'Sector', '72px', (i) => sector[i], true)),
    textColumn<number>('on', 'Disk', '56px', (i) => visibleText(names[disk[i]])),
  ];
}
