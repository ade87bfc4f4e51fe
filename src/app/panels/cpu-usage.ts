/** CPU statistics as the tables want them: states gathered into what is drawn alike. Times are ns. */
import {
  STATE_BLOCKED_D,
  STATE_BLOCKED_S,
  STATE_DEAD,
  STATE_IDLE_KTHREAD,
  STATE_INTERRUPTED,
  STATE_KERNEL,
  STATE_NEW,
  STATE_PARKED,
  STATE_PREEMPTED,
  STATE_STOPPED,
  STATE_UNKNOWN,
  STATE_USER,
  STATE_WOKEN,
  STATE_ZOMBIE,
} from '../../engine/kernel/values.ts';
import type { CpuStat, CpuStats, ExperimentInfo } from '../../workers/session-api.ts';
import type { Part } from '../table/bars.tsx';

/** A thread or a process. */
export interface Usage {
  /** Row to show. */
  readonly row: string;
  readonly name: string;
  /** tid or pid. */
  readonly id: number;
  readonly pid: number;
  readonly host: number;
  readonly hostName: string;
  readonly user: number;
  readonly kernel: number;
  readonly interrupted: number;
  readonly runnable: number;
  readonly blocked: number;
  /** Idle, parked or stopped. */
  readonly idle: number;
  readonly unknown: number;
  readonly onCpu: number;
  /** All states in which it was there. */
  readonly total: number;
  /** On CPU, of the time of its host's CPUs. */
  readonly share: number;
  readonly migrations: number;
}

export type CpuUsage = CpuStat & { readonly hostName: string };

export function threadUsage(stats: CpuStats, info: ExperimentInfo): readonly Usage[] {
  const capacity = new Map<number, number>();
  for (const cpu of stats.cpus) {
    const time = cpu.idle + cpu.user + cpu.kernel + cpu.hardirq + cpu.softirq + cpu.timer + cpu.unknown;
    capacity.set(cpu.host, (capacity.get(cpu.host) ?? 0) + time);
  }
  return stats.threads.map((thread) => {
    const sum = (...states: readonly number[]) =>
      states.reduce((ns, state) => ns + (thread.states[state] ?? 0), 0);
    const onCpu = sum(STATE_USER, STATE_KERNEL, STATE_INTERRUPTED);
    return {
      row: thread.row,
      name: thread.name,
      id: thread.tid,
      pid: thread.pid,
      host: thread.host,
      hostName: info.hosts.find((host) => host.index === thread.host)?.name ?? '',
      user: sum(STATE_USER),
      kernel: sum(STATE_KERNEL),
      interrupted: sum(STATE_INTERRUPTED),
      runnable: sum(STATE_PREEMPTED, STATE_WOKEN, STATE_NEW),
      blocked: sum(STATE_BLOCKED_S, STATE_BLOCKED_D),
      idle: sum(STATE_STOPPED, STATE_IDLE_KTHREAD, STATE_PARKED),
      unknown: sum(STATE_UNKNOWN),
      onCpu,
      total: thread.states.reduce((ns, of) => ns + of, 0) - sum(STATE_ZOMBIE, STATE_DEAD),
      share: onCpu / Math.max(1, capacity.get(thread.host) ?? 0),
      migrations: thread.migrations,
    };
  });
}

/** Threads of one process summed. A thread of unknown process stands by itself. */
export function processUsage(threads: readonly Usage[]): readonly Usage[] {
  const processes = new Map<string, Usage>();
  for (const thread of threads) {
    const key = thread.pid < 0 ? thread.row : `${thread.host}:${thread.pid}`;
    const known = processes.get(key);
    processes.set(key, known === undefined ? { ...thread, id: thread.pid } : joined(known, thread));
  }
  return [...processes.values()];
}

/** The leader, whose tid is the pid, gives name and row. */
function joined(a: Usage, b: Usage): Usage {
  const leader = b.id === b.pid ? b : a;
  const sum = (key: 'user' | 'kernel' | 'interrupted' | 'runnable' | 'blocked' | 'idle' | 'unknown') =>
    a[key] + b[key];
  return {
    ...a,
    row: leader.row,
    name: leader.name,
    user: sum('user'),
    kernel: sum('kernel'),
    interrupted: sum('interrupted'),
    runnable: sum('runnable'),
    blocked: sum('blocked'),
    idle: sum('idle'),
    unknown: sum('unknown'),
    onCpu: a.onCpu + b.onCpu,
    total: a.total + b.total,
    share: a.share + b.share,
    migrations: a.migrations + b.migrations,
  };
}

export function usageParts(usage: Usage): readonly Part[] {
  return [
    { label: 'User', colour: 'var(--st-user)', ns: usage.user },
    { label: 'Kernel', colour: 'var(--st-kernel)', ns: usage.kernel },
    { label: 'Interrupted', colour: 'var(--st-irq)', ns: usage.interrupted },
    { label: 'Runnable', colour: 'var(--st-ready)', ns: usage.runnable },
    { label: 'Blocked', colour: 'var(--c-load)', ns: usage.blocked },
    { label: 'Unknown', colour: 'var(--st-unknown)', unknown: true, ns: usage.unknown },
  ];
}

export function cpuParts(cpu: CpuStat): readonly Part[] {
  return [
    { label: 'User', colour: 'var(--st-user)', ns: cpu.user },
    { label: 'Kernel', colour: 'var(--st-kernel)', ns: cpu.kernel },
    { label: 'Interrupts', colour: 'var(--st-irq)', ns: cpu.hardirq + cpu.softirq + cpu.timer },
    { label: 'Unknown', colour: 'var(--st-unknown)', unknown: true, ns: cpu.unknown },
  ];
}
