/**
 * Goes on with the state history over transitions as `StateReducer` of `engine/linux/states/reduce/state-reducer.ts` does, in its
 * tables, as long as nothing unusual comes: the caller does the transition at which it stops, and calls again behind
 * it. So what is here must be right where it goes on, and may stop anywhere, but before anything has changed.
 */
import { CPU } from '../../engine/linux/states/reduce/cpu-table';
import { THREAD } from '../../engine/linux/states/reduce/thread-table';
import * as transitions from '../../engine/linux/states/map/transitions';
import { STATE_RUNNING, STATE_USER } from '../../engine/linux/events/values';
import { F64Column, I32Column, U8Column } from '../columns';
import * as cpus from './cpus';
import { completeRequest, insertRequest, issueRequest, mergeRequest } from './disks';
import { closeHistory, moveOn, openHistory, takesMore } from './history';
import * as chunkResults from './chunk-results';
import { onExec, onExit, onFork, onFree } from './lives';
import { addPacket, usePacketsOfChunk } from './packets';
import { raiseSoftirq } from './softirqs';
import { onSwitch, setGeneration } from './switches';
import { NEW_TEXT, NO_TEXT, textOfChunk, useTextsOfChunk } from './texts';
import * as threads from './threads';
import { onMigrate, onWakeUp, onWakeUpNew, setRecorded } from './wake-ups';

export { placeCpuNumbers, placeCpus } from './cpus';
export { placeDisks } from './disks';
export { placeHistory } from './history';
export { begin, placeChunkResults } from './chunk-results';
export { setRecording } from './lives';
export { placePackets } from './packets';
export { placeSoftirqs } from './softirqs';
export { placeTexts } from './texts';
export { placeThreads, placeTids, setFamilies } from './threads';
export { placeCauses, placeSignals, setCircumstances } from './wake-ups';

/** Exits from guests are recorded. */
let tellsGuests: bool = true;
/** Otherwise one half of them is recorded: it changes nothing. */
let recordsCalls: bool = true;

/** Sets what the trace is like. */
export function setTrace(
  isOldKernel: bool,
  isRealTime: bool,
  hasGuestExits: bool,
  hasWaking: bool,
  tellsQueues: bool,
  hasCalls: bool,
  losesSwitches: bool,
): void {
  tellsGuests = hasGuestExits;
  recordsCalls = hasCalls;
  threads.setFirstMode(hasCalls ? STATE_RUNNING : STATE_USER);
  threads.setLosses(losesSwitches);
  setGeneration(isOldKernel);
  cpus.setRealTime(isRealTime);
  setRecorded(hasWaking, tellsQueues);
}

/**
 * Goes on in the total order and returns the row of the chunk result at which it stopped, since it does not know that chunk result's
 * next transition or there is none; -1: the limit is reached.
 * @param limitTime and `limitOrder`: nothing at or behind this place in the total order is done
 * @param stopAt nothing at or after this time is done (HostNs)
 */
export function merge(limitTime: f64, limitOrder: f64, stopAt: f64): i32 {
  openHistory();
  const row = goOn(limitTime, limitOrder, stopAt);
  closeHistory();
  return row;
}

@inline
function goOn(limitTime: f64, limitOrder: f64, stopAt: f64): i32 {
  let chunkResult = chunkResults.first();
  while (!chunkResults.isDone(chunkResult)) {
    chunkResults.reorder();
    chunkResult = chunkResults.first();
    if (!chunkResults.isBefore(chunkResult, limitTime, limitOrder)) return -1;
    if (!run(chunkResult, chunkResults.endOfRun(limitTime), stopAt)) break;
  }
  return chunkResults.rowOf(chunkResult);
}

/** Does the next transition of a chunk result, and those behind it that are earlier than `end`; false: it stopped before. */
@inline
function run(chunkResult: usize, end: f64, stopAt: f64): bool {
  const time = changetype<F64Column>(load<usize>(chunkResult, chunkResults.TIME));
  const kind = changetype<U8Column>(load<usize>(chunkResult, chunkResults.KIND));
  const cpu = changetype<I32Column>(load<usize>(chunkResult, chunkResults.CPU));
  const place = changetype<I32Column>(load<usize>(chunkResult, chunkResults.PLACE));
  const args: usize = load<i32>(chunkResult, chunkResults.ARGS);
  const to = load<i32>(chunkResult, chunkResults.TO);
  useTextsOfChunk(changetype<I32Column>(load<usize>(chunkResult, chunkResults.TEXTS)));
  usePacketsOfChunk(changetype<U8Column>(load<usize>(chunkResult, chunkResults.PACKET_KIND)), load<usize>(chunkResult, chunkResults.PACKET_KEY));
  // Mostly all are of one CPU.
  let number = load<i32>(chunkResult, chunkResults.CPU_NUMBER);
  let known = load<i32>(chunkResult, chunkResults.CPU_ROW);
  let i = load<i32>(chunkResult, chunkResults.AT);
  let goesOn = true;
  do {
    const now = time[i];
    if (cpu[i] !== number || known < 0) {
      number = cpu[i];
      known = cpus.findCpu(number);
    }
    goesOn = now < stopAt && pass(now, kind[i], known, args + (<usize>place[i] << 2));
    if (!goesOn) break;
    i++;
  } while (i < to && time[i] < end);
  store<i32>(chunkResult, i, chunkResults.AT);
  store<i32>(chunkResult, number, chunkResults.CPU_NUMBER);
  store<i32>(chunkResult, known, chunkResults.CPU_ROW);
  return goesOn;
}

