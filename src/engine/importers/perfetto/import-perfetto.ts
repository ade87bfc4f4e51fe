/**
 * Perfetto trace → CTF (`protos/perfetto/trace/trace_packet.proto` of Perfetto's sources): the kernel's events of ftrace
 * as one stream a CPU.
 */
import type { Unpacked } from '../../archive/types.ts';
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource, SourceRef } from '../../io/byte-source.ts';
import { CLOCKS, ENVELOPE, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import { CtfOutput } from '../ctf-output.ts';
import { damaged, type Importing } from '../types.ts';
import { PerfettoClocks } from './clocks.ts';
import { FtraceEvents } from './ftrace.ts';
import { packetName } from './packet-names.ts';
import { readPackets } from './packets.ts';
import type { Message } from './wire.ts';

/** Damaged packets that are named with their place. */
const MOST_PLACES = 4;

export async function importPerfetto(
  file: SourceRef,
  source: ByteSource,
  importing: Importing,
): Promise<Unpacked> {
  const output = new CtfOutput(importing.tempFiles, file.path, false);
  const trace = new PerfettoTrace(file.path, output);
  const ended = await readPackets({
    source,
    onPacket: (packet, byte) => trace.packet(packet, byte),
    onFault: (fault) => trace.faults.push(fault),
    onPiece: async (bytes) => {
      if (importing.signal?.aborted === true) return { code: 'cancelled', place: { file: file.path } };
      importing.onBytes?.(bytes);
      return output.flush();
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
  readonly #output: CtfOutput;
  readonly #clocks = new PerfettoClocks();
  readonly #ftrace: FtraceEvents;
  readonly #leftOut = new Map<string, number>();
  #damaged = 0;

  constructor(file: string, output: CtfOutput) {
    this.#file = file;
    this.#output = output;
    this.#ftrace = new FtraceEvents(output, (what) => this.#leaveOut(what));
  }

  /** Takes a packet. @param byte of the file where it begins */
  packet(packet: Message, byte: number): void {
    const { at } = packet;
    let sequence = 0;
    while (packet.next()) if (packet.field === TRACE_PACKET.sequence) sequence = packet.low >>> 0;
    let isWhole = !packet.isDamaged;
    packet.at = at;
    packet.isDamaged = false;
    while (packet.next()) {
      switch (packet.field) {
        case TRACE_PACKET.ftraceEvents:
          isWhole =
            this.#ftrace.bundle(packet.message, (time) => this.#clocks.toTrace(time, CLOCKS.boottime)) &&
            isWhole;
          break;
        case TRACE_PACKET.clockSnapshot:
          this.#clocks.snapshot(packet.message, sequence);
          break;
        default:
          if (!ENVELOPE.has(packet.field)) this.#leaveOutPacket(packet.field);
      }
    }
    if (!isWhole) this.#damage(byte);
  }

  finish(): Promise<Unpacked> {
    this.#ftrace.sorter.write(true);
    const { name, offset } = this.#clocks.trace;
    return this.#output.finish({
      environment: { sysname: 'Linux', domain: 'kernel', tracer_name: 'perfetto' },
      clock: { name, description: `the kernel's clock ${name}`, offset },
    });
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

  #leaveOutPacket(field: number): void {
    const name = packetName(field);
    if (name !== undefined) this.#leaveOut(name);
  }

  #damage(byte: number): void {
    if (this.#damaged++ < MOST_PLACES)
      this.faults.push(damaged(this.#file, byte, 'a whole packet', 'one with a field that does not end'));
  }
}
