/**
 * Records of perf → events, one stream a CPU. perf writes the contents of several CPUs' ring buffers in turns, and
 * after each turn the record FINISHED_ROUND: later records are not older than the newest one of the turn before
 * (tools/perf/util/ordered-events.c). Up to there they are written in order of time.
 */
import { isKind } from '../../trace/event-kinds.ts';
import { Bytes } from '../bytes.ts';
import type { CtfOutput, OutputField, StreamOutput } from '../ctf-output.ts';
import { Moment } from '../field-bytes.ts';
import type { ImportRun } from '../import-run.ts';
import { readTracingData } from '../kernel-formats.ts';
import { callClasses, callNames, placeOfCall } from '../system-calls.ts';
import { MOST_CPUS, WaitingEvents } from '../waiting-events.ts';
import { isOfRunningThread, MissingSwitches, placesOfSwitch, type SwitchPlaces } from './missing-switches.ts';
import { buildOf, FOR_PERF, isExecution, isSwitch, LEFT_OUT, otherRecord, RECORD } from './other-records.ts';
import {
  type PerfAttribute,
  type PerfFacts,
  type PerfHeader,
  readAttribute,
  readBuildId,
  readFeature,
  recordedAlone,
} from './perf-header.ts';
import type { PerfRecord } from './perf-records.ts';
import {
  fixedFields,
  formatOf,
  isSampledTracepoint,
  nameOf,
  sampleWriter,
  type SampleWriter,
  trailerFields,
} from './perf-samples.ts';

const BUILD_ID: OutputField = { name: 'build_id', form: 'text' };

/** Facts about the records of a kind of event. */
interface Kind {
  readonly attribute: PerfAttribute;
  /** Offsets of fields in a sample, and offsets before the end of other records; -1 and 0: they have none. */
  readonly sample: ReturnType<typeof fixedFields>;
  readonly trailer: ReturnType<typeof trailerFields>;
  /** Whether perf leaves out events of this tracepoint. */
  readonly isSampled: boolean;
  /** Writer of its samples; declared with the first one. */
  declared: Declared | undefined;
}

/** A writer of samples, with the number of their event class. */
interface Declared extends SampleWriter {
  readonly classOf: (view: DataView, from: number, to: number) => number;
  /** Whether its samples are compared with the last switch of their CPU; for the switch itself, its threads. */
  readonly followsSwitches: boolean;
  readonly switchPlaces: SwitchPlaces | undefined;
}

export class PerfWriter {
  /** Name of the program that perf started, when first executed. */
  program: string | undefined;
  readonly #run: ImportRun;
  readonly #isBig: boolean;
  readonly #facts: PerfFacts;
  readonly #output: CtfOutput;
  readonly #kinds: Kind[] = [];
  /** Kind by the id of a counter. */
  readonly #byId = new Map<number, number>();
  /** CPU by the id of a counter, and losses counted on a CPU that no record LOST stated. */
  readonly #cpuOfId = new Map<number, number>();
  readonly #untoldLosses = new Map<number, bigint>();
  readonly #missing = new MissingSwitches();
  readonly #others = new Map<string, number>();
  #switches: boolean | undefined;
  readonly #waiting: WaitingEvents;
  /** Time of the present record. */
  readonly #time = new Moment();
  /** Times of the newest record of all files, of this file, and of this file up to the turn before. */
  readonly #last = new Moment();
  readonly #newest = new Moment();
  readonly #bound = new Moment();
  /** Whether the first sample or switch was written; time and CPU for what existed before it. */
  #hasBegun = false;
  readonly #first = new Moment();
  #firstCpu = -1;
  /** Records before it: they describe what existed, and are written at its time and on its CPU. */
  readonly #before: WaitingEvents;
  /** Events left out after the last one of a stream. */
  readonly #unrecorded = new Map<StreamOutput, bigint>();
  /** Processes of 32-bit programs on a 64-bit kernel, by the kernel's page that every program has. */
  readonly #compat = new Set<number>();

