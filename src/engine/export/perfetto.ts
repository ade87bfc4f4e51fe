/**
 * Perfetto traces: a sequence of packets, of which each describes a track, or begins or ends a slice on one. Written by
 * Perfetto's published schema.
 */
import { PbfWriter } from 'pbf';
import { visibleCharacters } from '../base/visible-text.ts';
import * as fields from '../trace/perfetto-fields.ts';
import { writeBigVarintField } from './big-varint.ts';

/** All packets are of one sequence. */
const SEQUENCE = 1;

/** Name of a track - characters that hide or reorder text become visible - and where it stands. */
export interface PerfettoTrack {
  readonly name: string;
  /** A track returned before. */
  readonly parent?: number;
  /** It is that of a process, or of a thread of one: Perfetto shows threads of one number once. */
  readonly pid?: number;
  readonly tid?: number;
}

interface Slice {
  type: number;
  track: number;
  timeNs: number;
  /** Number of a name from 1 on, 0 none. */
  named: number;
  name: string;
}

export class PerfettoWriter {
  #out = new PbfWriter();
  #tracks = 0;
  readonly #slice: Slice = { type: 0, track: 0, timeNs: 0, named: 0, name: '' };

  /**
   * @param originNs ns since 1970 of time 0
   * @param names of slices that many have: given by number from then on
   */
  constructor(originNs: bigint, names: readonly string[]) {
    this.#out.writeMessage(fields.TRACE.packet, writeClocks, originNs);
    this.#out.writeMessage(fields.TRACE.packet, writeNames, names);
  }

  /** Bytes that were written and not taken. */
  get length(): number {
    return this.#out.pos;
  }

  /** Takes what was written since it was last called. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#out.finish().slice();
    this.#out = new PbfWriter();
    return bytes;
  }

  /** @returns its number */
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
   * A slice: those of one track follow each other.
   * @param from ns, 0 or more
   * @param name its text, or the number of one of the names from 0 on
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

/** Writes what both clocks show at time 0. */
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
