/**
 * Output of an importer: a CTF 2 trace in temporary files (CTF2-SPEC-2.0), one data stream for each CPU. Everything is
 * aligned to bytes. Numbers have the byte order of the file they come from, so that their bytes are copied as they are.
 */
import type { Fault } from '../base/fault.ts';
import type { Unpacked } from '../archive/types.ts';
import { memberPath } from '../archive/types.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { TempFile, TempFiles } from '../io/temp-file.ts';

/** Value of CTF 2's JSON; `bigint`: an integer of any size; a function: a text that is known when all was read. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | (() => string)
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** A member of an event's payload: its name and field class. */
export interface OutputMember {
  readonly name: string;
  readonly 'field-class': Json;
}

/** Environment and clock, which the metadata say beside event classes. */
export interface OutputTrace {
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: {
    readonly name: string;
    readonly description: string;
    /** ns from the Unix epoch to the clock's origin; undefined: not known. */
    readonly offset: bigint | undefined;
  };
}

/** More than any number of a CPU. */
const RUN = 2 ** 20;
/** Bytes of events in one packet, about. */
const PACKET_BYTES = 256 * 1024;
/** Bytes that a stream has room for at first: a file may name very many CPUs. */
const FIRST_BYTES = 2048;
/** Streams that are distinguished, and members of all event classes: more than any recording has. */
const MOST_STREAMS = 2048;
const MOST_MEMBERS = 250_000;
/** Bytes of a packet before its first event: class of the stream, two sizes, two times, lost events, CPU. */
const HEAD_BYTES = 4 + 5 * 8 + 4;

export class CtfOutput {
  readonly isBig: boolean;
  readonly #tempFiles: TempFiles;
  readonly #path: string;
  readonly #streams = new Map<number, StreamOutput>();
  readonly #events: Json[] = [];
  #members = 0;

  constructor(tempFiles: TempFiles, path: string, isBig: boolean) {
    this.#tempFiles = tempFiles;
    this.#path = path;
    this.isBig = isBig;
  }

