/** The kernel's memory and page faults of a range, by thread. */
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import {
  addMemory,
  NO_MEMORY,
  memory as memoryUse,
  type MemorySums,
  type MemoryUse,
} from '../../linux/sums/memory/memory.ts';
import { groupBy } from '../../base/group-by.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { aggregateOf, timesOfHost, windowOfHost, lifeSums } from './range-aggregates.ts';
import { threadOf } from '../context/thread-rows.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { MemoryStat, MemoryStats, ProgramMemoryStat } from '../../protocol/statistics.ts';
import { memory as tables } from './tables/memory.ts';
import { runningThread } from './running-threads.ts';

export const memory = statistic<MemoryStats>({
  tables,
  needs: [
    ['switch'],
    ['page-alloc'],
    ['page-free'],
    ['object-alloc'],
    ['object-free'],
    ['user-fault'],
    ['kernel-fault'],
  ],
  none: { approximate: false, threads: [], programs: [] },
  count,
});

/** Sums by row of the thread; NOBODY: not known. */
type SumsByThread = Map<number, MemorySums>;
const NOBODY = -1;

async function count(scope: StatisticScope): Promise<Counted<MemoryStats>> {
  const threads: MemoryStat[] = [];
  let approximate = false;
  for (const host of scope.hosts.filter(isKernelHost)) {
    const usesIn = async (part: TimeWindow | undefined) => {
      const answer = await aggregateOf<readonly MemoryUse[]>(memoryUse.id, scope, host, part);
      approximate ||= answer.approximate;
      return knownUses(host, answer.result);
    };
    const { from, to } = timesOfHost(scope.range, host.clock);
    const uses = await usesIn(windowOfHost(scope.range, host.clock));
    const { tid, first, last } = host.tables.threads;
    // Each CPU has an idle thread, all with tid 0.
    const lives = [...tid.keys()].filter((row) => tid[row] !== 0 && first[row] < to && last[row] >= from);
    const countLife = (life: TimeWindow) =>
      usesIn({ from: Math.max(from, life.from), to: Math.min(to, life.to) });
    const ofLives = scope.trace.files && (await lifeSums(host.tables, lives, uses, countLife));
    for (const [thread, sums] of sumsByThread(host, uses, lives, ofLives ?? new Map()))
      threads.push(statOf(host, thread, sums));
  }
  const programs = groupBy(threads, ({ host, name }) => `${host} ${name}`);
  return { approximate, threads, programs: Array.from(programs.values(), programOf) };
}

/** Uses with the tid of the thread that ran, where it was open; 0 for idle threads, with their CPU. */
async function knownUses(host: KernelHost, uses: readonly MemoryUse[]): Promise<readonly MemoryUse[]> {
  const rows = await runningThread(host, uses, undefined);
  const { tid } = host.tables.threads;
  return uses.map((use, i) => (rows[i] < 0 ? use : { ...use, tid: tid[rows[i]] }));
}

function sumsByThread(
  { tables: { threads } }: KernelHost,
  uses: readonly MemoryUse[],
  lives: readonly number[],
  ofLives: ReadonlyMap<number, readonly MemoryUse[]>,
): SumsByThread {
  const sums: SumsByThread = new Map();
  const add = (thread: number, use: MemoryUse) => {
    const known = sums.get(thread);
    sums.set(thread, known === undefined ? use.sums : addMemory(known, use.sums));
  };
  for (const [thread, own] of ofLives) for (const use of own) add(thread, use);
  const apart = new Set(Array.from(ofLives.keys(), (thread) => threads.tid[thread]));
  const firstOf = new Map(lives.map((thread) => [threads.tid[thread], thread] as const).reverse());
  const idle = (cpu: number) => threads.tid.findIndex((tid, i) => tid === 0 && threads.idleCpu[i] === cpu);
  for (const use of uses) {
    if (apart.has(use.tid)) continue;
    add(use.tid === 0 ? idle(use.cpu) : (firstOf.get(use.tid) ?? NOBODY), use);
  }
  return sums;
}

function statOf(host: KernelHost, thread: number, sums: MemorySums): MemoryStat {
  const nobody = { row: undefined, name: '', tid: -1, pid: -1, host: host.index };
  return { ...(thread < 0 ? nobody : threadOf(host, thread)), ...sums };
}

function programOf(threads: readonly MemoryStat[]): ProgramMemoryStat {
  const [{ host, name }] = threads;
  return { host, name, threads: threads.length, ...threads.reduce<MemorySums>(addMemory, NO_MEMORY) };
}
