/** perf.data → CTF: samples and the other records as `perf data convert --all --to-ctf` names them, one stream a CPU. */
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource, SourceRef } from '../../io/byte-source.ts';
import { isKind } from '../../trace/event-kinds.ts';
import { Bytes } from '../bytes.ts';
import { CtfOutput, type StreamOutput, integer, type OutputMember, TEXT } from '../ctf-output.ts';
import { type KernelFormat, readTracingData } from '../kernel-formats.ts';
import type { Imported, Importing } from '../types.ts';
import {
  type PerfAttribute,
  type PerfFacts,
  type PerfHeader,
  readAttribute,
  readFeature,
  readPerfHeader,
} from './perf-header.ts';
import { CallClasses, callNames } from '../system-calls.ts';
import { type PerfRecord, type PerfRecords, readPerfRecords } from './perf-records.ts';
import { fixedFields, sampleWriter, type SampleWriter, trailerFields } from './perf-samples.ts';
import { WaitingRecords } from './waiting-records.ts';

/** `type` of an attribute (`PERF_TYPE_TRACEPOINT`). */
const TRACEPOINT = 2;

/** `type` of records (`PERF_RECORD_…`). */
const RECORD = {
  mmap: 1,
  lost: 2,
  comm: 3,
  exit: 4,
  fork: 7,
  sample: 9,
  mmap2: 10,
  lostSamples: 13,
  switch: 14,
  switchCpuWide: 15,
  kernelSymbol: 17,
  program: 18,
  attribute: 64,
  tracingData: 66,
  finishedRound: 68,
  eventUpdate: 78,
  feature: 80,
} as const;

/** Records that are left out, by the names of perf. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  5: 'THROTTLE',
  6: 'UNTHROTTLE',
  8: 'READ',
  11: 'AUX',
  12: 'ITRACE_START',
  14: 'SWITCH',
  15: 'SWITCH_CPU_WIDE',
  16: 'NAMESPACES',
  18: 'BPF_EVENT',
  19: 'CGROUP',
  20: 'TEXT_POKE',
  21: 'AUX_OUTPUT_HW_ID',
  70: 'AUXTRACE_INFO',
  71: 'AUXTRACE (data of a processor trace or of SPE, which are not decoded)',
  72: 'AUXTRACE_ERROR',
};
/** Records of perf itself that are needed by its other commands alone: build ids, ids of counters, maps, statistics. */
const FOR_PERF = new Set([65, 67, 69, 73, 74, 75, 76, 77, 79, 82]);

export async function importPerf(
  file: SourceRef,
  source: ByteSource,
  importing: Importing,
): Promise<Imported> {
  const header = await readPerfHeader(source);
  if (!header.ok) return { files: [], faults: [header.fault] };
  const { isBig, from, to, facts } = header.value;
  const output = new CtfOutput(importing.tempFiles, file.path, isBig);
  const writer = new PerfWriter(header.value, output);
  const faults: Fault[] = [];
  let done = 0;
  const read = async (records: PerfSpan): Promise<void> => {
    const fault = await readPerfRecords({
      ...records,
      isBig,
      onRecord: (record) => writer.add(record),
      onPiece: async (bytes) => {
        if (importing.signal?.aborted === true) return { code: 'cancelled', place: { file: file.path } };
        importing.onBytes?.(done + bytes);
        return output.flush();
      },
    });
    done += records.to - records.from;
    writer.endFile();
    if (fault !== undefined && fault.code !== 'cancelled') faults.push(fault);
  };
  await read({ source, from, to });
  const parts = facts.isFolder ? partsOf(file, importing.files) : [];
  for (const part of await inOrderOfTime(parts, importing, isBig, writer)) {
    await read(part);
    await part.source.close?.();
  }
  writer.end();
  const unpacked = await output.finish(writer.trace());
  append(faults, unpacked.faults);
  append(faults, writer.faults(file.path));
  return { files: unpacked.files, faults, parts };
}

/** Records of a file. */
type PerfSpan = Pick<PerfRecords, 'source' | 'from' | 'to'>;