  /** Declares an event class, in both classes of streams; returns its id. @param contexts stand before its members */
  declare(
    name: string | (() => string),
    members: readonly OutputMember[],
    contexts: readonly OutputMember[] = [],
  ): number {
    const id = this.#events.length / STREAM_CLASSES.length;
    this.#members += members.length;
    const structure = (of: readonly OutputMember[]): Json => {
      return { type: 'structure', 'member-classes': of as unknown as Json };
    };
    for (const stream of STREAM_CLASSES)
      this.#events.push({
        type: 'event-record-class',
        id,
        'data-stream-class-id': stream,
        name,
        'specific-context-field-class': contexts.length === 0 ? undefined : structure(contexts),
        'payload-field-class': structure(members),
      });
    return id;
  }

  /** Whether no recording has so many kinds of events as were declared; no more should be. */
  get isFull(): boolean {
    return this.#members > MOST_MEMBERS;
  }

  /** Stream of a CPU; -1: of events whose CPU is not known. @param run which one of several that it may have */
  stream(cpu: number, run = 0): StreamOutput {
    const key = run * RUN + cpu;
    let stream = this.#streams.get(key);
    if (stream === undefined && cpu >= 0 && this.#streams.size >= MOST_STREAMS) return this.stream(-1);
    if (stream === undefined) this.#streams.set(key, (stream = new StreamOutput(cpu, this.isBig)));
    return stream;
  }

  /** Writes the packets that are full. Faults: `spill-full`. */
  async flush(isLast = false): Promise<Fault | undefined> {
    for (const stream of this.#streams.values()) {
      const fault = await stream.flush(this.#tempFiles, isLast);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Ends all files: the metadata in memory, the streams as temporary files. */
  async finish(trace: OutputTrace): Promise<Unpacked> {
    const faults: Fault[] = [];
    const full = await this.flush(true);
    if (full !== undefined) faults.push(full);
    const bytes = new TextEncoder().encode(this.#metadata(trace));
    const path = memberPath(this.#path, 'metadata');
    const files: SourceRef[] = [{ kind: 'memory', path, size: bytes.length, bytes }];
    for (const [key, stream] of [...this.#streams].sort(([a], [b]) => a - b)) {
      const run = Math.floor((key + 1) / RUN);
      const cpu = key - run * RUN;
      const name = `${cpu < 0 ? 'no-cpu' : `cpu-${cpu}`}${run === 0 ? '' : `-${run}`}`;
      const finished = await stream.file?.finish(memberPath(this.#path, name));
      if (finished?.ok === true) files.push(finished.value);
      else if (finished !== undefined) faults.push(finished.fault);
    }
    return { files, faults };
  }

  #metadata({ environment, clock }: OutputTrace): string {
    const { isBig } = this;
    const offset = clock.offset ?? 0n;
    const second = 1_000_000_000n;
    const time = (...roles: string[]) => integer(8, false, isBig, { roles });
    const context = (hasCpu: boolean): Json => ({
      type: 'structure',
      'member-classes': [
        { name: 'packet_size', 'field-class': time('packet-total-length') },
        { name: 'content_size', 'field-class': time('packet-content-length') },
        { name: 'timestamp_begin', 'field-class': time('default-clock-timestamp') },
        { name: 'timestamp_end', 'field-class': time('packet-end-default-clock-timestamp') },
        { name: 'events_discarded', 'field-class': time('discarded-event-record-counter-snapshot') },
        { name: hasCpu ? 'cpu_id' : 'no_cpu', 'field-class': integer(4, !hasCpu, isBig) },
      ],
    });
    const fragments: Json[] = [
      { type: 'preamble', version: 2 },
      {
        type: 'trace-class',
        environment,
        'packet-header-field-class': {
          type: 'structure',
          'member-classes': [
            { name: 'stream', 'field-class': integer(4, false, isBig, { roles: ['data-stream-class-id'] }) },
          ],
        },
      },
      {
        type: 'clock-class',
        id: 'clock',
        name: clock.name,
        description: clock.description,
        frequency: second,
        'offset-from-origin': { seconds: offset / second, cycles: offset % second },
        origin: clock.offset === undefined ? undefined : 'unix-epoch',
      },
      ...STREAM_CLASSES.map((id): Json => ({
        type: 'data-stream-class',
        id,
        'default-clock-class-id': 'clock',
        'packet-context-field-class': context(id === 0),
        'event-record-header-field-class': {
          type: 'structure',
          'member-classes': [
            { name: 'id', 'field-class': integer(2, false, isBig, { roles: ['event-record-class-id'] }) },
            { name: 'timestamp', 'field-class': time('default-clock-timestamp') },
          ],
        },
      })),
      ...this.#events,
    ];
    return fragments.map((fragment) => `\u001e${jsonText(fragment)}\n`).join('');
  }
}

/** 0: streams of a CPU, 1: of events whose CPU is not known. */
const STREAM_CLASSES = [0, 1];

/** The packets of one CPU: the one that is being filled, and those that are full. */
export class StreamOutput {
  file: TempFile | undefined;
  readonly #cpu: number;
  readonly #isBig: boolean;
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = HEAD_BYTES;
  /** Times of the packet's begin and of the greatest so far, as upper and lower 32 bits. */
  #hasBegun = false;
  #beginHigh = 0;
  #beginLow = 0;
  #endHigh = 0;
  #endLow = 0;
  #lost = 0n;
  #full: Uint8Array[] = [];

  constructor(cpu: number, isBig: boolean) {
    this.#cpu = cpu;
    this.#isBig = isBig;
  }

  /** Begins an event; its fields follow. @param time ns of the trace's clock */
  event(id: number, time: bigint): void {
    this.eventAt(id, Number((time >> 32n) & 0xffffffffn), Number(time & 0xffffffffn));
  }

  /** The same with the upper and lower 32 bits of the time. */
  eventAt(id: number, high: number, low: number): void {
    if (this.#at >= PACKET_BYTES) this.#endPacket();
    if (!this.#hasBegun) this.#beginAt(high, low);
    if (high > this.#endHigh || (high === this.#endHigh && low > this.#endLow)) this.#endAt(high, low);
    this.#room(10);
    const isLittle = !this.#isBig;
    this.#view.setUint16(this.#at, id, isLittle);
    this.#view.setUint32(this.#at + 2, isLittle ? low : high, isLittle);
    this.#view.setUint32(this.#at + 6, isLittle ? high : low, isLittle);
    this.#at += 10;
  }

  /** Notes that events were lost between the one before and `time`. */
  lose(time: bigint, count: bigint): void {
    if (this.#hasBegun) this.#endPacket();
    // A packet without events lies in the time of the loss, and counts it.
    this.#lost += count;
    const [high, low] = [Number((time >> 32n) & 0xffffffffn), Number(time & 0xffffffffn)];
    const isLater = high > this.#endHigh || (high === this.#endHigh && low > this.#endLow);
    const isFirst = this.#endHigh === 0 && this.#endLow === 0;
    if (isFirst || !isLater) this.#beginAt(high, low);
    else this.#beginAt(this.#endHigh, this.#endLow);
    if (isLater) this.#endAt(high, low);
    this.#endPacket();
  }

  #beginAt(high: number, low: number): void {
    this.#hasBegun = true;
    this.#beginHigh = high;
    this.#beginLow = low;
  }

  #endAt(high: number, low: number): void {
    this.#endHigh = high;
    this.#endLow = low;
  }

  u16(value: number): void {
    this.#room(2);
    this.#view.setUint16(this.#at, value, !this.#isBig);
    this.#at += 2;
  }

  u32(value: number): void {
    this.#room(4);
    this.#view.setUint32(this.#at, value, !this.#isBig);
    this.#at += 4;
  }

  u64(value: bigint): void {
    this.#room(8);
    this.#view.setBigUint64(this.#at, value, !this.#isBig);
    this.#at += 8;
  }

  /** Copies the bytes [from, to). */
  copy(bytes: Uint8Array, from: number, to: number): void {
    this.#room(to - from);
    const out = this.#bytes;
    let at = this.#at;
    if (to - from > 64) out.set(bytes.subarray(from, to), at);
    else for (let i = from; i < to; i++) out[at++] = bytes[i];
    this.#at += to - from;
  }

  /** Copies the bytes [from, to) of a view, few and mostly in words. */
  copyWords(view: DataView, from: number, to: number): void {
    this.#room(to - from);
    let at = this.#at;
    let i = from;
    for (; i + 4 <= to; i += 4, at += 4) this.#view.setInt32(at, view.getInt32(i, true), true);
    for (; i < to; i++) this.#bytes[at++] = view.getUint8(i);
    this.#at = at;
  }

  /** Copies the bytes [from, to) up to their first zero, with a zero behind them. */
  text(bytes: Uint8Array, from: number, to: number): void {
    this.#room(to - from + 1);
    let at = this.#at;
    for (let i = from; i < to && bytes[i] !== 0; i++) this.#bytes[at++] = bytes[i];
    this.#bytes[at++] = 0;
    this.#at = at;
  }

  async flush(tempFiles: TempFiles, isLast: boolean): Promise<Fault | undefined> {
    if (isLast && this.#hasBegun) this.#endPacket();
    const packets = this.#full;
    this.#full = [];
    for (const packet of packets) {
      if (this.file === undefined) {
        const begun = await tempFiles.begin();
        if (!begun.ok) return begun.fault;
        this.file = begun.value;
      }
      const written = await this.file.write(packet);
      if (!written.ok) return written.fault;
    }
    return undefined;
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#at + bytes));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  #words(high: number, low: number): void {
    this.u32(this.#isBig ? high : low);
    this.u32(this.#isBig ? low : high);
  }

  #endPacket(): void {
    const size = this.#at;
    this.#at = 0;
    this.u32(this.#cpu < 0 ? 1 : 0);
    this.u64(BigInt(8 * size));
    this.u64(BigInt(8 * size));
    this.#words(this.#beginHigh, this.#beginLow);
    this.#words(this.#endHigh, this.#endLow);
    this.u64(this.#lost);
    this.u32(this.#cpu);
    this.#full.push(this.#bytes.slice(0, size));
    this.#at = HEAD_BYTES;
    this.#hasBegun = false;
  }
}

/** Field class of an integer. @param size bytes */
export function integer(
  size: number,
  isSigned: boolean,
  isBig: boolean,
  more: { roles?: string[]; base?: number } = {},
): Json {
  return {
    type: `fixed-length-${isSigned ? 'signed' : 'unsigned'}-integer`,
    length: 8 * size,
    alignment: 8,
    'byte-order': isBig ? 'big-endian' : 'little-endian',
    roles: more.roles,
    'preferred-display-base': more.base,
  };
}

/** Field class of a text that ends with a zero. */
export const TEXT: Json = { type: 'null-terminated-string' };

/** `JSON.stringify` with integers of any size. */
function jsonText(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function') return JSON.stringify(value());
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value as Readonly<Record<string, Json | undefined>>);
  const properties = entries.flatMap(([name, item]) =>
    item === undefined ? [] : [`${JSON.stringify(name)}:${jsonText(item)}`],
  );
  return `{${properties.join(',')}}`;
}
