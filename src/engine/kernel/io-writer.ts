/** The columns of one chunk's i/o part while they are written (`io-leaf.ts`). */
import { FACT_NAME } from './io-leaf.ts';
import type { CallColumns, FactColumns } from './io-leaf.ts';

type Growing<T> = { readonly [K in keyof Omit<T, 'length'>]: number[] };

export interface IoWriter {
  readonly calls: Growing<CallColumns>;
  /** A row of which only thread and call are known; returns its index. */
  addCall(thread: number, call: number): number;
  /** `ints`: a, b, c, d, as far as the kind has them; `text` -1: none. */
  addFact(time: number, kind: number, ints: readonly number[], wide: number, text: number): void;
  /** A thread is called so; only the last time of each thread is kept. */
  nameThread(time: number, tid: number, text: number): void;
  finish(): { readonly calls: CallColumns; readonly facts: FactColumns };
}

export function createIoWriter(): IoWriter {
  const calls: Growing<CallColumns> = {
    thread: [],
    call: [],
    entry: [],
    exit: [],
    fd: [],
    fd2: [],
    flags: [],
    path: [],
    ret: [],
  };
  const facts: Growing<FactColumns> = { time: [], kind: [], a: [], b: [], c: [], d: [], wide: [], text: [] };
  const names = new Map<number, { text: number; time: number }>();
  function addFact(time: number, kind: number, ints: readonly number[], wide: number, text: number): void {
    facts.time.push(time);
    facts.kind.push(kind);
    facts.a.push(ints[0] ?? -1);
    facts.b.push(ints[1] ?? -1);
    facts.c.push(ints[2] ?? -1);
    facts.d.push(ints[3] ?? -1);
    facts.wide.push(wide);
    facts.text.push(text);
  }

  return {
    calls,
    addFact,
    addCall(thread, call) {
      calls.thread.push(thread);
      calls.entry.push(NaN);
      calls.exit.push(NaN);
      calls.fd.push(-1);
      calls.fd2.push(-1);
      calls.flags.push(0);
      calls.path.push(-1);
      calls.ret.push(NaN);
      return calls.call.push(call) - 1;
    },
    nameThread(time, tid, text) {
      if (text < 0 || tid <= 0) return;
      const known = names.get(tid);
      if (known === undefined) {
        names.set(tid, { text, time });
      } else {
        known.text = text;
        known.time = time;
      }
    },
    finish() {
      for (const [tid, { text, time }] of names) addFact(time, FACT_NAME, [tid], 0, text);
      return { calls: callColumns(calls), facts: factColumns(facts) };
    },
  };
}

function callColumns(calls: Growing<CallColumns>): CallColumns {
  return {
    length: calls.call.length,
    thread: Int32Array.from(calls.thread),
    call: Uint8Array.from(calls.call),
    entry: Float64Array.from(calls.entry),
    exit: Float64Array.from(calls.exit),
    fd: Int32Array.from(calls.fd),
    fd2: Int32Array.from(calls.fd2),
    flags: Int32Array.from(calls.flags),
    path: Int32Array.from(calls.path),
    ret: Float64Array.from(calls.ret),
  };
}

function factColumns(facts: Growing<FactColumns>): FactColumns {
  return {
    length: facts.kind.length,
    time: Float64Array.from(facts.time),
    kind: Uint8Array.from(facts.kind),
    a: Int32Array.from(facts.a),
    b: Int32Array.from(facts.b),
    c: Int32Array.from(facts.c),
    d: Int32Array.from(facts.d),
    wide: Float64Array.from(facts.wide),
    text: Int32Array.from(facts.text),
  };
}
