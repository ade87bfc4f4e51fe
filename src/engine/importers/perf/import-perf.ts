/**
 * perf.data → CTF: samples and the other records as `perf data convert --all --to-ctf` names them, one stream a CPU.
 *
 * perf writes what its rings of several CPUs hold in turns, and after each turn the record FINISHED_ROUND: records that
 * come later are not older than the newest one of the turn before (tools/perf/util/ordered-events.c). Up to there they
 * are sorted by time, stably.
 */
import type { Unpacked } from '../../archive/types.ts';
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource, SourceRef } from '../../io/byte-source.ts';
import { Bytes } from '../bytes.ts';
import { CtfOutput, integer, type OutputMember, type StreamOutput, TEXT } from '../ctf-output.ts';
import { type KernelFormat, readTracingData } from '../kernel-formats.ts';
import type { Importing } from '../types.ts';
import {
  type PerfAttribute,
  type PerfFacts,
  type PerfHeader,
  readAttribute,
  readFeature,
  readPerfHeader,
} from './perf-header.ts';
import { type PerfRecord, readPerfRecords } from './perf-records.ts';
import { fixedFields, sampleWriter, type SampleWriter, trailerFields } from './perf-samples.ts';

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
  attribute: 64,
  tracingData: 66,
  finishedRound: 68,
  eventUpdate: 78,
  feature: 80,
} as const;

/** Records that tell nothing of threads and times, by the names of perf. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  5: 'THROTTLE',
  6: 'UNTHROTTLE',
  8: 'READ',
  11: 'AUX',
  12: 'ITRACE_START',
  14: 'SWITCH',
  15: 'SWITCH_CPU_WIDE',
  16: 'NAMESPACES',
  17: 'KSYMBOL',
  18: 'BPF_EVENT',
  19: 'CGROUP',
  20: 'TEXT_POKE',
  21: 'AUX_OUTPUT_HW_ID',
  70: 'AUXTRACE_INFO',
  71: 'AUXTRACE',
  72: 'AUXTRACE_ERROR',
};
/** Records of perf itself that are needed by its other commands alone: build ids, ids of counters, maps, statistics. */
const FOR_PERF = new Set([65, 67, 69, 73, 74, 75, 76, 77, 79, 82]);

/** Bytes of records that wait for the end of their turn; where it does not come, the oldest half is written. */
const MOST_WAITING = 64 * 1024 * 1024;

export async function importPerf(
  file: SourceRef,
  source: ByteSource,
  importing: Importing,
): Promise<Unpacked> {
  const header = await readPerfHeader(source);
  if (!header.ok) return { files: [], faults: [header.fault] };
  const { isBig, from, to } = header.value;
  const output = new CtfOutput(importing.tempFiles, file.path, isBig);
  const sorter = new PerfSorter(header.value, output);
  const fault = await readPerfRecords({
    source,
    isBig,
    from,
    to,
    onRecord: (record) => sorter.add(record),
    onPiece: async (bytes) => {
      if (importing.signal?.aborted === true) return { code: 'cancelled', place: { file: file.path } };
      importing.onBytes?.(bytes);
      return output.flush();
    },
  });
  sorter.end();
  const faults = fault === undefined || fault.code === 'cancelled' ? [] : [fault];
  const unpacked = await output.finish(sorter.trace());
  append(faults, unpacked.faults);
  append(faults, sorter.faults(file.path));
  return { files: unpacked.files, faults };
}

/** A kind of event with what writes its samples; declared with the first one. */
interface Declared extends SampleWriter {
  readonly id: number;
}

class PerfSorter {
  readonly #isBig: boolean;
  readonly #facts: PerfFacts;
  readonly #output: CtfOutput;
  readonly #byId = new Map<bigint, PerfAttribute>();
  readonly #declared = new Map<PerfAttribute, Declared>();
  readonly #others = new Map<string, number>();
  readonly #unread = new Map<string, number>();
  /** Records that wait: their bytes behind each other, and for each its time, place and size. */
  #bytes = new Uint8Array(1 << 20);
  #used = 0;
  #waiting: { readonly time: bigint; readonly from: number; readonly to: number }[] = [];
  /** The newest record, and the newest one of the turn before. */
  #newest = 0n;
  #bound = 0n;
  /** Whether the first sample was written. */
  #hasBegun = false;
  /** Records that come before it: they tell what there was. */
  #before: Uint8Array[] = [];
  #known = -1;

