/**
 * Goes on with the state history over transitions as `StateReducer` of `engine/kernel/state-reducer.ts` does, in its
 * tables, as long as nothing unusual comes: whoever calls does the transition at which it stops, and calls again behind
 * it. So what is here must be right where it goes on, and may stop anywhere, but before anything has changed.
 */
import { f64At, i32At, setI32, u8At } from '../columns';
import * as cpus from './cpus';
import { GAP, moveOn, placeHistory, set, takesMore } from './history';
import { placeSignals } from './signals';
import { onSwitch, setGeneration } from './switches';
import { NEW_TEXT, NO_TEXT, placeTexts, textOfLeaf, useTextsOfLeaf } from './texts';
import * as threads from './threads';
import { onMigrate, onWakeUp, placeCauses, setCircumstances, setRecorded } from './wake-ups';

export { placeCauses, placeHistory, placeSignals, placeTexts, setCircumstances };
export { placeCpuNumbers, placeCpus } from './cpus';
export { placeThreadCounts, placeThreads, placeTids } from './threads';

// Kinds of transitions (`engine/kernel/transitions.ts`).
const SWITCH: i32 = 1;
const WAKING: i32 = 2;
const WAKEUP: i32 = 3;
const WAKEUP_NEW: i32 = 4;
const MIGRATE: i32 = 5;
const CALL: i32 = 11;
const RETURN: i32 = 12;
const ENTER: i32 = 13;
const LEAVE: i32 = 14;

const ARGUMENT_BYTES: usize = 24;

/** What the trace is like. */
export function setTrace(isOldKernel: bool, hasWaking: bool): void {
  setGeneration(isOldKernel);
  setRecorded(hasWaking);
}

/**
 * Does transitions [from, to) of columns at these addresses and returns the first that it did not do.
 * @param texts the history's index of each text of the leaf, -1 not known yet
 * @param until stops at this time (TimeNs)
 */
export function run(
  time: usize,
  kind: usize,
  cpu: usize,
  args: usize,
  texts: usize,
  from: i32,
  to: i32,
  until: f64,
): i32 {
  useTextsOfLeaf(texts);
  for (let i = from; i < to; i++) {
    const now = f64At(time, i);
    if (now >= until) return i;
    moveOn(now);
    if (!takesMore()) return i;
    const row = cpus.findCpu(i32At(cpu, i));
    if (row < 0 || !step(u8At(kind, i), row, args + <usize>i * ARGUMENT_BYTES)) return i;
  }
  return to;
}

@inline
function step(kind: i32, cpu: i32, args: usize): bool {
  switch (kind) {
    case CALL:
      return beginCall(cpu, load<i32>(args));
    case RETURN:
      return endCall(cpu);
    case ENTER:
      return cpus.enterInterrupt(cpu, args);
    case LEAVE:
      return cpus.leaveInterrupt(cpu, args);
    case SWITCH:
      return onSwitch(cpu, args);
    case WAKING:
      return onWakeUp(cpu, args, true);
    case WAKEUP:
    case WAKEUP_NEW:
      return onWakeUp(cpu, args, false);
    case MIGRATE:
      return onMigrate(args);
    default:
      return false;
  }
}

@inline
function beginCall(cpu: i32, index: i32): bool {
  const thread = i32At(cpus.current, cpu);
  if (thread < 0 || i32At(threads.tid, thread) === 0) return true;
  const name = textOfLeaf(index);
  const attribute = i32At(threads.callAttribute, thread);
  if (name === NEW_TEXT || name === NO_TEXT || attribute < 0) return false;
  setI32(threads.call, thread, name);
  set(attribute, name);
  cpus.refreshCpu(cpu);
  return true;
}

@inline
function endCall(cpu: i32): bool {
  const thread = i32At(cpus.current, cpu);
  if (thread < 0 || i32At(threads.tid, thread) === 0) return true;
  if (i32At(threads.call, thread) >= 0) {
    setI32(threads.call, thread, threads.NONE);
    set(i32At(threads.callAttribute, thread), GAP);
  }
  cpus.refreshCpu(cpu);
  return true;
}
