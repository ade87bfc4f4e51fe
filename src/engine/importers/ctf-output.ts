/**
 * Output of an importer: a CTF 2 trace in temporary files (CTF2-SPEC-2.0), one data stream for each CPU. Everything is
 * aligned to bytes. Numbers have the byte order of the file they come from, so that their bytes are copied as they are.
 */
import type { Fault } from '../base/fault.ts';
import { type Unpacked, memberPath } from '../archive/types.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { TempFile, TempFiles } from '../io/temp-file.ts';
import { FieldBytes, Moment } from './field-bytes.ts';

/** Form of a field: a signed or unsigned number of so many bits, `x` an unsigned one shown in hexadecimal; or a text. */
export type Form = NumberForm | 'text';
type NumberForm = `${'i' | 'u' | 'x'}${8 | 16 | 32 | 64}`;

export interface OutputField {
  readonly name: string;
  readonly form: Form;
  /** Number of elements of an array, or the name of an earlier field with that number. */
  readonly count?: number | string;
}

/** Value of CTF 2's JSON; `bigint`: an integer of any size; a function: a text known only once all has been read. */
type Json =
  | string
  | number
  | bigint
  | boolean
  | (() => string)
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** Environment and clock in the metadata. */
export interface OutputTrace {
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: {
    readonly name: string;
    readonly description: string;
    /** ns from the Unix epoch to the clock's origin; undefined: not known. */
    readonly offset: bigint | undefined;
  };
}

/** Greater than any CPU number. */
const RUN = 2 ** 20;
/** Bytes of events in one packet, about. */
const PACKET_BYTES = 256 * 1024;
/** Initial room of a stream, bytes: a file may name very many CPUs. */
const FIRST_BYTES = 2048;
/** Most streams, and fields of all event classes: more than any recording has. */
const MOST_STREAMS = 2048;
const MOST_FIELDS = 250_000;
/** Bytes of a packet before its first event: class of the stream, two sizes, two times, lost events, CPU. */
const HEAD_BYTES = 4 + 5 * 8 + 4;

export class CtfOutput {
  readonly #streams = new Map<number, StreamOutput>();
  readonly #events: Json[] = [];
  #fields = 0;

  constructor(
    private readonly tempFiles: TempFiles,
    private readonly path: string,
    readonly isBig: boolean,
  ) {}

  /** Declares an event class in both classes of streams; returns its id. @param contexts precede its fields */
  declare(
    name: string | (() => string),
    fields: readonly OutputField[],
    contexts: readonly OutputField[] = [],
  ): number {
    const id = this.#events.length / STREAM_CLASSES.length;
    this.#fields += fields.length;
    for (const stream of STREAM_CLASSES)
      this.#events.push({
        type: 'event-record-class',
        id,
        'data-stream-class-id': stream,
        name,
        'specific-context-field-class':
          contexts.length === 0 ? undefined : structure(contexts.map((field) => this.#member(field))),
        'payload-field-class': structure(fields.map((field) => this.#member(field))),
      });
    return id;
  }

  #member({ name, form, count }: OutputField): Json {
    const one =
      form === 'text'
        ? { type: 'null-terminated-string' }
        : integer(form, this.isBig, { 'preferred-display-base': form.startsWith('x') ? 16 : undefined });
    return member(
      name,
      count === undefined
        ? one
        : typeof count === 'number'
          ? { type: 'static-length-array', length: count, 'element-field-class': one }
          : {
              type: 'dynamic-length-array',
              'element-field-class': one,
              'length-field-location': { path: [count] },
            },
    );
  }

  /** Whether more fields are declared than any recording has; no more should be. */
  get isFull(): boolean {
    return this.#fields > MOST_FIELDS;
  }

  /** Stream of a CPU; -1: of events whose CPU is not known. @param run number of the stream among those of the CPU */
  stream(cpu: number, run = 0): StreamOutput {
    const key = run * RUN + cpu;
    let stream = this.#streams.get(key);
    if (stream === undefined && cpu >= 0 && this.#streams.size >= MOST_STREAMS) return this.stream(-1);
    if (stream === undefined) this.#streams.set(key, (stream = new StreamOutput(cpu, this.isBig)));
    return stream;
  }

  /** Writes full packets. Faults: `spill-full`. */
  async flush(isLast = false): Promise<Fault | undefined> {
    for (const stream of this.#streams.values()) {
      const fault = await stream.flush(this.tempFiles, isLast);
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
    const path = memberPath(this.path, 'metadata');
    const files: SourceRef[] = [{ kind: 'memory', path, size: bytes.length, bytes }];
    for (const [key, stream] of [...this.#streams].sort(([a], [b]) => a - b)) {
      const run = Math.floor((key + 1) / RUN);
      const cpu = key - run * RUN;
      const name = `${cpu < 0 ? 'no-cpu' : `cpu-${cpu}`}${run === 0 ? '' : `-${run}`}`;
      const finished = await stream.file?.finish(memberPath(this.path, name));
      if (finished?.ok === true) files.push(finished.value);
      else if (finished !== undefined) faults.push(finished.fault);
    }
    return { files, faults };
  }

  #metadata({ environment, clock }: OutputTrace): string {
    const { isBig } = this;
    const offset = clock.offset ?? 0n;
    const second = 1_000_000_000n;
    const number = (form: NumberForm, role: string) => integer(form, isBig, { roles: [role] });
    const context = (hasCpu: boolean): Json =>
      structure([
        member('packet_size', number('u64', 'packet-total-length')),
        member('content_size', number('u64', 'packet-content-length')),
        member('timestamp_begin', number('u64', 'default-clock-timestamp')),
        member('timestamp_end', number('u64', 'packet-end-default-clock-timestamp')),
        member('events_discarded', number('u64', 'discarded-event-record-counter-snapshot')),
        hasCpu ? member('cpu_id', integer('u32', isBig)) : member('no_cpu', integer('i32', isBig)),
      ]);
    const fragments: Json[] = [
      { type: 'preamble', version: 2 },
      {
        type: 'trace-class',
        environment,
        'packet-header-field-class': structure([member('stream', number('u32', 'data-stream-class-id'))]),
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
        'event-record-header-field-class': structure([
          member('id', number('u16', 'event-record-class-id')),
          member('timestamp', number('u64', 'default-clock-timestamp')),
        ]),
      })),
      ...this.#events,
    ];
    return fragments.map((fragment) => `\u001e${jsonText(fragment)}\n`).join('');
  }
}

/** 0: streams of a CPU, 1: of events whose CPU is not known. */
const STREAM_CLASSES = [0, 1];

/** Packets of one CPU: the one being filled, and full ones. */
export class StreamOutput extends FieldBytes {
  file: TempFile | undefined;
  readonly #cpu: number;
  #hasBegun = false;
  /** Times of the packet's begin and of its latest event. */
  readonly #begin = new Moment();
  readonly #end = new Moment();
  #lost = 0n;
  #full: Uint8Array[] = [];

