/** The tables of all statistics, in order of the page's tab: what the page shows of them. Pure. */
import { calls } from './tables/calls.ts';
import { counts } from './tables/counts.ts';
import { cpu } from './tables/cpu.ts';
import { heap } from './tables/heap.ts';
import { io } from './tables/io.ts';
import { irq } from './tables/irq.ts';
import { memory } from './tables/memory.ts';
import { net } from './tables/net.ts';
import { sched } from './tables/sched.ts';

export const TABLES = { cpu, sched, syscalls: calls, irq, io, net, memory, heap, counts };

/** Names that queries, the page and the command line have for the statistics. */
export type StatisticName = keyof typeof TABLES;
