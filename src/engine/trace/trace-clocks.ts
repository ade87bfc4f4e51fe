/**
 * Clocks of a host's traces (ARCHITECTURE.md "Numbers and time"). Traces of one clock are comparable to the tick, so
 * they all use one offset to the epoch, the kernel trace's; a trace of another clock is shifted by the difference of
 * the offsets.
 */
import { splitOffset, timeNsOf, type ClockMap } from '../ctf/decode/run/clock-map.ts';
import type { ClockClass, TraceModel } from '../ctf/model.ts';
import { PACKET_HAS_BEGIN, PACKET_HAS_END, type PacketTable } from '../ctf/packets/packet-table.ts';
import type { Trace } from './types.ts';

/** The clock of a trace's times: of its first stream class with a clock. */
export function mainClock(model: TraceModel): ClockClass | undefined {
  const clock = model.streams.find((stream) => stream.clock !== undefined)?.clock ?? 0;
  return model.clocks[clock];
}

/** Equal keys: the same clock. '' for clocks without uuid, which are equal to none. */
export function clockKey(clock: ClockClass | undefined): string {
  return clock?.uuid === undefined ? '' : `${clock.uuid}:${clock.frequency}`;
}

/** Maps of a trace's clocks, with the indices of `model.clocks`. `reference` gives the host's offset. */
export function clockMaps(
  clocks: readonly ClockClass[],
  reference: ClockClass | undefined,
  baseNs: bigint,
): ClockMap[] {
  const origin = reference === undefined ? undefined : splitOffset(reference);
  return clocks.map((clock) => {
    const own = splitOffset(clock);
    const same = clock === reference || (clockKey(clock) !== '' && clockKey(clock) === clockKey(reference));
    if (origin === undefined || same) {
      return { frequency: clock.frequency, ticksOffset: (origin ?? own).ticksOffset, baseNs };
    }
    const shift = own.offsetNs - origin.offsetNs;
    return { frequency: clock.frequency, ticksOffset: own.ticksOffset, baseNs: baseNs - shift };
  });
}

/** The default clock of a stream class. */
export function clockOf(
  { model, clocks }: Pick<Trace, 'model' | 'clocks'>,
  streamClass: number,
): ClockMap | undefined {
  const { clock } = model.streams[streamClass];
  return clock === undefined ? undefined : clocks[clock];
}

/** HostNs of a packet's begin; NaN: not known, too far, or no clock. */
export function beginOf(table: PacketTable, packet: number, map: ClockMap | undefined): number {
  const known = map !== undefined && (table.flags[packet] & PACKET_HAS_BEGIN) !== 0;
  return known ? timeNsOf(table.begin[packet], map) : Number.NaN;
}

/** HostNs of a packet's end; NaN: not known, too far, or no clock. */
export function endOf(table: PacketTable, packet: number, map: ClockMap | undefined): number {
  const known = map !== undefined && (table.flags[packet] & PACKET_HAS_END) !== 0;
  return known ? timeNsOf(table.end[packet], map) : Number.NaN;
}
