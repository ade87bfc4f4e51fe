/**
 * Transitions of all CPUs in their total order → the state history of a host (spec 03). Sequential; each transition
 * is handled by the file of its subject, here is only the order of things.
 */
import type { ReducedHost, Reducer } from '../analysis/contract.ts';
import type { HistorySink } from '../history/types.ts';
import type { Cpu } from './cpu-table.ts';
import { cpuOf, enterInterrupt, forgetCpu, leaveInterrupt, refreshCpu } from './cpu-states.ts';
import type { Frame } from './cpu-states.ts';
import { beginRequest, completeRequest, createDiskTable } from './disk-requests.ts';
import { createKernelModel } from './kernel-model.ts';
import type { KernelModel } from './kernel-model.ts';
import { kernelTables } from './kernel-tables.ts';
import type { KernelTables } from './kernel-tables.ts';
import { closeLeaf, textOf, textOfLeaf } from './kernel-texts.ts';
import { nextLifeOf, onExit, onFork, onFree, onProcessDump } from './lives.ts';
import { addLoss, overlapsLoss } from './losses.ts';
import { onSwitch } from './switches.ts';
import type { Switch } from './switches.ts';
import { findThread } from './thread-table.ts';
import { beginCall, endCall, isBlocked, setLastCpu, setName, threadOf } from './thread-states.ts';
import * as t from './transitions.ts';
import type { StateLeaf } from './transitions.ts';
import { onWakeUp } from './wake-ups.ts';
import type { WakeUp } from './wake-ups.ts';

export type StateReducer = Reducer<StateLeaf, KernelTables>;

/** Longest name of a thread: the kernel cuts there. */
const NAME_LENGTH = 15;

