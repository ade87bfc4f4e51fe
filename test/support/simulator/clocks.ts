/** Clocks of hosts: what they show at a true time (ns since the begin of the simulation). */

/** Clock value (cycles of 1 ns) of time 0 on a clock that is right: a host that has been up for a while. */
export const BOOT_CYCLES = 7_000_000_000_123n;

export interface HostClock {
  /** ns shown at true time 0. */
  readonly offset: number;
  /** ns per ns that it gains. */
  readonly drift: number;
  /** What the drift itself gains, per ns: the clock is not linear. */
  readonly bend: number;
  /** Times at which it was set forward, and by how much, ns. */
  readonly steps: readonly { readonly at: number; readonly by: number }[];
}

export const RIGHT_CLOCK: HostClock = { offset: 0, drift: 0, bend: 0, steps: [] };

/** ns that the clock shows at a true time, in whole ns; grows with it. */
export function shownAt({ offset, drift, bend, steps }: HostClock, time: number): number {
  const set = steps.reduce((sum, { at, by }) => (time >= at ? sum + by : sum), 0);
  return time + offset + set + Math.floor((drift + bend * time) * time);
}
