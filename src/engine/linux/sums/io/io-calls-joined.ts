/**
 * Complete calls of a host: their callers, and both halves of calls that a switch cut. In a stream without switches
 * an apparent call may consist of halves of two: of the thread that began one, and of another that came meanwhile.
 */
import { orderBy, stableOrder } from '../../../base/stable-order.ts';
import { type Table, tableOf } from '../../../base/tables.ts';
import { TextList } from '../../../base/text-list.ts';
import { THREAD_LOST, THREAD_NEXT, THREAD_OPEN } from '../../events/values.ts';
import { CALL_UNNAMED, roleOf } from './io-calls.ts';
import { type IoPart, type IoStreamPart, CALLS } from './io-chunk.ts';

/** Threads are tids, or THREAD_LOST if not known; paths are indices in one list. */
type CallTable = Table<typeof CALLS>;

/** Calls that ended, and others that are not listed. */
export interface IoCalls extends CallTable {
  /** Rows of those that ended, in order of their end. */
  readonly ended: Uint32Array;
  readonly paths: readonly string[];
}

/** Thread on a CPU at a time (HostNs); THREAD_OPEN before the first known one, THREAD_LOST if not known. */
export type ThreadAt = (cpu: number, time: number) => number;

/** `streamParts` are those of one host. */
export function joinCalls(streamParts: readonly IoStreamPart[], threadAt: ThreadAt): IoCalls {
  const halves = new Halves(streamParts);
  let lastNobody = THREAD_NEXT;
  const nobody = () => --lastNobody;
  for (const part of streamParts) {
    if (part.switchesElsewhere) addByTime(halves, part, streamParts, threadAt);
    else addPart(halves, part, nobody);
  }
  const { calls, paths } = halves;
  const ended = joinHalves(calls, halves.inOrder());
  for (const row of ended) if (calls.thread[row] < THREAD_NEXT) calls.thread[row] = THREAD_LOST;
  const byThread = (a: number, b: number) => calls.thread[a] - calls.thread[b];
  return { ...calls, ended: orderBy(calls.exit, byThread, ended), paths: paths.list };
}

/**
 * Joins the halves of cut calls in the row of the first one.
 * @param rows of one stream in its order
 * @returns rows of ended calls with a known name
 */
function joinHalves(calls: CallTable, rows: Uint32Array): Uint32Array {
  const { thread, call, entry, exit } = calls;
  const begin = entry.map((time, row) => (Number.isNaN(time) ? exit[row] : time));
  /** Row of the call that has not ended, by thread. */
  const begun = new Map<number, number>();
  const ended = new Uint32Array(rows.length);
  let count = 0;
  for (const half of stableOrder(begin, rows)) {
    if (Number.isNaN(exit[half])) {
      begun.set(thread[half], half);
      continue;
    }
    const first = begun.get(thread[half]);
    begun.delete(thread[half]);
    if (exit[half] === Infinity) continue;
    const joins = first !== undefined && Number.isNaN(entry[half]) && isEndOf(calls, half, first);
    if (joins) endAs(calls, first, half);
    const row = joins ? first : half;
    if (call[row] !== CALL_UNNAMED) ended[count++] = row;
  }
  return ended.subarray(0, count);
}

/** Whether a half is the end of a call that the same thread has begun. */
function isEndOf({ thread, call }: CallTable, half: number, begun: number): boolean {
  return thread[half] !== THREAD_LOST && (call[half] === CALL_UNNAMED || call[half] === call[begun]);
}

/** Copies the values of the exit, for a pair also its descriptors. */
function endAs({ call, exit, ret, fd, fd2 }: CallTable, row: number, half: number): void {
  exit[row] = exit[half];
  ret[row] = ret[half];
  if (roleOf(call[half]) !== 'pair') return;
  fd[row] = fd[half];
  fd2[row] = fd2[half];
}

/**
 * Calls of all parts of a host, some of them halves. A call cut only by the border of two chunks is joined at once,
 * as in one chunk: joining by time would fail if a CPU's clock is wrong.
 */
class Halves {
  readonly calls: CallTable;
  readonly paths = new TextList();
  #length = 0;
  /** Row of the call that is pending at the end of the part before, -1 none. */
  #pending = -1;
  readonly #order: Uint32Array;
  #ordered = 0;

  constructor(streamParts: readonly IoStreamPart[]) {
    const rows = ({ parts, switchesElsewhere }: IoStreamPart) =>
      parts.reduce((sum, { calls }) => sum + calls.length, 0) * (switchesElsewhere ? 2 : 1);
    const capacity = streamParts.reduce((sum, part) => sum + rows(part), 0);
    this.calls = tableOf(CALLS, capacity);
    this.#order = new Uint32Array(capacity);
  }

  /** Rows as `follow` gave them. */
  inOrder(): Uint32Array {
    return this.#order.subarray(0, this.#ordered);
  }

  /** Appends a row after the earlier ones. */
  follow(row: number): void {
    this.#order[this.#ordered++] = row;
  }

