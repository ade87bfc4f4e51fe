/** The tables of all statistics, in the order of the page's tab. Pure. */
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

/** Names of the statistics in queries, on the page and on the command line. */
export type StatisticName = keyof typeof TABLES;
