/** Display time: ns since the experiment's first event. All hosts share that axis. */
import type { Experiment, Host } from '../trace/types.ts';

export interface DisplayTime {
  /** ns since the clock's origin of display time 0. */
  readonly originNs: bigint;
  /** Per host: display time of its TimeNs 0. */
  readonly shiftNs: readonly number[];
}

export function displayTime({ hosts }: Experiment): DisplayTime {
  const begins = hosts.map((host: Host) => host.baseNs + host.offsetNs);
  const firsts = hosts.map((host, i) => begins[i] + BigInt(Math.floor(host.firstEvent)));
  const originNs = firsts.reduce((least, first) => (first < least ? first : least), firsts[0] ?? 0n);
  return { originNs, shiftNs: begins.map((begin) => Number(begin - originNs)) };
}
