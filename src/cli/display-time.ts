/** From a host's times to those that people and programs see: ns since the first event of the experiment. */
import type { ChunkSpan } from '../engine/analysis/aggregate-leaves.ts';
import type { Experiment } from '../engine/trace/types.ts';
import { UsageError } from './options.ts';

export interface DisplayTime {
  /** ns since the clocks' origin of the experiment's first event. */
  readonly originNs: bigint;
  /** Per host: added to TimeNs gives display ns. */
  readonly shifts: readonly number[];
}

/**
 * @param spans first and last event of each host, TimeNs
 * @param offsets ns that the user adds to the clocks of hosts, by name
 * @throws UsageError when a name is no host's
 */
export function displayTime(
  { hosts }: Experiment,
  spans: readonly ChunkSpan[],
  offsets: ReadonlyMap<string, bigint>,
): DisplayTime {
  for (const name of offsets.keys()) {
    if (!hosts.some((host) => host.name === name)) throw new UsageError(`--offset: no host is called "${name}"`);
  }
  const zeros = hosts.map(({ name, baseNs, offsetNs }) => baseNs + offsetNs + (offsets.get(name) ?? 0n));
  const firsts = zeros.flatMap((zero, host) => {
    const { first } = spans[host];
    return Number.isNaN(first) ? [] : [zero + BigInt(first)];
  });
  const originNs = firsts.reduce((least, first) => (first < least ? first : least), firsts[0] ?? 0n);
  return { originNs, shifts: zeros.map((zero) => Number(zero - originNs)) };
}
