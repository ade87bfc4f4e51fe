/** Where in time the events of a set are, host by host. */
import type { MatchTable } from '../../events/match-table.ts';
import { addEvenly, type Grid } from '../rows/resample.ts';
import type { HostMatches } from '../../protocol/events.ts';

/** Packets read for it. Of more, the matches of each count as even between its first and its last one. */
const MOST_READ = 32;

/** @param hostOf the host of a trace, by index */
export async function matchDensity(
  matches: MatchTable,
  hostOf: (trace: number) => number,
  grid: Grid,
): Promise<HostMatches[]> {
  const byHost = new Map<number, Float32Array>();
  const packets = matches.packets();
  for (const packet of packets) {
    const host = hostOf(packet.stream.trace);
    const counts = byHost.get(host) ?? new Float32Array(grid.length);
    byHost.set(host, counts);
    if (packets.length > MOST_READ) {
      addEvenly(counts, grid, packet.from, packet.to, packet.count);
      continue;
    }
    for (const time of await matches.times(packet)) {
      const bucket = Math.floor((time - grid.from) / grid.bucketNs);
      if (bucket >= 0 && bucket < grid.length) counts[bucket]++;
    }
  }
  return [...byHost].map(([host, counts]) => ({ host, counts }));
}
