/** The base of a host's times: where HostNs 0 lies on its clock (ARCHITECTURE.md "Numbers and time"). */
import { compare } from '../base/compare.ts';
import { cyclesToNs } from '../ctf/decode/run/clock-map.ts';
import { createFirstEventFinder, type FirstEventFinder } from '../ctf/decode/run/first-event.ts';
import type { ClockClass } from '../ctf/model.ts';
import { PACKET_HAS_BEGIN, PACKET_HAS_END } from '../ctf/packets/packet-table.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import type { ReadTrace } from './read-trace.ts';
import type { AssembledStream } from './stream-assembly.ts';
import { clockKey, clockMaps, mainClock } from './trace-clocks.ts';

/** Cycles at which a stream's packets begin; undefined where they do not say. */
export function firstCycles(stream: AssembledStream): bigint | undefined {
  const { packets } = stream.files[0];
  return (packets.flags[0] & PACKET_HAS_BEGIN) !== 0 ? packets.begin[0] : undefined;
}

/** Cycles at which they end; at which the last one begins where it does not give its end. */
export function lastCycles(stream: AssembledStream): bigint | undefined {
  const { packets } = stream.files[stream.files.length - 1];
  const last = packets.length - 1;
  if ((packets.flags[last] & PACKET_HAS_END) !== 0) return packets.end[last];
  return (packets.flags[last] & PACKET_HAS_BEGIN) !== 0 ? packets.begin[last] : undefined;
}

/**
 * Trace whose offset to the epoch the host takes: a kernel trace, one whose clock has an uuid, that with the least
 * fingerprint; none that was joined to others, where there are these.
 */
export function referenceTrace(traces: readonly ReadTrace[]): ReadTrace {
  const rank = ({ domain, model, joined }: ReadTrace): number =>
    (joined ? 0 : 4) + (domain === 'kernel' ? 2 : 0) + (clockKey(mainClock(model)) === '' ? 0 : 1);
  return traces.reduce((a, b) => {
    const isFirst = rank(a) - rank(b) || compare(b.fingerprint, a.fingerprint);
    return isFirst >= 0 ? a : b;
  });
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

/** Streams that are read at a time: each read waits for the browser, and there is no picture before all are done. */
const STREAMS_AT_ONCE = 8;

/**
 * HostNs of a host's first event, from the first packets of its streams that have any: a packet may begin long before
 * it, when the tracer was started. undefined when none is found there.
 */
export async function findFirstEvent(
  traces: readonly ReadTrace[],
  reference: ClockClass | undefined,
  baseNs: bigint,
  open: SourceOpener,
): Promise<number | undefined> {
  let least = Infinity;
  for (const { model, streams } of traces) {
    const maps = clockMaps(model.clocks, reference, baseNs);
    const finders = new Map<number, FirstEventFinder>();
    const finderOf = (streamClass: number): FirstEventFinder | undefined => {
      const { clock } = model.streams[streamClass];
      if (clock === undefined) return undefined;
      const finder = finders.get(streamClass) ?? createFirstEventFinder(model, streamClass, maps[clock]);
      finders.set(streamClass, finder);
      return finder;
    };
    const find = (stream: AssembledStream) => firstEventOf(stream, finderOf(stream.streamClass), open);
    for (let at = 0; at < streams.length; at += STREAMS_AT_ONCE) {
      for (const first of await Promise.all(streams.slice(at, at + STREAMS_AT_ONCE).map(find)))
        if (first < least) least = first;
    }
  }
  return least === Infinity ? undefined : least;
}

/** HostNs of a stream's first event; NaN when its packet does not give it, or there is no clock to decode by. */
async function firstEventOf(
  stream: AssembledStream,
  finder: FirstEventFinder | undefined,
  open: SourceOpener,
): Promise<number> {
  const place = firstFilledPacket(stream);
  if (finder === undefined || place === undefined) return Number.NaN;
  const { source, packets: table, packet } = place;
  const opened = await open(source);
  if (!opened.ok) return Number.NaN;
  const extent = { table, first: packet, count: 1, byteOffset: 0, path: source.path };
  let first = Number.NaN;
  for (const piece of FIRST_PIECES) {
    if (!Number.isNaN(first)) break;
    const bytes = await opened.value.read(table.offset[packet], Math.min(table.size[packet], piece));
    if (!bytes.ok) break;
    first = finder(bytes.value, extent);
  }
  await opened.value.close?.();
  return first;
}

/** Tracers end packets without events, too, when they flush the buffers of a stream that rests. */
function firstFilledPacket({ files }: AssembledStream) {
  for (const { source, packets } of files) {
    const packet = packets.contentBits.findIndex((bits, at) => bits > packets.eventsBits[at]);
    if (packet >= 0) return { source, packets, packet };
  }
  return undefined;
}
