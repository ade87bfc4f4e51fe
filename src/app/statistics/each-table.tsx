/** Statistics: every system call, wait for a CPU, read, write and sync, request of a disk, or interrupt by itself. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { Occurrences, OccurrencesRequest } from '../../engine/protocol/statistics.ts';
import { useApp } from '../context/app-context.ts';
import { useLatestAnswer } from '../experiment/live-answer.ts';
import { formatCount } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { isReading } from '../opening/progress-row.tsx';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { Distribution } from '../widgets/histogram/distribution.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  durationColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
  textColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { Scatter } from './scatter.tsx';
import { showMark } from './show-mark.ts';

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

interface EachTableProps {
  readonly of: Of;
  readonly view: ViewModel;
  readonly info: ExperimentInfo;
  /** Time that the durations are of: "whole trace". */
  readonly scope: string;
  /** Choices of the section. */
  readonly children?: ComponentChildren;
}

/** Rows are numbers: places in the columns of the answer. */
export function EachTable({ of, view, info, scope, children }: EachTableProps) {
  const { session, experiment } = useApp();
  const { title, noun, took, colour, empty } = KINDS[of];
  // Single interrupts are not kept.
  const needsFiles = of === 'irq' && !experiment.hasFiles.value;
  const answer = useLatestAnswer(
    () => ({
      range: view.range.value,
      isReading: isReading(experiment.progress.value),
      hasFiles: experiment.hasFiles.value,
    }),
    ({ range }, signal) => session.ask('occurrences', { of, range }, { signal }),
  );
  const rows = useComputed(() => answer.value && Array.from({ length: answer.value.length }, (_, i) => i));
  const all = answer.value;
  const show = (i: number) => {
    if (all === undefined) return;
    const mark = { row: all.owners[all.owner[i]].row, fromNs: all.fromNs[i], ns: all.ns[i] };
    showMark(view, mark, of === 'syscalls' || of === 'io');
  };
  return (
    <div class="with-detail">
      <StatTable
        title={title}
        scope={all === undefined ? '' : `${scope}, ${countText(all, noun)}`}
        columns={all === undefined ? [] : columns(of, all, info, view)}
        rows={rows}
        order={{ column: 'took', descending: true }}
        empty={
          needsFiles ? 'Single interrupts are read from the files of the trace. Open them again.' : empty
        }
        keyOf={String}
        rowOf={(i) => all?.owners[all.owner[i]].row}
        onActivate={show}
      >
        {children}
      </StatTable>
      {all !== undefined && all.length > 0 && (
        <aside class="duration-detail" aria-label="Over time">
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

function countText({ durations: { count }, length }: Occurrences, noun: string): string {
  const text = plural(count, noun);
  return length < count ? `the longest ${formatCount(length)} of ${text}` : text;
}

function columns(of: Of, all: Occurrences, info: ExperimentInfo, view: ViewModel): readonly Column<number>[] {
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
    barred(ns.length === 0 ? [] : [0], () => colour, took),
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

/** The cell of a column, empty where the value is not known. */
function unlessUnknown({ value, cell }: Column<number>): Column<number>['cell'] {
  return (i) => (Number.isNaN(value(i)) ? '' : cell(i));
}

/** None where nothing is about a file. */
function fileColumns({ names, file, requests }: Occurrences): readonly Column<number>[] {
  if (!file.some((place) => names[place] !== '')) return [];
  const path = textColumn<number>('file', 'File', 'minmax(160px, 3fr)', (i) => visibleText(names[file[i]]));
  const shown = { ...path, wideOnly: false };
  if (requests === undefined) return [shown];
  const call = textColumn<number>('call', 'In call', '72px', (i) => visibleText(names[requests.call[i]]));
  return [
    explained('System call of the thread in which it made the request', { ...call, wideOnly: false }),
    explained('File that this call was about', shown),
  ];
}

/** Where a request spent its time; in the queue only where an insertion was seen. */
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