/** Files `data.N` beside the file `data` that has the header: one for each thread of perf, with records alone. */
function partsOf({ path }: SourceRef, files: readonly SourceRef[]): SourceRef[] {
  const isPart = (other: string) =>
    other.startsWith(`${path}.`) && /^\d+$/.test(other.slice(path.length + 1));
  return files.filter((other) => isPart(other.path));
}

/** Bytes of a file in which its first time is looked for. */
const LOOKED_AT = 1 << 20;

/** Each CPU is in one file. What was there before the first sample of all is told with that one. */
async function inOrderOfTime(
  files: readonly SourceRef[],
  { open }: Importing,
  isBig: boolean,
  writer: PerfWriter,
): Promise<readonly PerfSpan[]> {
  const found: { readonly span: PerfSpan; readonly first: bigint }[] = [];
  for (const file of files) {
    const opened = await open(file);
    if (!opened.ok) continue;
    const source = opened.value;
    let first = 0n;
    const onRecord = (record: PerfRecord): void => {
      if (first === 0n && (record.type === RECORD.sample || isSwitch(record.type)))
        first = writer.timeOf(record);
    };
    const to = Math.min(file.size, LOOKED_AT);
    await readPerfRecords({ source, from: 0, to, isBig, onRecord, onPiece: async () => undefined });
    found.push({ span: { source, from: 0, to: file.size }, first });
  }
  found.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  return found.map(({ span }) => span);
}

/** Facts about the records of a kind of event. */
interface Kind {
  readonly attribute: PerfAttribute;
  /** Bytes from a sample's begin, and of other records before their end, at which they are; -1 and 0: they have none. */
  readonly sample: { readonly time: number; readonly cpu: number; readonly period: number };
  readonly trailer: {
    readonly time: number;
    readonly cpu: number;
    readonly tid: number;
    readonly bytes: number;
  };
  /** Whether perf leaves out events of this tracepoint. */
  readonly isSampled: boolean;
  /** Writes its samples; declared with the first one. */
  declared: Declared | undefined;
}

/** A writer of samples, with the number of the class of one. */
interface Declared extends SampleWriter {
  readonly classOf: (view: DataView, from: number, to: number) => number;
}

class PerfWriter {
  readonly #isBig: boolean;
  readonly #facts: PerfFacts;
  readonly #output: CtfOutput;
  readonly #kinds: Kind[] = [];
  /** Kind by the id of a counter. */
  readonly #byId = new Map<number, number>();
  readonly #others = new Map<string, number>();
  readonly #unread = new Map<string, number>();
  #switches: boolean | undefined;
  /** The program that perf started: the name with which it was executed first. */
  #program: string | undefined;
  readonly #waiting: WaitingRecords;
  /** Upper and lower 32 bits of the first time, from which times of waiting records count; undefined: none came. */
  #base: { readonly high: number; readonly low: number } | undefined;
  /** The newest record of all files, of this one, and of it up to the turn before, ns from there. */
  #last = -Infinity;
  #newest = -Infinity;
  #bound = -Infinity;
  /** Whether the first sample or switch was written. */
  #hasBegun = false;
  /** Events that perf leaves out behind the last one of a stream. */
  readonly #unrecorded = new Map<StreamOutput, bigint>();
  /** Processes of 32-bit programs on a kernel of 64 bits, by the page of the kernel that all programs have. */
  readonly #compat = new Set<number>();
  /** Records that come before it: they tell what there was. */
  #before: { readonly bytes: Uint8Array; readonly kind: number }[] = [];

  constructor({ isBig, facts }: PerfHeader, output: CtfOutput) {
    this.#isBig = isBig;
    this.#facts = facts;
    this.#output = output;
    this.#waiting = new WaitingRecords((...record) => this.#write(...record));
    for (const attribute of facts.attributes) this.#addKind(attribute);
  }

