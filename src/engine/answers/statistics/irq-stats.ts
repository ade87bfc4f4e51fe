/** Interrupts of a range, by interrupt and by CPU. */
import { softirqName } from '../../linux/events/interrupt-names.ts';
import {
  RAISED,
  RUN_IRQ,
  RUN_KINDS,
  RUN_SOFTIRQ,
  RUN_TIMER,
  type InterruptKey,
  InterruptSums,
} from '../../linux/sums/interrupts/interrupt-chunk.ts';
import { interrupts, type CpuInterrupts } from '../../linux/sums/interrupts/interrupts.ts';
import { durationStatOf, inDisplayTime, type DurationGroup, type Owner } from './duration-stat.ts';
import { aggregateOf } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { InterruptKind, IrqStat, IrqStats } from '../../protocol/statistics.ts';
import { irq as tables } from './tables/irq.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';

export const irq = statistic<IrqStats>({
  tables,
  needs: [['irq-entry'], ['softirq-entry'], ['softirq-raise'], ['hrtimer-entry']],
  none: { approximate: false, interrupts: [], cpus: [] },
  count,
});

async function count(scope: StatisticScope): Promise<Counted<IrqStats>> {
  const owners: Owner[] = [];
  const parts: Part[] = [];
  let approximate = false;
  for (const host of scope.hosts) {
    const { index, clock, query, tables } = host;
    const answer = await aggregateOf<readonly CpuInterrupts[]>(interrupts.id, scope, host);
    approximate ||= answer.approximate;
    for (const ofCpu of answer.result) {
      const { cpu } = ofCpu;
      const { keys, sums } = tables === undefined ? ofCpu : await withCutRuns(query, tables, ofCpu);
      const table = inDisplayTime(sums, clock, owners, () => cpuOwner(index, cpu));
      keys.forEach((key, group) => parts.push({ host: index, cpu, key, part: { table, group } }));
    }
  }
  const all = parts.map((part) => ({ ...part, cpu: undefined }));
  return {
    approximate,
    interrupts: statsOf(all, owners),
    cpus: statsOf(parts, owners),
  };
}

interface Part {
  readonly host: number;
  readonly cpu: number | undefined;
  readonly key: InterruptKey;
  readonly part: DurationGroup;
}

export function cpuOwner(host: number, cpu: number): Owner {
  return { row: `cpu:${host}:${cpu}`, name: `CPU ${cpu}` };
}

/** One entry per host, CPU and interrupt. */
function statsOf(parts: readonly Part[], owners: readonly Owner[]): IrqStat[] {
  const rows = new Map<string, { first: Part; run: DurationGroup[]; raised: DurationGroup[] }>();
  for (const one of parts) {
    const { host, cpu, key, part } = one;
    const kind = key.kind === RAISED ? RUN_SOFTIRQ : key.kind;
    const id = `${host} ${cpu} ${kind} ${key.id} ${key.name}`;
    const row = rows.get(id) ?? { first: one, run: [], raised: [] };
    rows.set(id, row);
    row[key.kind === RAISED ? 'raised' : 'run'].push(part);
  }
  return Array.from(rows.values(), ({ first: { host, cpu, key }, run, raised }) => ({
    host,
    kind: KINDS[key.kind],
    id: key.id,
    name: nameOf(key),
    cpu,
    run: durationStatOf(run, owners),
    raised: durationStatOf(raised, owners),
  }));
}

/** Kinds by RUN_*, then RAISED, which belongs to its softirq. */
const KINDS: readonly InterruptKind[] = ['irq', 'softirq', 'timer', 'vector', 'softirq'];

/** Name of an interrupt, or of a pending softirq. */
export function nameOf({ kind, id, name }: InterruptKey): string {
  if (kind === RUN_IRQ) return name === '' ? `irq ${id}` : name;
  if (kind === RUN_TIMER) return `timer …${(id >>> 0).toString(16).padStart(8, '0')}`;
  return kind < RUN_KINDS && kind !== RUN_SOFTIRQ ? name : softirqName(id);
}

/** Title in a list of all kinds: `softirq TIMER`, and for the time from raise to entry `softirq TIMER, raised`. */
export function interruptTitle(key: InterruptKey): string {
  const name = nameOf(key);
  if (key.kind === RAISED) return `softirq ${name}, raised`;
  return key.kind === RUN_SOFTIRQ ? `softirq ${name}` : name;
}

/** The sums with a CPU's interrupts that they lack so far. @internal */
export async function withCutRuns(
  query: Pick<HistoryQuery, 'intervals'>,
  { cpus }: StateTables,
  { cpu, keys, sums, cutRuns }: CpuInterrupts,
): Promise<Pick<CpuInterrupts, 'keys' | 'sums'>> {
  const attribute = cpus.find((row) => row.cpu === cpu)?.threadAttribute;
  if (cutRuns.length === 0 || attribute === undefined) return { keys, sums };
  const all = new InterruptSums();
  all.addTable(keys, sums);
  for (const { key, begin, end } of cutRuns)
    all.add(key, begin, await cutLength(query, attribute, begin, end), cpu);
  return all.finish();
}

/**
 * ns on the CPU of an interrupt that was switched out meanwhile.
 * @param attribute thread that runs on the CPU
 */
export async function cutLength(
  query: Pick<HistoryQuery, 'intervals'>,
  attribute: number,
  begin: number,
  end: number,
): Promise<number> {
  const stays = await query.intervals(attribute, begin, end);
  const [{ value: thread } = { value: 0 }] = stays;
  return stays
    .filter(({ value }) => value === thread)
    .reduce((sum, { from, to }) => sum + Math.min(end, to) - Math.max(begin, from), 0);
}
