/** Tables of interrupts, of all CPUs and by CPU. */
import { count, DISTRIBUTION, distribution, duration, host, id, name, text } from '../columns.ts';
import type { Details, StatColumn, StatTable, StatisticTables } from '../columns.ts';
import type { InterruptKind, IrqStat, IrqStats } from '../../../protocol/statistics.ts';

const NAME = { kind: 'kind', id: 'id', name: 'name' };
const KINDS: Readonly<Record<InterruptKind, string>> = {
  irq: 'device',
  softirq: 'softirq',
  timer: 'timer',
  vector: 'vector',
};

const details: Details<IrqStats, IrqStat> = {
  longest: 'Longest',
  parts: [
    { title: 'Entry to exit', colour: 'st-irq', stat: ({ run }) => run },
    { title: 'Raise to entry', colour: 'st-ready', stat: ({ raised }) => raised },
  ],
  title: (row) => (row.cpu === undefined ? titleOf(row) : `${titleOf(row)}, CPU ${row.cpu}`),
};

const interrupts: StatTable<IrqStats, IrqStat> = {
  ...{ list: 'interrupts', by: 'interrupt', title: 'Interrupts', noun: 'interrupt' },
  keyOf,
  details,
  columns: ({ lengthNs }) => columns(lengthNs, []),
  printed: { ...DISTRIBUTION, ...NAME },
  chosenBy: 'name',
  json,
};

const raised: StatTable<IrqStats, IrqStat> = {
  rows: (stats) => stats.interrupts,
  caption: 'raise to entry',
  columns: () => [
    count('count', 'Count', (row) => row.raised.count),
    duration('total', 'Waited', (row) => row.raised.totalNs),
    ...Object.values(distribution<IrqStat>('84px', (row) => row.raised)),
    ...nameColumns,
  ],
  printed: { ...DISTRIBUTION, ...NAME },
  chosenBy: 'name',
  isPrinted: (row) => row.raised.count > 0,
};

const cpus: StatTable<IrqStats, IrqStat> = {
  ...{ list: 'cpus', by: 'cpu', choice: 'CPU', title: 'Interrupts by CPU', noun: 'row' },
  keyOf,
  leadsTo: ({ host, cpu }) => `cpu:${host}:${cpu}`,
  details,
  columns: ({ lengthNs }) => columns(lengthNs, [id('cpu', 'CPU', (row) => row.cpu ?? -1, { width: '48px' })]),
  caption: 'by CPU',
  printed: { host: 'host', cpu: 'cpu', count: 'count', total: 'total ns', max: 'max ns', ...NAME },
  chosenBy: 'cpu',
  json,
};

export const irq: StatisticTables<IrqStats> = {
  title: 'Interrupts',
  essential: ['irq-entry', 'softirq-entry'],
  choice: { name: 'interrupts', label: 'Interrupts by' },
  kept: ['states', 'interrupts'],
  order: { column: 'total', descending: true },
  empty: 'No interrupt began and ended in this time.',
  knownBy: 'Interrupts are known by the events of their entry and exit.',
  note: 'Not all interrupts are here.',
  tables: [interrupts, raised, cpus, { by: 'each', each: 'irq' }],
};

function keyOf({ host, cpu, kind, id, name }: IrqStat): string {
  return `${host} ${cpu ?? ''} ${kind} ${id} ${name}`;
}

/** Title in a list of all kinds: `softirq TIMER`. */
export function titleOf({ kind, name }: IrqStat): string {
  return kind === 'softirq' ? `softirq ${name}` : name;
}

function json({ host, cpu, kind, id, name, run, raised }: IrqStat): object {
  return { host, cpu, kind, id, name, run, raised: kind === 'softirq' ? raised : undefined };
}

const nameColumns: readonly StatColumn<IrqStat>[] = [
  name('Interrupt', titleOf, { printed: (row) => row.name }),
  text('kind', 'Kind', (row) => KINDS[row.kind], { width: '64px', printed: (row) => row.kind }),
  text('id', 'Number', (row) => (row.id < 0 ? '' : String(row.id)), { drawn: false }),
];

/** @param cpu the column of the CPU */
function columns(lengthNs: number, cpu: readonly StatColumn<IrqStat>[]): readonly StatColumn<IrqStat>[] {
  const { mean, p50, p95, p99, max } = distribution<IrqStat>('84px', ({ run }) => run);
  const isShown = (row: IrqStat) => row.raised.count > 0;
  return [
    ...nameColumns,
    host(),
    ...cpu,
    count('count', 'Count', ({ run }) => run.count, { width: '64px' }),
    count('rate', 'per s', ({ run }) => (1e9 * run.count) / Math.max(1, lengthNs), {
      width: '64px',
      wide: true,
    }),
    duration('total', 'Took', ({ run }) => run.totalNs, { width: 'minmax(120px, 168px)', bar: 'st-irq' }),
    ...[mean, { ...p50, drawn: false }, { ...p95, drawn: false }, { ...p99, wide: true }, max],
    duration('raised', 'Raise to entry', (row) => row.raised.meanNs, {
      about: 'From when a softirq was asked for to when it began: the mean',
      width: '92px',
      isShown,
    }),
    duration('raised-max', 'Longest raise', (row) => row.raised.maxNs, {
      width: '92px',
      wide: true,
      isShown,
    }),
  ];
}