  constructor(cpu: number, isBig: boolean) {
    super(isBig, FIRST_BYTES);
    this.#cpu = cpu;
    this.at = HEAD_BYTES;
  }

  /** Begins an event; its fields follow. @param time of the trace's clock */
  event(id: number, time: Moment): void {
    if (this.at >= PACKET_BYTES) this.#endPacket();
    if (!this.#hasBegun) this.#beginAt(time);
    this.#end.raise(time);
    this.u16(id);
    this.halves(time.high, time.low);
  }

  /** Notes that events were lost between the event before and a time. */
  lose(time: Moment, count: bigint): void {
    if (this.#hasBegun) this.#endPacket();
    // A packet without events spans the time of the loss and counts it.
    this.#lost += count;
    const end = this.#end;
    const isFirst = end.high === 0 && end.low === 0;
    this.#beginAt(isFirst || !end.isBefore(time) ? time : end);
    end.raise(time);
    this.#endPacket();
  }

  /** Whether an event is later than a time. */
  goesBeyond(time: Moment): boolean {
    return time.isBefore(this.#end);
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

  #beginAt({ high, low }: Moment): void {
    this.#hasBegun = true;
    this.#begin.set(high, low);
  }

  #endPacket(): void {
    const size = this.at;
    this.at = 0;
    this.u32(this.#cpu < 0 ? 1 : 0);
    this.u64(BigInt(8 * size));
    this.u64(BigInt(8 * size));
    this.halves(this.#begin.high, this.#begin.low);
    this.halves(this.#end.high, this.#end.low);
    this.u64(this.#lost);
    this.u32(this.#cpu);
    this.#full.push(this.bytes.slice(0, size));
    this.at = HEAD_BYTES;
    this.#hasBegun = false;
  }
}

function structure(members: readonly Json[]): Json {
  return { type: 'structure', 'member-classes': members };
}

function member(name: string, fieldClass: Json): Json {
  return { name, 'field-class': fieldClass };
}

/** Field class of an integer. */
function integer(form: NumberForm, isBig: boolean, more: Record<string, Json | undefined> = {}): Json {
  return {
    type: `fixed-length-${form.startsWith('i') ? 'signed' : 'unsigned'}-integer`,
    length: Number(form.slice(1)),
    alignment: 8,
    'byte-order': isBig ? 'big-endian' : 'little-endian',
    ...more,
  };
}

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
