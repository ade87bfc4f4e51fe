/** The Statistics tab: sections over the whole trace or the selected range, following the drag of a range. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { RangeRequest } from '../../workers/session-api.ts';
import { useApp } from '../context/app-context.ts';
import { Segmented } from '../controls/segmented.tsx';
import { formatDuration } from '../format/numbers.ts';
import { isReading } from '../opening/progress-row.tsx';
import { readTo } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { CpuTime } from './cpu-time.tsx';
import { DiskAndFiles } from './disk-and-files.tsx';
import { EventCounts } from './event-counts.tsx';
import { Interrupts } from './interrupts.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { LossBanner } from './loss-banner.tsx';
import { WithMissingNote } from './missing-events.tsx';
import { Scheduling } from './scheduling.tsx';
import { SystemCalls } from './system-calls.tsx';

type Section = 'cpu' | 'sched' | 'calls' | 'irq' | 'io' | 'counts';

const SECTIONS: readonly { readonly id: Section; readonly title: string }[] = [
  { id: 'cpu', title: 'CPU time' },
  { id: 'sched', title: 'Scheduling latency' },
  { id: 'calls', title: 'System calls' },
  { id: 'irq', title: 'Interrupts' },
  { id: 'io', title: 'Disk and files' },
  { id: 'counts', title: 'Event counts' },
];

export function StatisticsPanel({ view }: { readonly view: ViewModel }) {
  const { experiment, drawer } = useApp();
  const info = experiment.info.value;
  const kernel = info?.hasKernel ?? false;
  const chosen = drawer.choice<Section>('statistics', 'cpu');
  const section = kernel ? chosen.value : 'counts';
  const sections = kernel ? SECTIONS : SECTIONS.filter((s) => s.id === 'counts');
  if (info === undefined) return null;
  return (
    <div class="statistics">
      <Segmented
        class="statistics-nav"
        label="Section"
        options={sections}
        chosen={section}
        onChoose={(id) => (chosen.value = id)}
      />
      <div class="statistics-body">
        <LossBanner view={view} />
        {section === 'cpu' && <CpuSection view={view} />}
        {section === 'sched' && <SchedSection view={view} />}
        {section === 'calls' && <CallSection view={view} />}
        {section === 'irq' && <IrqSection view={view} />}
        {section === 'io' && <IoSection view={view} />}
        {section === 'counts' && <CountSection view={view} />}
      </div>
    </div>
  );
}

interface SectionProps {
  readonly view: ViewModel;
}

function CpuSection({ view }: SectionProps) {
  const { session, experiment } = useApp();
  const { stats, scope } = useStatistics(view, (range) => session.cpuStats(range));
  const info = experiment.info.value;
  if (info === undefined) return null;
  return (
    <WithMissingNote missing={stats.value?.missing ?? []} what="User time holds what cannot be told from it.">
      <CpuTime
        stats={stats}
        info={info}
        scope={scope.value}
        selectedRow={view.focusedRow.value}
        onShow={(row) => view.show(row)}
      />
    </WithMissingNote>
  );
}

function SchedSection({ view }: SectionProps) {
  const { session } = useApp();
  const { stats, scope } = useStatistics(view, (range) => session.schedStats(range));
  return <Scheduling stats={stats} scope={scope.value} view={view} />;
}

function CallSection({ view }: SectionProps) {
  const { session } = useApp();
  const { stats, scope } = useStatistics(view, (range) => session.callStats(range));
  return <SystemCalls stats={stats} scope={scope.value} view={view} />;
}

function IrqSection({ view }: SectionProps) {
  const { session, experiment } = useApp();
  const { stats, scope, lengthNs } = useStatistics(view, (range) => session.irqStats(range));
  const info = experiment.info.value;
  if (info === undefined) return null;
  return <Interrupts stats={stats} info={info} scope={scope.value} lengthNs={lengthNs.value} view={view} />;
}

function IoSection({ view }: SectionProps) {
  const { session } = useApp();
  const { stats, scope } = useStatistics(view, (range) => session.ioStats(range));
  return (
    <WithMissingNote missing={stats.value?.missing ?? []} what="Not all input and output is here.">
      <DiskAndFiles
        stats={stats}
        scope={scope.value}
        selectedRow={view.focusedRow.value}
        onShow={(row) => view.show(row)}
      />
    </WithMissingNote>
  );
}

function CountSection({ view }: SectionProps) {
  const { session } = useApp();
  const { stats, scope } = useStatistics(view, (range) => session.countStats(range));
  return <EventCounts stats={stats} scope={scope.value} style={view.timeStyle.value} />;
}

/**
 * How often a question came anew after some seconds of reading: after 3, 9, 21, ever less often, since each answer takes
 * as much of the session's time and memory as there is to sum up.
 */
function questionsAfter(seconds: number): number {
  return Math.floor(Math.log2(1 + seconds / 3));
}

interface Question {
  readonly range: RangeRequest | undefined;
  /** How often it came anew while reading; -1: reading is over. */
  readonly age: number;
  /** Display ns up to which the trace was read when it was asked; Infinity: all. */
  readonly readTo: number;
}

/** Statistics of the selected range or of all, with what they are of. While reading, they come anew now and then. */
function useStatistics<Stats>(
  view: ViewModel,
  ask: (range: RangeRequest | undefined) => Promise<Stats>,
): {
  readonly stats: ReadonlySignal<Stats | undefined>;
  readonly scope: ReadonlySignal<string>;
  readonly lengthNs: ReadonlySignal<number>;
} {
  const { experiment } = useApp();
  const age = useComputed(() => {
    const progress = experiment.progress.value;
    return isReading(progress) ? questionsAfter(progress?.seconds ?? 0) : -1;
  });
  // Each report of progress moves how far it is read, and does not ask anew.
  const question = (): Question => ({
    range: view.range.value,
    age: age.value,
    readTo: readTo(experiment.progress.peek()),
  });
  const answer = useLiveAnswer(question, async (asked) => ({ asked, stats: await ask(asked.range) }));
  // Of the numbers that are shown: a new range has none yet.
  const of = useComputed(() => answer.value?.asked ?? question());
  return {
    stats: useComputed(() => answer.value?.stats),
    scope: useComputed(() => scopeText(of.value)),
    lengthNs: useComputed(() => {
      const { from, to } = of.value.range ?? view.extent.value;
      return Math.min(to, of.value.readTo) - from;
    }),
  };
}

function scopeText({ range, age, readTo }: Question): string {
  if (range !== undefined) return `selected ${formatDuration(range.to - range.from)}`;
  if (age >= 0) return 'what is read so far';
  return readTo < Infinity ? 'what was read' : 'whole trace';
}