/** Does a transition, if it is one of those that are done here. */
@inline
function pass(now: f64, kind: i32, cpu: i32, args: usize): bool {
  moveOn(now);
  return takesMore() && cpu >= 0 && step(kind, cpu, args);
}

@inline
function step(kind: i32, cpu: i32, args: usize): bool {
  switch (kind) {
    case transitions.T_CALL:
      return beginCall(cpu, load<i32>(args));
    case transitions.T_NUMBERED_CALL:
      return isSignalReturn(load<i32>(args, 4), load<i32>(args, 8)) ? endCall(cpu, false) : beginCall(cpu, load<i32>(args));
    case transitions.T_RETURN:
      return returnFromCall(cpu);
    case transitions.T_ENTER:
      return cpus.enterInterrupt(cpu, args);
    case transitions.T_LEAVE:
      return cpus.leaveInterrupt(cpu, args);
    case transitions.T_SWITCH:
      return onSwitch(cpu, args);
    case transitions.T_WAKING:
      return onWakeUp(cpu, args, true);
    case transitions.T_WAKEUP:
      return onWakeUp(cpu, args, false);
    case transitions.T_WAKEUP_NEW:
      return onWakeUpNew(cpu, args);
    case transitions.T_GUEST_ENTRY:
      return enterGuest(cpu, load<i32>(args));
    case transitions.T_GUEST_EXIT:
      return setGuest(cpu, 0);
    case transitions.T_RAISE:
      return raiseSoftirq(cpu, load<i32>(args));
    case transitions.T_SENT:
      return addPacket(cpu, load<i32>(args), true);
    case transitions.T_RECEIVED:
      return addPacket(cpu, load<i32>(args), false);
    case transitions.T_INSERT:
      return insertRequest(cpu, args);
    case transitions.T_ISSUE:
      return issueRequest(cpu, args);
    case transitions.T_COMPLETE:
      return completeRequest(cpu, args);
    case transitions.T_MERGE:
      return mergeRequest(args);
    case transitions.T_MIGRATE:
      return onMigrate(args);
    case transitions.T_FORK:
      return onFork(args);
    case transitions.T_EXEC:
      return onExec(cpu, args);
    case transitions.T_SIGNAL:
      return onSignal(load<i32>(args), load<i32>(args, 4), load<i32>(args, 8));
    case transitions.T_DELIVER:
      return onDelivery(cpu);
    case transitions.T_EXIT:
      return onExit(args);
    case transitions.T_FREE:
      return onFree(args);
    default:
      return false;
  }
}

@inline
function enterGuest(cpu: i32, vcpu: i32): bool {
  const thread = CPU.current[cpu];
  if (thread >= 0 && THREAD.tid[thread] !== 0 && vcpu !== threads.NONE) THREAD.vcpu[thread] = vcpu;
  return setGuest(cpu, tellsGuests ? 1 : 0);
}

function setGuest(cpu: i32, inside: i32): bool {
  const thread = CPU.current[cpu];
  if (thread < 0 || THREAD.tid[thread] === 0) return true;
  THREAD.guest[thread] = inside;
  cpus.refreshCpu(cpu);
  return true;
}

/** A signal is generated for a thread, or for one of a group, which it is no mention of. */
function onSignal(tid: i32, group: i32, result: i32): bool {
  const thread = tid > 0 && group === 0 && result === 0 ? threads.findThread(tid) : threads.NONE;
  if (thread >= 0) THREAD.signalled[thread] = 1;
  return true;
}

function onDelivery(cpu: i32): bool {
  const thread = CPU.current[cpu];
  if (thread >= 0) THREAD.signalled[thread] = 0;
  return true;
}

@inline
function beginCall(cpu: i32, index: i32): bool {
  const thread = CPU.current[cpu];
  if (!recordsCalls || thread < 0 || THREAD.tid[thread] === 0) return true;
  const name = textOfChunk(index);
  if (name === NEW_TEXT || name === NO_TEXT || !threads.canCall(thread)) return false;
  if (threads.isOddlyInCall(thread)) return false;
  threads.noteCall(thread, true);
  threads.beginCall(thread, name);
  cpus.refreshCpu(cpu);
  return true;
}

/** @param returns otherwise it is a call that returns from a signal handler */
@inline
function endCall(cpu: i32, returns: bool): bool {
  const thread = CPU.current[cpu];
  if (!recordsCalls || thread < 0 || THREAD.tid[thread] === 0) return true;
  if (threads.isOddlyInCall(thread)) return false;
  threads.noteCall(thread, !returns);
  threads.endCall(thread);
  cpus.refreshCpu(cpu);
  return true;
}

@inline
function returnFromCall(cpu: i32): bool {
  const thread = CPU.current[cpu];
  if (recordsCalls && thread >= 0 && !threads.isOddlyInCall(thread)) THREAD.guest[thread] = 0;
  return endCall(cpu, true);
}

/** Numbers of the calls that return from a signal handler; of 32-bit programs, and of others. */
@inline
function isSignalReturn(call: i32, compat: i32): bool {
  return compat === 1 ? call === 119 || call === 173 : call === 15 || call === 139;
}
