/** Bundles of a CPU's ftrace events, converted to kernel events with the fields of the kernel's formats. */
import type { CtfOutput, OutputField } from '../ctf-output.ts';
import { type FieldBytes, Moment } from '../field-bytes.ts';
import { FieldEvents, markEvent } from '../field-events.ts';
import type { ImportRun } from '../import-run.ts';
import {
  BUNDLE,
  COMPACT,
  describedForm,
  EVENT,
  type EventField,
  type EventForm,
  eventForm,
  FTRACE_EVENTS,
  GENERIC,
  genericForm,
} from './ftrace-fields.ts';
import { namedCall } from '../system-calls.ts';
import { type CpuStream, OrderedStreams } from './ordered-streams.ts';
import { ftraceName } from './packets.ts';
import { MOST_CPUS } from '../waiting-events.ts';
import { Message } from './wire.ts';

/** Event classes at most: an event has one for each set of fields. */
const MOST_CLASSES = 8192;
/** Bytes of a thread's name; the kernel's have 16. */
const MOST_NAME = 64;
/** Kinds without event class: a loss; a switch that does not name the thread that leaves, which is the one that came before. */
const LOSS = -1;
const SWITCH = -2;
const PRINT_EVENT = 3;
const CALL_EVENT = 329;
const SWITCH_EVENT = 4;
const WAKING_EVENT = 20;

/** Parallel lists of compact switches and wake-ups. */
const SWITCH_LISTS = [
  COMPACT.switchTime,
  COMPACT.switchNextComm,
  COMPACT.switchNextPid,
  COMPACT.switchNextPrio,
  COMPACT.switchPrevState,
];
const WAKING_LISTS = [
  COMPACT.wakingTime,
  COMPACT.wakingComm,
  COMPACT.wakingPid,
  COMPACT.wakingPrio,
  COMPACT.wakingTargetCpu,
];

/** Numbers from here on are of no event: first system calls by number, then events that the trace describes. */
const FIRST_CALL = 2 ** 29;
const MOST_CALLS = 1024;
const FIRST_GENERIC = 2 ** 30;

/** Stream of a CPU, with the running thread by its compact switches. */
interface KernelStream extends CpuStream {
  /** -1: not known. */
  pid: number;
  readonly comm: Uint8Array;
  commBytes: number;
}

interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Gives the time of the trace's clock; undefined: not known; absent: times are of that clock. */
type ToTime = ((time: bigint) => bigint | undefined) | undefined;

const decoder = new TextDecoder();

/** The thread in which an event happened. */
const COMMON_PID: EventField = { name: 'common_pid', form: 'i32', number: 0 };

export class FtraceEvents {
  readonly streams: OrderedStreams<KernelStream>;
  /** Lowest number of a CPU with events; -1: there is none. */
  firstCpu = -1;
  readonly #output: CtfOutput;
  readonly #run: ImportRun;
  readonly #marks: FieldEvents;
  readonly #callName: (call: number) => string | undefined;
  /** Class of an event by its number and the set of its fields. */
  readonly #classes = new Map<number, number>();
  readonly #switches = new Set<number>();
  /** Stream of the CPU that a thread came to last, by tid. */
  readonly #streamOf = new Map<number, KernelStream>();
  /** Events that the trace describes, by number, and numbers of those that have names with them. */
  readonly #described = new Map<number, EventForm>();
  readonly #generic = new Map<string, number>();
  #count = 0;
  readonly #compact: { readonly known: number; readonly unknown: number; readonly waking: number };
  readonly #event = new Message(new Uint8Array(0));
  readonly #payload = new Message(new Uint8Array(0));
  // Values of the present event by index of its field.
  readonly #low = new Int32Array(32);
  readonly #high = new Int32Array(32);
  readonly #from = new Uint32Array(32);
  readonly #to = new Uint32Array(32);
  /** Time of the present event by the trace's clock. */
  readonly #time = new Moment();

