/** Finds packets by time and reads them from the files again. */
import type { HostNs } from '../../base/units.ts';
import type { ChunkInput } from '../../ctf/decode/decoder-input.ts';
import { packetAfter } from '../../ctf/decode/rows/packet-spans.ts';
import type { SourceOpener } from '../../io/byte-source.ts';
import { beginOf, clockOf, endOf } from '../../trace/trace-clocks.ts';
import type { Stream, Trace, Experiment } from '../../trace/types.ts';
import type { DisplayTime } from './display-time.ts';

export interface TimedPacket {
  readonly file: number;
  readonly packet: number;
}

/** HostNs, both ends inclusive. */
export interface HostRange {
  readonly from: HostNs;
  readonly to: HostNs;
}

/** The packets that may hold a part of the range, also those without times; if none, the ones before and after it. */
export function packetsIn(trace: Trace, stream: Stream, { from, to }: HostRange): TimedPacket[] {
  const map = clockOf(trace, stream.streamClass);
  const found: TimedPacket[] = [];
  let before: TimedPacket | undefined;
  for (const [file, { packets }] of stream.files.entries()) {
    for (let packet = 0; packet < packets.length; packet++) {
      const place = { file, packet };
      if (endOf(packets, packet, map) < from) before = place;
      else if (!(beginOf(packets, packet, map) > to)) found.push(place);
      else if (found.length > 0) return found;
      else return before === undefined ? [place] : [before, place];
    }
  }
  return found.length > 0 || before === undefined ? found : [before];
}

/** Reads a packet; undefined: it cannot be read any more. */
export async function readPacket(
  open: SourceOpener,
  stream: Stream,
  { file, packet }: TimedPacket,
): Promise<ChunkInput | undefined> {
  const { source: ref, packets: table } = stream.files[file];
  const source = await open(ref);
  if (!source.ok) return undefined;
  const bytes = await source.value.read(table.offset[packet], table.size[packet]);
  await source.value.close?.();
  if (!bytes.ok) return undefined;
  return {
    bytes: bytes.value,
    extents: [{ table, first: packet, count: 1, byteOffset: 0, path: ref.path }],
    before: packet > 0 ? packetAfter(table, packet - 1) : undefined,
  };
}

/** Where single events are read from, as they are not stored. */
export interface EventSource {
  readonly experiment: Experiment;
  readonly time: DisplayTime;
  readonly open: SourceOpener;
}
