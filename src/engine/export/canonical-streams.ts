/**
 * Canonical text and digests of whole streams and traces (docs, "Canonical form"): reads packet by packet, so that
 * memory does not grow with the trace.
 */
import type { Fault } from '../base/fault.ts';
import { createSha256, sha256Hex } from '../base/sha256.ts';
import { createChunkDecoder, type ChunkInput } from '../ctf/decode/chunk-decoder.ts';
import { splitOffset, type ClockMap } from '../ctf/decode/clock-map.ts';
import { packetAfter, type PacketBefore } from '../ctf/decode/packet-spans.ts';
import { EVERYTHING } from '../ctf/decode/stream-programs.ts';
import type { TraceModel } from '../ctf/model.ts';
import { PACKET_HAS_BEGIN, type IndexedFile, type PacketTable } from '../ctf/packets/packet-table.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { createCanonicalWriter } from './canonical.ts';

export interface CanonicalFile {
  readonly source: ByteSource;
  readonly indexed: IndexedFile;
}

/** A trace: one model and all its data stream files, in any order. */
export interface CanonicalTrace {
  readonly model: TraceModel;
  readonly files: readonly CanonicalFile[];
}

export interface StreamSummary {
  /** Of the stream's text. */
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

/** Receives the text of a stream, piece by piece. */
export type TextSink = (text: string) => void | Promise<void>;

/** One packet of a stream. */
interface PacketRef {
  readonly file: CanonicalFile;
  readonly packet: number;
}

/** Reads at most this many bytes at once, but always a whole packet. */
const READ_BYTES = 1 << 20;

/** Digests of all streams of some traces and of the whole. `sink` gets the texts, one stream after the other. */
export async function summariseTraces(
  traces: readonly CanonicalTrace[],
  sink?: TextSink,
): Promise<CanonicalSummary> {
  const streams: StreamSummary[] = [];
  const faults: Fault[] = [];
  for (const { model, files } of traces) {
    for (const { indexed } of files) faults.push(...indexed.faults);
    for (const packets of joinStreams(files)) streams.push(await summariseStream(model, packets, sink));
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
    faults: [...faults, ...streams.flatMap((stream) => stream.faults)],
    streams,
  };
}

/**
 * The streams of a trace: files with the same stream class and id are one, their packets ordered by begin; a file
 * without ids or begin times is a stream of its own.
 */
export function joinStreams(files: readonly CanonicalFile[]): PacketRef[][] {
  const groups = new Map<string, PacketRef[]>();
  files.forEach((file, index) => {
    const { packets } = file.indexed;
    if (packets.length === 0) return;
    const key = isJoinable(packets) ? `${packets.streamClass[0]}/${packets.streamId[0]}` : `file ${index}`;
    const refs = Array.from({ length: packets.length }, (_, packet) => ({ file, packet }));
    groups.set(key, [...(groups.get(key) ?? []), ...refs]);
  });
  for (const [key, refs] of groups) if (!key.startsWith('file')) refs.sort(compareBegin);
  return [...groups.values()];
}

function isJoinable(packets: PacketTable): boolean {
  return packets.hasStreamId[0] === 1 && packets.flags.every((flags) => (flags & PACKET_HAS_BEGIN) !== 0);
}

function compareBegin(a: PacketRef, b: PacketRef): number {
  const left = a.file.indexed.packets.begin[a.packet];
  const right = b.file.indexed.packets.begin[b.packet];
  return left < right ? -1 : left > right ? 1 : 0;
}

async function summariseStream(
  model: TraceModel,
  packets: readonly PacketRef[],
  sink?: TextSink,
): Promise<StreamSummary> {
  const { indexed } = packets[0].file;
  const streamClass = indexed.packets.streamClass[0];
  const decoder = createChunkDecoder(model, streamClass, EVERYTHING, ownClock(model, streamClass));
  const writer = createCanonicalWriter(model, streamClass);
  const encoder = new TextEncoder();
  const hash = createSha256();
  const faults: Fault[] = [];
  let before: PacketBefore | undefined;
  let events = 0;
  let discardedEvents = 0;
  let discardedPackets = 0;
  let firstNs: bigint | undefined;
  let lastNs: bigint | undefined;
  for (let at = 0; at < packets.length;) {
    const count = countAdjacent(packets, at);
    const read = await readExtent(packets[at], count);
    if ('code' in read) {
      faults.push(read);
      break;
    }
    const chunk = decoder.decode({ ...read, before });
    const text = writer.text(chunk);
    hash.update(encoder.encode(text));
    if (sink !== undefined && text !== '') await sink(text);
    events += chunk.rows.length;
    faults.push(...chunk.faults);
    for (let row = 0; row < chunk.rows.length; row++) {
      const time = writer.timeNs(chunk.rows, row);
      firstNs = lesser(firstNs, time);
      lastNs = greater(lastNs, time);
    }
    for (let packet = 0; packet < count; packet++) {
      discardedEvents += chunk.packets.discardedEvents[packet];
      discardedPackets += chunk.packets.lostPackets[packet];
    }
    at += count;
    const last = packets[at - 1];
    before = { ...packetAfter(last.file.indexed.packets, last.packet), clock: chunk.clock };
  }
  return { sha256: hash.hex(), events, firstNs, lastNs, discardedEvents, discardedPackets, faults };
}

/** Number of packets from `at` on that lie one after the other in their file and fit one read. */
function countAdjacent(packets: readonly PacketRef[], at: number): number {
  const { file, packet } = packets[at];
  const { size } = file.indexed.packets;
  let bytes = size[packet];
  let count = 1;
  for (; at + count < packets.length; count++) {
    const next = packets[at + count];
    if (next.file !== file || next.packet !== packet + count) break;
    bytes += size[next.packet];
    if (bytes > READ_BYTES) break;
  }
  return count;
}

async function readExtent({ file, packet }: PacketRef, count: number): Promise<ChunkInput | Fault> {
  const { packets, path } = file.indexed;
  const last = packet + count - 1;
  const length = packets.offset[last] + packets.size[last] - packets.offset[packet];
  const read = await file.source.read(packets.offset[packet], length);
  if (!read.ok) return read.fault;
  return { bytes: read.value, extents: [{ table: packets, first: packet, count, byteOffset: 0, path }] };
}

/** Times are taken from the tapes; the map only has to exist. */
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
