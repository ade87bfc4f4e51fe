/**
 * trace.dat → CTF: the pages of the kernel's ring buffer of each CPU (Documentation/trace/ring-buffer-design.rst,
 * include/linux/ring_buffer.h), one stream a CPU, one trace for each buffer.
 */
import { memberPath } from '../../archive/types.ts';
import { Bytes } from '../bytes.ts';
import type { CtfOutput, OutputField, StreamOutput } from '../ctf-output.ts';
import { Moment } from '../field-bytes.ts';
import { type FieldEvent, FieldEvents, markEvent, threadEvent } from '../field-events.ts';
import { type KernelFormat, recordWriter, type RecordWriter } from '../kernel-formats.ts';
import { isKind } from '../../trace/event-kinds.ts';
import { damaged, type ImportRun } from '../import-run.ts';
import { callClasses, callNames, placeOfCall } from '../system-calls.ts';
import {
  type Correction,
  MOST_BYTES,
  readTraceDat,
  type CpuData,
  type TraceBuffer,
  type TraceDat,
  type Unpack,
  unpackChunk,
} from './trace-dat.ts';

/** `type_len` of ring buffer records that are no events. */
const PADDING = 29;
const TIME_EXTEND = 30;
const TIME_STAMP = 31;
/** Bits of a page's `commit`: size of its data; events were lost before it; their number follows its data. */
const COMMIT_MASK = (1 << 27) - 1;
const MISSED_EVENTS = 1 << 31;
const MISSED_STORED = 1 << 30;
/** Bits of a time difference, and bits of the upper half of a time that an absolute one lacks. */
const DELTA_BITS = 27;
const UPPER_BITS = 0xf8 << 24;

export async function importTraceDat(run: ImportRun): Promise<void> {
  const { file, source, options, faults } = run;
  const read = await readTraceDat(source);
  if (!read.ok) {
    faults.push(read.fault);
    return;
  }
  /** Bytes of pages that may still be read: those of different buffers and CPUs do not overlap. */
  let left = source.size;
  for (const buffer of read.value.buffers) {
    const path = buffer.name === '' ? file.path : memberPath(file.path, buffer.name);
    const pages = new BufferPages(run, read.value, buffer, run.output(path, read.value.isBig));
    for (const cpu of buffer.cpus) {
      if (cpu.size === 0) continue;
      left -= Math.min(cpu.size, source.size - cpu.offset);
      if (left < 0) {
        faults.push(damaged(file.path, cpu.offset, 'data that no other CPU has', 'data of two CPUs'));
        break;
      }
      await pages.read(cpu);
    }
    // Instances without events are left out.
    if (buffer.name !== '' && pages.events === 0) continue;
    await pages.finish();
    run.sayLeftOut('event', path);
  }
  const { kallsyms } = read.value;
  if (kallsyms.length === 0) return;
  const begun = await options.tempFiles.begin();
  const written = begun.ok ? await begun.value.write(kallsyms) : begun;
  const finished =
    begun.ok && written.ok ? await begun.value.finish(memberPath(file.path, 'symbols/kallsyms')) : written;
  if (!finished.ok) faults.push(finished.fault);
  else if (finished.value !== undefined) run.files.push(finished.value);
}

interface Declared extends RecordWriter {
  readonly classOf: (view: DataView, from: number, to: number) => number;
  /** Offset of the text that a program wrote; -1: it is another event. */
  readonly markAt: number;
}

class BufferPages {
  events = 0;
  readonly #run: ImportRun;
  readonly #trace: TraceDat;
  readonly #output: CtfOutput;
  readonly #formats = new Map<number, KernelFormat>();
  readonly #declared = new Map<number, Declared>();
  readonly #buffer: TraceBuffer;
  readonly #writer: FieldEvents;
  /** Known facts of threads, written before the first event of each on a CPU, as CPUs are read one after the other. */
  readonly #names: ReadonlyMap<number, string>;
  readonly #processes: ReadonlyMap<number, string>;
  readonly #told = new Set<number>();
  /** Offset and size of the thread in an event's record, bytes, the same for all events. */
  readonly #tidAt: number;
  /** Time of the present event by the trace's clock. */
  readonly #time = new Moment();

