/** Signals that the history does not tell enough of: `engine/kernel/reduce/signal-rows.ts`. */
import { columnOf, i32At, setF64, setI32 } from '../columns';

let thread: usize = 0;
let end: usize = 0;
let signal: usize = 0;
let cpu: usize = 0;
let frame: usize = 0;
/** i32: rows in use. */
let count: usize = 0;
let capacity: i32 = 0;

/** Directories of the signals' rows, and of how many there are. */
export function placeSignals(rows: usize, length: usize): void {
  thread = columnOf(rows, 0);
  end = columnOf(rows, 1);
  signal = columnOf(rows, 2);
  cpu = columnOf(rows, 3);
  frame = columnOf(rows, 4);
  capacity = i32At(rows, 5);
  count = columnOf(length, 0);
}

/** Whether there is room for another one. */
@inline
export function takesSignal(): bool {
  return load<i32>(count) < capacity;
}

export function addSignal(woken: i32, endTime: f64, signalTime: f64, cpuNumber: i32, serial: i32): void {
  const row = load<i32>(count);
  store<i32>(count, row + 1);
  setI32(thread, row, woken);
  setF64(end, row, endTime);
  setF64(signal, row, signalTime);
  setI32(cpu, row, cpuNumber);
  setI32(frame, row, serial);
}