  add(record: PerfRecord): void {
    const { type, bytes, view, from, to } = record;
    if (type >= RECORD.attribute) {
      this.#addOfPerf(record);
      return;
    }
    const isSample = type === RECORD.sample;
    if (!isSample && (!WRITTEN.has(type) || (isSwitch(type) && !this.#tellsSwitches()))) {
      this.#leaveOut(LEFT_OUT[type] ?? `of type ${type}`);
      return;
    }
    const number = this.#kindOf(view, from, to, isSample);
    if (number < 0) {
      this.#leaveOut('SAMPLE of an event that the file does not declare');
      return;
    }
    const at = this.#placeOfTime(number, type, from, to);
    const isTimed = at >= 0;
    const high = isTimed ? view.getUint32(at + (this.#isBig ? 0 : 4), !this.#isBig) : 0;
    const low = isTimed ? view.getUint32(at + (this.#isBig ? 4 : 0), !this.#isBig) : 0;
    if (high === 0 && low === 0) {
      // perf makes up records for what was there before it began. What it lost at all is told without a time, too.
      if (isSample) this.#leaveOut('SAMPLE without a time');
      else if (type === RECORD.lostSamples) this.#leaveOut('LOST_SAMPLES without a time');
      else this.#before.push({ bytes: bytes.slice(from, to), kind: number });
      return;
    }
    this.#base ??= { high, low };
    const time = (high - this.#base.high) * 2 ** 32 + (low - this.#base.low);
    if (time > this.#newest) this.#newest = time;
    if (time > this.#last) this.#last = time;
    this.#waiting.add(record, number, time);
  }

  /** ns of the recording's clock; 0: the record has none. */
  timeOf({ type, view, from, to }: PerfRecord): bigint {
    const at = this.#placeOfTime(this.#kindOf(view, from, to, type === RECORD.sample), type, from, to);
    return at < 0 ? 0n : view.getBigUint64(at, !this.#isBig);
  }

  /** Writes all that waits: what comes next is of another file, and may be older. */
  endFile(): void {
    this.#waiting.give(this.#newest);
    this.#bound = -Infinity;
    this.#newest = -Infinity;
  }

  end(): void {
    this.#writeBefore(...this.#wordsOf(this.#last), -1);
  }

  trace() {
    const { environment, clockOffset, attributes } = this.#facts;
    const { hostname = '', release = '', machine = '', ...more } = environment;
    const program = this.#recordedProgram();
    if (program !== undefined) more.recorded_program = program;
    const clock = CLOCKS[attributes[0]?.clock ?? -1];
    return {
      environment: {
        hostname,
        sysname: 'Linux',
        release,
        machine,
        domain: 'kernel',
        tracer_name: 'perf',
        ...more,
      },
      clock: {
        name: clock ?? 'perf_clock',
        description: clock === undefined ? "perf's own clock" : `the kernel's clock ${clock}`,
        offset: clockOffset,
      },
    };
  }

  /** The program that alone was recorded, with those that it started; undefined: the whole machine, as far as is known. */
  #recordedProgram(): string | undefined {
    const { attributes, command } = this.#facts;
    if (attributes.some(({ isOfProgram }) => isOfProgram)) return this.#program ?? 'one program';
    const at = command.findIndex((word) => /^(-[pt]|--(pid|tid)(=.*)?)$/.test(word));
    if (at < 0 || command.some((word) => /^(-a|--all-cpus)$/.test(word))) return undefined;
    const id = command[at].split('=')[1] ?? command[at + 1] ?? '';
    return `${command[at].includes('t') ? 'thread' : 'process'} ${id}`;
  }

  faults(file: string): Fault[] {
    const sampled = this.#facts.attributes.filter(isSampledTracepoint);
    const names = sampled.map(({ name, config }) => name ?? `tracepoint ${config}`);
    return [
      ...[...this.#unread].map(([what, count]): Fault => ({
        code: 'records-left-out',
        place: { file },
        found: `${count} ${count === 1 ? 'record' : 'records'} ${what}`,
      })),
      ...(names.length > 0
        ? [{ code: 'events-sampled' as const, place: { file }, found: names.join(', ') }]
        : []),
    ];
  }

  #addOfPerf({ type, bytes, from, to, behind }: PerfRecord): void {
    const facts = this.#facts;
    const body = new Bytes(bytes.subarray(from + 8, to), this.#isBig);
    if (type === RECORD.finishedRound) {
      this.#waiting.give(this.#bound);
      this.#bound = this.#newest;
    } else if (type === RECORD.attribute) {
      const attribute = readAttribute(body, this.#isBig);
      body.at = 4;
      body.at = body.u32();
      while (body.at + 8 <= body.bytes.length) attribute.ids.push(body.u64());
      facts.attributes.push(attribute);
      this.#addKind(attribute);
    } else if (type === RECORD.tracingData) {
      facts.formats = readTracingData(new Bytes(bytes.slice(to, behind), this.#isBig));
    } else if (type === RECORD.feature) {
      readFeature(body.size64(), new Bytes(body.bytes.slice(8), this.#isBig), this.#isBig, facts);
    } else if (type === RECORD.eventUpdate) {
      const kind = body.u64();
      const id = body.u64();
      // 2: its name.
      if (kind === 2n)
        for (const each of facts.attributes) if (each.ids.includes(id)) each.name = body.text();
    } else if (!FOR_PERF.has(type)) this.#leaveOut(LEFT_OUT[type] ?? `of type ${type}`);
  }

  /**
   * Whether records SWITCH tell more than the other records do. They say since Linux 4.17 whether a thread that leaves its
   * CPU is ready to go on.
   */
  #tellsSwitches(): boolean {
    const { attributes, formats, environment } = this.#facts;
    const [, major = 0, minor = 0] = (/^(\d+)\.(\d+)/.exec(environment.release) ?? []).map(Number);
    this.#switches ??=
      (major > 4 || (major === 4 && minor >= 17)) &&
      !attributes.some((each) => isKind('switch', nameOf(each, formatOf(each, formats))));
    return this.#switches;
  }

  #leaveOut(what: string): void {
    this.#unread.set(what, (this.#unread.get(what) ?? 0) + 1);
  }

  #addKind(attribute: PerfAttribute): void {
    const trailer = trailerFields(attribute);
    for (const id of attribute.ids) this.#byId.set(Number(id), this.#kinds.length);
    this.#kinds.push({
      attribute,
      sample: fixedFields(attribute),
      trailer: { ...trailer, bytes: Math.max(...Object.values(trailer)) },
      isSampled: isSampledTracepoint(attribute),
      declared: undefined,
    });
  }

  /** The kind of event of a record: by the id in it; where records have none, all are of one form. -1: not declared. */
  #kindOf(view: DataView, from: number, to: number, isSample: boolean): number {
    const kinds = this.#kinds.length;
    if (kinds <= 1) return kinds - 1;
    const [{ attribute }] = this.#kinds;
    let at = -1;
    if (isSample) {
      const { identifier, id } = fixedFields(attribute);
      at = identifier >= 0 ? from + identifier : id >= 0 ? from + id : -1;
    } else {
      const { identifier, id } = trailerFields(attribute);
      at = identifier > 0 ? to - identifier : id > 0 ? to - id : -1;
    }
    if (at < from + 8 || at + 8 > to) return 0;
    const isLittle = !this.#isBig;
    const high = view.getUint32(at + (isLittle ? 4 : 0), isLittle);
    const number = this.#byId.get(high * 2 ** 32 + view.getUint32(at + (isLittle ? 0 : 4), isLittle));
    return number ?? (isSample ? -1 : 0);
  }

  /** -1: the record has none. */
  #placeOfTime(kind: number, type: number, from: number, to: number): number {
    if (kind < 0) return -1;
    const { sample, trailer } = this.#kinds[kind];
    const at = type === RECORD.sample ? from + sample.time : to - trailer.time;
    return at >= from + 8 && at + 8 <= to ? at : -1;
  }

  /** Upper and lower 32 bits of a time. */
  #wordsOf(time: number): readonly [high: number, low: number] {
    if (this.#base === undefined) return [0, 0];
    const low = this.#base.low + time;
    const carry = Math.floor(low / 2 ** 32);
    return [this.#base.high + carry, low - carry * 2 ** 32];
  }

  /** Writes what was there before the first sample, at its time and on its CPU: no other CPU was recorded since then. */
  #writeBefore(high: number, low: number, cpu: number): void {
    this.#hasBegun = true;
    for (const { bytes, kind } of this.#before) {
      const view = new DataView(bytes.buffer);
      this.#writeOther(bytes, view, 0, bytes.length, this.#kinds[kind], cpu, high, low);
    }
    this.#before = [];
  }

  #write(bytes: Uint8Array, view: DataView, from: number, to: number, number: number, time: number): void {
    const kind = this.#kinds[number];
    const type = view.getUint32(from, !this.#isBig);
    const isSample = type === RECORD.sample;
    if (!isSample && !this.#hasBegun && !isSwitch(type)) {
      this.#before.push({ bytes: bytes.slice(from, to), kind: number });
      return;
    }
    const { sample, trailer } = kind;
    const cpuAt = isSample ? from + sample.cpu : to - trailer.cpu;
    const hasCpu = cpuAt >= from + 8 && cpuAt + 4 <= to;
    const found = hasCpu ? view.getUint32(cpuAt, !this.#isBig) : -1;
    const cpu = found > MOST_CPUS ? -1 : found;
    const low = (this.#base?.low ?? 0) + time;
    const carry = Math.floor(low / 2 ** 32);
    const high = (this.#base?.high ?? 0) + carry;
    const rest = low - carry * 2 ** 32;
    if (!this.#hasBegun) this.#writeBefore(high, rest, cpu);
    if (!isSample) {
      this.#writeOther(bytes, view, from, to, kind, cpu, high, rest);
      return;
    }
    if (kind.declared === undefined && this.#output.isFull) {
      this.#leaveOut('SAMPLE of more kinds of events than a recording has');
      return;
    }
    const declared = (kind.declared ??= this.#declare(kind.attribute));
    if (from + declared.fixed.bytes > to) {
      this.#leaveOut('SAMPLE that is cut');
      return;
    }
    const out = this.#streamOf(number, cpu, high, rest);
    if (kind.isSampled) {
      const at = from + sample.period;
      const isTold = sample.period >= 0 && at + 8 <= to;
      const period = isTold ? view.getBigUint64(at, !this.#isBig) : BigInt(kind.attribute.period);
      this.#unrecorded.set(out, period > 1n ? period - 1n : 0n);
    }
    out.eventAt(declared.classOf(view, from, to), high, rest);
    declared.write(out, bytes, view, from, to);
  }

  /**
   * The stream of a sample. Those of a tracepoint of which perf leaves out events have one of their own, with a loss
   * between two of them: a period tells how many events come until the next record (`perf_swevent_set_period`).
   */
  #streamOf(number: number, cpu: number, high: number, low: number): StreamOutput {
    if (!this.#kinds[number].isSampled) return this.#output.stream(cpu);
    const out = this.#output.stream(cpu, 1 + number);
    const count = this.#unrecorded.get(out) ?? 0n;
    if (count > 0n) out.lose((BigInt(high) << 32n) | BigInt(low), count);
    return out;
  }

  #declare(attribute: PerfAttribute): Declared {
    const { formats, attributes, environment } = this.#facts;
    const format = formatOf(attribute, formats);
    const writer = sampleWriter(attribute, format, this.#isBig);
    const { callOf, fixed, members } = writer;
    const name = nameOf(attribute, format);
    // Where calls were recorded by their names as well, these count.
    const hasNames = attributes.some((each) =>
      isKind('syscall-entry', nameOf(each, formatOf(each, formats))),
    );
    if (callOf === undefined || hasNames) {
      const id = this.#output.declare(name, members);
      return { ...writer, classOf: () => id };
    }
    const classes = new CallClasses(callNames(environment.machine ?? ''), this.#output, name, members);
    const isCompat = (view: DataView, from: number): boolean =>
      this.#compat.size > 0 &&
      fixed.tid >= 0 &&
      this.#compat.has(view.getInt32(from + fixed.tid, !this.#isBig));
    return {
      ...writer,
      classOf: (view, from, to) => classes.of(callOf(view, from, to), isCompat(view, from)),
    };
  }

  #writeOther(
    bytes: Uint8Array,
    view: DataView,
    from: number,
    to: number,
    { trailer }: Kind,
    cpu: number,
    high: number,
    low: number,
  ): void {
    const isLittle = !this.#isBig;
    const type = view.getUint32(from, isLittle);
    const body = from + 8;
    const end = to - trailer.bytes;
    if (type === RECORD.lost || type === RECORD.lostSamples) {
      const at = type === RECORD.lost ? body + 8 : body;
      const time = (BigInt(high) << 32n) | BigInt(low);
      if (at + 8 <= end) this.#output.stream(cpu).lose(time, view.getBigUint64(at, isLittle));
      return;
    }
    const misc = view.getUint16(from + 4, isLittle);
    const [name, members] = OTHERS[type] ?? SWITCHES[(misc >> 13) & 3];
    let id = this.#others.get(name);
    if (id === undefined) this.#others.set(name, (id = this.#output.declare(name, members(this.#isBig))));
    if (isSwitch(type)) {
      // The thread itself stands in the trailer.
      const own = to - trailer.tid;
      const isWide = type === RECORD.switchCpuWide;
      if (trailer.tid === 0 || body + (isWide ? 8 : 0) > end) return this.#leaveOut(`${name} that is cut`);
      const out = this.#output.stream(cpu);
      out.eventAt(id, high, low);
      out.copyWords(view, own, own + 8);
      if (isWide) out.copyWords(view, body, body + 8);
      else out.u64(NOT_TOLD);
      return;
    }
    if (type === RECORD.kernelSymbol) {
      if (body + 16 > end) return this.#leaveOut(`${name} that is cut`);
      const out = this.#output.stream(cpu);
      out.eventAt(id, high, low);
      out.u64(NOT_TOLD);
      out.copyWords(view, body, body + 8);
      out.u64(BigInt(view.getUint32(body + 8, isLittle)));
      out.u64(0n);
      out.text(bytes, body + 16, end);
      return;
    }
    const textAt = TEXT_AT[type];
    if ((textAt === undefined ? body + 24 : body + textAt) > end)
      return this.#leaveOut(`${name} that is cut`);
    const out = this.#output.stream(cpu);
    const pid = view.getInt32(body, isLittle);
    out.eventAt(id, high, low);
    if (textAt === undefined) {
      out.copy(bytes, body, body + 24);
      if (type === RECORD.fork) this.#setCompat(pid, this.#compat.has(view.getInt32(body + 4, isLittle)));
    } else {
      out.copy(bytes, body, body + (type === RECORD.comm ? 8 : 32));
      if (type === RECORD.comm) out.u32((misc >> 13) & 1);
      out.text(bytes, body + textAt, end);
      const text = new Bytes(bytes.subarray(body + textAt, end), this.#isBig).text();
      // In a program of 64 bits it lies above the first 4 GB.
      if (text === '[vdso]')
        this.#setCompat(pid, view.getUint32(body + (this.#isBig ? 8 : 12), isLittle) === 0);
      if (type === RECORD.comm && ((misc >> 13) & 1) === 1) this.#program ??= text;
    }
  }

  #setCompat(pid: number, isCompat: boolean): void {
    if (isCompat) this.#compat.add(pid);
    else this.#compat.delete(pid);
  }
}

/** CPUs that records may name; a greater number is no CPU. */
const MOST_CPUS = 65_535;

const WRITTEN = new Set<number>([
  RECORD.mmap,
  RECORD.lost,
  RECORD.comm,
  RECORD.exit,
  RECORD.fork,
  RECORD.sample,
  RECORD.mmap2,
  RECORD.lostSamples,
  RECORD.switch,
  RECORD.switchCpuWide,
  RECORD.kernelSymbol,
]);

/** Process and thread that a record does not give: -1 each. */
const NOT_TOLD = 0xffff_ffff_ffff_ffffn;

/** Bytes before the text that ends a record. */
const TEXT_AT: Readonly<Record<number, number | undefined>> = {
  [RECORD.comm]: 8,
  [RECORD.mmap]: 32,
  [RECORD.mmap2]: 64,
};

const numbers =
  (...names: string[]) =>
  (isBig: boolean): OutputMember[] =>
    names.map((name) => ({
      name,
      'field-class': integer(/^p?[pt]id$|^exec$/.test(name) ? 4 : 8, false, isBig),
    }));
const withText =
  (own: (isBig: boolean) => OutputMember[], name: string) =>
  (isBig: boolean): OutputMember[] => [...own(isBig), { name, 'field-class': TEXT }];
const LIFE = numbers('pid', 'ppid', 'tid', 'ptid', 'time');
const MAP = withText(numbers('pid', 'tid', 'start', 'length', 'offset'), 'filename');

/** Names and fields of the records that are no samples. */
const OTHERS: Readonly<Record<number, readonly [string, (isBig: boolean) => OutputMember[]]>> = {
  // `exec`: the name is that of a program that is executed now; perf's own conversion leaves it out.
  [RECORD.comm]: ['perf_comm', withText(numbers('pid', 'tid', 'exec'), 'comm')],
  [RECORD.exit]: ['perf_exit', LIFE],
  [RECORD.fork]: ['perf_fork', LIFE],
  [RECORD.mmap]: ['perf_mmap', MAP],
  [RECORD.mmap2]: ['perf_mmap2', MAP],
  // A function that the kernel made, such as a program of BPF, as a mapping of its name.
  [RECORD.kernelSymbol]: ['perf_ksymbol', MAP],
};

function isSwitch(type: number): boolean {
  return type === RECORD.switch || type === RECORD.switchCpuWide;
}

const switched = (isBig: boolean): OutputMember[] =>
  ['perf_pid', 'perf_tid', 'next_prev_pid', 'next_prev_tid'].map((name) => ({
    name,
    'field-class': integer(4, true, isBig),
  }));
/** The same of SWITCH and SWITCH_CPU_WIDE by bits 13 and 14 of `misc`: the thread leaves its CPU; it is ready to go on. */
const SWITCHES: readonly (readonly [string, (isBig: boolean) => OutputMember[]])[] = [
  ['perf_switch_in', switched],
  ['perf_switch_out', switched],
  ['perf_switch_in', switched],
  ['perf_switch_preempted', switched],
];

/** Names of `clockid` (clock_gettime(2)). */
const CLOCKS: Readonly<Record<number, string>> = {
  0: 'realtime',
  1: 'monotonic',
  4: 'monotonic_raw',
  7: 'boottime',
};

/** Names of the kernel's own events by type and number (`perf_event.h`). */
const OWN_EVENTS: Readonly<Record<number, readonly string[]>> = {
  0: [
    'cycles',
    'instructions',
    'cache-references',
    'cache-misses',
    'branches',
    'branch-misses',
    'bus-cycles',
    'stalled-cycles-frontend',
    'stalled-cycles-backend',
    'ref-cycles',
  ],
  1: [
    'cpu-clock',
    'task-clock',
    'page-faults',
    'context-switches',
    'cpu-migrations',
    'minor-faults',
    'major-faults',
    'alignment-faults',
    'emulation-faults',
    'dummy',
    'bpf-output',
    'cgroup-switches',
  ],
};

function isSampledTracepoint({ type, isSampled }: PerfAttribute): boolean {
  return type === TRACEPOINT && isSampled;
}

function formatOf({ type, config }: PerfAttribute, formats: readonly KernelFormat[]) {
  return type === TRACEPOINT ? formats.find(({ id }) => BigInt(id) === config) : undefined;
}

function nameOf({ type, config, name }: PerfAttribute, format: KernelFormat | undefined): string {
  if (format !== undefined) return `${format.system}:${format.name}`;
  return name ?? OWN_EVENTS[type]?.[Number(config)] ?? `event-${type}-${config}`;
}
