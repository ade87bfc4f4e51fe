/**
 * A thread's stay on the CPU, as far as i/o calls go: which call is pending, and who is meant. Entry and exit within
 * one stay make a whole call at once; what a switch cuts stays two halves.
 */
import { THREAD_LOST, THREAD_NEXT, THREAD_OPEN } from '../../../src/engine/linux/events/values.ts';
import { CALL_UNNAMED } from '../../../src/engine/linux/sums/io/io-calls.ts';
import type { IoPart } from '../../../src/engine/linux/sums/io/io-chunk.ts';
import type { CallWriter } from './io-writer.ts';

export class Stay {
  readonly #calls: CallWriter;
  readonly #unnamed: boolean;
  #changed = false;
  #beginThread = THREAD_LOST;
  #thread = THREAD_OPEN;
  /** Row of the pending call, -1 none. */
  #pending = -1;
  /** Row of the exit of a call that began before the chunk, and whether anything ended what was pending there. */
  #closing = -1;
  #endsPending = false;
  #entrySeen = false;
  /** When the pending call began that is of no interest, NaN none. */
  #otherSince = NaN;
  /** The first row behind the last loss. */
  #behindLoss = 0;

  /** @param unnamed exits may not say of what: that of a call of no interest must not be taken for another's */
  constructor(calls: CallWriter, unnamed: boolean) {
    this.#calls = calls;
    this.#unnamed = unnamed;
  }

  /** Another thread is switched in; `leaves` was on the CPU until now. */
  change(leaves: number, enters: number): void {
    if (!this.#changed) this.#beginThread = leaves;
    this.cut();
    if (this.#thread === THREAD_NEXT) this.#ranSinceLoss(leaves);
    this.#changed = true;
    this.#endsPending = true;
    this.#thread = enters;
    this.#pending = -1;
    this.#entrySeen = false;
  }

  /** The pending call ends in another stay or chunk, if at all. */
  cut(): void {
    if (this.#unnamed && !Number.isNaN(this.#otherSince)) {
      const row = this.#calls.add(this.#thread, CALL_UNNAMED);
      this.#calls.columns.entry[row] = this.#otherSince;
    }
    this.#otherSince = NaN;
  }

  /** Events were lost since a time: of who ran before and who runs behind it no call is closed that was pending. */
  lose(since: number): void {
    if (this.#pending >= 0) this.#calls.columns.exit[this.#pending] = Infinity;
    // Perhaps one that began in another stay, or before this chunk.
    else this.#loseCall(since);
    this.#otherSince = NaN;
    this.change(THREAD_LOST, THREAD_NEXT);
    this.#behindLoss = this.#calls.length;
    this.#loseCall(since);
  }

  /** Of the thread that runs. */
  #loseCall(since: number): void {
    const row = this.#calls.add(this.#thread, CALL_UNNAMED);
    this.#calls.columns.entry[row] = since;
    this.#calls.columns.exit[row] = Infinity;
  }

  #ranSinceLoss(thread: number): void {
    const { length, columns } = this.#calls;
    for (let row = this.#behindLoss; row < length; row++)
      if (columns.thread[row] === THREAD_NEXT) columns.thread[row] = thread;
  }

  /** A call begins (`call` -1: of no interest); returns its row, or -1. */
  begin(time: number, call: number): number {
    this.#entrySeen = true;
    this.#endsPending = true;
    this.#otherSince = call <= CALL_UNNAMED ? time : NaN;
    this.#pending = call <= CALL_UNNAMED ? -1 : this.#calls.add(this.#thread, call);
    if (this.#pending >= 0) this.#calls.columns.entry[this.#pending] = time;
    return this.#pending;
  }

  /** A call ends; returns its row, or -1. */
  end(time: number, call: number, ret: number): number {
    let row = this.#pending;
    const isFirst = !this.#endsPending;
    this.#pending = -1;
    this.#endsPending = true;
    this.#otherSince = NaN;
    if (row >= 0 && call !== CALL_UNNAMED && call !== this.#calls.columns.call[row]) row = -1;
    if (row < 0) {
      // The end of a call of no interest; unnamed ones are that when their entry was seen in this stay.
      if (call < 0 || (call === CALL_UNNAMED && this.#entrySeen)) return -1;
      row = this.#calls.add(this.#thread, call);
      if (isFirst) this.#closing = row;
    }
    this.#calls.columns.exit[row] = time;
    this.#calls.columns.ret[row] = ret;
    this.#entrySeen = true;
    return row;
  }

  /** Whether anything told who runs; who ran before that, and who runs now; calls that the chunk's ends cut. */
  summary(): Omit<IoPart, 'calls' | 'facts' | 'texts'> {
    return {
      ...{ changed: this.#changed, beginThread: this.#beginThread, endThread: this.#thread },
      ...{ pending: this.#pending, closing: this.#closing, endsPending: this.#endsPending },
    };
  }
}
