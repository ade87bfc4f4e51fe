/**
 * Several recordings of one boot: each ends at its last event, and the next begins at its first one with all living
 * threads unknown. The time between was not recorded: nothing has a state there, and nothing was lost.
 */
import { addTo } from '../../../base/group-by.ts';
import * as values from '../../events/values.ts';
import { emptyInterruptStack, forgetRaises } from './cpu-states.ts';
import { moveTo, type KernelModel } from './kernel-model.ts';
import { loseLate } from './late-log.ts';
import { overlapsLoss } from './losses.ts';
import { forgetAllFrames } from './suspended-softirqs.ts';
import { endCall, isBlocked, isGone } from './thread-states.ts';
import { threadCount } from './thread-table.ts';

/** Begins the next recording at `time`, with its first event. */
export function beginRecording(kernel: KernelModel, time: number): void {
  const { cpus, recordings } = kernel;
  // By damage its last event may be after the begin of the next recording.
  const end = Math.min(Math.max(...cpus.last.subarray(0, cpus.length).filter(Number.isFinite)), time);
  if (end > kernel.now) moveTo(kernel, end);
  loseLate(kernel);
  forgetAllFrames(kernel);
  kernel.lateFrees.clear();
  kernel.requests.end();
  for (let cpu = 0; cpu < cpus.length; cpu++) endCpu(kernel, cpu);
  const living: number[] = [];
  for (let thread = 0; thread < threadCount(kernel.threads); thread++)
    if (endThread(kernel, thread)) living.push(thread);
  recordings.gaps.push({ from: kernel.now, to: time });
  if (time > kernel.now) moveTo(kernel, time);
  for (const thread of living) kernel.sink.set(kernel.threads.stateAttribute[thread], values.STATE_UNKNOWN);
  for (let cpu = 0; cpu < cpus.length; cpu++) {
    kernel.sink.set(cpus.stateAttribute[cpu], values.CPU_UNKNOWN);
    kernel.sink.set(cpus.threadAttribute[cpu], 0);
  }
}

function endCpu(kernel: KernelModel, cpu: number): void {
  const { cpus, sink, recordings } = kernel;
  emptyInterruptStack(kernel, cpu);
  forgetRaises(kernel, cpu);
  cpus.threadedIrq[cpu] = -1;
  cpus.current[cpu] = -1;
  cpus.value[cpu] = values.CPU_UNKNOWN;
  sink.end(cpus.stateAttribute[cpu]);
  sink.end(cpus.threadAttribute[cpu]);
  if (cpus.frequencyAttribute[cpu] >= 0) sink.end(cpus.frequencyAttribute[cpu]);
  if (Number.isNaN(cpus.first[cpu])) return;
  addTo(recordings.parts, cpu, { from: cpus.first[cpu], to: cpus.last[cpu] });
  cpus.first[cpu] = cpus.last[cpu] = NaN;
}

/** Whether the thread lives on. */
function endThread(kernel: KernelModel, thread: number): boolean {
  const { threads, sink, losses, now } = kernel;
  if (!Number.isNaN(threads.replaced[thread])) return false;
  if (isBlocked(kernel, thread) && overlapsLoss(losses, threads.blockedSince[thread], Infinity))
    sink.settle(threads.stateAttribute[thread], threads.state[thread] + 256, threads.state[thread]);
  endCall(kernel, thread);
  sink.end(threads.stateAttribute[thread]);
  if (threads.cpuAttribute[thread] >= 0) sink.end(threads.cpuAttribute[thread]);
  threads.lastCpu[thread] = threads.onCpu[thread] = -1;
  threads.guest[thread] = 0;
  threads.pendingCause[thread] = 0;
  if (isGone(kernel, thread)) {
    threads.replaced[thread] = now;
    return false;
  }
  threads.state[thread] = values.STATE_UNKNOWN;
  threads.hole[thread] = 0;
  threads.blockedSince[thread] = NaN;
  threads.exited[thread] = 0;
  return true;
}
