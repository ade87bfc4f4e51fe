/** The compiled code that reads rows for sums (`src/kernels/aggregates`), compiled once for all analyses of a plan. */
import aggregates from 'kernel:aggregates';
import type { ProjectionPlan } from '../analysis/contract.ts';
import { kernelModule } from '../base/kernel-module.ts';
import { oncePer } from '../base/once-per.ts';

/** Throws where there is no WebAssembly. */
export const aggregatesModule = oncePer((_plan: ProjectionPlan) => kernelModule(aggregates));

/** Threads of a chunk for which kernels have room, and the slots of an index of them. */
export const MOST_THREADS = 2 ** 12;
export const THREAD_SLOTS = 2 * MOST_THREADS;
/** Texts of a chunk for which they have room. */
export const MOST_TEXTS = 2 ** 14;
