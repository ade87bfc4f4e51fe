/**
 * trace.dat → CTF: the pages of the kernel's ring buffer of each CPU (Documentation/trace/ring-buffer-design.rst,
 * include/linux/ring_buffer.h), one stream a CPU, one trace for each buffer.
 */
import type { Unpacked } from '../../archive/types.ts';
import { memberPath } from '../../archive/types.ts';
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource, SourceRef } from '../../io/byte-source.ts';
import { Bytes } from '../bytes.ts';
import { CtfOutput, type OutputMember, type StreamOutput } from '../ctf-output.ts';
import { FieldEvents, markEvent, threadEvent } from '../field-events.ts';
import { type KernelFormat, recordWriter, type RecordWriter } from '../kernel-formats.ts';
import { isKind } from '../../trace/event-kinds.ts';
import { CallClasses, callNames, placeOfCall } from '../system-calls.ts';
import { damaged, type Importing } from '../types.ts';
import {
  type Correction,
  MOST_BYTES,
  readTraceDat,
  type CpuData,
  type TraceBuffer,
  type TraceDat,
  unpackChunk,
} from './trace-dat.ts';

/** Bytes of pages that are read at once. */
const PIECE_BYTES = 1 << 20;

/** `type_len` of records of the ring buffer that are no events. */
const PADDING = 29;
const TIME_EXTEND = 30;
const TIME_STAMP = 31;
/** Bits of a page's `commit`: size of its data; events were lost before it; how many stands behind its data. */
const COMMIT_MASK = (1 << 27) - 1;
const MISSED_EVENTS = 1 << 31;
const MISSED_STORED = 1 << 30;
/** Bits of a difference of times, and the upper bits of a time that an absolute one does not have. */
const DELTA_BITS = 27;
const UPPER_BITS = 0xf8n << 56n;

export async function importTraceDat(
  file: SourceRef,
  source: ByteSource,
  importing: Importing,
): Promise<Unpacked> {
  const read = await readTraceDat(source);
  if (!read.ok) return { files: [], faults: [read.fault] };
  const files: SourceRef[] = [];
  const faults: Fault[] = [];
  /** Bytes of pages that may still be read: those of several buffers and CPUs lie apart. */
  let left = source.size;
  for (const buffer of read.value.buffers) {
    const path = buffer.name === '' ? file.path : memberPath(file.path, buffer.name);
    const output = new CtfOutput(importing.tempFiles, path, read.value.isBig);
    const pages = new BufferPages(read.value, buffer, output);
    for (const cpu of buffer.cpus) {
      if (cpu.size === 0) continue;
      left -= Math.min(cpu.size, source.size - cpu.offset);
      if (left < 0) {
        faults.push(damaged(file.path, cpu.offset, 'data that no other CPU has', 'data of two CPUs'));
        break;
      }
      const fault = await pages.read(source, cpu, importing);
      if (fault !== undefined && fault.code !== 'cancelled') faults.push(fault);
    }
    // Instances without events are no traces.
    if (buffer.name !== '' && pages.events === 0) continue;
    const { files: own, faults: more } = await pages.finish();
    append(files, own);
    append(faults, more);
    append(faults, pages.faults(path));
  }
  const { kallsyms } = read.value;
  if (kallsyms.length > 0) {
    const begun = await importing.tempFiles.begin();
    const written = begun.ok ? await begun.value.write(kallsyms) : begun;
    const finished =
      begun.ok && written.ok ? await begun.value.finish(memberPath(file.path, 'symbols/kallsyms')) : written;
    if (!finished.ok) faults.push(finished.fault);
    else if (finished.value !== undefined) files.push(finished.value);
  }
  return { files, faults };
}

interface Declared extends RecordWriter {
  readonly classOf: (view: DataView, from: number, to: number) => number;
  /** Place of the text that a program wrote; -1: it is another event. */
  readonly markAt: number;
}

class BufferPages {
  events = 0;
  readonly #trace: TraceDat;
  readonly #output: CtfOutput;
  readonly #formats = new Map<number, KernelFormat>();
  readonly #declared = new Map<number, Declared>();
  readonly #buffer: TraceBuffer;
  readonly #writer: FieldEvents;
  readonly #threads: Threads;
  /** Where the thread of an event is in its record, and of how many bytes: the same in all events. */
  readonly #tidAt: number;
  #unknown = 0;

