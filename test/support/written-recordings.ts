/**
 * Recordings of a program with one mutex of which every time is chosen: thread 12 waits for it while thread 11 holds it.
 * Both threads, of process 1, share a CPU.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelTrace, lockTrace, type WrittenKernelEvent, type WrittenLockEvent } from './lock-trace.ts';

export interface WrittenRecording {
  readonly hostname: string;
  /** Lengths of the waits for the mutex, from request to acquisition: 100 ns or more. */
  readonly waitNs: readonly number[];
  /** Second since 1970 of time 0. Default 0. */
  readonly second?: number;
}

/** Time from one wait to the next, ns. */
export const TURN_NS = 1_000_000;
/** When a wait begins in its turn, and steps from there, and back from its end, to what the kernel tells, ns. */
export const REQUEST_NS = 1000;
export const STEPS = { call: 10, out: 20, waking: 40, in: 20, back: 10 } as const;

/** @returns the folder */
export function writtenRecording(folder: string, { hostname, waitNs, second = 0 }: WrittenRecording): string {
  const locks: WrittenLockEvent[] = [];
  const kernel: WrittenKernelEvent[] = [11, 12].map((tid, i) => {
    return { time: i, event: 'dump', fields: [tid, 1, 0] };
  });
  kernel.push({ time: 5, event: 'switch', fields: [0, 11, 0] });
  waitNs.forEach((ns, turn) => {
    const begin = turn * TURN_NS + 10;
    const request = turn * TURN_NS + REQUEST_NS;
    const end = request + ns;
    const lock = (time: number, thread: number, event: WrittenLockEvent['event']) =>
      locks.push({ time, thread, event, lock: 0 });
    lock(begin, 11, 'mutex_lock_req');
    lock(begin + 1, 11, 'mutex_lock_acq');
    kernel.push({ time: begin + 500, event: 'switch', fields: [11, 12, 0] });
    lock(request, 12, 'mutex_lock_req');
    kernel.push({ time: request + STEPS.call, event: 'futex', fields: [0, 0x1000, 0] });
    kernel.push({ time: request + STEPS.out, event: 'switch', fields: [12, 11, 1] });
    lock(end - STEPS.waking - 5, 11, 'mutex_unlock');
    kernel.push({ time: end - STEPS.waking, event: 'waking', fields: [12, 20, 0] });
    kernel.push({ time: end - STEPS.in, event: 'switch', fields: [11, 12, 0] });
    kernel.push({ time: end - STEPS.back, event: 'return', fields: [0, 0, 0] });
    lock(end, 12, 'mutex_lock_acq');
    lock(end + 50, 12, 'mutex_unlock');
    kernel.push({ time: end + 100, event: 'switch', fields: [12, 11, 1] });
  });
  for (const [name, files] of [
    ['ust', lockTrace(locks)],
    ['kernel', kernelTrace(kernel)],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    for (const [file, bytes] of files) {
      const text = file === 'metadata' ? new TextDecoder().decode(bytes) : undefined;
      const changed = text
        ?.replace('hostname = "h"', `hostname = ${JSON.stringify(hostname)}`)
        .replace('offset_s = 0', `offset_s = ${second}`);
      writeFileSync(join(folder, name, file), changed ?? bytes);
    }
  }
  return folder;
}
