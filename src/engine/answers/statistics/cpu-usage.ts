/** CPU time of threads, processes and programs as rows of tables. States are grouped as tables show them. Pure. */
import { addNumber } from '../../base/group-by.ts';
import * as values from '../../linux/events/values.ts';
import { textAt } from '../../base/text-column.ts';
import { packTexts } from '../../base/text-writer.ts';
import type { CpuStat, CpuStats, ThreadCpuStats } from '../../protocol/statistics.ts';

/**
 * A thread, a process or a program, as a view of one row of columns (there can be a hundred thousand). Times are ns.
 */
export class Usage {
  /** @param capacity ns of all CPUs of its host */
  constructor(
    private readonly stats: ThreadCpuStats,
    private readonly at: number,
    private readonly capacity: number,
  ) {}

  get row(): string {
    return textAt(this.stats.row, this.at);
  }

  get name(): string {
    return textAt(this.stats.name, this.at);
  }

  /** tid, pid, or number of processes. */
  get id(): number {
    return this.stats.tid[this.at];
  }

  /** Index of its host. */
  get host(): number {
    return this.stats.host[this.at];
  }

  get user(): number {
    return this.#ns(values.STATE_USER);
  }

  get kernel(): number {
    return this.#ns(values.STATE_KERNEL);
  }

  get guest(): number {
    return this.#ns(values.STATE_GUEST);
  }

  /** Time in an unknown mode. */
  get running(): number {
    return this.#ns(values.STATE_RUNNING);
  }

  get interrupted(): number {
    return this.#ns(values.STATE_INTERRUPTED);
  }

  get runnable(): number {
    return this.#ns(values.STATE_PREEMPTED) + this.#ns(values.STATE_WOKEN) + this.#ns(values.STATE_NEW);
  }

  get blocked(): number {
    return this.#ns(values.STATE_BLOCKED_S) + this.#ns(values.STATE_BLOCKED_D);
  }

  /** Idle, parked or stopped. */
  get idle(): number {
    return (
      this.#ns(values.STATE_STOPPED) + this.#ns(values.STATE_IDLE_KTHREAD) + this.#ns(values.STATE_PARKED)
    );
  }

  get unknown(): number {
    return this.#ns(values.STATE_UNKNOWN);
  }

  get onCpu(): number {
    return values.ownTime(this.stats.states, this.at * STATES) + this.interrupted;
  }

  /** Time of its life in which its state is known. */
  get known(): number {
    return this.onCpu + this.runnable + this.blocked + this.idle;
  }

  /** Time in all states but dead. */
  get total(): number {
    return this.known + this.unknown;
  }

  /** Share of its host's CPU time. */
  get share(): number {
    return this.onCpu / Math.max(1, this.capacity);
  }

  /** Number of times on a CPU in the whole trace; 0 where lives were not asked for. */
  get runs(): number {
    return this.stats.lives?.runs[this.at] ?? 0;
  }

  get migrations(): number {
    return this.stats.migrations[this.at];
  }

  /** ns by state number. */
  get states(): Float64Array {
    return this.stats.states.subarray(this.at * STATES, (this.at + 1) * STATES);
  }

  /** ns blocked by cause; undefined: not known. */
  get causes(): Float64Array | undefined {
    return this.stats.causes?.subarray(this.at * values.CAUSES.length, (this.at + 1) * values.CAUSES.length);
  }

  #ns(state: number): number {
    return this.stats.states[this.at * STATES + state];
  }
}

const STATES = values.THREAD_STATES.length;

export function threadUsage({ threads, cpus }: CpuStats): readonly Usage[] {
  return usageOf(threads, cpus);
}

/** Sums of threads by process. A thread of unknown process stands for itself. */
export function processUsage({ threads, cpus }: CpuStats): readonly Usage[] {
  return usageOf(byProcess(threads), cpus);
}

/** Sums of processes by program name and host. */
export function programUsage({ threads, cpus }: CpuStats): readonly Usage[] {
  return usageOf(byProgram(byProcess(threads)), cpus);
}

function usageOf(stats: ThreadCpuStats, cpus: readonly CpuStat[]): readonly Usage[] {
  const capacity = new Map<number, number>();
  for (const cpu of cpus) addNumber(capacity, cpu.host, timeOf(cpu));
  const usage: Usage[] = [];
  for (let i = 0; i < stats.length; i++) usage.push(new Usage(stats, i, capacity.get(stats.host[i]) ?? 0));
  return usage;
}

