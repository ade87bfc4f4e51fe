/** How much there is to read of a host from a time on: by packet headers alone, however they are cut into chunks. */
import { lowerBound } from '../base/lower-bound.ts';
import { beginOf, clockOf } from '../trace/trace-clocks.ts';
import type { Experiment, Host } from '../trace/types.ts';
import type { PacketsAhead } from './contract.ts';

/** Knowledge about the packets of a host's kernel traces that give their begin. */
export function packetsAhead(experiment: Experiment, host: Host): PacketsAhead {
  // Made when it is first asked for: mostly CPUs switch before anybody needs it.
  let known: PacketSums | undefined;
  return {
    reach(from, bytes) {
      known ??= sumPackets(experiment, host);
      const { begin, before } = known;
      const first = lowerBound(begin, from);
      const last = lowerBound(before, before[first] + bytes + 1) - 1;
      return last < begin.length ? begin[last] : Infinity;
    },
  };
}

interface PacketSums {
  /** HostNs, ascending. */
  readonly begin: Float64Array;
  /** Bytes of the packets before; one more than there are packets. */
  readonly before: Float64Array;
}

function sumPackets(experiment: Experiment, host: Host): PacketSums {
  const found: { readonly begin: number; readonly bytes: number }[] = [];
  for (const trace of host.traces.map((index) => experiment.traces[index])) {
    if (trace.domain !== 'kernel') continue;
    for (const { streamClass, files } of trace.streams) {
      const map = clockOf(trace, streamClass);
      for (const { packets } of files)
        for (let i = 0; i < packets.length; i++) {
          const begin = beginOf(packets, i, map);
          if (!Number.isNaN(begin)) found.push({ begin, bytes: packets.size[i] });
        }
    }
  }
  found.sort((a, b) => a.begin - b.begin);
  const before = new Float64Array(found.length + 1);
  found.forEach(({ bytes }, i) => (before[i + 1] = before[i] + bytes));
  return { begin: Float64Array.from(found, ({ begin }) => begin), before };
}