  constructor(trace: TraceDat, buffer: TraceBuffer, output: CtfOutput) {
    this.#trace = trace;
    this.#buffer = buffer;
    this.#writer = new FieldEvents(output);
    this.#threads = new Threads(trace, this.#writer);
    this.#tidAt = trace.formats[0]?.fields.find(({ name }) => name === 'common_pid')?.offset ?? 4;
    this.#output = output;
    for (const format of trace.formats)
      if (!this.#formats.has(format.id)) this.#formats.set(format.id, format);
  }

  /** Reads the pages of a CPU; a fault where they end too early. */
  async read(
    source: ByteSource,
    { cpu, offset, size }: CpuData,
    { signal, onBytes }: Importing,
  ): Promise<Fault | undefined> {
    const { isBig, pageBytes } = this.#trace;
    const { unpack } = this.#buffer;
    this.#threads.beginCpu();
    const clock = clockOf(this.#trace, cpu);
    // The number of chunks is not counted.
    const end = Math.min(source.size, offset + size + (unpack === undefined ? 0 : 4));
    const stream = this.#output.stream(cpu);
    let chunks = 0;
    let at = offset;
    if (unpack !== undefined && size > 0) {
      const count = at + 4 <= end ? await source.read(at, 4) : undefined;
      if (count?.ok !== true) return damaged(source.name, at, `data of CPU ${cpu}`, 'the end of the file');
      chunks = new Bytes(count.value, isBig).u32();
      at += 4;
    }
    for (; at < end && (unpack === undefined || chunks > 0); chunks--) {
      if (signal?.aborted === true) return { code: 'cancelled', place: { file: source.name } };
      let pages: Uint8Array | undefined;
      if (unpack === undefined) {
        const read = await source.read(at, Math.min(PIECE_BYTES - (PIECE_BYTES % pageBytes), end - at));
        if (!read.ok) return read.fault;
        pages = read.value;
        at += pages.length;
      } else {
        const head = at + 8 <= end ? await source.read(at, 8) : undefined;
        const packed = head?.ok === true ? new Bytes(head.value, isBig).u32() : MOST_BYTES;
        const chunk = packed <= end - at - 8 ? await source.read(at, 8 + packed) : undefined;
        pages = chunk?.ok === true ? unpackChunk(new Bytes(chunk.value, isBig), unpack) : undefined;
        if (pages === undefined)
          return damaged(source.name, at, `a packed chunk of CPU ${cpu}`, 'other bytes');
        at += 8 + packed;
      }
      for (let page = 0; page + pageBytes <= pages.length; page += pageBytes)
        this.#page(pages.subarray(page, page + pageBytes), stream, clock);
      onBytes?.(at);
      const full = await this.#output.flush();
      if (full !== undefined) return full;
    }
    return offset + size > source.size
      ? {
          code: 'truncated',
          place: { file: source.name, byte: source.size },
          expected: `${offset + size} bytes`,
        }
      : undefined;
  }

  #classOf(format: KernelFormat, name: string, members: readonly OutputMember[]): Declared['classOf'] {
    const { isBig } = this.#trace;
    const numberAt = placeOfCall(format, isBig);
    if (numberAt === undefined) {
      const id = this.#output.declare(name, members);
      return () => id;
    }
    // Which programs are of 32 bits is not recorded.
    const classes = new CallClasses(callNames(this.#system.machine), this.#output, name, members);
    return (view, from, to) =>
      classes.of(from + numberAt + 4 <= to ? view.getInt32(from + numberAt, !isBig) : -1, false);
  }

  get #system() {
    const [sysname = '', hostname = '', release = '', machine = ''] = this.#trace.uname.split(' ');
    return { hostname, sysname, release, machine };
  }

  finish(): Promise<Unpacked> {
    const { version, shift, isDate, id, cycles } = this.#trace;
    const clock = this.#buffer.clock === '' ? this.#trace.clock : this.#buffer.clock;
    const tracer = { domain: 'kernel', tracer_name: 'trace-cmd', tracer_version: version };
    const name = CLOCKS[clock] ?? `ftrace_${clock}`;
    const told: Record<string, string> = {};
    if (id !== '') told.trace_id = id;
    if (this.#buffer.name !== '') told.instance = this.#buffer.name;
    return this.#output.finish({
      environment: { ...this.#system, ...tracer, ...told },
      clock: {
        name,
        description: `ftrace's clock ${clock}${cycles === undefined ? '' : ', cycles as ns'}`,
        offset: isDate ? shift : undefined,
      },
    });
  }

  faults(file: string): Fault[] {
    const count = this.#unknown;
    return count === 0
      ? []
      : [
          {
            code: 'records-left-out',
            place: { file },
            found: `${count} ${count === 1 ? 'event' : 'events'} without a format`,
          },
        ];
  }

  #page(bytes: Uint8Array, out: StreamOutput, clock: Clock): void {
    const { isBig, page } = this.#trace;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let time = view.getBigUint64(0, !isBig);
    const commit = view.getUint32(page.commit + (isBig && page.commitBytes === 8 ? 4 : 0), !isBig);
    const end = Math.min(bytes.length, page.data + (commit & COMMIT_MASK));
    if ((commit & MISSED_EVENTS) !== 0) {
      const isCounted = (commit & MISSED_STORED) !== 0 && end + 4 <= bytes.length;
      // Of those that were not counted there was at least one.
      out.lose(
        clock(time),
        isCounted ? BigInt(view.getUint32(end + (isBig && page.commitBytes === 8 ? 4 : 0), !isBig)) : 1n,
      );
    }
    for (let at = page.data; at + 4 <= end;) {
      const word = view.getUint32(at, !isBig);
      const type = isBig ? word >>> DELTA_BITS : word & 31;
      const delta = isBig ? word & ((1 << DELTA_BITS) - 1) : word >>> 5;
      const more = at + 8 <= end ? view.getUint32(at + 4, !isBig) : 0;
      if (type === TIME_EXTEND) {
        time += (BigInt(more) << 27n) + BigInt(delta);
        at += 8;
      } else if (type === TIME_STAMP) {
        time = (time & UPPER_BITS) | ((BigInt(more) << 27n) + BigInt(delta));
        at += 8;
      } else if (type === PADDING) {
        // The rest of the page is empty.
        if (delta === 0 || more === 0) return;
        time += BigInt(delta);
        at += 4 + more;
      } else {
        time += BigInt(delta);
        const from = type === 0 ? at + 8 : at + 4;
        const size = type === 0 ? more - 4 : 4 * type;
        if (size < 2 || from + size > end) return;
        this.#event(out, bytes, view, from, from + size, clock(time));
        at = from + ((size + 3) & ~3);
      }
    }
  }

  #event(out: StreamOutput, bytes: Uint8Array, view: DataView, from: number, to: number, time: bigint): void {
    const number = view.getUint16(from, !this.#trace.isBig);
    let declared = this.#declared.get(number);
    if (declared === undefined) {
      const format = this.#formats.get(number);
      if (format === undefined) {
        this.#unknown++;
        return;
      }
      const writer = recordWriter(format, this.#trace.isBig);
      const name = `${format.system}:${format.name}`;
      const markAt = isKind('print', name) ? (format.fields.find(({ isText }) => isText)?.offset ?? -1) : -1;
      declared = { ...writer, classOf: this.#classOf(format, name, writer.members), markAt };
      this.#declared.set(number, declared);
    }
    this.events++;
    const hasTid = from + this.#tidAt + 4 <= to;
    const tid = hasTid ? view.getInt32(from + this.#tidAt, !this.#trace.isBig) : 0;
    this.#threads.see(tid, out, time);
    if (declared.markAt >= 0) {
      const text = new Bytes(bytes.subarray(Math.min(from + declared.markAt, to), to), false).string(
        to - from,
      );
      const mark = markEvent(text.trimEnd(), tid);
      if (mark !== undefined && this.#writer.write(out, time, mark) === 'written') return;
    }
    out.event(declared.classOf(view, from, to), time);
    declared.write(out, bytes, view, from, to);
  }
}

/** Says what is known of threads before the first event of each on a CPU: CPUs are read one after the other. */
class Threads {
  readonly #names: ReadonlyMap<number, string>;
  readonly #processes: ReadonlyMap<number, string>;
  readonly #writer: FieldEvents;
  readonly #seen = new Set<number>();

  constructor({ commands, processes }: TraceDat, writer: FieldEvents) {
    this.#names = linesByThread(commands);
    this.#processes = linesByThread(processes);
    this.#writer = writer;
  }

  beginCpu(): void {
    this.#seen.clear();
  }

  see(tid: number, out: StreamOutput, time: bigint): void {
    if (tid === 0 || this.#seen.has(tid)) return;
    const name = this.#names.get(tid);
    const process = Number(this.#processes.get(tid) ?? 0);
    if ((name === undefined && !(process > 0)) || this.#seen.size >= MOST_THREADS) return;
    this.#seen.add(tid);
    this.#writer.write(out, time, threadEvent(tid, process > 0 ? process : undefined, name));
  }
}

/** Threads that something is said of on one CPU. */
const MOST_THREADS = 1 << 20;

/** Texts behind a number, by that: lines "NUMBER TEXT". */
function linesByThread(text: string): ReadonlyMap<number, string> {
  return new Map(
    text.split('\n').flatMap((line): [number, string][] => {
      const match = /^\s*(\d{1,9}) (.+)$/.exec(line);
      return match === null || match[2] === '<...>' ? [] : [[Number(match[1]), match[2]]];
    }),
  );
}

/** Time of the trace's clock, ns, of a time in the file. */
type Clock = (time: bigint) => bigint;

/** Corrections come before cycles are turned into ns (`timestamp_calc` of libtracecmd). */
function clockOf({ corrections, cycles, shift, isDate }: TraceDat, cpu: number): Clock {
  const correction = corrections[cpu] as Correction | undefined;
  const added = isDate ? 0n : shift;
  if ((correction?.offsets.length ?? 0) === 0 && cycles === undefined)
    return added === 0n ? (time) => time : (time) => BigInt.asUintN(64, time + added);
  return (time) => {
    let at = correction === undefined ? time : corrected(time, correction);
    if (cycles !== undefined) at = (at * cycles.mult) >> cycles.shift;
    return BigInt.asUintN(64, at + added);
  };
}

function corrected(time: bigint, { times, offsets, scalings, fractions }: Correction): bigint {
  if (offsets.length === 0) return time;
  let at = Math.max(
    times.findLastIndex((begin) => begin <= time),
    0,
  );
  // The last one has nothing behind it that it holds for.
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
