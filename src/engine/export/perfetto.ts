/**
 * Perfetto traces: a sequence of packets, of which each describes a track, or begins or ends a slice on one. Written by
 * Perfetto's published schema (`protos/perfetto/trace` of its sources); numbers here are those of its fields.
 */
import { PbfWriter } from 'pbf';
import { visibleCharacters } from '../base/visible-text.ts';
import { writeBigVarintField } from './big-varint.ts';

/** Clocks of `BuiltinClock`. */
const REALTIME = 1;
const BOOTTIME = 6;
/** Types of `TrackEvent`. */
const SLICE_BEGIN = 1;
const SLICE_END = 2;
/** `SequenceFlags`: names given by number are valid from a packet that clears them on. */
const CLEARED = 1;
const NEEDS_NAMES = 2;
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
    this.#out.writeMessage(1, writeClocks, originNs);
    this.#out.writeMessage(1, writeNames, names);
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
    this.#out.writeMessage(1, writeTrack, { ...track, name: visibleCharacters(track.name), number });
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
    slice.type = SLICE_BEGIN;
    slice.timeNs = from;
    slice.named = typeof name === 'number' ? name + 1 : 0;
    slice.name = typeof name === 'number' ? '' : visibleCharacters(name);
    this.#out.writeMessage(1, writePacketOfSlice, slice);
    slice.type = SLICE_END;
    slice.timeNs = to;
    slice.named = 0;
    slice.name = '';
    this.#out.writeMessage(1, writePacketOfSlice, slice);
  }
}

function writePacketOfSlice(slice: Slice, out: PbfWriter): void {
  out.writeVarintField(8, slice.timeNs);
  out.writeVarintField(10, SEQUENCE);
  if (slice.named > 0) out.writeVarintField(13, NEEDS_NAMES);
  out.writeMessage(11, writeSlice, slice);
}

function writeSlice({ type, track, named, name }: Slice, out: PbfWriter): void {
  out.writeVarintField(9, type);
  out.writeVarintField(11, track);
  if (named > 0) out.writeVarintField(10, named);
  else if (type === SLICE_BEGIN) out.writeStringField(23, name);
}

function writeTrack(track: PerfettoTrack & { readonly number: number }, out: PbfWriter): void {
  out.writeVarintField(10, SEQUENCE);
  out.writeMessage(60, writeTrackDescriptor, track);
}

function writeTrackDescriptor(track: PerfettoTrack & { readonly number: number }, out: PbfWriter): void {
  const { number, name, parent, pid, tid } = track;
  out.writeVarintField(1, number);
  out.writeStringField(2, name);
  if (parent !== undefined) out.writeVarintField(5, parent);
  if (pid === undefined) return;
  if (tid === undefined) out.writeMessage(3, writeProcess, track);
  else out.writeMessage(4, writeThread, track);
}

function writeProcess({ pid = 0, name }: PerfettoTrack, out: PbfWriter): void {
  out.writeVarintField(1, pid);
  out.writeStringField(6, name);
}

function writeThread({ pid = 0, tid = 0, name }: PerfettoTrack, out: PbfWriter): void {
  out.writeVarintField(1, pid);
  out.writeVarintField(2, tid);
  out.writeStringField(5, name);
}

/** Writes what both clocks show at time 0. */
function writeClocks(originNs: bigint, out: PbfWriter): void {
  out.writeVarintField(10, SEQUENCE);
  out.writeMessage(
    6,
    (_, snapshot) => {
      for (const [clock, time] of [[BOOTTIME, 0n] as const, [REALTIME, originNs] as const])
        snapshot.writeMessage(
          1,
          (_none, each) => {
            each.writeVarintField(1, clock);
            writeBigVarintField(each, 2, time);
          },
          undefined,
        );
    },
    undefined,
  );
}

function writeNames(names: readonly string[], out: PbfWriter): void {
  out.writeVarintField(10, SEQUENCE);
  out.writeVarintField(13, CLEARED);
  out.writeMessage(
    12,
    (_, interned) =>
      names.forEach((name, i) =>
        interned.writeMessage(
          2,
          (_none, each) => {
            each.writeVarintField(1, i + 1);
            each.writeStringField(2, name);
          },
          undefined,
        ),
      ),
    undefined,
  );
}
