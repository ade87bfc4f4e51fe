/** Softirqs that waited: `engine/linux/states/reduce/softirq-rows.ts`. */
import { LOG_LENGTH } from '../../engine/base/tables';
import { CPU, FRAME_WORDS, HAS_WAIT, MAX_FRAMES, MOST_SOFTIRQS } from '../../engine/linux/states/reduce/cpu-table';
import { SOFTIRQ, SOFTIRQ_RAISED } from '../../engine/linux/states/reduce/softirq-rows';
import { FRAME_HRTIMER, FRAME_SOFTIRQ } from '../../engine/linux/states/map/transitions';
import { I32Column } from '../columns';
import { timeMovedTo } from './history';

/** Rows in use; signals have another one. */
let count: I32Column = changetype<I32Column>(0);
let capacity: i32 = 0;

/** Directories of the softirqs' rows, and of how many there are. */
export function placeSoftirqs(rows: SOFTIRQ, length: LOG_LENGTH): void {
  SOFTIRQ.bind(rows);
  capacity = rows.capacity;
  count = length.length;
}

/** Whether there is room for another one. */
@inline
export function takesSoftirq(): bool {
  return count[0] < capacity;
}

/** A softirq is raised: the first time since it was entered last counts. */
export function raiseSoftirq(cpu: i32, vec: i32): bool {
  if (<u32>vec >= <u32>MOST_SOFTIRQS) return true;
  const at = cpu * MOST_SOFTIRQS + vec;
  if (isNaN(CPU.pending[at])) CPU.pending[at] = timeMovedTo();
  return true;
}

/** Time when a softirq that is entered was raised; NaN: that was not seen. */
@inline
export function takeRaise(cpu: i32, vec: i32): f64 {
  if (<u32>vec >= <u32>MOST_SOFTIRQS) return NaN;
  const at = cpu * MOST_SOFTIRQS + vec;
  const raised = CPU.pending[at];
  CPU.pending[at] = NaN;
  return raised;
}

/**
 * Writes down how long the softirq waited in which a CPU is now, or which called the timer function that it is in.
 * There is room.
 * @returns whether its raise was seen
 */
export function noteSoftirqWait(cpu: i32): bool {
  const depth = CPU.depth[cpu];
  if (depth === 0) return false;
  let place = cpu * MAX_FRAMES + depth - 1;
  const serial = CPU.serials[place];
  if (CPU.frames[place * FRAME_WORDS] === FRAME_HRTIMER && depth > 1 && CPU.serials[place - 1] === serial) place--;
  if (CPU.frames[place * FRAME_WORDS] !== FRAME_SOFTIRQ || isNaN(CPU.raised[place])) return false;
  if ((CPU.work[place] & HAS_WAIT) === 0) {
    const row = count[0];
    count[0] = row + 1;
    SOFTIRQ.kind[row] = SOFTIRQ_RAISED;
    SOFTIRQ.frame[row] = serial;
    SOFTIRQ.vec[row] = CPU.frames[place * FRAME_WORDS + 1];
    SOFTIRQ.from[row] = CPU.raised[place];
    SOFTIRQ.to[row] = CPU.entered[place];
    CPU.work[place] = CPU.work[place] | HAS_WAIT;
  }
  return true;
}
