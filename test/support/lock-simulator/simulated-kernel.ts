/** The kernel's trace of simulated threads: they run but while they sleep, and wait for a CPU after they were woken. */
import * as values from '../../../src/engine/linux/events/values.ts';
import type { LayerKernel } from '../../../src/engine/layers/contract/layer.ts';
import type { Sleep } from './lock-world.ts';

interface Interval {
  readonly begin: number;
  readonly end: number;
  readonly value: number;
}

/** @param threads number of threads, which are the rows of its table */
export function simulatedKernel(sleeps: readonly Sleep[], threads: number, end: number): LayerKernel {
  const rows = Array.from({ length: threads }, (_, row) => row);
  const intervals = rows.map((thread) =>
    intervalsOf(
      sleeps.filter((sleep) => sleep.thread === thread),
      end,
    ),
  );
  const column = (value: number) => new Float64Array(threads).fill(value);
  const tables = {
    end,
    threads: {
      length: threads,
      tid: Int32Array.from(rows),
      incarnation: new Int32Array(threads),
      idleCpu: new Int32Array(threads).fill(-1),
      pid: new Int32Array(threads),
      name: rows.map((row) => `thread ${row}`),
      mode: new Uint8Array(threads).fill(values.STATE_USER),
      first: column(0),
      last: column(end),
      ended: column(NaN),
      stateAttribute: Int32Array.from(rows),
      callAttribute: new Int32Array(threads).fill(-1),
    },
  };
  const query = {
    scan: (
      attributes: readonly number[],
      from: number,
      to: number,
      visit: (place: number, interval: Interval) => void,
    ) => {
      attributes.forEach((attribute, place) => {
        for (const interval of intervals[attribute])
          if (interval.end > from && interval.begin < to) visit(place, interval);
      });
      return Promise.resolve();
    },
  };
  const noSignals = {
    length: 0,
    thread: new Int32Array(0),
    end: new Float64Array(0),
    signal: new Float64Array(0),
  };
  const kernel = { tables, query, logs: () => Promise.resolve({ signals: noSignals }) };
  // The model of locks asks for no more of it.
  return kernel as unknown as LayerKernel;
}

function intervalsOf(sleeps: readonly Sleep[], end: number): Interval[] {
  const found: Interval[] = [];
  let now = 0;
  const until = (to: number, value: number) => {
    const time = Math.min(to, end);
    if (time > now) found.push({ begin: now, end: time, value });
    now = Math.max(now, time);
  };
  for (const { begin, end: woken, resume, by } of sleeps) {
    until(begin, values.STATE_USER);
    until(
      woken,
      values.blockedValue(values.STATE_BLOCKED_S, by < 0 ? values.CAUSE_TIMER : values.CAUSE_THREAD, by),
    );
    until(resume, values.STATE_WOKEN);
  }
  until(end, values.STATE_USER);
  return found;
}
