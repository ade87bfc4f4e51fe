/** Perfetto traces, by its published schema: packets that each describe a track, or begin or end a slice on one. */
import { PbfWriter } from 'pbf';
import { visibleCharacters } from '../base/visible-text.ts';
import * as fields from '../trace/perfetto-fields.ts';
import { writeBigVarintField } from './big-varint.ts';

/** Id of the sequence of all packets. */
const SEQUENCE = 1;

/** A track: its name, in which hidden characters are made visible, and its place. */
export interface PerfettoTrack {
  readonly name: string;
  /** A track returned before. */
  readonly parent?: number;
  /** Pid and tid, for tracks of processes and threads: Perfetto shows each thread id once. */
  readonly pid?: number;
  readonly tid?: number;
}

interface Slice {
  type: number;
  track: number;
  timeNs: number;
  /** Number of an interned name, from 1 on; 0: none. */
  named: number;
  name: string;
}

export class PerfettoWriter {
  #out = new PbfWriter();
  #tracks = 0;
  readonly #slice: Slice = { type: 0, track: 0, timeNs: 0, named: 0, name: '' };

  /**
   * @param originNs ns since 1970 of time 0
   * @param names of frequent slices, which are interned: slices refer to them by number
   */
  constructor(originNs: bigint, names: readonly string[]) {
    this.#out.writeMessage(fields.TRACE.packet, writeClocks, originNs);
    this.#out.writeMessage(fields.TRACE.packet, writeNames, names);
  }

  /** Number of bytes that were written and not taken. */
  get length(): number {
    return this.#out.pos;
  }

  /** Takes the bytes written since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#out.finish().slice();
    this.#out = new PbfWriter();
    return bytes;
  }

  /** @returns number of the new track */
  track(track: PerfettoTrack): number {
    const number = ++this.#tracks;
    this.#out.writeMessage(fields.TRACE.packet, writeTrack, {
      ...track,
      name: visibleCharacters(track.name),
      number,
    });
    return number;
  }

  /**
   * Writes a slice; slices of a track must be in order.
   * @param from ns, 0 or more
   * @param name text, or index in the interned names
   */
  slice(track: number, from: number, to: number, name: string | number): void {
    const slice = this.#slice;
    slice.track = track;
    slice.type = fields.TRACK_EVENT_TYPE.begin;
    slice.timeNs = from;
    slice.named = typeof name === 'number' ? name + 1 : 0;
    slice.name = typeof name === 'number' ? '' : visibleCharacters(name);
    this.#out.writeMessage(fields.TRACE.packet, writePacketOfSlice, slice);
    slice.type = fields.TRACK_EVENT_TYPE.end;
    slice.timeNs = to;
    slice.named = 0;
    slice.name = '';
    this.#out.writeMessage(fields.TRACE.packet, writePacketOfSlice, slice);
  }
}

function writePacketOfSlice(slice: Slice, out: PbfWriter): void {
  out.writeVarintField(fields.TRACE_PACKET.timestamp, slice.timeNs);
  out.writeVarintField(fields.TRACE_PACKET.sequence, SEQUENCE);
  if (slice.named > 0)
    out.writeVarintField(fields.TRACE_PACKET.sequenceFlags, fields.SEQUENCE_FLAGS.needsNames);
  out.writeMessage(fields.TRACE_PACKET.trackEvent, writeSlice, slice);
}

function writeSlice({ type, track, named, name }: Slice, out: PbfWriter): void {
  out.writeVarintField(fields.TRACK_EVENT.type, type);
  out.writeVarintField(fields.TRACK_EVENT.track, track);
  if (named > 0) out.writeVarintField(fields.TRACK_EVENT.nameId, named);
  else if (type === fields.TRACK_EVENT_TYPE.begin) out.writeStringField(fields.TRACK_EVENT.name, name);
}

function writeTrack(track: PerfettoTrack & { readonly number: number }, out: PbfWriter): void {
  out.writeVarintField(fields.TRACE_PACKET.sequence, SEQUENCE);
  out.writeMessage(fields.TRACE_PACKET.trackDescriptor, writeTrackDescriptor, track);
}

function writeTrackDescriptor(track: PerfettoTrack & { readonly number: number }, out: PbfWriter): void {
  const { number, name, parent, pid, tid } = track;
  out.writeVarintField(fields.TRACK_DESCRIPTOR.uuid, number);
  out.writeStringField(fields.TRACK_DESCRIPTOR.name, name);
  if (parent !== undefined) out.writeVarintField(fields.TRACK_DESCRIPTOR.parent, parent);
  if (pid === undefined) return;
  if (tid === undefined) out.writeMessage(fields.TRACK_DESCRIPTOR.process, writeProcess, track);
  else out.writeMessage(fields.TRACK_DESCRIPTOR.thread, writeThread, track);
}

function writeProcess({ pid = 0, name }: PerfettoTrack, out: PbfWriter): void {
  out.writeVarintField(fields.PROCESS_DESCRIPTOR.pid, pid);
  out.writeStringField(fields.PROCESS_DESCRIPTOR.name, name);
}

function writeThread({ pid = 0, tid = 0, name }: PerfettoTrack, out: PbfWriter): void {
  out.writeVarintField(fields.THREAD_DESCRIPTOR.pid, pid);
  out.writeVarintField(fields.THREAD_DESCRIPTOR.tid, tid);
  out.writeStringField(fields.THREAD_DESCRIPTOR.name, name);
}

/** Writes the values of both clocks at time 0. */
function writeClocks(originNs: bigint, out: PbfWriter): void {
  out.writeVarintField(fields.TRACE_PACKET.sequence, SEQUENCE);
  out.writeMessage(fields.TRACE_PACKET.clockSnapshot, writeSnapshot, originNs);
}

function writeSnapshot(originNs: bigint, out: PbfWriter): void {
  const { boottime, realtime } = fields.CLOCKS;
  out.writeMessage(fields.CLOCK_SNAPSHOT.clocks, writeClock, { clock: boottime, time: 0n });
  out.writeMessage(fields.CLOCK_SNAPSHOT.clocks, writeClock, { clock: realtime, time: originNs });
}

function writeClock({ clock, time }: { clock: number; time: bigint }, out: PbfWriter): void {
  out.writeVarintField(fields.CLOCK.id, clock);
  writeBigVarintField(out, fields.CLOCK.timestamp, time);
}

function writeNames(names: readonly string[], out: PbfWriter): void {
  out.writeVarintField(fields.TRACE_PACKET.sequence, SEQUENCE);
  out.writeVarintField(fields.TRACE_PACKET.sequenceFlags, fields.SEQUENCE_FLAGS.cleared);
  out.writeMessage(fields.TRACE_PACKET.internedData, writeInterned, names);
}

function writeInterned(names: readonly string[], out: PbfWriter): void {
  names.forEach((name, i) =>
    out.writeMessage(fields.INTERNED_DATA.eventNames, writeName, { id: i + 1, name }),
  );
}

function writeName({ id, name }: { id: number; name: string }, out: PbfWriter): void {
  out.writeVarintField(fields.INTERNED_NAME.id, id);
  out.writeStringField(fields.INTERNED_NAME.name, name);
}