export function createStateReducer(sink: HistorySink, host: ReducedHost): StateReducer {
  const kernel = createKernelModel(sink, host);
  const disks = createDiskTable();
  const gaps = [...(host.gaps ?? [])];
  // One of each, filled anew: events must not cost an allocation.
  const theSwitch: Switch = { prevTid: 0, nextTid: 0, prevState: 0, prevName: -1, nextName: -1, prevPid: -1 };
  const theFrame: Frame = { kind: 0, id: 0, id2: 0, name: -1 };
  const theWakeUp: WakeUp = { tid: 0, target: -1, name: -1, waking: false };
  let now = -Infinity;
  let lastCpu: Cpu | undefined;

  function run(leaf: StateLeaf, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const time = leaf.time[i];
      if (gaps.length > 0) passGaps(time);
      // The merge key: a chunk whose times begin before its stream's greatest time goes on there.
      if (time > now) now = time;
      step(leaf, i);
    }
    if (to === leaf.length) closeLeaf(kernel.texts, leaf);
  }

  /** The row of a CPU; mostly that of the transition before. */
  function cpuAt(number: number): Cpu {
    if (lastCpu === undefined || lastCpu.number !== number) lastCpu = cpuOf(kernel, number, now);
    return lastCpu;
  }

  function step(leaf: StateLeaf, i: number): void {
    const { args } = leaf;
    const at = i * t.ARGUMENTS;
    const kind = leaf.kind[i];
    const cpu = cpuAt(leaf.cpu[i]);
    const { texts } = kernel;
    switch (kind) {
      case t.T_SWITCH:
        theSwitch.prevTid = args[at];
        theSwitch.nextTid = args[at + 1];
        theSwitch.prevState = args[at + 2];
        theSwitch.prevName = textOfLeaf(texts, leaf, args[at + 3]);
        theSwitch.nextName = textOfLeaf(texts, leaf, args[at + 4]);
        theSwitch.prevPid = args[at + 5];
        onSwitch(kernel, cpu, theSwitch, now);
        break;
      case t.T_CALL:
        if (isThread(kernel, cpu)) {
          beginCall(kernel, cpu.current, textOfLeaf(texts, leaf, args[at]), now);
          refreshCpu(kernel, cpu, now);
        }
        break;
      case t.T_RETURN:
        if (isThread(kernel, cpu)) {
          endCall(kernel, cpu.current, now);
          refreshCpu(kernel, cpu, now);
        }
        break;
      case t.T_ENTER:
      case t.T_LEAVE: {
        const name = textOfLeaf(texts, leaf, args[at + 3]);
        theFrame.kind = args[at];
        theFrame.id = args[at] === t.FRAME_VECTOR ? name : args[at + 1];
        theFrame.id2 = args[at + 2];
        theFrame.name = name;
        if (kind === t.T_ENTER) enterInterrupt(kernel, cpu, theFrame, now);
        else leaveInterrupt(kernel, cpu, theFrame, now);
        break;
      }
      case t.T_WAKEUP_NEW:
      case t.T_WAKING:
      case t.T_WAKEUP: {
        const tid = args[at];
        if (kind === t.T_WAKEUP_NEW && tid !== 0) {
          nextLifeOf(kernel, threadOf(kernel, tid, now), 'wakeup_new of a dead thread: new incarnation', now);
        }
        theWakeUp.tid = tid;
        theWakeUp.target = args[at + 1];
        theWakeUp.name = textOfLeaf(texts, leaf, args[at + 2]);
        theWakeUp.waking = kind === t.T_WAKING;
        onWakeUp(kernel, cpu, theWakeUp, now);
        break;
      }
      case t.T_BEGIN: {
        const { first, last } = leaf.windows[args[at]];
        noteWindow(cpu, first, last);
        break;
      }
      default:
        rareStep(leaf, kind, at, cpu);
    }
  }

  /** What happens once in a thread's life or not in every trace. */
  function rareStep(leaf: StateLeaf, kind: number, at: number, cpu: Cpu): void {
    const { args } = leaf;
    const text = (index: number) => textOfLeaf(kernel.texts, leaf, index);
    switch (kind) {
      case t.T_MIGRATE:
        if (args[at] !== 0) {
          const thread = threadOf(kernel, args[at], now);
          kernel.threads.migrations[thread]++;
          if (kernel.threads.onCpu[thread] < 0) setLastCpu(kernel, thread, args[at + 1], now);
        }
        break;
      case t.T_FORK: {
        const [parentTid, childTid, parentPid, childPid] = args.subarray(at, at + 4);
        onFork(kernel, { parentTid, childTid, parentPid, childPid, name: text(args[at + 4]) }, now);
        break;
      }
      case t.T_EXEC:
        if (args[at] !== t.ABSENT) {
          setName(kernel, threadOf(kernel, args[at], now), programName(text(args[at + 1])), now);
        }
        break;
      case t.T_EXIT:
        onExit(kernel, args[at], now);
        break;
      case t.T_FREE:
        onFree(kernel, args[at], now);
        break;
      case t.T_PROCESS: {
        const [tid, pid, ppid, type] = args.subarray(at, at + 4);
        onProcessDump(kernel, { tid, pid, ppid, type, name: text(args[at + 4]) }, now);
        break;
      }
      case t.T_LOSS:
        addLoss(kernel.losses, cpu.number, now, Math.max(now, t.timeOfWords(args[at], args[at + 1])));
        forgetCpu(kernel, cpu, now);
        break;
      case t.T_FREQUENCY:
        setFrequency(cpuOf(kernel, args[at], now), args[at + 1]);
        break;
      case t.T_INSERT:
      case t.T_ISSUE:
      case t.T_COMPLETE: {
        const sector = t.wideOf(args[at + 1], args[at + 2]);
        const thread = args[at + 4] > 0 ? findThread(kernel.threads, args[at + 4]) : cpu.current;
        const event = { device: args[at], sector, sectors: args[at + 3], thread };
        if (kind === t.T_COMPLETE) completeRequest(disks, sink, event, now);
        else beginRequest(disks, sink, event, kind === t.T_ISSUE, now);
        break;
      }
    }
  }

  function setFrequency(cpu: Cpu, khz: number): void {
    if (cpu.frequencyAttribute < 0) {
      cpu.frequencyAttribute = sink.attribute(['cpus', String(cpu.number), 'frequency'], 'integer');
    }
    sink.set(cpu.frequencyAttribute, now, khz >>> 0);
  }

  /** The name that the kernel gives a thread which executes the program at a path. */
  function programName(path: number): number {
    if (path < 0) return -1;
    const file = kernel.texts.text[path].split('/').at(-1) ?? '';
    return textOf(kernel.texts, file.slice(0, NAME_LENGTH));
  }

  function noteWindow(cpu: Cpu, first: number, last: number): void {
    if (!(cpu.first <= first)) cpu.first = first;
    if (!(cpu.last >= last)) cpu.last = last;
  }

  /** Between two recordings nobody traced: as a loss on all CPUs. */
  function passGaps(time: number): void {
    while (gaps.length > 0 && gaps[0].from < time) {
      const { from, to } = gaps[0];
      gaps.shift();
      if (from > now) now = from;
      for (const cpu of kernel.cpus.rows) {
        addLoss(kernel.losses, cpu.number, now, Math.max(now, to));
        forgetCpu(kernel, cpu, now);
      }
    }
  }

  return {
    run,
    advance: () => undefined,
    soFar: (end) => kernelTables(kernel, Math.max(now, end)),
    finish: (end) => {
      now = Math.max(now, end);
      markLossyWaits(kernel, now);
      return kernelTables(kernel, now);
    },
  };
}

/** A real thread is current, not the idle one: only it makes system calls. */
function isThread(kernel: KernelModel, cpu: Cpu): boolean {
  return cpu.current >= 0 && kernel.threads.tid[cpu.current] !== 0;
}

/** Waits that the end of the trace cuts go on behind it: their wake-up may be among what was lost there, too. */
function markLossyWaits(kernel: KernelModel, end: number): void {
  const { threads, losses, sink } = kernel;
  for (let thread = 0; thread < threads.length; thread++) {
    if (!isBlocked(kernel, thread) || !Number.isNaN(threads.replaced[thread])) continue;
    if (!overlapsLoss(losses, threads.blockedSince[thread], Infinity)) continue;
    sink.settle(threads.stateAttribute[thread], end, threads.state[thread] + 256, threads.state[thread]);
  }
}
