/** Display time: ns since the experiment's begin, the least base of its hosts. All hosts share that axis. */
import type { Experiment, Host } from '../trace/types.ts';

export interface DisplayTime {
  /** ns since the clock's origin of display time 0. */
  readonly originNs: bigint;
  /** Per host: display time of its TimeNs 0. */
  readonly shiftNs: readonly number[];
}

export function displayTime({ hosts }: Experiment): DisplayTime {
  const begins = hosts.map((host: Host) => host.baseNs + host.offsetNs);
  const originNs = begins.reduce((least, begin) => (begin < least ? begin : least), begins[0] ?? 0n);
  return { originNs, shiftNs: begins.map((begin) => Number(begin - originNs)) };
}
