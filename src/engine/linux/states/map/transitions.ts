/**
 * Transitions: what one chunk contributes to the state history, in stream order. One transition has a time (merge key),
 * a kind, a CPU and up to seven integer arguments; texts are indices into the chunk result's own list.
 */
import type { TransitionChunk } from '../../../analysis/contract.ts';
import {
  bytesOf,
  f64,
  i32,
  noRows,
  type ReadRows,
  type Table,
  tableIn,
  u32,
  u8,
} from '../../../base/tables.ts';
import { widened } from '../../../base/columns.ts';

/** Integers of a transition at most: most have fewer. */
export const ARGUMENTS = 7;

/** First event of a CPU in the chunk: the CPU exists from here on. Index in the chunk result's windows. */
export const T_BEGIN = 0;
/**
 * prev tid, next tid, prev_state, prev name, next name, prev pid (a context may give it). Records of perf may name
 * only one of the threads: the other one is ABSENT.
 */
export const T_SWITCH = 1;
/** tid, target CPU, name. */
export const T_WAKING = 2;
export const T_WAKEUP = 3;
export const T_WAKEUP_NEW = 4;
/** tid, destination CPU. */
export const T_MIGRATE = 5;
/** parent tid, child tid, parent pid, child pid, child name. */
export const T_FORK = 6;
/** tid, name, tid before. */
export const T_EXEC = 7;
/** tid. */
export const T_EXIT = 8;
export const T_FREE = 9;
/** tid, pid, ppid, type (1: kernel thread), name. */
export const T_PROCESS = 10;
/** name. */
export const T_CALL = 11;
export const T_RETURN = 12;
/** frame kind, id, second half of the id, name; of the exits of FRAME_IRQ also what the handler returned. */
export const T_ENTER = 13;
export const T_LEAVE = 14;
/**
 * End of the loss (HostNs), as low and signed high words; what it hides (HIDES_*). The begin may be raised to the
 * stream's merge key.
 */
export const T_LOSS = 15;
/**
 * Switches were lost from here on, after everything else on the CPU at this time, if a kernel thread runs there:
 * arguments of the later `T_LOSS`. Only from `start-finder.ts`, in no chunk's result.
 */
export const T_LOST_EARLIER = 32;
/** tid, pid, pid of the parent (for a further thread that of the process itself), ns (low, high) of its begin; 0: before. */
export const T_PARENT = 33;
/** CPU, kHz. */
export const T_FREQUENCY = 16;
/** device, sector (low, high), sectors, tid of the issuer, flags, letters of the flags. */
export const T_INSERT = 17;
export const T_ISSUE = 18;
export const T_COMPLETE = 19;

/**
 * Index in the chunk result's packets, -1: a packet that cannot be distinguished from others, PACKET_IS_QUEUED: not
 * received yet.
 */
export const T_SENT = 20;
export const T_RECEIVED = 21;

/** The current thread enters its guest: number of its virtual CPU, ABSENT not recorded. */
export const T_GUEST_ENTRY = 22;
/** The current thread leaves its guest. */
export const T_GUEST_EXIT = 31;

/** A request is requeued; arguments like those of `T_ISSUE`. */
export const T_REQUEUE = 23;

/** A call with only a number: name or ABSENT, number, 1 for one of a 32-bit program. */
export const T_NUMBERED_CALL = 24;
/** A number of `rt_sigreturn`. */
export const SIGNAL_RETURN = 15;

/** The request is merged into another one; arguments like those of `T_ISSUE`. */
export const T_MERGE = 25;

/** A signal is generated: tid, 1 for one of the whole process, result (0: the thread will take it). */
export const T_SIGNAL = 26;
/** The current thread takes a signal. */
export const T_DELIVER = 27;

/** A softirq is raised: its number. */
export const T_RAISE = 28;
/** The call `exit` begins. */
export const T_EXIT_CALL = 29;

/** Index of a packet that is not received yet. */
export const PACKET_IS_QUEUED = -2;

/** Return value of an interrupt handler that wants its thread woken (IRQ_WAKE_THREAD). */
export const WAKE_THREAD = 2;

/** tid, START_*, name: a thread is on the CPU, as a later switch shows. Only from `start-finder.ts`, in no chunk's result. */
export const T_START = 30;

/** Mode of the thread of a `T_START`: user mode. */
export const START_USER = 0;
/** A system call of unknown name. */
export const START_CALL = 1;
/** User mode or such a call, decided by its next system call event. */
export const START_LATE = 2;
/** The kernel until the thread leaves the CPU; after that, like `START_LATE`. */
export const START_KERNEL = 3;

/** Frame kinds of an interrupt stack. */
export const FRAME_IRQ = 0;
export const FRAME_SOFTIRQ = 1;
export const FRAME_HRTIMER = 2;
export const FRAME_VECTOR = 3;

/** Arguments that were not recorded. */
export const ABSENT = -1;
/** Kind of a thread in T_PROCESS of unknown kind with its name at the end of the recording. */
export const SAVED = -2;

/** Keys of a chunk's packets, like in `PacketRows`, except that other addresses are indices of texts. */
export interface PacketKeys {
  readonly kind: Uint8Array;
  readonly key: Uint32Array;
}