  constructor(run: ImportRun, { isBig, facts }: PerfHeader, output: CtfOutput) {
    this.#run = run;
    this.#isBig = isBig;
    this.#facts = facts;
    this.#output = output;
    this.#waiting = new WaitingEvents(isBig, (...event) => this.#write(...event));
    this.#before = new WaitingEvents(isBig, (kind, _cpu, _time, from, to) =>
      this.#writeOther(this.#before, kind, this.#firstCpu, this.#first, from, to),
    );
    for (const attribute of facts.attributes) this.#addKind(attribute);
  }

  add(record: PerfRecord): void {
    const { type, bytes, view, from, to } = record;
    if (type >= RECORD.attribute) return this.#addOfPerf(record);
    const isSample = type === RECORD.sample;
    const isWritten =
      isSample ||
      type === RECORD.lost ||
      type === RECORD.lostSamples ||
      (isSwitch(type) ? this.#tellsSwitches() : otherRecord(type, 0) !== undefined);
    if (!isWritten) return this.#run.leaveOut(LEFT_OUT[type] ?? `of type ${type}`);
    const kind = this.#kindOf(view, from, to, isSample);
    if (kind < 0) return this.#run.leaveOut('SAMPLE of an event that the file does not declare');
    if (isSwitch(type) && this.#kinds[kind].trailer.cpu === 0)
      return this.#run.leaveOut(
        'SWITCH that do not say on which CPU: perf records it with `--sample-cpu` or `-a`',
      );
    const at = this.#placeOfTime(kind, type, from, to);
    const high = at < 0 ? 0 : view.getUint32(at + (this.#isBig ? 0 : 4), !this.#isBig);
    const low = at < 0 ? 0 : view.getUint32(at + (this.#isBig ? 4 : 0), !this.#isBig);
    if (high === 0 && low === 0) {
      // perf makes up records for what existed before it began; total losses have no time, either.
      if (isSample) this.#run.leaveOut('SAMPLE without a time');
      else if (type === RECORD.lostSamples) this.#countLost(record, kind);
      else this.#addBefore(bytes, kind, from, to);
      return;
    }
    this.#time.set(high, low);
    this.#newest.raise(this.#time);
    this.#last.raise(this.#time);
    this.#waiting.event(kind, this.#cpuOf(kind, view, from, to, isSample), this.#time);
    this.#waiting.copy(bytes, from, to);
    this.#waiting.relieve();
  }

  /** ns of the recording's clock; 0: the record has no time. */
  timeOf({ type, view, from, to }: PerfRecord): bigint {
    const at = this.#placeOfTime(this.#kindOf(view, from, to, type === RECORD.sample), type, from, to);
    return at < 0 ? 0n : view.getBigUint64(at, !this.#isBig);
  }

  /** Writes all that waits, as the next file may be older. */
  endFile(): void {
    this.#waiting.writeAll();
    this.#bound.set(0, 0);
    this.#newest.set(0, 0);
  }

  end(): void {
    this.#begin(-1, this.#last);
    for (const [cpu, count] of this.#untoldLosses)
      if (count > 0n) this.#output.stream(cpu).lose(this.#last, count);
    const missing = this.#missing.fault(this.#run.file.path);
    if (missing !== undefined) this.#run.faults.push(missing);
  }

  /**
   * Counts a counter's total losses. A record LOST states those before the next record of its CPU: what none of them
   * stated was lost after the last one.
   */
  #countLost({ view, from, to }: PerfRecord, kind: number): void {
    const { trailer } = this.#kinds[kind];
    const id = this.#idAt(view, to - Math.max(trailer.identifier, trailer.id), from, to);
    const cpu = id === undefined ? undefined : this.#cpuOfId.get(id);
    if (cpu === undefined || from + 16 > to) this.#run.leaveOut('LOST_SAMPLES without a time');
    else this.#addLosses(cpu, view.getBigUint64(from + 8, !this.#isBig));
  }

  #addLosses(cpu: number, count: bigint): void {
    this.#untoldLosses.set(cpu, (this.#untoldLosses.get(cpu) ?? 0n) + count);
  }

  /**
   * Whether records SWITCH say more than other records. Since Linux 4.17 they state whether a thread that leaves its
   * CPU is still runnable.
   */
  #tellsSwitches(): boolean {
    const { attributes, formats, environment } = this.#facts;
    const [, major = 0, minor = 0] = (/^(\d+)\.(\d+)/.exec(environment.release) ?? []).map(Number);
    this.#switches ??=
      (major > 4 || (major === 4 && minor >= 17)) &&
      !attributes.some((each) => isKind('switch', nameOf(each, formatOf(each, formats))));
    return this.#switches;
  }

  /** Takes a record that perf itself adds. */
  #addOfPerf({ type, bytes, view, from, to, behind }: PerfRecord): void {
    if (type === RECORD.finishedRound) {
      this.#waiting.writeUntil(this.#bound);
      this.#bound.set(this.#newest.high, this.#newest.low);
      return;
    }
    const facts = this.#facts;
    const body = new Bytes(bytes.subarray(from + 8, to), this.#isBig);
    if (type === RECORD.attribute) {
      const attribute = readAttribute(body, this.#isBig);
      body.at = 4;
      body.at = body.u32();
      while (body.at + 8 <= body.bytes.length) attribute.ids.push(body.u64());
      facts.attributes.push(attribute);
      this.#addKind(attribute);
    } else if (type === RECORD.tracingData) {
      facts.formats = readTracingData(new Bytes(bytes.slice(to, behind), this.#isBig));
    } else if (type === RECORD.buildId) readBuildId(body, view.getUint16(from + 4, !this.#isBig), facts);
    else if (type === RECORD.idIndex) {
      body.skip(8);
      while (body.at + 32 <= body.bytes.length) {
        const id = body.size64();
        body.skip(8);
        const cpu = body.size64();
        if (cpu <= MOST_CPUS) this.#cpuOfId.set(id, cpu);
        body.skip(8);
      }
    } else if (type === RECORD.feature) {
      readFeature(body.size64(), new Bytes(body.bytes.slice(8), this.#isBig), this.#isBig, facts);
    } else if (type === RECORD.eventUpdate) {
      const kind = body.u64();
      const id = body.u64();
      // 2: its name.
      if (kind === 2n)
        for (const each of facts.attributes) if (each.ids.includes(id)) each.name = body.text();
    } else if (!FOR_PERF.has(type)) this.#run.leaveOut(LEFT_OUT[type] ?? `of type ${type}`);
  }

  #addKind(attribute: PerfAttribute): void {
    for (const id of attribute.ids) this.#byId.set(Number(id), this.#kinds.length);
    this.#kinds.push({
      attribute,
      sample: fixedFields(attribute),
      trailer: trailerFields(attribute),
      isSampled: isSampledTracepoint(attribute),
      declared: undefined,
    });
  }

  /** The kind of event of a record: by its id; without ids all records have one form. -1: not declared. */
  #kindOf(view: DataView, from: number, to: number, isSample: boolean): number {
    const kinds = this.#kinds.length;
    if (kinds <= 1) return kinds - 1;
    const [{ sample, trailer }] = this.#kinds;
    let at = -1;
    if (isSample) {
      if (sample.identifier >= 0) at = from + sample.identifier;
      else if (sample.id >= 0) at = from + sample.id;
    } else if (trailer.identifier > 0) at = to - trailer.identifier;
    else if (trailer.id > 0) at = to - trailer.id;
    const id = this.#idAt(view, at, from, to);
    return id === undefined ? 0 : (this.#byId.get(id) ?? (isSample ? -1 : 0));
  }

  /** Id of the counter of a record; undefined: it is beyond the record. */
  #idAt(view: DataView, at: number, from: number, to: number): number | undefined {
    if (at < from + 8 || at + 8 > to) return undefined;
    const isLittle = !this.#isBig;
    const high = view.getUint32(at + (isLittle ? 4 : 0), isLittle);
    return high * 2 ** 32 + view.getUint32(at + (isLittle ? 0 : 4), isLittle);
  }

  /** -1: the record has none. */
  #placeOfTime(kind: number, type: number, from: number, to: number): number {
    if (kind < 0) return -1;
    const { sample, trailer } = this.#kinds[kind];
    const at = type === RECORD.sample ? from + sample.time : to - trailer.time;
    return at >= from + 8 && at + 8 <= to ? at : -1;
  }

  /** -1: it is not known. */
  #cpuOf(kind: number, view: DataView, from: number, to: number, isSample: boolean): number {
    const { sample, trailer } = this.#kinds[kind];
    const at = isSample ? from + sample.cpu : to - trailer.cpu;
    const cpu = at >= from + 8 && at + 4 <= to ? view.getUint32(at, !this.#isBig) : -1;
    return cpu > MOST_CPUS ? -1 : cpu;
  }

  #addBefore(bytes: Uint8Array, kind: number, from: number, to: number): void {
    this.#before.event(kind, -1, new Moment());
    this.#before.copy(bytes, from, to);
  }

  /** Writes what existed before a moment, that of the first sample or of the end: no other CPU was recorded since then. */
  #begin(cpu: number, { high, low }: Moment): void {
    this.#hasBegun = true;
    this.#firstCpu = cpu;
    this.#first.set(high, low);
    this.#before.writeAll();
  }

  /** Writes the record in the bytes [from, to) of those that waited. */
  #write(kind: number, cpu: number, time: Moment, from: number, to: number): void {
    const { bytes, view } = this.#waiting;
    const type = view.getUint32(from, !this.#isBig);
    const isSample = type === RECORD.sample;
    if (!this.#hasBegun && !isSample && !isSwitch(type)) return this.#addBefore(bytes, kind, from, to);
    if (!this.#hasBegun) this.#begin(cpu, time);
    if (isSample) this.#writeSample(kind, cpu, time, from, to);
    else this.#writeOther(this.#waiting, kind, cpu, time, from, to);
  }

  #writeSample(number: number, cpu: number, time: Moment, from: number, to: number): void {
    const { bytes, view } = this.#waiting;
    const kind = this.#kinds[number];
    if (kind.declared === undefined && this.#output.isFull)
      return this.#run.leaveOut('SAMPLE of more kinds of events than a recording has');
    const declared = (kind.declared ??= this.#declare(kind.attribute));
    if (from + kind.sample.bytes > to) return this.#run.leaveOut('SAMPLE that is cut');
    const out = kind.isSampled ? this.#sampledStream(number, cpu, time, from, to) : this.#output.stream(cpu);
    if (declared.followsSwitches && cpu >= 0) this.#followSwitch(out, kind, declared, cpu, time, from, to);
    out.event(declared.classOf(view, from, to), time);
    declared.write(out, bytes, view, from, to);
  }

  /** Notes a loss before a sample of another thread than the CPU's last switch let run: everything until then may be missing. */
  #followSwitch(
    out: StreamOutput,
    { sample }: Kind,
    { switchPlaces, rawNumber }: Declared,
    cpu: number,
    time: Moment,
    from: number,
    to: number,
  ): void {
    const { view } = this.#waiting;
    const tid = view.getInt32(from + sample.tid + 4, !this.#isBig);
    if (out.goesBeyond(time)) this.#missing.forget(cpu);
    else if (this.#missing.isMissedBefore(cpu, tid, time)) out.lose(Moment.of(time.time - 1n), 1n);
    if (switchPlaces === undefined) return;
    const [prev, next] = [switchPlaces.prev, switchPlaces.next].map((at) => rawNumber(view, from, to, at));
    this.#missing.note(cpu, tid, prev, next);
  }

  /**
   * The stream for samples of a tracepoint of which perf leaves out events: one of its own, with a loss between two
   * samples. A period is the number of events until the next record (`perf_swevent_set_period`).
   */
  #sampledStream(number: number, cpu: number, time: Moment, from: number, to: number): StreamOutput {
    const { view } = this.#waiting;
    const { sample, attribute } = this.#kinds[number];
    const out = this.#output.stream(cpu, 1 + number);
    const count = this.#unrecorded.get(out) ?? 0n;
    if (count > 0n) out.lose(time, count);
    const at = from + sample.period;
    const isTold = sample.period >= 0 && at + 8 <= to;
    const period = isTold
      ? view.getBigUint64(at, !this.#isBig)
      : BigInt(attribute.isFrequency ? 1 : attribute.period);
    this.#unrecorded.set(out, period > 1n ? period - 1n : 0n);
    return out;
  }

  #declare(attribute: PerfAttribute): Declared {
    const { formats, attributes, environment } = this.#facts;
    const format = formatOf(attribute, formats);
    // If a switch is recorded twice, the second record also comes before it is made.
    const switchPlaces = format && placesOfSwitch(format);
    const isTwice =
      switchPlaces !== undefined && this.#kinds.some(({ declared }) => declared?.switchPlaces !== undefined);
    const followsSwitches =
      isOfRunningThread(format) &&
      !isTwice &&
      !isSampledTracepoint(attribute) &&
      fixedFields(attribute).tid >= 0 &&
      recordedAlone(this.#facts, this.program) === undefined;
    const writer = { ...sampleWriter(attribute, format, this.#isBig), followsSwitches, switchPlaces };
    const { rawNumber, fields } = writer;
    const name = nameOf(attribute, format);
    const callAt = format && placeOfCall(format, this.#isBig);
    // If calls were also recorded by name, those count.
    const hasNames = attributes.some((each) =>
      isKind('syscall-entry', nameOf(each, formatOf(each, formats))),
    );
    if (callAt === undefined || hasNames) {
      const id = this.#output.declare(name, fields);
      return { ...writer, classOf: () => id };
    }
    const classOf = callClasses(callNames(environment.machine ?? ''), this.#output, name, fields);
    const { tid } = fixedFields(attribute);
    const isCompat = (view: DataView, from: number): boolean =>
      this.#compat.size > 0 && tid >= 0 && this.#compat.has(view.getInt32(from + tid, !this.#isBig));
    return {
      ...writer,
      classOf: (view, from, to) => classOf(rawNumber(view, from, to, callAt), isCompat(view, from)),
    };
  }

  #writeOther(
    { bytes, view }: WaitingEvents,
    kind: number,
    cpu: number,
    time: Moment,
    from: number,
    to: number,
  ): void {
    const isLittle = !this.#isBig;
    const { trailer } = this.#kinds[kind];
    const type = view.getUint32(from, isLittle);
    const misc = view.getUint16(from + 4, isLittle);
    const body = from + 8;
    const end = to - trailer.bytes;
    if (type === RECORD.lost || type === RECORD.lostSamples) {
      const at = type === RECORD.lost ? body + 8 : body;
      if (at + 8 > end) return;
      const count = view.getBigUint64(at, isLittle);
      this.#output.stream(cpu).lose(time, count);
      this.#addLosses(cpu, -count);
      this.#missing.forget(cpu);
      return;
    }
    const other = otherRecord(type, misc);
    if (other === undefined) return;
    const { name, fields } = other;
    const own = to - trailer.tid;
    if (body + other.bytes > end || (isSwitch(type) && own === to))
      return this.#run.leaveOut(`${name} that is cut`);
    const hasText = fields.at(-1)?.form === 'text';
    const text = hasText ? new Bytes(bytes.subarray(body + other.bytes, end), this.#isBig).text() : '';
    const build = buildOf(type, misc, bytes.subarray(body, end), this.#facts.buildIds.get(text));
    // Mappings with a build id have an event class of their own.
    const key = build === undefined ? name : `${name} build_id`;
    let id = this.#others.get(key);
    const all = build === undefined ? fields : [...fields, BUILD_ID];
    if (id === undefined) this.#others.set(key, (id = this.#output.declare(name, all)));
    const out = this.#output.stream(cpu);
    out.event(id, time);
    other.write(out, { view, at: body, own, misc, isLittle });
    if (type === RECORD.fork)
      this.#setCompat(view, body, this.#compat.has(view.getInt32(body + 4, isLittle)));
    if (!hasText) return;
    out.text(bytes, body + other.bytes, end);
    if (build !== undefined) out.string(build);
    // In a 64-bit program it is above the first 4 GB.
    if (text === '[vdso]')
      this.#setCompat(view, body, view.getUint32(body + (this.#isBig ? 8 : 12), isLittle) === 0);
    if (isExecution(type, misc)) this.program ??= text;
  }

  /** Notes whether the first process in a record is a 32-bit one. */
  #setCompat(view: DataView, body: number, isCompat: boolean): void {
    const pid = view.getInt32(body, !this.#isBig);
    if (isCompat) this.#compat.add(pid);
    else this.#compat.delete(pid);
  }
}
