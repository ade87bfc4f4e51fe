/** A thread is known to be on its CPU by the switch that comes later (`states/map/start-finder.ts`). */
import { STATE_KERNEL } from '../../events/values.ts';
import { textOf } from '../map/kernel-texts.ts';
import { START_CALL, START_KERNEL, START_LATE } from '../map/transitions.ts';
import { idleThreadOf, refreshCpu, runningState, setCurrent } from './cpu-states.ts';
import { countProblem } from './kernel-model.ts';
import type { KernelModel } from './kernel-model.ts';
import { beginLate, CALL_UNTIL_SWITCH } from './late-log.ts';
import { endUnexplained, loseSwitchIn } from './lost-runs.ts';
import { forgetFrames } from './suspended-softirqs.ts';
import { beginCall, endCall, isBlocked, isGone, setName, threadOf } from './thread-states.ts';

/** Contents of a `T_START`. */
export interface KnownStart {
  readonly tid: number;
  /** START_*. */
  readonly mode: number;
  /** Index of the history's strings, -1 not known. */
  readonly name: number;
}

export function onKnownStart(kernel: KernelModel, cpu: number, start: KnownStart): void {
  const { threads, cpus } = kernel;
  // Of one program alone it is not known since when.
  if (cpus.current[cpu] >= 0 || kernel.program !== undefined) return;
  const thread = start.tid === 0 ? idleThreadOf(kernel, cpu) : threadOf(kernel, start.tid);
  if (threads.onCpu[thread] >= 0 || isGone(kernel, thread)) {
    countProblem(kernel, 'who ran before the first switch was elsewhere');
    return;
  }
  // A ksoftirqd is known by its name.
  if (start.tid !== 0 && threads.name[thread] < 0) setName(kernel, thread, start.name);
  endCall(kernel, thread);
  if (start.tid !== 0 && threads.mode[thread] !== STATE_KERNEL) beginMode(kernel, thread, start.mode);
  // It was woken while nothing was recorded here.
  if (isBlocked(kernel, thread))
    endUnexplained(kernel, thread, runningState(kernel, cpu, thread), 'no wake-up recorded');
  loseSwitchIn(kernel, thread, cpu);
  threads.pendingCause[thread] = 0;
  forgetFrames(kernel, thread);
  threads.ran[thread] = 1;
  setCurrent(kernel, cpu, thread);
  refreshCpu(kernel, cpu);
}

function beginMode(kernel: KernelModel, thread: number, mode: number): void {
  if (mode === START_CALL) beginCall(kernel, thread, textOf(kernel.texts, 'unknown'));
  else if (mode === START_LATE) beginLate(kernel, thread);
  else if (mode === START_KERNEL) kernel.threads.call[thread] = CALL_UNTIL_SWITCH;
}