  constructor({ isBig, facts }: PerfHeader, output: CtfOutput) {
    this.#isBig = isBig;
    this.#facts = facts;
    this.#output = output;
  }

  add(record: PerfRecord): void {
    const { type, bytes, from, to, behind } = record;
    if (type >= RECORD.attribute) {
      this.#addOfPerf(record);
      return;
    }
    if (!WRITTEN.has(type)) {
      this.#leaveOut(LEFT_OUT[type] ?? `of type ${type}`);
      return;
    }
    const time = this.#timeOf(record);
    if (time === 0n) {
      // perf makes up records for what was there before it began.
      if (type !== RECORD.sample) this.#before.push(bytes.slice(from, to));
      else this.#leaveOut('SAMPLE without a time');
      return;
    }
    if (time > this.#newest) this.#newest = time;
    const size = behind - from;
    if (this.#used + size > this.#bytes.length) this.#grow(size);
    this.#bytes.set(bytes.subarray(from, to), this.#used);
    this.#waiting.push({ time, from: this.#used, to: this.#used + to - from });
    this.#used += size;
    if (this.#used > MOST_WAITING) this.#write(this.#middle());
  }

  /** Writes all that waits. */
  end(): void {
    this.#write(this.#newest);
    this.#writeBefore(this.#newest);
  }

  trace() {
    const { environment, clockOffset, attributes } = this.#facts;
    const { hostname = '', release = '', machine = '', ...more } = environment;
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

  faults(file: string): Fault[] {
    return [...this.#unread].map(([what, count]) => ({
      code: 'records-left-out',
      place: { file },
      found: `${count} ${count === 1 ? 'record' : 'records'} ${what}`,
    }));
  }

  #addOfPerf({ type, bytes, from, to, behind }: PerfRecord): void {
    const facts = this.#facts;
    const body = new Bytes(bytes.subarray(from + 8, to), this.#isBig);
    if (type === RECORD.finishedRound) {
      this.#write(this.#bound);
      this.#bound = this.#newest;
    } else if (type === RECORD.attribute) {
      const attribute = readAttribute(body, this.#isBig);
      body.at = 4;
      body.at = body.u32();
      while (body.at + 8 <= body.bytes.length) attribute.ids.push(body.u64());
      facts.attributes.push(attribute);
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

  #leaveOut(what: string): void {
    this.#unread.set(what, (this.#unread.get(what) ?? 0) + 1);
  }

  /** ns of the trace's clock, 0: the record has none. */
  #timeOf(record: PerfRecord): bigint {
    const { type, view, from, to } = record;
    const attribute = this.#attributeOf(record);
    if (attribute === undefined) return 0n;
    const at =
      type === RECORD.sample ? from + fixedFields(attribute).time : to - trailerFields(attribute).time;
    if (at < from || at + 8 > to) return 0n;
    return view.getBigUint64(at, !this.#isBig);
  }

  /** The kind of event of a record: by the id in it; where records have none, all are of one form. */
  #attributeOf({ type, view, from, to }: PerfRecord): PerfAttribute | undefined {
    const { attributes } = this.#facts;
    const [first] = attributes;
    if (attributes.length <= 1) return first;
    if (this.#known !== attributes.length) {
      this.#known = attributes.length;
      this.#byId.clear();
      for (const attribute of attributes) for (const id of attribute.ids) this.#byId.set(id, attribute);
    }
    let at = -1;
    if (type === RECORD.sample) {
      const fixed = fixedFields(first);
      at = fixed.identifier >= 0 ? from + fixed.identifier : fixed.id >= 0 ? from + fixed.id : -1;
    } else {
      const { identifier, id } = trailerFields(first);
      at = identifier > 0 ? to - identifier : id > 0 ? to - id : -1;
    }
    if (at < from || at + 8 > to) return first;
    return (
      this.#byId.get(view.getBigUint64(at, !this.#isBig)) ?? (type === RECORD.sample ? undefined : first)
    );
  }

  #grow(size: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#used + size));
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }

  /** Time that half of what waits is not later than. */
  #middle(): bigint {
    const times = this.#waiting.map(({ time }) => time).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    return times[times.length >> 1];
  }

  /** Writes what waits and is not later than `bound`, in order of time. */
  #write(bound: bigint): void {
    const ready = this.#waiting.filter(({ time }) => time <= bound);
    if (ready.length === 0) return;
    ready.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    const view = new DataView(this.#bytes.buffer);
    for (const { time, from, to } of ready) {
      const type = view.getUint32(from, !this.#isBig);
      if (!this.#hasBegun && type !== RECORD.sample) {
        this.#before.push(this.#bytes.slice(from, to));
        continue;
      }
      if (!this.#hasBegun) this.#writeBefore(time);
      this.#writeRecord({ type, bytes: this.#bytes, view, from, to, behind: to, offset: 0 }, time);
    }
    const rest = this.#waiting.filter(({ time }) => time > bound);
    const bytes = this.#bytes.slice(0, this.#used);
    this.#used = 0;
    this.#waiting = rest.map(({ time, from, to }) => {
      this.#bytes.set(bytes.subarray(from, to), this.#used);
      this.#used += to - from;
      return { time, from: this.#used - (to - from), to: this.#used };
    });
  }

  /** Writes what was there before the first sample, at its time. */
  #writeBefore(time: bigint): void {
    this.#hasBegun = true;
    for (const bytes of this.#before) {
      const view = new DataView(bytes.buffer);
      const type = view.getUint32(0, !this.#isBig);
      this.#writeRecord({ type, bytes, view, from: 0, to: bytes.length, behind: 0, offset: 0 }, time);
    }
    this.#before = [];
  }

  #writeRecord(record: PerfRecord, time: bigint): void {
    const { type, view, from, to } = record;
    const attribute = this.#attributeOf(record);
    if (attribute === undefined) return this.#leaveOut('SAMPLE of an event that the file does not declare');
    const isSample = type === RECORD.sample;
    const trailer = trailerFields(attribute);
    const cpuAt = isSample ? from + fixedFields(attribute).cpu : to - trailer.cpu;
    const hasCpu = cpuAt >= from + 8 && cpuAt + 4 <= to;
    const cpu = hasCpu ? view.getUint32(cpuAt, !this.#isBig) : -1;
    const out = this.#output.stream(cpu > MOST_CPUS ? -1 : cpu);
    if (isSample) {
      const declared = this.#declaredOf(attribute);
      if (from + declared.fixed.bytes > to) return this.#leaveOut('SAMPLE that is cut');
      out.event(declared.id, time);
      declared.write(out, record);
    } else this.#writeOther(record, to - Math.max(...Object.values(trailer)), out, time);
  }

  #declaredOf(attribute: PerfAttribute): Declared {
    let declared = this.#declared.get(attribute);
    if (declared === undefined) {
      const { formats } = this.#facts;
      const format =
        attribute.type === 2 ? formats.find(({ id }) => BigInt(id) === attribute.config) : undefined;
      const writer = sampleWriter(attribute, format, this.#isBig);
      declared = { ...writer, id: this.#output.declare(nameOf(attribute, format), writer.members) };
      this.#declared.set(attribute, declared);
    }
    return declared;
  }

  /** @param end byte where the record's own fields end */
  #writeOther({ type, bytes, view, from }: PerfRecord, end: number, out: StreamOutput, time: bigint): void {
    const isLittle = !this.#isBig;
    const body = from + 8;
    if (type === RECORD.lost || type === RECORD.lostSamples) {
      const at = type === RECORD.lost ? body + 8 : body;
      if (at + 8 <= end) out.lose(time, view.getBigUint64(at, isLittle));
      return;
    }
    const [name, members] = OTHERS[type];
    let id = this.#others.get(name);
    if (id === undefined) this.#others.set(name, (id = this.#output.declare(name, members(this.#isBig))));
    const textAt = TEXT_AT[type];
    if ((textAt === undefined ? body + 24 : body + textAt) > end)
      return this.#leaveOut(`${name} that is cut`);
    out.event(id, time);
    if (textAt === undefined) out.copy(bytes, body, body + 24);
    else {
      out.copy(bytes, body, body + (type === RECORD.comm ? 8 : 32));
      if (type === RECORD.comm) out.u32((view.getUint16(from + 4, isLittle) >> 13) & 1);
      out.text(bytes, body + textAt, end);
    }
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
]);

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
};

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

function nameOf({ type, config, name }: PerfAttribute, format: KernelFormat | undefined): string {
  if (format !== undefined) return `${format.system}:${format.name}`;
  return name ?? OWN_EVENTS[type]?.[Number(config)] ?? `event-${type}-${config}`;
}
