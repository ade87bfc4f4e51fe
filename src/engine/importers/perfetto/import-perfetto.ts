/**
 * Perfetto trace → CTF (`protos/perfetto/trace/trace_packet.proto` of Perfetto's sources): the kernel's ftrace events
 * as one stream a CPU, and beside them events of programs.
 */
import { memberPath } from '../../archive/types.ts';
import type { Fault } from '../../base/fault.ts';
import { CLOCKS, ENVELOPE, SEQUENCE_FLAGS, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import type { CtfOutput } from '../ctf-output.ts';
import { damaged, type ImportRun } from '../import-run.ts';
import { type CallNames, callNames } from '../system-calls.ts';
import { PerfettoClocks } from './clocks.ts';
import { FtraceEvents } from './ftrace.ts';
import { packetName, readPackets } from './packets.ts';
import { Sequence } from './sequences.ts';
import { PerfettoThreads } from './threads.ts';
import { ProgramEvents, TrackEvents } from './track-events.ts';
import { PERF_SAMPLE, SYSTEM_INFO } from './track-fields.ts';
import type { Message } from './wire.ts';

/** Damaged packets that are reported with their place. */
const MOST_PLACES = 4;

export async function importPerfetto(run: ImportRun): Promise<void> {
  const trace = new PerfettoTrace(run);
  await readPackets(
    run,
    (packet, byte) => trace.packet(packet, byte),
    (fault) => trace.damage(fault),
  );
  await trace.finish();
}

class PerfettoTrace {
  readonly #run: ImportRun;
  readonly #kernel: CtfOutput;
  readonly #programs: CtfOutput;
  readonly #clocks = new PerfettoClocks();
  readonly #threads = new PerfettoThreads();
  readonly #sequences = new Map<number, Sequence>();
  readonly #ftrace: FtraceEvents;
  readonly #events: ProgramEvents;
  readonly #tracks: TrackEvents;
  readonly #system: Record<string, string> = { sysname: 'Linux' };
  #damaged = 0;

  constructor(run: ImportRun) {
    this.#run = run;
    // LTTng's name of the folder.
    this.#kernel = run.output(memberPath(run.file.path, 'kernel'), false);
    this.#programs = run.output(memberPath(run.file.path, 'ust'), false);
    this.#events = new ProgramEvents(this.#programs, run);
    this.#tracks = new TrackEvents(this.#events, this.#threads, run);
    let nameOf: CallNames | undefined;
    this.#ftrace = new FtraceEvents(this.#kernel, run, (call) =>
      (nameOf ??= callNames(this.#system.machine ?? ''))(call),
    );
  }

  /** Takes a packet. @param byte of the file where it begins */
  packet(packet: Message, byte: number): void {
    const { at } = packet;
    let id = 0;
    let clock: number | undefined;
    let stamp: bigint | undefined;
    let flags = 0;
    let [isLossy, hasState] = [false, false];
    while (packet.next()) {
      if (packet.field === TRACE_PACKET.sequence) id = packet.low >>> 0;
      else if (packet.field === TRACE_PACKET.clock) clock = packet.low >>> 0;
      else if (packet.field === TRACE_PACKET.timestamp) stamp = packet.bigint;
      else if (packet.field === TRACE_PACKET.sequenceFlags) flags |= packet.low;
      else if (packet.field === TRACE_PACKET.stateCleared)
        flags |= packet.low === 0 ? 0 : SEQUENCE_FLAGS.cleared;
      else if (packet.field === TRACE_PACKET.previousDropped) isLossy = packet.low !== 0;
      else if (packet.field === TRACE_PACKET.internedData || packet.field === TRACE_PACKET.defaults)
        hasState = true;
    }
    let isWhole = !packet.isDamaged;
    let sequence = this.#sequences.get(id);
    if (sequence === undefined) this.#sequences.set(id, (sequence = new Sequence()));
    sequence.begin(isLossy, (flags & SEQUENCE_FLAGS.cleared) !== 0);
    packet.at = at;
    if (hasState) sequence.learn(packet);
    packet.at = at;
    const needsState = (flags & SEQUENCE_FLAGS.needsNames) !== 0;
    const time = stamp === undefined ? undefined : this.#clocks.timeOf(stamp, clock ?? sequence.clock, id);
    while (packet.next()) {
      const { field } = packet;
      if (ENVELOPE.has(field)) continue;
      if (needsState && !sequence.isValid) this.#run.leaveOut('of a sequence whose names were lost');
      else if (field === TRACE_PACKET.ftraceEvents)
        isWhole = this.#ftrace.bundle(packet.message, this.#fromBoottime) && isWhole;
      else if (stamp !== undefined && time === undefined && IN_TIME.has(field))
        this.#run.leaveOut('whose clock no snapshot explains');
      else this.#take(field, packet.message, sequence, id, time);
    }
    this.#events.streams.waiting.relieve();
    if (!isWhole)
      this.damage(damaged(this.#run.file.path, byte, 'a whole packet', 'one with a field that does not end'));
  }

  /** Conversion from CLOCK_BOOTTIME, ftrace's clock and mostly the trace's, too. */
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
      case TRACE_PACKET.systemInfo: {
        const { name = {}, version } = message.read(SYSTEM_INFO);
        Object.assign(this.#system, name, version !== undefined && { tracer_version: version });
        break;
      }
      default: {
        const name = packetName(field);
        if (name !== undefined) this.#run.leaveOut(name);
      }
    }
  }

  #sample(message: Message, sequence: Sequence, time: bigint | undefined): void {
    const { pid, tid, callstack, lost, skipped } = message.read(PERF_SAMPLE);
    if (lost === true || skipped === true || time === undefined)
      return this.#run.leaveOut('perf_sample (type 66) without a stack or time');
    const functions = callstack === undefined ? '' : sequence.stack(callstack);
    this.#events.add('perfetto:sample', time, { vtid: tid ?? 0, vpid: pid ?? 0 }, { functions });
  }

  /** Writes the traces of the kernel and of programs, if they have events, and reports what was left out. */
  async finish(): Promise<void> {
    const { streams } = this.#ftrace;
    streams.waiting.writeAll();
    this.#events.streams.waiting.writeAll();
    const { earliest } = streams;
    const { name, offset, monotonic } = this.#clocks.trace;
    const clock = { name, description: `the kernel's clock ${name}`, offset };
    const ahead = monotonic === undefined ? {} : { [`monotonic_minus_${name}`]: `${monotonic} ns` };
    const environment = { ...this.#system, tracer_name: 'perfetto', ...ahead };
    if (earliest !== undefined) this.#threads.write(this.#kernel, this.#ftrace.firstCpu, earliest);
    if (this.#damaged > MOST_PLACES)
      this.#run.leaveOut('that are damaged as well', this.#damaged - MOST_PLACES);
    this.#run.sayLeftOut('record');
    if (earliest !== undefined || this.#events.isEmpty)
      await this.#run.finish(this.#kernel, { environment: { ...environment, domain: 'kernel' }, clock });
    if (!this.#events.isEmpty)
      await this.#run.finish(this.#programs, { environment: { ...environment, domain: 'ust' }, clock });
  }

  /** Notes that a packet is damaged: some are reported with their place, the others counted. */
  damage(fault: Fault): void {
    if (this.#damaged++ < MOST_PLACES) this.#run.faults.push(fault);
  }
}

/** Packets that are useless without their time. */
const IN_TIME: ReadonlySet<number> = new Set([TRACE_PACKET.trackEvent, TRACE_PACKET.perfSample]);