/** The columns of a chunk result by transition, and their arguments. */
export const TRANSITIONS = {
  time: f64(),
  kind: u8(),
  cpu: i32(),
  /** Index of its first argument, ascending. */
  place: u32(),
};
/** Arguments of all transitions, consecutively. */
export const TRANSITION_ARGUMENTS = { args: i32() };

export interface StateChunk
  extends TransitionChunk, ReadRows<typeof TRANSITIONS>, Readonly<Table<typeof TRANSITION_ARGUMENTS>> {
  readonly texts: readonly string[];
  readonly packets: PacketKeys;
  /** Room for the reducer: the history's index of each text, -1 not looked up yet. */
  readonly historyText: Int32Array;
  /** The last event of each CPU in the chunk (HostNs), over all events. */
  readonly windows: readonly { readonly cpu: number; readonly last: number }[];
}

export const EMPTY_CHUNK: StateChunk = {
  length: 0,
  ...noRows(TRANSITIONS),
  ...noRows(TRANSITION_ARGUMENTS),
  texts: [],
  packets: { kind: new Uint8Array(0), key: new Uint32Array(0) },
  historyText: new Int32Array(0),
  windows: [],
};

export type TransitionColumns = Table<typeof TRANSITIONS> & Table<typeof TRANSITION_ARGUMENTS>;

const FIRST_CAPACITY = 1024;

/** Columns of a chunk result being written; they double, and are reused for one chunk result after the other. */
export class ChunkResultWriter {
  length = 0;
  /** Number of arguments. */
  used = 0;
  /** The merge key: the greatest time so far (HostNs). */
  now = -Infinity;
  time: Float64Array = new Float64Array(0);
  kind: Uint8Array = new Uint8Array(0);
  cpu: Int32Array = new Int32Array(0);
  place: Uint32Array = new Uint32Array(0);
  args: Int32Array = new Int32Array(0);
  #spare: ArrayBuffer | undefined;

  /** Begins a chunk result; its columns may be put into `spare`. */
  clear(spare?: ArrayBuffer): void {
    this.length = 0;
    this.used = 0;
    this.now = -Infinity;
    this.#spare = spare;
  }

  /** Begins a chunk result with the columns of given tables, which limit its size. */
  clearIn({ time, kind, cpu, place, args }: TransitionColumns, spare?: ArrayBuffer): void {
    this.clear(spare);
    this.time = time;
    this.kind = kind;
    this.cpu = cpu;
    this.place = place;
    this.args = args;
  }

  /** Makes room for `count` more transitions; may replace the columns. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.kind.length) return;
    const capacity = Math.max(FIRST_CAPACITY, needed, 2 * this.kind.length);
    this.time = widened(this.time, capacity);
    this.kind = widened(this.kind, capacity);
    this.cpu = widened(this.cpu, capacity);
    this.place = widened(this.place, capacity);
    this.args = widened(this.args, capacity * ARGUMENTS);
  }

  /** Merge key of an event at `time`. */
  keyOf(time: number): number {
    if (time > this.now) this.now = time;
    return this.now;
  }

  /** Appends a transition and returns the place of its ARGUMENTS arguments, which are 0. */
  append(time: number, kind: number, cpu: number): number {
    this.reserve(1);
    const at = this.length++;
    this.time[at] = time;
    this.kind[at] = kind;
    this.cpu[at] = cpu;
    const args = this.used;
    this.place[at] = args;
    this.used += ARGUMENTS;
    this.args.fill(0, args, this.used);
    return args;
  }

  /** Copies the contents into a buffer of its own. */
  columns(): Pick<StateChunk, 'length' | keyof TransitionColumns | 'memory'> {
    const { length, used } = this;
    const end = bytesOf(TRANSITIONS, length);
    const bytes = end + bytesOf(TRANSITION_ARGUMENTS, used);
    const spare = this.#spare;
    const buffer =
      spare !== undefined && spare.byteLength >= bytes ? spare : new ArrayBuffer(roundedUp(bytes));
    const columns = {
      ...tableIn(TRANSITIONS, length, buffer, 0),
      ...tableIn(TRANSITION_ARGUMENTS, used, buffer, end),
    };
    columns.time.set(this.time.subarray(0, length));
    columns.kind.set(this.kind.subarray(0, length));
    columns.cpu.set(this.cpu.subarray(0, length));
    columns.place.set(this.place.subarray(0, length));
    columns.args.set(this.args.subarray(0, used));
    return { length, ...columns, memory: new Uint8Array(buffer) };
  }
}

/** Rounds up to a power of two, so that chunk results of similar length fit; untouched memory costs nothing. */
function roundedUp(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(bytes, 1)));
}

/** The whole number 0 ≤ n < 2^53 in two words. */
export function wideOf(low: number, high: number): number {
  return (low >>> 0) + (high >>> 0) * 0x1_0000_0000;
}

/** A HostNs in two words, which may be negative. */
export function timeOfWords(low: number, high: number): number {
  return (low >>> 0) + high * 0x1_0000_0000;
}
