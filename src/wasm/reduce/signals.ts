/** Signals of which the history does not hold enough: `engine/linux/states/reduce/signal-rows.ts`. */
import { LOG_LENGTH } from '../../engine/base/tables';
import { SIGNAL } from '../../engine/linux/states/reduce/signal-rows';
import { I32Column } from '../columns';

/** Rows in use; packets and softirqs have others. */
let count: I32Column = changetype<I32Column>(0);
let capacity: i32 = 0;

/** Directories of the signals' rows, and of how many there are. */
export function placeSignals(rows: SIGNAL, length: LOG_LENGTH): void {
  SIGNAL.bind(rows);
  capacity = rows.capacity;
  count = length.length;
}

/** Whether there is room for another one. */
@inline
export function takesSignal(): bool {
  return count[0] < capacity;
}

export function addSignal(
  woken: i32,
  endTime: f64,
  signalTime: f64,
  cpuNumber: i32,
  serial: i32,
  hasPacket: bool,
): void {
  const row = count[0];
  count[0] = row + 1;
  SIGNAL.thread[row] = woken;
  SIGNAL.end[row] = endTime;
  SIGNAL.signal[row] = signalTime;
  SIGNAL.cpu[row] = cpuNumber;
  SIGNAL.frame[row] = serial;
  SIGNAL.hasPacket[row] = hasPacket ? 1 : 0;
}
