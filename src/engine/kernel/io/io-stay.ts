/**
 * A thread's stay on the CPU, as far as i/o calls go: which call is pending, and who is meant. Entry and exit within
 * one stay make a whole call at once; what a switch cuts stays two halves.
 */
import { THREAD_LOST, THREAD_OPEN } from '../unknown-thread.ts';
import { CALL_UNNAMED } from './io-calls.ts';
import type { IoPart } from './io-leaf.ts';
import type { CallWriter } from './io-writer.ts';

export class Stay {
  readonly #calls: CallWriter;
  #changed = false;
  #beginThread = THREAD_LOST;
  #thread = THREAD_OPEN;
  /** Row of the pending call, -1 none. */
  #pending = -1;
  #entrySeen = false;

  constructor(calls: CallWriter) {
    this.#calls = calls;
  }

  /** Another thread is switched in; `leaves` was on the CPU until now. */
  change(leaves: number, enters: number): void {
    if (!this.#changed) this.#beginThread = leaves;
    this.#changed = true;
    this.#thread = enters;
    this.#pending = -1;
    this.#entrySeen = false;
  }

  /** Events were lost: the pending call is never closed, and nobody knows who runs. */
  lose(): void {
    if (this.#pending >= 0) this.#calls.columns.exit[this.#pending] = Infinity;
    this.change(THREAD_LOST, THREAD_LOST);
  }

  /** A call begins (`call` -1: of no interest); returns its row, or -1. */
  begin(time: number, call: number): number {
    this.#entrySeen = true;
    this.#pending = call <= CALL_UNNAMED ? -1 : this.#calls.add(this.#thread, call);
    if (this.#pending >= 0) this.#calls.columns.entry[this.#pending] = time;
    return this.#pending;
  }

  /** A call ends. */
  end(time: number, call: number, ret: number): void {
    let row = this.#pending;
    this.#pending = -1;
    if (row >= 0 && call !== CALL_UNNAMED && call !== this.#calls.columns.call[row]) row = -1;
    if (row < 0) {
      // The end of a call of no interest; unnamed ones are that when their entry was seen in this stay.
      if (call < 0 || (call === CALL_UNNAMED && this.#entrySeen)) return;
      row = this.#calls.add(this.#thread, call);
    }
    this.#calls.columns.exit[row] = time;
    this.#calls.columns.ret[row] = ret;
    this.#entrySeen = true;
  }

  /** Whether anything told who runs; who ran before that, and who runs now. */
  summary(): Pick<IoPart, 'changed' | 'beginThread' | 'endThread'> {
    return { changed: this.#changed, beginThread: this.#beginThread, endThread: this.#thread };
  }
}
