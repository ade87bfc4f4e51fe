/** The Statistics tab: a section for each statistic. */
import './statistics.css';
import type { StatisticName } from '../../engine/protocol/queries.ts';
import { useApp } from '../context/app-context.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import type { ViewModel } from '../timeline/timeline.tsx';
import { CpuTime } from './cpu-time.tsx';
import { WithDamageBanner } from '../context/damage-banner.tsx';
import { DiskAndFiles } from './disk-and-files.tsx';
import { EventCounts } from './event-counts.tsx';
import { Heap } from './heap.tsx';
import { Interrupts } from './interrupts.tsx';
import { LossBanner } from './loss-banner.tsx';
import { KernelMemory } from './kernel-memory.tsx';
import { Network } from './network.tsx';
import { Scheduling } from './scheduling.tsx';
import { type Section, section } from './statistic-section.tsx';
import { SystemCalls } from './system-calls.tsx';

/** In order of the tab. */
const SECTIONS: Readonly<Record<StatisticName, Section>> = {
  cpu: section('cpu', 'CPU time', CpuTime, 'Time whose kind is not recorded counts as user time.'),
  sched: section('sched', 'Scheduling latency', Scheduling),
  syscalls: section('syscalls', 'System calls', SystemCalls),
  irq: section('irq', 'Interrupts', Interrupts),
  io: section('io', 'Disk and files', DiskAndFiles, 'Not all input and output is here.'),
  net: section('net', 'Network', Network),
  memory: section('memory', 'Kernel memory', KernelMemory),
  heap: section('heap', 'Heap', Heap),
  counts: section('counts', 'Event counts', EventCounts),
};
const CHOICES = (Object.keys(SECTIONS) as StatisticName[]).map((id) => ({ id, title: SECTIONS[id].title }));
/** Parts of a kept trace (`DamageInfo.parts`) that a statistic is made of. */
const NEEDS: Readonly<Record<StatisticName, readonly string[]>> = {
  cpu: ['states'],
  sched: ['states'],
  syscalls: ['states', 'call-failures'],
  irq: ['states', 'interrupts'],
  io: ['io'],
  net: ['network'],
  memory: ['states', 'memory'],
  heap: [],
  counts: ['counts'],
};
/** Of a trace without a kernel's. */
const WITHOUT_KERNEL: readonly StatisticName[] = ['counts', 'heap'];

export function StatisticsPanel({ view }: { readonly view: ViewModel }) {
  const { experiment } = useApp();
  const info = experiment.info.value;
  const chosen = useChoice('statistics.section', CHOICES);
  if (info === undefined) return null;
  const isOffered = (id: StatisticName) => info.hasKernel || WITHOUT_KERNEL.includes(id);
  const shown = isOffered(chosen.value) ? chosen.value : WITHOUT_KERNEL[0];
  const { View } = SECTIONS[shown];
  return (
    <div class="statistics">
      <Segmented
        class="statistics-nav"
        label="Section"
        options={CHOICES.filter(({ id }) => isOffered(id))}
        chosen={shown}
        onChoose={chosen.choose}
      />
      <div class="statistics-body">
        <LossBanner view={view} />
        <WithDamageBanner needs={NEEDS[shown]}>
          <View key={shown} view={view} info={info} />
        </WithDamageBanner>
      </div>
    </div>
  );
}
