/** Made-up CPU time of CPUs and threads, ns. */
import { packTexts } from '../../src/engine/base/text-writer.ts';
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import type { CpuStat, ThreadCpuStats } from '../../src/engine/protocol/statistics.ts';

export function cpuStat(host: number, cpu: number, times: Partial<CpuStat>): CpuStat {
  const interrupts = { hardirq: 0, softirq: 0, timer: 0 };
  const none = { idle: 0, user: 0, kernel: 0, guest: 0, running: 0, ...interrupts, unknown: 0 };
  return { row: `cpu:${host}:${cpu}`, cpu, host, ...none, switches: 0, ...times };
}

interface MadeThread {
  readonly row?: string;
  readonly name?: string;
  readonly tid?: number;
  readonly pid?: number;
  readonly process?: number;
  readonly host?: number;
  /** By number of the state. */
  readonly states: Readonly<Record<number, number>>;
}

export function threadCpuStats(threads: readonly MadeThread[]): ThreadCpuStats {
  return {
    length: threads.length,
    row: packTexts(threads.map(({ tid = 0, row = `thread:0:${tid}` }) => row)),
    name: packTexts(threads.map(({ tid = 0, name = `t${tid}` }) => name)),
    tid: Int32Array.from(threads, ({ tid = 0 }) => tid),
    pid: Int32Array.from(threads, ({ pid = 0 }) => pid),
    process: Int32Array.from(threads, ({ process = 0 }) => process),
    host: Int32Array.from(threads, ({ host = 0 }) => host),
    states: Float64Array.from(threads.flatMap(({ states }) => THREAD_STATES.map((_, i) => states[i] ?? 0))),
    migrations: new Float64Array(threads.length).fill(1),
  };
}
