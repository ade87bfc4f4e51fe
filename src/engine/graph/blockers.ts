/**
 * Blockers: who took the time in which a thread on the path could not go on: threads that ran on its CPU, interrupts,
 * requests of disks.
 */
import type { GraphWorker } from './execution-graph.ts';

/** Progress of a request while somebody waited for it. */
export type RequestStep = 'not made yet' | 'queued' | 'at the device' | 'completed';

/** Why who waited for a CPU was ready. */
export type Ready = 'woken' | 'preempted' | 'softirq';

export type Blocker =
  | { readonly kind: 'thread'; readonly worker: GraphWorker }
  /**
   * The CPU was idle. A woken thread waits until it wakes up; one that was preempted may not run though it could: a
   * control group has used up its CPU time. A softirq waits for the end of an interrupt.
   */
  | { readonly kind: 'idle'; readonly host: number; readonly cpu: number; readonly waits: Ready }
  | { readonly kind: 'interrupt'; readonly name: string }
  /** Cause that ended a wait on the host of a virtual machine, where no thread did. */
  | { readonly kind: 'cause'; readonly name: string }
  /** `worker`: who made the request, NOBODY unknown. */
  | {
      readonly kind: 'request';
      readonly device: string;
      readonly step: RequestStep;
      readonly worker: GraphWorker;
      readonly isFlush: boolean;
    }
  | { readonly kind: 'unknown' };

/** Blockers by number, each once. */
export class BlockerList {
  readonly list: Blocker[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(blocker: Blocker): number {
    const key = Object.values(blocker).join(' ');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.list.length);
    return this.list.push(blocker) - 1;
  }
}