  /** @param callName names system calls once all has been read */
  constructor(output: CtfOutput, run: ImportRun, callName: (call: number) => string | undefined) {
    this.#callName = callName;
    this.#output = output;
    this.#run = run;
    this.#marks = new FieldEvents(output);
    const [leaves, wakes] = [formOf(SWITCH_EVENT), formOf(WAKING_EVENT)];
    const declare = (form: EventForm, ...names: string[]) =>
      this.#declare(
        form.name,
        names.map((name) => form.fields.find((field) => field.name === name) ?? COMMON_PID),
      );
    const enters = ['prev_state', 'next_comm', 'next_pid', 'next_prio'];
    this.#compact = {
      known: declare(leaves, 'prev_comm', 'prev_pid', ...enters),
      unknown: declare(leaves, ...enters),
      waking: declare(wakes, 'comm', 'pid', 'prio', 'target_cpu'),
    };
    this.streams = new OrderedStreams(
      run,
      output,
      (stream): KernelStream => ({ ...stream, pid: -1, comm: new Uint8Array(MOST_NAME + 1), commBytes: 0 }),
      (...written) => this.#write(...written),
    );
  }

  /** Takes the events of a bundle; false: a part is damaged. */
  bundle(message: Message, toTrace: ToTime): boolean {
    const { waiting, isFull } = this.streams;
    const { at } = message;
    let cpu = 0;
    let clock = 0;
    let isLossy = false;
    const shift = { from: undefined as bigint | undefined, to: 0n };
    while (message.next()) {
      if (message.field === BUNDLE.cpu) cpu = message.low >>> 0;
      else if (message.field === BUNDLE.lostEvents) isLossy = message.low !== 0;
      else if (message.field === BUNDLE.clock) clock = message.low;
      else if (message.field === BUNDLE.ftraceTime) shift.from = message.bigint;
      else if (message.field === BUNDLE.bootTime) shift.to = message.bigint;
      else if (message.field === BUNDLE.descriptors) this.#described.set(...describedForm(message.message));
    }
    let isWhole = !message.isDamaged;
    if (cpu > MOST_CPUS) return false;
    if (isFull) {
      this.#run.leaveOut('of ftrace, of more bytes than are read');
      return isWhole;
    }
    if (this.firstCpu < 0 || cpu < this.firstCpu) this.firstCpu = cpu;
    const { from, to } = shift;
    const toTime: ToTime =
      clock === 0 || from === undefined
        ? toTrace
        : (time) => (toTrace === undefined ? time - from + to : toTrace(time - from + to));
    const loss = isLossy ? waiting.event(LOSS, cpu, new Moment()) : undefined;
    message.at = at;
    message.isDamaged = false;
    while (message.next()) {
      if (message.field === BUNDLE.event) isWhole = this.#readEvent(message, cpu, toTime) && isWhole;
      else if (message.field === BUNDLE.compactSched)
        isWhole = this.#readCompact(message.message, cpu, toTime) && isWhole;
    }
    if (loss !== undefined) waiting.moveBefore(loss);
    waiting.relieve();
    return isWhole;
  }

  /** Sets the time of the present event; false: it is not known. */
  #setTime(high: number, low: number, toTime: ToTime): boolean {
    this.#time.set(high >>> 0, low >>> 0);
    if (toTime === undefined) return true;
    const time = toTime(this.#time.time);
    if (time === undefined || time < 0n) {
      this.#run.leaveOut('of ftrace whose clock no snapshot explains');
      return false;
    }
    this.#time.time = time;
    return true;
  }

  #readEvent(bundle: Message, cpu: number, toTime: ToTime): boolean {
    const message = this.#event.open(bundle);
    const payload = this.#payload;
    let [high, low] = [0, 0];
    let pid: number | undefined;
    let number = 0;
    while (message.next()) {
      if (message.field === EVENT.time) [high, low] = [message.high, message.low];
      else if (message.field === EVENT.pid) pid = message.low;
      else if (message.to > message.from || number === 0) {
        number = message.field;
        payload.open(message);
      }
    }
    if (message.isDamaged) return false;
    if (number === GENERIC.event) return this.#readGeneric(cpu, high, low, toTime, pid);
    const form = FTRACE_EVENTS.get(number) ?? this.#described.get(number);
    if (form === undefined) this.#run.leaveOut(ftraceName(number));
    else if (this.#setTime(high, low, toTime)) return this.#readFields(number, form, cpu, pid);
    return true;
  }

  /** Takes an event that has the names of its fields with it. */
  #readGeneric(cpu: number, high: number, low: number, toTime: ToTime, pid: number | undefined): boolean {
    const payload = this.#payload;
    const form = genericForm(payload, (place, value) => this.#setValue(place, value));
    if (payload.isDamaged) return false;
    const key = `${form.name} ${form.fields.map((field) => `${field.name}:${field.form}`).join(' ')}`;
    let number = this.#generic.get(key);
    if (number === undefined) this.#generic.set(key, (number = FIRST_GENERIC + this.#generic.size));
    if (this.#setTime(high, low, toTime))
      this.#writeFields(number, form, 2 ** form.fields.length - 1, cpu, pid);
    return true;
  }

  #setValue(place: number, { low, high, from, to }: Message): void {
    this.#low[place] = low;
    this.#high[place] = high;
    this.#from[place] = from;
    this.#to[place] = to;
  }

  /** Takes an event whose fields are in the payload. */
  #readFields(number: number, form: EventForm, cpu: number, pid: number | undefined): boolean {
    const payload = this.#payload;
    let present = 0;
    while (payload.next()) {
      const place = form.byNumber[payload.field];
      if (place === undefined) continue;
      present |= 1 << place;
      this.#setValue(place, payload);
    }
    if (payload.isDamaged) return false;
    if (number === PRINT_EVENT && (present & 2) !== 0 && pid !== undefined) {
      const text = decoder.decode(payload.bytes.subarray(this.#from[1], this.#to[1]));
      const mark = markEvent(text, pid);
      const begin = (kind: number) => this.#begin(kind, cpu);
      if (mark !== undefined && this.#marks.write(mark, begin) === 'written') return true;
    }
    this.#writeFields(number, form, present, cpu, pid);
    return true;
  }

  /** @param present bits of the fields that are there, with the present values */
  #writeFields(number: number, form: EventForm, present: number, cpu: number, pid: number | undefined): void {
    const payload = this.#payload;
    const call = number === CALL_EVENT && (present & 1) !== 0 ? this.#low[0] : -1;
    const own = call >= 0 && call < MOST_CALLS ? FIRST_CALL + call : number;
    const kind = this.#classOf(own, form, present, pid !== undefined);
    if (kind === undefined) return;
    const out = this.#begin(kind, cpu);
    if (pid !== undefined) out.u32(pid);
    for (let place = 0; place < form.fields.length; place++) {
      if ((present & (1 << place)) === 0) continue;
      const type = form.fields[place].form;
      if (type === 'text') out.text(payload.bytes, this.#from[place], this.#to[place]);
      else if (type === 'i32' || type === 'u32') out.u32(this.#low[place]);
      else out.halves(this.#high[place], this.#low[place]);
    }
  }

  #begin(kind: number, cpu: number): FieldBytes {
    const { waiting } = this.streams;
    waiting.event(kind, cpu, this.#time);
    return waiting;
  }

  #classOf(number: number, form: EventForm, present: number, hasPid: boolean): number | undefined {
    const key = (number * 2 ** 20 + present) * 2 + (hasPid ? 1 : 0);
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    if (this.#count === MOST_CLASSES) {
      this.#run.leaveOut('of ftrace with another set of fields');
      return undefined;
    }
    const fields = form.fields.filter((_, place) => (present & (1 << place)) !== 0);
    const call = number >= FIRST_CALL && number < FIRST_GENERIC ? number - FIRST_CALL : undefined;
    const name = call === undefined ? form.name : () => namedCall(form.name, this.#callName(call));
    const kind = this.#declare(name, hasPid ? [COMMON_PID, ...fields] : fields);
    this.#classes.set(key, kind);
    if (number === SWITCH_EVENT) this.#switches.add(kind);
    return kind;
  }

  #declare(name: string | (() => string), fields: readonly OutputField[]): number {
    this.#count++;
    return this.#output.declare(name, fields);
  }

  #readCompact(message: Message, cpu: number, toTime: ToTime): boolean {
    const names: ByteRange[] = [];
    const lists: (Message | undefined)[] = [];
    while (message.next()) {
      if (message.field === COMPACT.names)
        names.push({ from: message.from, to: Math.min(message.to, message.from + MOST_NAME) });
      else if (message.field < 16) lists[message.field] = message.message;
    }
    const { bytes } = message;
    const eachRow = (fields: readonly number[], take: (name: ByteRange, row: readonly Message[]) => void) =>
      this.#eachRow(
        fields.map((field) => lists[field]),
        toTime,
        (row) => {
          const name = names.at(row[1].low >>> 0);
          if (name !== undefined) take(name, row);
          return name !== undefined;
        },
      );
    const switches = eachRow(SWITCH_LISTS, (name, [, , pid, prio, state]) => {
      const out = this.#begin(SWITCH, cpu);
      out.halves(state.high, state.low);
      out.u32(pid.low);
      out.u32(prio.low);
      out.text(bytes, name.from, name.to);
    });
    const wakings = eachRow(WAKING_LISTS, (name, [, , pid, prio, target]) => {
      const out = this.#begin(this.#compact.waking, cpu);
      out.text(bytes, name.from, name.to);
      out.u32(pid.low);
      out.u32(prio.low);
      out.u32(target.low);
    });
    return switches && wakings && !message.isDamaged;
  }

  /**
   * Reads parallel lists, the first of which has differences of times.
   * @param take gets a row at the present time; false: it is damaged
   */
  #eachRow(
    lists: readonly (Message | undefined)[],
    toTime: ToTime,
    take: (row: readonly Message[]) => boolean,
  ): boolean {
    const row = lists.filter((list) => list !== undefined);
    if (row.length < lists.length) return row.length === 0;
    const [times] = row;
    const time = new Moment();
    while (!times.isAtEnd) {
      for (const list of row) if (!list.varint()) return false;
      time.add(times.high, times.low >>> 0);
      if (this.#setTime(time.high, time.low, toTime) && !take(row)) return false;
    }
    return true;
  }

  #write(
    stream: KernelStream,
    kind: number,
    time: Moment,
    waited: FieldBytes,
    from: number,
    to: number,
  ): void {
    const { out } = stream;
    if (kind === LOSS) {
      // The number of lost events is not counted: at least one was.
      out.lose(time, 1n);
      stream.pid = -1;
    } else if (kind === SWITCH) {
      // If the thread that ran has since come to another CPU, the switch in which it left was lost: who leaves is not
      // known.
      if (stream.pid > 0 && this.#streamOf.get(stream.pid) !== stream) stream.pid = -1;
      out.event(stream.pid < 0 ? this.#compact.unknown : this.#compact.known, time);
      writeSwitch(stream, waited, from, to);
      this.#streamOf.set(stream.pid, stream);
    } else {
      out.event(kind, time);
      out.copy(waited.bytes, from, to);
      if (this.#switches.has(kind)) stream.pid = -1;
    }
  }
}

/** Bytes of the state, pid and priority of a compact switch, before the name. */
const SWITCH_NAME = 8 + 4 + 4;

/** Writes the fields of a compact switch; the thread that leaves, if known, is the one that came before. */
function writeSwitch(stream: KernelStream, { bytes, view }: FieldBytes, from: number, to: number): void {
  const { out, pid, comm } = stream;
  if (pid >= 0) {
    out.copy(comm, 0, stream.commBytes);
    out.u32(pid);
  }
  const name = from + SWITCH_NAME;
  out.copy(bytes, from, from + 8);
  out.copy(bytes, name, to);
  out.copy(bytes, from + 8, name);
  stream.pid = view.getInt32(from + 8, true);
  stream.commBytes = to - name;
  for (let i = name; i < to; i++) comm[i - name] = bytes[i];
}

function formOf(number: number): EventForm {
  return FTRACE_EVENTS.get(number) ?? eventForm('', []);
}
