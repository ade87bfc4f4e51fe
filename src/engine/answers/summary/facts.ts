/** Facts that rules measure: answers about the whole trace, asked once for all rules where they are expensive. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { locksAnswer } from '../locks/lock-answers.ts';
import type { LocksAnswer } from '../../protocol/locks.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { lostShare } from '../statistics/cpu-usage.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import type { Path } from '../../graph/path.ts';
import type { PathParts } from '../../protocol/paths.ts';
import { unpackParts } from '../paths/packed-parts.ts';
import { type PathGraph, virtualCpusOf } from '../paths/path-finder.ts';
import { pathParts } from '../paths/path-parts.ts';
import { workersOf } from '../paths/path-workers.ts';
import type { QueryContext } from '../context/query.ts';
import { cpu } from '../statistics/cpu-stats.ts';
import type { CpuStats } from '../../protocol/statistics.ts';
import { threadWaits, type WaitFacts } from './thread-waits.ts';

/** Share of lost events above which times of threads are not reported. */
const MOST_LOST = 0.1;
/** Share of the trace's length below which a time is not reported. */
const LEAST = 0.01;

export interface PathTimes extends Pick<PathParts, 'workers' | 'parts'> {
  readonly numberOf: (worker: GraphWorker) => number;
}

/**
 * Maximum number of events of a trace that a rule reads again: reading takes about as long as opening the trace did.
 */
export const MOST_EVENTS = 5_000_000;

export class Facts {
  readonly trace: OpenTrace;
  readonly lengthNs: number;
  /** Shorter times are left out, ns. */
  readonly leastNs: number;
  /** Share of events lost while recording. */
  readonly lostShare: number;

  constructor(readonly context: QueryContext) {
    const { trace } = context;
    this.trace = trace;
    this.lengthNs = trace.lengthNs();
    this.leastNs = LEAST * this.lengthNs;
    this.lostShare = lostShare(trace.recorded());
  }

  /** Whether times of threads are reliable. */
  get isSound(): boolean {
    return this.lostShare < MOST_LOST && !this.trace.isDamaged('states') && !this.trace.isDamaged('signals');
  }

  graph(): Promise<PathGraph> {
    return this.trace.paths.graph();
  }

  cpu(): Promise<CpuStats> {
    return cpuOf(this.trace, this.context);
  }

  async waits(): Promise<WaitFacts> {
    return threadWaits(await this.graph(), this.trace, await this.cpu(), this.leastNs);
  }

  /** Path of a thread with the parts of its time, as its view shows them, and the numbers of workers there. */
  async timesOn(path: Path): Promise<PathTimes> {
    const known = await this.graph();
    const found = await pathParts({ known, path, locks: undefined }, virtualCpusOf(known), () => true);
    const numbers = workersOf(known, path);
    return {
      workers: found?.workers ?? [],
      parts: found === undefined ? [] : unpackParts(found.parts),
      numberOf: (worker) => numbers.indexOf(worker),
    };
  }

  /** Locks; undefined: the trace has none. */
  async locks(): Promise<LocksAnswer | undefined> {
    await this.context.layers?.begun;
    return locksAnswer(this.context, {});
  }
}

/** Threads with their lives, and CPUs. */
const cpuOf = cachedByKey((_: OpenTrace, context: QueryContext): Promise<CpuStats> => {
  return Promise.resolve(cpu.answer(context, { allThreads: true }));
});
