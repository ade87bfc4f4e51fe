/**
 * Switches that perf left out without a record LOST: a sample is of another thread than the one that the CPU's last
 * switch let run. Often all events of one CPU's idle thread are missing; a recursion counter of the kernel that was
 * not reset would cause that (`perf_swevent_get_recursion_context`).
 */
import type { Fault } from '../../base/fault.ts';
import { isKind } from '../../trace/event-kinds.ts';
import type { Moment } from '../field-bytes.ts';
import type { KernelFormat } from '../kernel-formats.ts';

/** Offsets of the previous and next thread in a switch's raw data, bytes. */
export interface SwitchPlaces {
  readonly prev: number;
  readonly next: number;
}

/** Systems whose events never come between `sched_switch` and the switch itself, where samples name another thread. */
const OF_RUNNING_THREADS = new Set(['sched', 'irq', 'timer', 'block', 'raw_syscalls', 'syscalls', 'signal']);

/** Whether samples of an event name the thread that the last switch let run. */
export function isOfRunningThread(format: KernelFormat | undefined): boolean {
  return format !== undefined && OF_RUNNING_THREADS.has(format.system);
}

export function placesOfSwitch({ system, name, fields }: KernelFormat): SwitchPlaces | undefined {
  if (!isKind('switch', `${system}:${name}`)) return undefined;
  const [prev, next] = ['prev_pid', 'next_pid'].map((wanted) =>
    fields.find((field) => field.name === wanted),
  );
  return prev && next && { prev: prev.offset, next: next.offset };
}

export class MissingSwitches {
  /** Thread that the last switch of each CPU let run. */
  readonly #running = new Map<number, number>();
  /**
   * Whether samples and switches number threads alike, unlike in a pid namespace; undefined while only idle threads
   * have left, which are 0 everywhere.
   */
  #agrees: boolean | undefined;
  #count = 0;
  #first = { cpu: 0, time: 0n };

  /** Whether a switch is missing before a sample; counts it. @param tid -1: the thread has ended */
  isMissedBefore(cpu: number, tid: number, time: Moment): boolean {
    const running = this.#running.get(cpu);
    if (running === undefined || running === tid || tid < 0 || this.#agrees !== true) return false;
    this.#running.delete(cpu);
    if (this.#count++ === 0) this.#first = { cpu, time: time.time };
    return true;
  }

  /** Notes a switch. @param tid thread of its sample */
  note(cpu: number, tid: number, prev: number, next: number): void {
    if (tid >= 0 && tid !== prev) this.#agrees = false;
    else if (tid > 0) this.#agrees ??= true;
    this.#running.set(cpu, next);
  }

  /** Forgets who runs on a CPU, as events of it were lost. */
  forget(cpu: number): void {
    this.#running.delete(cpu);
  }

  fault(file: string): Fault | undefined {
    const { cpu, time } = this.#first;
    const seconds = `${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`;
    const found = `at least ${this.#count}, the first on CPU ${cpu} before ${seconds} s of its clock`;
    return this.#count === 0 ? undefined : { code: 'switches-missing', place: { file }, found };
  }
}
