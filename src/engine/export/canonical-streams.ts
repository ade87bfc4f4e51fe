/**
 * Canonical text and digests of whole streams and traces (docs, "Canonical form"), packet by packet, so that memory
 * does not grow with the trace.
 */
import { append } from '../base/append.ts';
import { ByteText } from '../base/byte-text.ts';
import type { Fault } from '../base/fault.ts';
import { createSha256, sha256Hex } from '../base/sha256.ts';
import { createChunkDecoder } from '../ctf/decode/chunk-decoder.ts';
import { splitOffset, type ClockMap } from '../ctf/decode/run/clock-map.ts';
import { packetAfter, type PacketBefore } from '../ctf/decode/rows/packet-spans.ts';
import { EVERYTHING } from '../ctf/decode/program/stream-programs.ts';
import type { DecodeMemory } from '../ctf/decode/wasm/decode-memory.ts';
import type { TraceModel } from '../ctf/model.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { DisorderLog, findDisorder } from '../trace/stream-disorder.ts';
import { CanonicalWriter } from './canonical.ts';

/** A data stream file with its packets. */
export interface CanonicalFile {
  readonly source: ByteSource;
  readonly packets: PacketTable;
}

export interface CanonicalTrace {
  readonly model: TraceModel;
  /** The files of each data stream, in stream order. */
  readonly streams: readonly (readonly CanonicalFile[])[];
}

interface StreamSummary {
  /** SHA-256 of the stream's text, hexadecimal. */
  readonly sha256: string;
  readonly events: number;
  /** Least and greatest time in ns since the origin. */
  readonly firstNs: bigint | undefined;
  readonly lastNs: bigint | undefined;
  readonly discardedEvents: number;
  readonly discardedPackets: number;
  readonly faults: readonly Fault[];
}

export interface CanonicalSummary extends StreamSummary {
  readonly streams: readonly StreamSummary[];
}

/** Takes the text of a stream piece by piece. */
export type TextSink = (text: Uint8Array) => void | Promise<void>;

/** Bytes read at once. */
const READ_BYTES = 1 << 20;

/**
 * Digests of all streams of some traces and of the whole.
 * @param sink takes the texts, one stream after the other
 * @param memory of generated code; undefined: the interpreter decodes
 */
export async function summariseTraces(
  traces: readonly CanonicalTrace[],
  sink?: TextSink,
  memory?: DecodeMemory,
): Promise<CanonicalSummary> {
  const streams: StreamSummary[] = [];
  for (const { model, streams: files } of traces) {
    for (const stream of files) streams.push(await summariseStream(model, stream, sink, memory));
  }
  const digests = streams.filter(({ events }) => events > 0).map(({ sha256 }) => sha256);
  const sum = (value: (stream: StreamSummary) => number): number =>
    streams.reduce((total, stream) => total + value(stream), 0);
  return {
    sha256: sha256Hex(new TextEncoder().encode(digests.sort().join('\n'))),
    events: sum((stream) => stream.events),
    firstNs: streams.reduce<bigint | undefined>((least, { firstNs }) => lesser(least, firstNs), undefined),
    lastNs: streams.reduce<bigint | undefined>(
      (greatest, { lastNs }) => greater(greatest, lastNs),
      undefined,
    ),
    discardedEvents: sum((stream) => stream.discardedEvents),
    discardedPackets: sum((stream) => stream.discardedPackets),
    faults: streams.flatMap((stream) => stream.faults),
    streams,
  };
}

async function summariseStream(
  model: TraceModel,
  files: readonly CanonicalFile[],
  sink: TextSink | undefined,
  memory: DecodeMemory | undefined,
): Promise<StreamSummary> {
  const streamClass = files[0].packets.streamClass[0];
  const decoder = createChunkDecoder(model, streamClass, EVERYTHING, ownClock(model, streamClass), memory);
  const text = new ByteText();
  const writer = new CanonicalWriter(model, streamClass, text);
  const hash = createSha256();
  const flush = async () => {
    const piece = text.take();
    hash.update(piece);
    if (piece.length > 0) await sink?.(piece);
  };
  const faults: Fault[] = [];
  const disorder = new DisorderLog();
  let before: PacketBefore | undefined;
  let floor = -Infinity;
  let step = 0;
  let events = 0;
  let discardedEvents = 0;
  let discardedPackets = 0;
  let firstNs: bigint | undefined;
  let lastNs: bigint | undefined;
  for (const { file, first, count } of readPlan(files)) {
    const { packets } = file;
    const last = first + count - 1;
    const offset = packets.offset[first];
    const read = await file.source.read(offset, packets.offset[last] + packets.size[last] - offset);
    if (!read.ok) {
      faults.push(read.fault);
      break;
    }
    const extents = [{ table: packets, first, count, byteOffset: 0, path: file.source.name }];
    const chunk = decoder.decode({ bytes: read.value, extents, before, floor });
    events += chunk.rows.length;
    append(faults, chunk.faults);
    disorder.add('', step++, findDisorder(chunk, extents));
    for (let row = 0; row < chunk.rows.length; row++) {
      const time = writer.timeNs(chunk.rows, row);
      writer.line(chunk.rows, row, time);
      if (text.length > FLUSH_AT) await flush();
      firstNs = lesser(firstNs, time);
      lastNs = greater(lastNs, time);
    }
    for (let packet = 0; packet < count; packet++) {
      if (chunk.packets.begin[packet] > floor) floor = chunk.packets.begin[packet];
      discardedEvents += chunk.packets.discardedEvents[packet];
      discardedPackets += chunk.packets.lostPackets[packet];
    }
    before = packetAfter(packets, last);
  }
  await flush();
  append(faults, disorder.faults());
  return { sha256: hash.hex(), events, firstNs, lastNs, discardedEvents, discardedPackets, faults };
}

/** Bytes after which text is hashed and passed on. */
const FLUSH_AT = 65_536;

/** Groups of consecutive packets that are read at once: at most READ_BYTES, but at least one packet. */
function* readPlan(files: readonly CanonicalFile[]) {
  for (const file of files) {
    const { length, size } = file.packets;
    for (let first = 0; first < length;) {
      let count = 1;
      for (let bytes = size[first]; first + count < length; count++) {
        bytes += size[first + count];
        if (bytes > READ_BYTES) break;
      }
      yield { file, first, count };
      first += count;
    }
  }
}

/** Any clock map: times are read from the tapes, but decoding needs one. */
function ownClock(model: TraceModel, streamClass: number): ClockMap | undefined {
  const { clock } = model.streams[streamClass];
  if (clock === undefined) return undefined;
  const { frequency } = model.clocks[clock];
  return { frequency, ticksOffset: splitOffset(model.clocks[clock]).ticksOffset, baseNs: 0n };
}

function lesser(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}

function greater(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}
