/**
 * Perfetto trace → CTF (`protos/perfetto/trace/trace_packet.proto` of Perfetto's sources): the kernel's events of ftrace
 * as one stream a CPU, and beside them those of programs.
 */
import { memberPath, type Unpacked } from '../../archive/types.ts';
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource, SourceRef } from '../../io/byte-source.ts';
import { CLOCKS, ENVELOPE, SEQUENCE_FLAGS, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import { CtfOutput } from '../ctf-output.ts';
import { type CallNames, callNames } from '../system-calls.ts';
import { byteBudget, damaged, type Importing } from '../types.ts';
import { PerfettoClocks } from './clocks.ts';
import { FtraceEvents } from './ftrace.ts';
import { packetName } from './packet-names.ts';
import { readPackets } from './packets.ts';
import { ProgramEvents } from './program-events.ts';
import { type Id, idOf, Sequence } from './sequences.ts';
import { PerfettoThreads } from './threads.ts';
import { TrackEvents } from './track-events.ts';
import { PERF_SAMPLE, SYSTEM_INFO, UTSNAME } from './track-fields.ts';
import type { Message } from './wire.ts';

/** Damaged packets that are named with their place. */
const MOST_PLACES = 4;

export async function importPerfetto(
  file: SourceRef,
  source: ByteSource,
  importing: Importing,
): Promise<Unpacked> {
  const trace = new PerfettoTrace(file.path, importing, byteBudget(source));
  const ended = await readPackets({
    source,
    onPacket: (packet, byte) => trace.packet(packet, byte),
    onFault: (fault) => trace.damage(fault),
    onPiece: async (bytes) => {
      if (importing.signal?.aborted === true) return { code: 'cancelled', place: { file: file.path } };
      importing.onBytes?.(bytes);
      return trace.flush();
    },
  });
  const faults = ended === undefined || ended.code === 'cancelled' ? [] : [ended];
  const unpacked = await trace.finish();
  append(faults, trace.faults);
  append(faults, trace.leftOut());
  append(faults, unpacked.faults);
  return { files: unpacked.files, faults };
}

class PerfettoTrace {
  readonly faults: Fault[] = [];
  readonly #file: string;
  readonly #kernel: CtfOutput;
  readonly #programs: CtfOutput;
  readonly #clocks = new PerfettoClocks();
  readonly #threads = new PerfettoThreads();
  readonly #sequences = new Map<number, Sequence>();
  readonly #ftrace: FtraceEvents;
  readonly #events: ProgramEvents;
  readonly #tracks: TrackEvents;
  readonly #system: Record<string, string> = { sysname: 'Linux' };
  readonly #leftOut = new Map<string, number>();
  #damaged = 0;

  /** @param mostBytes of the events of the kernel, and of those of programs */
  constructor(file: string, { tempFiles }: Importing, mostBytes: number) {
    this.#file = file;
    // As LTTng calls the folders of one recording.
    this.#kernel = new CtfOutput(tempFiles, memberPath(file, 'kernel'), false);
    this.#programs = new CtfOutput(tempFiles, memberPath(file, 'ust'), false);
    const leaveOut = (what: string): void => this.#leaveOut(what);
    this.#events = new ProgramEvents(this.#programs, mostBytes, leaveOut);
    this.#tracks = new TrackEvents(this.#events, this.#threads, leaveOut);
    let nameOf: CallNames | undefined;
    this.#ftrace = new FtraceEvents(
      this.#kernel,
      mostBytes,
      leaveOut,
      (text, tid, time) => this.#tracks.mark(text, tid, time),
      (call) => (nameOf ??= callNames(this.#system.machine ?? ''))(call),
    );
  }

  /** Takes a packet. @param byte of the file where it begins */
  packet(packet: Message, byte: number): void {
    const { at } = packet;
    let id = 0;
    let clock: number | undefined;
    let stamp: bigint | undefined;
    let flags = 0;
    while (packet.next()) {
      if (packet.field === TRACE_PACKET.sequence) id = packet.low >>> 0;
      else if (packet.field === TRACE_PACKET.clock) clock = packet.low >>> 0;
      else if (packet.field === TRACE_PACKET.timestamp) stamp = packet.bigint;
      else if (packet.field === TRACE_PACKET.sequenceFlags) flags = packet.low;
    }
    let isWhole = !packet.isDamaged;
    packet.at = at;
    let sequence = this.#sequences.get(id);
    if (sequence === undefined) this.#sequences.set(id, (sequence = new Sequence()));
    sequence.begin(packet);
    const needsState = (flags & SEQUENCE_FLAGS.needsNames) !== 0;
    const time = stamp === undefined ? undefined : this.#clocks.timeOf(stamp, clock ?? sequence.clock, id);
    while (packet.next()) {
      const { field } = packet;
      if (ENVELOPE.has(field)) continue;
      if (needsState && !sequence.isValid) this.#leaveOut('of a sequence whose names were lost');
      else if (field === TRACE_PACKET.ftraceEvents)
        isWhole = this.#ftrace.bundle(packet.message, this.#fromBoottime) && isWhole;
      else if (stamp !== undefined && time === undefined && IN_TIME.has(field))
        this.#leaveOut('whose clock no snapshot explains');
      else this.#take(field, packet.message, sequence, id, time);
    }
    packet.isDamaged = false;
    this.#events.sorter.relieve();
    if (!isWhole)
      this.damage(damaged(this.#file, byte, 'a whole packet', 'one with a field that does not end'));
  }

  /** Times of ftrace are those of CLOCK_BOOTTIME, which mostly is the trace's clock. */
  get #fromBoottime() {
    if (this.#clocks.isBoottime) return undefined;
    return (time: bigint) => this.#clocks.toTrace(time, CLOCKS.boottime);
  }

  #take(field: number, message: Message, sequence: Sequence, id: number, time: bigint | undefined): void {
    switch (field) {
      case TRACE_PACKET.clockSnapshot:
        this.#clocks.snapshot(message, id);
        break;
      case TRACE_PACKET.processTree:
        this.#threads.tree(message, time);
        break;
      case TRACE_PACKET.trackDescriptor:
        this.#tracks.descriptor(message, time);
        break;
      case TRACE_PACKET.trackEvent:
        this.#tracks.event(message, sequence, time, (own, clock) => this.#clocks.toTrace(own, clock));
        break;
      case TRACE_PACKET.processDescriptor:
        this.#threads.process(message, time);
        break;
      case TRACE_PACKET.threadDescriptor:
        sequence.thread = this.#threads.thread(message, time);
        break;
      case TRACE_PACKET.perfSample:
        this.#sample(message, sequence, time);
        break;
      case TRACE_PACKET.systemInfo:
        this.#describe(message);
        break;
      default: {
        const name = packetName(field);
        if (name !== undefined) this.#leaveOut(name);
      }
    }
  }

  #sample(message: Message, sequence: Sequence, time: bigint | undefined): void {
    let [pid, tid] = [0, 0];
    let stack: Id | undefined;
    let isLost = false;
    while (message.next()) {
      if (message.field === PERF_SAMPLE.pid) pid = message.low;
      else if (message.field === PERF_SAMPLE.tid) tid = message.low;
      else if (message.field === PERF_SAMPLE.callstack) stack = idOf(message);
      else if (message.field === PERF_SAMPLE.lost || message.field === PERF_SAMPLE.skipped) isLost = true;
    }
    if (isLost || time === undefined) this.#leaveOut('perf_sample (type 66) without a stack or time');
    else
      this.#events.add(
        'perfetto:sample',
        time,
        { vtid: tid, vpid: pid },
        { functions: stack === undefined ? '' : sequence.stack(stack) },
      );
  }

  #describe(message: Message): void {
    while (message.next()) {
      if (message.field === SYSTEM_INFO.version) this.#system.tracer_version = message.text;
      if (message.field !== SYSTEM_INFO.utsname) continue;
      const name = message.message;
      while (name.next()) {
        if (name.field === UTSNAME.sysname) this.#system.sysname = name.text;
        else if (name.field === UTSNAME.version) this.#system.version = name.text;
        else if (name.field === UTSNAME.release) this.#system.release = name.text;
        else if (name.field === UTSNAME.machine) this.#system.machine = name.text;
      }
    }
  }

  async flush(): Promise<Fault | undefined> {
    return (await this.#kernel.flush()) ?? (await this.#programs.flush());
  }

  /** The trace of the kernel and that of programs, as far as they have events. */
  async finish(): Promise<Unpacked> {
    const { sorter, firstCpu } = this.#ftrace;
    sorter.write(true);
    this.#events.sorter.write(true);
    const { earliest } = sorter;
    const files: SourceRef[] = [];
    const faults: Fault[] = [];
    const { name, offset, monotonic } = this.#clocks.trace;
    const clock = { name, description: `the kernel's clock ${name}`, offset };
    const ahead = monotonic === undefined ? {} : { [`monotonic_minus_${name}`]: `${monotonic} ns` };
    const environment = { ...this.#system, tracer_name: 'perfetto', ...ahead };
    if (earliest !== undefined) this.#threads.write(this.#kernel, firstCpu, earliest);
    for (const [output, domain, isThere] of [
      [this.#kernel, 'kernel', earliest !== undefined || this.#events.isEmpty],
      [this.#programs, 'ust', !this.#events.isEmpty],
    ] as const) {
      if (!isThere) continue;
      const unpacked = await output.finish({ environment: { ...environment, domain }, clock });
      append(files, unpacked.files);
      append(faults, unpacked.faults);
    }
    return { files, faults };
  }

  leftOut(): Fault[] {
    const places = this.#damaged - MOST_PLACES;
    if (places > 0) this.#leftOut.set('that are damaged as well', places);
    return [...this.#leftOut].map(([what, count]) => ({
      code: 'records-left-out',
      place: { file: this.#file },
      found: `${count} ${count === 1 ? 'record' : 'records'} ${what}`,
    }));
  }

  #leaveOut(what: string): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  }

  /** Notes that a packet is damaged: some are named with their place, the others counted. */
  damage(fault: Fault): void {
    if (this.#damaged++ < MOST_PLACES) this.faults.push(fault);
  }
}

/** Packets that say nothing without their time. */
const IN_TIME: ReadonlySet<number> = new Set([TRACE_PACKET.trackEvent, TRACE_PACKET.perfSample]);
