/** I/O of a range (spec 03 section 4, analysis 3). Its leaves keep single calls, so that a range needs no decoding. */
import type { AggregateLeaves } from '../../analysis/aggregate-leaves.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import type { IoLeaf } from '../../kernel/io/io-leaf.ts';
import { ioUsage, ioUsageIn } from '../../kernel/io/io.ts';
import type { HostHistory } from '../host-history.ts';
import type { RangeRequest } from '../range.ts';
import type { IoStats } from './statistics-api.ts';

export function ioStats(
  hosts: readonly HostHistory[],
  leaves: AggregateLeaves,
  range: RangeRequest | undefined,
): IoStats {
  const answers = hosts.map(({ index, clock }) => {
    const leaf = leaves.whole(ioUsage as AnyAggregate, index) as IoLeaf;
    const usage =
      range === undefined
        ? ioUsage.finish(leaf)
        : ioUsageIn(leaf, clock.toHost(range.from), clock.toHost(range.to));
    return { index, usage };
  });
  return {
    approximate: false,
    threads: answers.flatMap(({ index, usage }) =>
      usage.threads.map(({ tid, pid, name, read, write }) => {
        return { row: `thread:${index}:${tid}`, name, tid, pid, host: index, read, write };
      }),
    ),
    files: answers.flatMap(({ usage }) => usage.files),
    disks: answers.flatMap(({ usage }) =>
      usage.disks.map(({ dev, name, requests, sectors, totalLatencyNs, maxLatencyNs }) => ({
        dev: name === '' ? dev : name,
        requests,
        sectors,
        meanLatencyNs: requests === 0 ? 0 : Math.floor(totalLatencyNs / requests + 0.5),
        maxLatencyNs,
      })),
    ),
  };
}
