/** The statistics, by their names in queries and on the command line (CONTRIBUTING, "Add a statistic"). */
import type { StatisticName } from './tables.ts';
import { calls } from './call-stats.ts';
import { counts } from './count-stats.ts';
import { cpu } from './cpu-stats.ts';
import { heap } from './heap-stats.ts';
import { io } from './io-stats.ts';
import { irq } from './irq-stats.ts';
import { memory } from './memory-stats.ts';
import { net } from './net-stats.ts';
import { sched } from './sched-stats.ts';
import type { TABLES } from './tables.ts';

export const STATISTICS = {
  ...{ counts, cpu, io, net, memory, heap, sched, irq, syscalls: calls },
} satisfies Readonly<Record<keyof typeof TABLES, object>>;

/** Names in the order of the table. */
export const STATISTIC_NAMES = Object.keys(STATISTICS) as readonly StatisticName[];
