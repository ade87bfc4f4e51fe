/**
 * Softirqs that are switched out with the thread that runs them and return with it, on any CPU: with PREEMPT_RT they
 * are preemptible and may sleep on a lock. Meanwhile they take no time.
 */
import { FRAME_HRTIMER, FRAME_SOFTIRQ } from '../map/transitions.ts';
import { type CpuTable, FRAME_WORDS, MAX_FRAMES } from './cpu-table.ts';
import type { KernelModel } from './kernel-model.ts';
import { SOFTIRQ_AWAY } from './softirq-rows.ts';

/** Whether a CPU is only in softirqs and timer functions within them. */
export function canBeSuspended({ depth, frames }: CpuTable, cpu: number): boolean {
  const first = cpu * MAX_FRAMES;
  if (depth[cpu] === 0 || frames[first * FRAME_WORDS] !== FRAME_SOFTIRQ) return false;
  for (let place = first; place < first + depth[cpu]; place++) {
    const kind = frames[place * FRAME_WORDS];
    if (kind !== FRAME_SOFTIRQ && kind !== FRAME_HRTIMER) return false;
  }
  return true;
}

/** Suspends the frames of `thread` as it leaves the CPU, whose stack must then be emptied. */
export function suspendFrames(kernel: KernelModel, cpu: number, thread: number): void {
  const { cpus, threads, suspended, now } = kernel;
  const first = cpu * MAX_FRAMES;
  const end = first + cpus.depth[cpu];
  suspended.set(thread, {
    frames: cpus.frames.slice(first * FRAME_WORDS, end * FRAME_WORDS),
    serials: cpus.serials.slice(first, end),
    exempt: cpus.exempt.slice(first, end),
    work: cpus.work.slice(first, end),
    entered: cpus.entered.slice(first, end),
    raised: cpus.raised.slice(first, end),
    since: now,
  });
  threads.suspended[thread] = 1;
}

/** Resumes the frames of `thread` as it enters the CPU, which is in no interrupt. */
export function resumeFrames(kernel: KernelModel, cpu: number, thread: number): void {
  const { cpus, threads, suspended, softirqs, now } = kernel;
  if (threads.suspended[thread] === 0) return;
  const kept = suspended.get(thread);
  forgetFrames(kernel, thread);
  if (kept === undefined) return;
  const first = cpu * MAX_FRAMES;
  cpus.depth[cpu] = kept.serials.length;
  cpus.interrupting[cpu] = kept.exempt.filter((isExempt) => isExempt === 0).length;
  cpus.frames.set(kept.frames, first * FRAME_WORDS);
  cpus.serials.set(kept.serials, first);
  cpus.exempt.set(kept.exempt, first);
  cpus.work.set(kept.work, first);
  cpus.entered.set(kept.entered, first);
  cpus.raised.set(kept.raised, first);
  for (const [i, serial] of kept.serials.entries()) {
    const [kind, vec] = kept.frames.subarray(i * FRAME_WORDS);
    if (kind === FRAME_SOFTIRQ)
      softirqs.append({ kind: SOFTIRQ_AWAY, frame: serial, vec, from: kept.since, to: now });
  }
}

export function forgetFrames({ threads, suspended }: KernelModel, thread: number): void {
  threads.suspended[thread] = 0;
  suspended.delete(thread);
}

/** Forgets all suspended frames: events were lost on some CPU, so that they may have ended. */
export function forgetAllFrames(kernel: KernelModel): void {
  for (const thread of [...kernel.suspended.keys()]) forgetFrames(kernel, thread);
}
