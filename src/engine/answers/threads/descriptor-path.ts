/** File that a descriptor of a system call means. */
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import type { HostNs } from '../../base/units.ts';
import type { IoChunk } from '../../linux/sums/io/io-chunk.ts';
import { ioUsage, pathOfDescriptor } from '../../linux/sums/io/io.ts';
import { type HostHistory, isKernelHost } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { callersOf } from '../statistics/running-threads.ts';
import { threadOfRow } from '../context/thread-rows.ts';
import type { DescriptorRequest } from '../../protocol/threads.ts';

/** Its path when the call began, or where a state dump named it only later, when it ended; undefined: not known. */
export async function descriptorPath(
  trace: Pick<OpenTrace, 'leaves'>,
  host: HostHistory,
  { row, fd, from, to }: DescriptorRequest,
): Promise<string | undefined> {
  const thread = threadOfRow(host, row);
  if (!isKernelHost(host) || thread < 0) return undefined;
  const leaves = await trace.leaves(ioUsage.id);
  const leaf = leaves.whole(ioUsage as AnyAggregate, host.index) as IoChunk;
  const callers = await callersOf(host, leaf);
  const tid = host.tables.threads.tid[thread];
  const at = (time: HostNs) => pathOfDescriptor(leaf, host.index, { tid, fd, time }, callers);
  return at(host.clock.toHost(from)) ?? at(host.clock.toHost(to));
}
