/** Lives of threads that are known, with nothing odd about them: forks, exits, program names (`engine/linux/states/reduce/lives.ts`). */
import { CPU } from '../../engine/linux/states/reduce/cpu-table';
import { KTHREADD } from '../../engine/linux/states/reduce/lives';
import { EXECED, THREAD, TOLD_KERNEL, TOLD_PROGRAM } from '../../engine/linux/states/reduce/thread-table';
import { ABSENT } from '../../engine/linux/states/map/transitions';
import { STATE_DEAD, STATE_NEW, STATE_UNKNOWN } from '../../engine/linux/events/values';
import * as cpus from './cpus';
import { timeMovedTo } from './history';
import { nameOfProgram, NEW_TEXT, textOfChunk } from './texts';
import * as threads from './threads';

// Bytes of the arguments.
const TID: usize = 0;
const PATH: usize = 4;
const OLD_TID: usize = 8;
const PARENT_TID: usize = 0;
const CHILD_TID: usize = 4;
const PARENT_PID: usize = 8;
const CHILD_PID: usize = 12;
const NAME: usize = 16;

export function onFork(args: usize): bool {
  const parentTid = load<i32>(args, PARENT_TID);
  const childTid = load<i32>(args, CHILD_TID);
  const name = textOfChunk(load<i32>(args, NAME));
  const parent = parentTid === 0 ? threads.NONE : threads.findThread(parentTid);
  if (name === NEW_TEXT || childTid === 0 || childTid === parentTid) return false;
  if (parentTid !== 0 && parent < 0) return false;
  const known = threads.findThread(childTid);
  const isSame = known >= 0 && isOnlyMentioned(known);
  // What it is may be known already, or be told by its name.
  if (threads.tellsKind(name, 0) || (isSame && THREAD.evidence[known] !== 0)) return false;
  if (isSame ? !threads.canBeNamed(known, name) : !threads.takesThread() || !hasEnded(known)) return false;
  const parentPid = load<i32>(args, PARENT_PID);
  const childPid = load<i32>(args, CHILD_PID);
  if (parent >= 0 && THREAD.pid[parent] < 0) THREAD.pid[parent] = parentPid;
  const child = isSame ? known : beginNextLife(childTid, known);
  THREAD.parent[child] = parent;
  if (childPid !== ABSENT) THREAD.pid[child] = childPid;
  THREAD.ppid[child] = parentPid;
  threads.setName(child, name);
  // Nothing was known of it.
  if (parentPid !== ABSENT || parentTid > 0)
    threads.setEvidence(child, parentPid === KTHREADD || parentTid === KTHREADD ? TOLD_KERNEL : TOLD_PROGRAM);
  threads.setState(child, STATE_NEW);
  return true;
}

/** Begin of the recording at hand. */
let recordingBegin: f64 = -Infinity;

export function setRecording(begin: f64): void {
  recordingBegin = begin;
}

function isOnlyMentioned(thread: i32): bool {
  const isUnknown = THREAD.state[thread] === STATE_UNKNOWN;
  if (!isUnknown || THREAD.exited[thread] !== 0 || THREAD.ran[thread] !== 0) return false;
  // Not of an earlier recording.
  return THREAD.first[thread] >= recordingBegin;
}

/** There is no such thread, or it was freed: nothing more will come of it. */
function hasEnded(thread: i32): bool {
  if (thread < 0) return true;
  const state = THREAD.state[thread];
  if (threads.isBlocked(state) || THREAD.onCpu[thread] >= 0) return false;
  // Its life ended with an earlier recording.
  if (!isNaN(THREAD.replaced[thread])) return false;
  return THREAD.freed[thread] === 1;
}

/** @param earlier a thread that has ended, -1 none */
function beginNextLife(tid: i32, earlier: i32): i32 {
  if (earlier >= 0) {
    threads.endAttribute(THREAD.stateAttribute, earlier);
    threads.endAttribute(THREAD.cpuAttribute, earlier);
    threads.endAttribute(THREAD.callAttribute, earlier);
    threads.endAttribute(THREAD.nameAttribute, earlier);
    THREAD.replaced[earlier] = timeMovedTo();
  }
  return threads.beginThread(tid, earlier);
}

export function onExec(cpu: i32, args: usize): bool {
  const tid = load<i32>(args, TID);
  if (tid === ABSENT) return true;
  const thread = threads.findThread(tid);
  const path = textOfChunk(load<i32>(args, PATH));
  if (thread < 0 || thread !== CPU.current[cpu] || path === NEW_TEXT) return false;
  const oldTid = load<i32>(args, OLD_TID);
  if ((oldTid !== ABSENT && oldTid !== tid) || THREAD.guest[thread] !== 0 || tid === 0) return false;
  const name = nameOfProgram(path);
  if (name === NEW_TEXT || threads.isOddlyInCall(thread) || !threads.canBeNamed(thread, name)) return false;
  threads.setEvidence(thread, THREAD.evidence[thread] | EXECED);
  threads.setName(thread, name);
  cpus.refreshCpu(cpu);
  return true;
}

export function onExit(args: usize): bool {
  const thread = threads.findThread(load<i32>(args, TID));
  if (thread < 0) return false;
  THREAD.exited[thread] = 1;
  return true;
}

export function onFree(args: usize): bool {
  const thread = threads.findThread(load<i32>(args, TID));
  if (thread < 0) return false;
  const isOn = THREAD.onCpu[thread] >= 0;
  const state = THREAD.state[thread];
  if (!isOn && (threads.isBlocked(state) || threads.isOddlyInCall(thread))) return false;
  // It may be the free of the life before.
  if (THREAD.exited[thread] === 0 && !threads.isGone(state)) return false;
  THREAD.exited[thread] = 1;
  THREAD.freed[thread] = 1;
  if (isOn) return true;
  if (isNaN(THREAD.ended[thread])) THREAD.ended[thread] = timeMovedTo();
  threads.setState(thread, STATE_DEAD);
  threads.closeThread(thread);
  return true;
}
