/** Display time: ns since the experiment's first event. All hosts share that axis. */
import type { DisplayNs } from '../../base/units.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import { experimentClock } from '../../sync/host-clocks.ts';
import type { ClockSettings, ExperimentClock, OwnClock } from '../../sync/host-clocks.ts';
import type { PairSync } from '../../sync/pair-sync.ts';

/** Moves a display time of a host from one setting of the clocks to another. */
export type Move = (host: number, time: DisplayNs) => DisplayNs;

/** Mover from display time by the clocks `before` to display time by the clocks `after`. */
export function moveBetween(before: ExperimentClock, after: ExperimentClock): Move {
  return (host, time) => {
    const [from, to] = [before.hosts[host], after.hosts[host]];
    if (before === after || from === undefined || to === undefined) return time;
    return to.transform.toExperiment(from.transform.toHost(time));
  };
}

/** The clocks as they are known now. Everything is stored in host time, so only this changes with the clocks. */
export class DisplayTime {
  #clock: ExperimentClock;
  #move: Move = (_, time) => time;

  /** @param hosts the hosts' own clocks */
  constructor(
    readonly hosts: readonly OwnClock[],
    settings?: ClockSettings,
  ) {
    this.#clock = experimentClock(hosts, [], settings);
  }

  synchronise(pairs: readonly PairSync[], settings?: ClockSettings): void {
    const before = this.#clock;
    this.#clock = experimentClock(this.hosts, pairs, settings);
    this.#move = moveBetween(before, this.#clock);
  }

  /** Display time by the present clocks of a display time from before the clocks were synchronised. */
  moved(host: number, time: DisplayNs): DisplayNs {
    return this.#move(host, time);
  }

  get clock(): ExperimentClock {
    return this.#clock;
  }

  /** Display time 0 in ns since the clocks' origin. */
  get originNs(): bigint {
    return this.#clock.originNs;
  }

  /** Transform from a host's times to display time. */
  of(host: number): ClockTransform {
    return this.#clock.hosts[host].transform;
  }
}
