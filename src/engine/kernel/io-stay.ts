/**
 * A thread's stay on the CPU, as far as i/o calls go: which call is pending, and who is meant. Entry and exit within
 * one stay make a whole call at once; what a switch cuts stays two halves.
 */
import { CALL_UNNAMED } from './io-calls.ts';
import { THREAD_LOST, THREAD_OPEN } from './io-leaf.ts';
import type { IoWriter } from './io-writer.ts';

export interface Stay {
  /** Another thread is switched in; `leaves` was on the CPU until now. */
  change(leaves: number, enters: number): void;
  /** Events were lost: the pending call is never closed, and nobody knows who runs. */
  lose(): void;
  /** A call begins (`call` -1: of no interest); returns its row, or -1. */
  begin(time: number, call: number, known: number): number;
  /** A call ends; `known`: the thread where the context tells it, else -1. */
  end(time: number, call: number, ret: number, known: number): void;
  /** Whether anything told who runs; who ran before that, and who runs now. */
  summary(): { readonly changed: boolean; readonly beginThread: number; readonly endThread: number };
}

export function createStay(writer: IoWriter): Stay {
  const { calls } = writer;
  let changed = false;
  let beginThread = THREAD_LOST;
  let thread = THREAD_OPEN;
  let pending = -1;
  let entrySeen = false;

  function change(leaves: number, enters: number): void {
    if (!changed) beginThread = leaves;
    changed = true;
    thread = enters;
    pending = -1;
    entrySeen = false;
  }

  return {
    change,
    lose() {
      if (pending >= 0) calls.exit[pending] = Infinity;
      change(THREAD_LOST, THREAD_LOST);
    },
    begin(time, call, known) {
      entrySeen = true;
      pending = -1;
      if (call <= CALL_UNNAMED) return -1;
      pending = writer.addCall(known < 0 ? thread : known, call);
      calls.entry[pending] = time;
      return pending;
    },
    end(time, call, ret, known) {
      let row = pending;
      pending = -1;
      if (row >= 0 && call !== CALL_UNNAMED && call !== calls.call[row]) row = -1;
      if (row < 0) {
        // The end of a call of no interest; unnamed ones are that when their entry was seen in this stay.
        if (call < 0 || (call === CALL_UNNAMED && entrySeen)) return;
        row = writer.addCall(known < 0 ? thread : known, call);
      }
      calls.exit[row] = time;
      calls.ret[row] = ret;
      entrySeen = true;
    },
    summary: () => ({ changed, beginThread, endThread: thread }),
  };
}
