/** How CPUs were used: hosts whose CPUs had hardly anything to spare, and CPUs that interrupts take much of. */
import { busyOf, interruptsOf, knownOf, loadOf, threadUsage } from '../statistics/cpu-usage.ts';
import { irq } from '../statistics/irq-stats.ts';
import type { IrqStat } from '../../protocol/statistics.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';

export interface Saturated extends Measured {
  readonly host: string;
  /** Numbers of the CPUs of which something is known. */
  readonly cpus: readonly number[];
  /** Whether all of their time is known, and the host has no others. */
  readonly isWhole: boolean;
  /** Thread that had most of them, and for how long; undefined: none ran. */
  readonly most: string | undefined;
  readonly mostNs: number;
}

/** Share of what is not known that is not worth a word. */
const NEGLIGIBLE = 0.01;

/** Hosts by the share of the time in which their CPUs were not idle. */
export async function saturated(facts: Pick<Facts, 'cpu' | 'trace'>): Promise<Measures<Saturated>> {
  const stats = await facts.cpu();
  const { cpus } = stats;
  const threads = threadUsage(stats);
  const found = facts.trace.time.hosts.flatMap(({ name }, host): Saturated[] => {
    const all = cpus.filter((cpu) => cpu.host === host);
    const own = all.filter((cpu) => knownOf(cpu) > 0);
    const knownNs = own.reduce((sum, cpu) => sum + knownOf(cpu), 0);
    const unknownNs = all.reduce((sum, cpu) => sum + cpu.unknown, 0);
    if (knownNs === 0) return [];
    const busyNs = own.reduce((sum, cpu) => sum + busyOf(cpu), 0);
    let [most, mostNs]: [string | undefined, number] = [undefined, 0];
    for (const usage of threads)
      if (usage.host === host && usage.onCpu > mostNs) [most, mostNs] = [usage.name, usage.onCpu];
    const isWhole = unknownNs <= NEGLIGIBLE * (knownNs + unknownNs);
    const numbers = own.map(({ cpu }) => cpu);
    return [{ share: loadOf(...own), ns: busyNs, host: name, cpus: numbers, isWhole, most, mostNs }];
  });
  return { found };
}

export interface Interrupted extends Measured {
  readonly host: string;
  readonly cpu: number;
  /** Interrupt that took most of it, and for how long; undefined: none ended in the trace. */
  readonly most: string | undefined;
  readonly mostNs: number;
}

/** CPUs by the share of their time that interrupts took. */
export async function interrupted(
  facts: Pick<Facts, 'context' | 'cpu' | 'trace' | 'leastNs'>,
): Promise<Measures<Interrupted>> {
  const { cpus } = await facts.cpu();
  const much = cpus.filter((cpu) => interruptsOf(cpu) >= facts.leastNs);
  if (much.length === 0) return { found: [] };
  const kinds = (await irq.answer(facts.context, {})).cpus;
  const found = much.map((cpu): Interrupted => {
    const most = longest(kinds.filter((kind) => kind.host === cpu.host && kind.cpu === cpu.cpu));
    return {
      share: interruptsOf(cpu) / knownOf(cpu),
      ns: interruptsOf(cpu),
      host: facts.trace.time.hosts[cpu.host].name,
      cpu: cpu.cpu,
      most: most && nameOf(most),
      mostNs: most?.run.totalNs ?? 0,
    };
  });
  return { found };
}

function longest(kinds: readonly IrqStat[]): IrqStat | undefined {
  return kinds.reduce<IrqStat | undefined>(
    (most, kind) => (most === undefined || kind.run.totalNs > most.run.totalNs ? kind : most),
    undefined,
  );
}

function nameOf({ kind, name }: IrqStat): string {
  return kind === 'softirq' ? `softirq ${name}` : name;
}