/** ns in which a CPU was busy. */
export function busyOf(cpu: CpuStat): number {
  return cpu.user + cpu.kernel + cpu.guest + cpu.running + interruptsOf(cpu);
}

/** ns in which the activity of a CPU is known. */
export function knownOf(cpu: CpuStat): number {
  return busyOf(cpu) + cpu.idle;
}

/** ns of a CPU in interrupts. */
export function interruptsOf({ hardirq, softirq, timer }: CpuStat): number {
  return hardirq + softirq + timer;
}

/**
 * Share of the trace's events that were lost while recording, 0 to 1: numbers of threads are too low by about as much.
 */
export function lostShare(recorded: Readonly<Record<'events' | 'discardedEvents', number>>): number {
  const { events, discardedEvents: lost } = recorded;
  return lost === 0 ? 0 : lost / (events + lost);
}

/** Load of some CPUs, 0 to 1, over the known time; NaN: nothing is known. */
export function loadOf(...cpus: readonly CpuStat[]): number {
  const sum = (of: (cpu: CpuStat) => number) => cpus.reduce((ns, cpu) => ns + of(cpu), 0);
  return sum(busyOf) / sum(knownOf);
}

/** All ns of a CPU. */
export function timeOf(cpu: CpuStat): number {
  return busyOf(cpu) + cpu.idle + cpu.unknown;
}

/** A row for each process, with the pid as its id; name and row are those of the leader. */
function byProcess(threads: ThreadCpuStats): ThreadCpuStats {
  const { tid, pid, host, process } = threads;
  const { groupOf, leaders } = grouped(threads, (i) => host[i] * 2 ** 32 + process[i]);
  for (let i = 0; i < threads.length; i++) if (tid[i] === pid[i]) leaders[groupOf[i]] = i;
  const pids = Int32Array.from(leaders, (leader) => pid[leader]);
  return summed(threads, groupOf, leaders, pids);
}

/** A row for each program name on a host, with the number of its processes as its id. */
function byProgram(processes: ThreadCpuStats): ThreadCpuStats {
  const { host, name } = processes;
  const { groupOf, leaders } = grouped(processes, (i) => `${host[i]} ${textAt(name, i)}`);
  const counts = new Int32Array(leaders.length);
  for (const group of groupOf) counts[group]++;
  return summed(processes, groupOf, leaders, counts);
}

/** Group of each row, and the first row of each group. */
function grouped({ length }: ThreadCpuStats, keyOf: (row: number) => number | string) {
  const groups = new Map<number | string, number>();
  const leaders: number[] = [];
  const groupOf = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const key = keyOf(i);
    const known = groups.get(key);
    const group = known ?? leaders.push(i) - 1;
    if (known === undefined) groups.set(key, group);
    groupOf[i] = group;
  }
  return { groupOf, leaders };
}

/**
 * A row for each group, named after its leader.
 * @param ids id of each group
 */
function summed(
  stats: ThreadCpuStats,
  groupOf: Int32Array,
  leaders: readonly number[],
  ids: Int32Array,
): ThreadCpuStats {
  const { length } = leaders;
  const states = new Float64Array(length * STATES);
  const causes = stats.causes && new Float64Array(length * values.CAUSES.length);
  const migrations = new Float64Array(length);
  for (let i = 0; i < stats.length; i++) {
    const at = groupOf[i] * STATES;
    for (let state = 0; state < STATES; state++) states[at + state] += stats.states[i * STATES + state];
    for (let cause = 0; causes !== undefined && cause < values.CAUSES.length; cause++)
      causes[groupOf[i] * values.CAUSES.length + cause] +=
        stats.causes?.[i * values.CAUSES.length + cause] ?? 0;
    migrations[groupOf[i]] += stats.migrations[i];
  }
  return {
    length,
    row: packTexts(leaders.map((leader) => textAt(stats.row, leader))),
    name: packTexts(leaders.map((leader) => textAt(stats.name, leader))),
    tid: ids,
    pid: ids,
    process: Int32Array.from(leaders, (leader) => stats.process[leader]),
    host: Int32Array.from(leaders, (leader) => stats.host[leader]),
    states,
    causes,
    migrations,
  };
}