  /**
   * Adds all calls of a part.
   * @param open thread at the begin, `next` the last one if no switch follows a loss
   * @returns their first row
   */
  add(part: IoPart, open: number, next: number): number {
    const length = this.#length;
    const { calls, texts } = part;
    const { thread, path, ...columns } = this.calls;
    for (const name of Object.keys(columns) as (keyof typeof columns)[])
      columns[name].set(calls[name].subarray(0, calls.length), length);
    const paths = texts.map((text) => this.paths.indexOf(text));
    for (let i = 0; i < calls.length; i++) {
      thread[length + i] = knownThread(calls.thread[i], open, next);
      path[length + i] = paths[calls.path[i]] ?? -1;
    }
    this.#length += calls.length;
    return length;
  }

  /** Begins another stream. */
  begin(): void {
    this.#pending = -1;
  }

  /**
   * Ends the call that was pending before a part whose first row is `first`, if the part has its exit.
   * @returns the row of the call; -1: nothing was joined
   */
  close({ calls, pending, closing, endsPending }: IoPart, first: number): number {
    const before = this.#pending;
    if (pending >= 0) this.#pending = first + pending;
    else if (endsPending) this.#pending = -1;
    const call = calls.call[closing];
    if (before < 0 || closing < 0 || (call !== CALL_UNNAMED && call !== this.calls.call[before])) return -1;
    endAs(this.calls, before, first + closing);
    return before;
  }

  /** Adds the end of a call that another thread began; returns its row. */
  addEnd(row: number, by: number): number {
    const { calls } = this;
    const end = this.#length++;
    calls.thread[end] = by;
    calls.call[end] = calls.call[row];
    calls.entry[end] = NaN;
    calls.fd[end] = calls.fd2[end] = calls.path[end] = -1;
    endAs(calls, end, row);
    calls.exit[row] = calls.ret[row] = NaN;
    return end;
  }
}

function knownThread(thread: number, open: number, next: number): number {
  if (thread === THREAD_OPEN) return open;
  return thread === THREAD_NEXT ? next : thread;
}

/**
 * Adds a part's calls. The thread at its begin follows from the part before; at first and after a loss from the next
 * switch, which may be parts away. If a loss comes before that, the thread in between gets a number of its own, so
 * that the halves of its calls are found.
 * @param nobody gives a new number below THREAD_NEXT
 */
function addPart(halves: Halves, { parts }: IoStreamPart, nobody: () => number): void {
  const leaves = leavingThreads(parts);
  const toldFrom = (place: number) => (leaves[place] === THREAD_LOST ? nobody() : leaves[place]);
  let current = toldFrom(0);
  halves.begin();
  for (const [place, part] of parts.entries()) {
    const next = toldFrom(place + 1);
    const first = halves.add(part, current, next);
    const isClosed = halves.close(part, first) >= 0;
    for (let row = first; row < first + part.calls.length; row++)
      if (!isClosed || row !== first + part.closing) halves.follow(row);
    if (part.changed) current = part.endThread === THREAD_NEXT ? next : part.endThread;
  }
}

/** Threads that leave at the next switch, by part, and after the last one; THREAD_LOST: a loss comes before it. */
function leavingThreads(parts: readonly IoPart[]): Int32Array {
  const leaves = new Int32Array(parts.length + 1).fill(THREAD_LOST);
  for (let place = parts.length - 1; place >= 0; place--)
    leaves[place] = parts[place].changed ? parts[place].beginThread : leaves[place + 1];
  return leaves;
}

/**
 * Adds calls by time: the thread at the begin follows from the first switch in `all` stream parts of the host, later
 * ones from the time.
 */
function addByTime(
  halves: Halves,
  { cpu, parts }: IoStreamPart,
  all: readonly IoStreamPart[],
  threadAt: ThreadAt,
): void {
  const ofCpu = all.find((part) => part.cpu === cpu && !part.switchesElsewhere);
  const [beginThread] = leavingThreads(ofCpu?.parts ?? []);
  const callerAt = (time: number) => {
    const tid = threadAt(cpu, time);
    return tid === THREAD_OPEN ? beginThread : tid;
  };
  halves.begin();
  for (const part of parts) {
    const first = halves.add(part, THREAD_LOST, THREAD_LOST);
    const closed = halves.close(part, first);
    if (closed >= 0) followEnd(halves, closed, callerAt);
    for (let row = first; row < first + part.calls.length; row++)
      if (closed < 0 || row !== first + part.closing) followByCaller(halves, row, callerAt);
  }
}

/** Appends a call, in halves if one thread began what another ended. */
function followByCaller(halves: Halves, row: number, callerAt: (time: number) => number): void {
  const { thread, entry, exit } = halves.calls;
  const begins = !Number.isNaN(entry[row]);
  thread[row] = callerAt(begins ? entry[row] : exit[row]);
  halves.follow(row);
  if (begins && Number.isFinite(exit[row])) followEnd(halves, row, callerAt);
}

/** Appends the end of a call that another thread began as a half of its own. */
function followEnd(halves: Halves, row: number, callerAt: (time: number) => number): void {
  const { thread, exit } = halves.calls;
  const ender = callerAt(exit[row]);
  if (ender !== thread[row]) halves.follow(halves.addEnd(row, ender));
}