  constructor(run: ImportRun, trace: TraceDat, buffer: TraceBuffer, output: CtfOutput) {
    this.#run = run;
    this.#trace = trace;
    this.#buffer = buffer;
    this.#writer = new FieldEvents(output);
    this.#names = linesByThread(trace.commands);
    this.#processes = linesByThread(trace.processes);
    this.#tidAt = trace.formats[0]?.fields.find(({ name }) => name === 'common_pid')?.offset ?? 4;
    this.#output = output;
    for (const format of trace.formats)
      if (!this.#formats.has(format.id)) this.#formats.set(format.id, format);
  }

  async read({ cpu, offset, size }: CpuData): Promise<void> {
    const { source, faults } = this.#run;
    const { unpack } = this.#buffer;
    this.#told.clear();
    const pages = this.#pageTaker(cpu);
    // The number of chunks is not counted.
    const to = Math.min(source.size, offset + size + (unpack === undefined ? 0 : 4));
    const rest =
      unpack === undefined
        ? await this.#run.read({ source, from: offset, to }, { take: pages })
        : await this.#readChunks(offset, to, cpu, unpack, pages);
    if (rest !== undefined && offset + size > source.size)
      faults.push({
        code: 'truncated',
        place: { file: source.name, byte: source.size },
        expected: `${offset + size} bytes`,
      });
  }

  /** Reads the chunks in [from, to): their number, then two sizes and packed pages of each. */
  async #readChunks(
    from: number,
    to: number,
    cpu: number,
    unpack: Unpack,
    takePages: (bytes: Uint8Array) => number,
  ): Promise<Uint8Array | undefined> {
    const { source, faults } = this.#run;
    const { isBig } = this.#trace;
    const count = from + 4 <= to ? await source.read(from, 4) : undefined;
    if (count?.ok !== true) {
      faults.push(damaged(source.name, from, `data of CPU ${cpu}`, 'the end of the file'));
      return undefined;
    }
    let chunks = new Bytes(count.value, isBig).u32();
    const sizeOf = (bytes: Uint8Array) => 8 + new Bytes(bytes, isBig).u32();
    return this.#run.read(
      { source, from: from + 4, to },
      {
        take: (bytes, byte) => {
          let at = 0;
          while (chunks > 0 && at < bytes.length) {
            const size = sizeOf(bytes.subarray(at));
            const isHere = at + size <= bytes.length;
            if (!isHere && size <= MOST_BYTES && byte + bytes.length < to) break;
            const pages = isHere ? unpackChunk(new Bytes(bytes.subarray(at), isBig), unpack) : undefined;
            if (pages === undefined)
              return damaged(source.name, byte + at, `a packed chunk of CPU ${cpu}`, 'other bytes');
            takePages(pages);
            at += size;
            chunks--;
          }
          return chunks === 0 ? to - byte : at;
        },
        needed: (bytes) => Math.min(MOST_BYTES, sizeOf(bytes)),
      },
    );
  }

  #classOf(format: KernelFormat, name: string, fields: readonly OutputField[]): Declared['classOf'] {
    const { isBig } = this.#trace;
    const numberAt = placeOfCall(format, isBig);
    if (numberAt === undefined) {
      const id = this.#output.declare(name, fields);
      return () => id;
    }
    // Nothing records which programs are 32-bit.
    const classOf = callClasses(callNames(this.#system.machine), this.#output, name, fields);
    return (view, from, to) =>
      classOf(from + numberAt + 4 <= to ? view.getInt32(from + numberAt, !isBig) : -1);
  }

  get #system() {
    const [sysname = '', hostname = '', release = '', machine = ''] = this.#trace.uname.split(' ');
    return { hostname, sysname, release, machine };
  }

  async finish(): Promise<void> {
    const { version, shift, isDate, id, cycles } = this.#trace;
    const clock = this.#buffer.clock === '' ? this.#trace.clock : this.#buffer.clock;
    const tracer = { domain: 'kernel', tracer_name: 'trace-cmd', tracer_version: version };
    const name = CLOCKS[clock] ?? `ftrace_${clock}`;
    const recording: Record<string, string> = {};
    if (id !== '') recording.trace_id = id;
    if (this.#buffer.name !== '') recording.instance = this.#buffer.name;
    await this.#run.finish(this.#output, {
      environment: { ...this.#system, ...tracer, ...recording },
      clock: {
        name,
        description: `ftrace's clock ${clock}${cycles === undefined ? '' : ', cycles as ns'}`,
        offset: isDate ? shift : undefined,
      },
    });
  }

  #pageTaker(cpu: number): (bytes: Uint8Array) => number {
    const { pageBytes } = this.#trace;
    const out = this.#output.stream(cpu);
    const clock = clockOf(this.#trace, cpu);
    return (bytes) => {
      let at = 0;
      for (; at + pageBytes <= bytes.length; at += pageBytes)
        this.#page(bytes.subarray(at, at + pageBytes), out, clock);
      return at;
    };
  }

  #page(bytes: Uint8Array, out: StreamOutput, clock: Clock): void {
    const { isBig, page } = this.#trace;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const time = Moment.of(view.getBigUint64(0, !isBig));
    const lengthAt = isBig && page.commitBytes === 8 ? 4 : 0;
    const commit = view.getUint32(page.commit + lengthAt, !isBig);
    const end = Math.min(bytes.length, page.data + (commit & COMMIT_MASK));
    if ((commit & MISSED_EVENTS) !== 0) {
      const isCounted = (commit & MISSED_STORED) !== 0 && end + 4 <= bytes.length;
      clock(time, this.#time);
      // If the number was not recorded, at least one was lost.
      out.lose(this.#time, isCounted ? BigInt(view.getUint32(end + lengthAt, !isBig)) : 1n);
    }
    for (let at = page.data; at + 4 <= end;) {
      const word = view.getUint32(at, !isBig);
      const type = isBig ? word >>> DELTA_BITS : word & 31;
      const delta = isBig ? word & ((1 << DELTA_BITS) - 1) : word >>> 5;
      const more = at + 8 <= end ? view.getUint32(at + 4, !isBig) : 0;
      if (type === TIME_EXTEND || type === TIME_STAMP) {
        if (type === TIME_STAMP) time.set((time.high & UPPER_BITS) >>> 0, 0);
        time.add(more >>> (32 - DELTA_BITS), ((more << DELTA_BITS) >>> 0) + delta);
        at += 8;
      } else if (type === PADDING) {
        // The rest of the page is empty.
        if (delta === 0 || more === 0) return;
        time.add(0, delta);
        at += 4 + more;
      } else {
        time.add(0, delta);
        const from = type === 0 ? at + 8 : at + 4;
        const size = type === 0 ? more - 4 : 4 * type;
        if (size < 2 || from + size > end) return;
        clock(time, this.#time);
        this.#event(out, bytes, view, from, from + size);
        at = from + ((size + 3) & ~3);
      }
    }
  }

  #event(out: StreamOutput, bytes: Uint8Array, view: DataView, from: number, to: number): void {
    const number = view.getUint16(from, !this.#trace.isBig);
    const declared = this.#declared.get(number) ?? this.#declare(number);
    if (declared === undefined) {
      this.#run.leaveOut('without a format');
      return;
    }
    this.events++;
    const hasTid = from + this.#tidAt + 4 <= to;
    const tid = hasTid ? view.getInt32(from + this.#tidAt, !this.#trace.isBig) : 0;
    this.#tellThread(out, tid);
    if (declared.markAt >= 0) {
      const text = bytes.subarray(Math.min(from + declared.markAt, to), to);
      const mark = markEvent(new Bytes(text, false).string(text.length), tid);
      if (mark !== undefined && this.#write(out, mark) === 'written') return;
    }
    out.event(declared.classOf(view, from, to), this.#time);
    declared.write(out, bytes, view, from, to);
  }

  #tellThread(out: StreamOutput, tid: number): void {
    if (tid === 0 || this.#told.has(tid)) return;
    const name = this.#names.get(tid);
    const process = Number(this.#processes.get(tid) ?? 0);
    if ((name === undefined && !(process > 0)) || this.#told.size >= MOST_THREADS) return;
    this.#told.add(tid);
    this.#write(out, threadEvent(tid, process > 0 ? process : undefined, name));
  }

  #write(out: StreamOutput, event: FieldEvent) {
    return this.#writer.write(event, (id) => {
      out.event(id, this.#time);
      return out;
    });
  }

  #declare(number: number): Declared | undefined {
    const format = this.#formats.get(number);
    if (format === undefined) return undefined;
    const writer = recordWriter(format, this.#trace.isBig);
    const name = `${format.system}:${format.name}`;
    const markAt = isKind('print', name) ? (format.fields.find(({ isText }) => isText)?.offset ?? -1) : -1;
    const declared = { ...writer, classOf: this.#classOf(format, name, writer.fields), markAt };
    this.#declared.set(number, declared);
    return declared;
  }
}

/** Threads described on one CPU at most. */
const MOST_THREADS = 1 << 20;

/** Lines "NUMBER TEXT" as texts by number. */
function linesByThread(text: string): ReadonlyMap<number, string> {
  return new Map(
    text.split('\n').flatMap((line): [number, string][] => {
      const match = /^\s*(\d{1,9}) (.+)$/.exec(line);
      return match === null || match[2] === '<...>' ? [] : [[Number(match[1]), match[2]]];
    }),
  );
}

/** Converts a time of the file into ns of the trace's clock. */
type Clock = (time: Moment, to: Moment) => void;

/** Corrections apply before cycles are converted to ns (`timestamp_calc` of libtracecmd). */
function clockOf({ corrections, cycles, shift, isDate }: TraceDat, cpu: number): Clock {
  const correction = corrections[cpu] as Correction | undefined;
  const added = isDate ? 0n : BigInt.asUintN(64, shift);
  if ((correction?.offsets.length ?? 0) === 0 && cycles === undefined) {
    const { high, low } = Moment.of(added);
    return (time, to) => {
      to.set(time.high, time.low);
      to.add(high, low);
    };
  }
  return ({ time }, to) => {
    let at = correction === undefined ? time : corrected(time, correction);
    if (cycles !== undefined) at = (at * cycles.mult) >> cycles.shift;
    to.time = at + added;
  };
}

function corrected(time: bigint, { times, offsets, scalings, fractions }: Correction): bigint {
  if (offsets.length === 0) return time;
  let at = Math.max(
    times.findLastIndex((begin) => begin <= time),
    0,
  );
  // The last one only ends the correction before it.
  if (offsets.length > 1) at = Math.min(at, offsets.length - 2);
  const scaling = offsets.length > 1 ? (scalings[at] ?? 1n) : 1n;
  return ((time * scaling) >> ((fractions[at] ?? 0n) & 63n)) + offsets[at];
}

/** Names of the kernel's clocks by those of ftrace. */
const CLOCKS: Readonly<Record<string, string>> = {
  mono: 'monotonic',
  mono_raw: 'monotonic_raw',
  boot: 'boottime',
};
