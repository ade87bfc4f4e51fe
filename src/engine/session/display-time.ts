/** Display time: ns since the experiment's first event. All hosts share that axis. */
import type { ClockTransform } from '../sync/clock-transform.ts';
import { experimentClock } from '../sync/host-clocks.ts';
import type { ClockSettings, ExperimentClock, OwnClock } from '../sync/host-clocks.ts';
import type { PairSync } from '../sync/pair-sync.ts';

/**
 * The clocks as they are known now. Everything stored is in the time of its host, so that nothing but this changes when
 * packets or the user tell more of the clocks.
 */
export class DisplayTime {
  /** The hosts' own clocks. */
  readonly hosts: readonly OwnClock[];
  #clock: ExperimentClock;

  constructor(hosts: readonly OwnClock[], settings?: ClockSettings) {
    this.hosts = hosts;
    this.#clock = experimentClock(hosts, [], settings);
  }

  synchronise(pairs: readonly PairSync[], settings?: ClockSettings): void {
    this.#clock = experimentClock(this.hosts, pairs, settings);
  }

  get clock(): ExperimentClock {
    return this.#clock;
  }

  /** ns since the clocks' origin of display time 0. */
  get originNs(): bigint {
    return this.#clock.originNs;
  }

  /** From a host's times to display time. */
  of(host: number): ClockTransform {
    return this.#clock.hosts[host].transform;
  }
}
