/** The base of a host's times: where TimeNs 0 lies on its clock (spec 01 "Numbers and time"). */
import { createChunkDecoder } from '../ctf/decode/chunk-decoder.ts';
import type { ChunkDecoder } from '../ctf/decode/chunk-decoder.ts';
import { cyclesToNs } from '../ctf/decode/clock-map.ts';
import type { ClockClass } from '../ctf/model.ts';
import { PACKET_HAS_BEGIN, PACKET_HAS_END } from '../ctf/packets/packet-table.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import type { ReadTrace } from './read-trace.ts';
import type { AssembledStream } from './stream-assembly.ts';
import { clockMaps } from './trace-clocks.ts';

/** Cycles at which a stream's packets begin; undefined where they do not tell. */
export function firstCycles(stream: AssembledStream): bigint | undefined {
  const { packets } = stream.files[0];
  return (packets.flags[0] & PACKET_HAS_BEGIN) !== 0 ? packets.begin[0] : undefined;
}

/** Cycles at which they end; at which the last one begins where it does not tell its end. */
export function lastCycles(stream: AssembledStream): bigint | undefined {
  const { packets } = stream.files[stream.files.length - 1];
  const last = packets.length - 1;
  if ((packets.flags[last] & PACKET_HAS_END) !== 0) return packets.end[last];
  return (packets.flags[last] & PACKET_HAS_BEGIN) !== 0 ? packets.begin[last] : undefined;
}

/** ns of the host's clock, its first packet's begin; its first event's where packets have no times. */
export async function findBase(
  traces: readonly ReadTrace[],
  reference: ClockClass | undefined,
  open: SourceOpener,
): Promise<bigint> {
  let base: bigint | undefined;
  for (const trace of traces) {
    const maps = clockMaps(trace.model.clocks, reference, 0n);
    for (const stream of trace.streams) {
      const clock = trace.model.streams[stream.streamClass].clock;
      const cycles = firstCycles(stream);
      if (clock === undefined || cycles === undefined) continue;
      const { frequency, ticksOffset, baseNs } = maps[clock];
      const begin = cyclesToNs(cycles, frequency, ticksOffset) - baseNs;
      if (base === undefined || begin < base) base = begin;
    }
  }
  if (base !== undefined) return base;
  const first = await findFirstEvent(traces, reference, 0n, open);
  // Beyond 2^53 ns the double is rounded: the base need not be exact, only near.
  return first === undefined ? 0n : BigInt(first);
}

/** Bytes of a stream that are decoded to find its first event: usually few, more where it is not in them. */
const FIRST_PIECES = [4096, 65_536];

/**
 * TimeNs of a host's first event, from the first packets of its streams: a packet may begin long before it, when the
 * tracer was started. undefined when none is found there.
 */
export async function findFirstEvent(
  traces: readonly ReadTrace[],
  reference: ClockClass | undefined,
  baseNs: bigint,
  open: SourceOpener,
): Promise<number | undefined> {
  let least = Infinity;
  for (const trace of traces) {
    const maps = clockMaps(trace.model.clocks, reference, baseNs);
    const decoders = new Map<number, ChunkDecoder>();
    for (const { streamClass, files } of trace.streams) {
      const clock = trace.model.streams[streamClass].clock;
      const source = clock === undefined ? undefined : await open(files[0].source);
      if (clock === undefined || source === undefined || !source.ok) continue;
      const decoder =
        decoders.get(streamClass) ??
        createChunkDecoder(trace.model, streamClass, { meanings: [] }, maps[clock]);
      decoders.set(streamClass, decoder);
      const table = files[0].packets;
      const extent = { table, first: 0, count: 1, byteOffset: 0, path: files[0].source.path };
      let first = Number.NaN;
      for (const piece of FIRST_PIECES) {
        if (!Number.isNaN(first)) break;
        const bytes = await source.value.read(table.offset[0], Math.min(table.size[0], piece));
        if (!bytes.ok) break;
        const { packets } = decoder.decode({ bytes: bytes.value, extents: [extent] });
        first = packets.firstEvent[0];
      }
      await source.value.close?.();
      if (first < least) least = first;
    }
  }
  return least === Infinity ? undefined : least;
}
