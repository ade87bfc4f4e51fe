/**
 * Rows of locks in the layer's history: below each thread what it waits for and what it holds, and for each lock that
 * somebody waited for who holds it, and how many wait.
 */
import type { HistorySink } from '../../history/types.ts';
import { SPAN_LEVELS, spanValue, waitValue, withoutEnd } from '../contract/span-values.ts';
import { lockWords, processNames } from './lock-names.ts';
import { lockColours, NO_COLOUR, threadColours } from './results/colours.ts';
import { lockChanges, type Open, openAfter } from './results/lock-changes.ts';
import { CONTENDED, type LockModel, OPEN, UNFINISHED } from './model/lock-model.ts';

interface LockRow {
  /** Row of the model's threads, or of its locks. */
  readonly of: number;
  readonly attribute: number;
  /** HostNs of its first span. */
  readonly first: number;
}

export interface LockRows {
  readonly threads: readonly LockRow[];
  readonly locks: readonly LockRow[];
}

/** @param path first segment of the paths of its attributes */
export function writeLockRows(model: LockModel, sink: HistorySink, path: string): LockRows {
  const { thread, lock } = model.waits;
  const writer = new RowWriter(model, sink, path);
  const isShown = contendedLocks(model);
  const { order, time, wait, change } = lockChanges(model);
  for (const at of order) {
    const row = wait[at];
    sink.moveTo(time[at]);
    writer.changeThread(thread[row], row, change[at], time[at]);
    if (isShown[lock[row]] === 1) writer.changeLock(lock[row], row, change[at], time[at]);
  }
  return { threads: [...writer.threads.values()], locks: [...writer.locks.values()] };
}

/** 1 where somebody waited for another thread, by row of the lock. */
function contendedLocks({ waits, locks }: LockModel): Uint8Array {
  const isContended = new Uint8Array(locks.length);
  for (let row = 0; row < waits.length; row++)
    if ((waits.flags[row] & CONTENDED) !== 0) isContended[waits.lock[row]] = 1;
  return isContended;
}

/** Height of the row of a lock for which nobody waits; each waiter adds one. */
const HELD_LEVEL = 2;

class RowWriter {
  readonly threads = new Map<number, LockRow>();
  readonly locks = new Map<number, LockRow>();
  readonly #model: LockModel;
  readonly #sink: HistorySink;
  readonly #path: string;
  /** Open waits and holds by thread, and by lock. */
  readonly #ofThreads = new Map<number, Open>();
  readonly #ofLocks = new Map<number, Open>();
  readonly #words: string[];
  /** Texts of what a thread shows, in the history, by lock: -1 not yet. */
  readonly #waitTexts: Int32Array;
  readonly #holdTexts: Int32Array;
  /** Colours by lock, and by thread. */
  readonly #lockColours: Uint8Array;
  readonly #threadColours: Uint8Array;

  constructor(model: LockModel, sink: HistorySink, path: string) {
    this.#model = model;
    this.#sink = sink;
    this.#path = path;
    const processes = processNames(model.threads);
    this.#lockColours = lockColours(model);
    this.#threadColours = threadColours(model);
    this.#waitTexts = new Int32Array(model.locks.length).fill(-1);
    this.#holdTexts = this.#waitTexts.slice();
    this.#words = model.locks.map((lock) => lockWords(lock, processes.get(lock.process) ?? ''));
  }

  /** A thread shows what it waits for, else what it took last. */
  changeThread(thread: number, row: number, change: number, time: number): void {
    const open = openAfter(this.#ofThreads, thread, row, change);
    const { attribute } = this.#rowOf(this.threads, 'threads', thread, time);
    const wait = open.waits.at(-1);
    const hold = open.holds.at(-1);
    const shown = wait ?? hold;
    if (shown === undefined) {
      this.#sink.end(attribute);
      return;
    }
    const { lock, flags, outcome } = this.#model.waits;
    const of = lock[shown];
    const colour = this.#lockColours[of];
    const texts = wait === undefined ? this.#holdTexts : this.#waitTexts;
    if (texts[of] < 0)
      texts[of] = this.#sink.string(`${wait === undefined ? 'holds' : 'waits for'} ${this.#words[of]}`);
    const value = wait === undefined ? spanValue(colour, 0, texts[of]) : waitValue(colour, texts[of]);
    const hasEnd = wait === undefined ? (flags[shown] & OPEN) === 0 : outcome[shown] !== UNFINISHED;
    this.#sink.set(attribute, hasEnd ? value : withoutEnd(value));
  }

  /** A lock shows who holds it, and by its height how many wait. */
  changeLock(lock: number, row: number, change: number, time: number): void {
    const { waits, holds } = openAfter(this.#ofLocks, lock, row, change);
    const { attribute } = this.#rowOf(this.locks, 'locks', lock, time);
    if (waits.length + holds.length === 0) {
      this.#sink.end(attribute);
      return;
    }
    const { thread } = this.#model.waits;
    const holder = holds.length === 0 ? -1 : thread[holds[0]];
    const who =
      holds.length > 1 ? `${holds.length} threads` : holder < 0 ? 'nobody known' : this.#threadText(holder);
    const queue = waits.length === 0 ? '' : `, ${waits.length} waiting`;
    const colour = holder < 0 ? NO_COLOUR : this.#threadColours[holder];
    const level = Math.min(SPAN_LEVELS, HELD_LEVEL + waits.length);
    this.#sink.set(attribute, spanValue(colour, 0, this.#sink.string(`held by ${who}${queue}`), level));
  }

  #threadText(thread: number): string {
    const { name, process, tid } = this.#model.threads[thread];
    return `${name || process || 'thread'} (${tid})`;
  }

  #rowOf(rows: Map<number, LockRow>, of: string, number: number, time: number): LockRow {
    const known = rows.get(number);
    if (known !== undefined) return known;
    const attribute = this.#sink.attribute([this.#path, of, String(number)], 'state');
    const row = { of: number, attribute, first: time };
    rows.set(number, row);
    return row;
  }
}
