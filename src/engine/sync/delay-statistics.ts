/** Mean and deviation of the delays of packets (Welford's method). */
const LEAST_HORIZON_NS = 1_000_000_000;
const DEVIATIONS = 6;

export class DelayStatistics {
  #count = 0;
  #mean = 0;
  #squares = 0;

  /** @param delay ns */
  add(delay: number): void {
    this.#count++;
    const difference = delay - this.#mean;
    this.#mean += difference / this.#count;
    this.#squares += difference * (delay - this.#mean);
  }

  /** A packet that is older will not arrive any more, ns: six deviations above the mean, 1 s at least. */
  get horizonNs(): number {
    const deviation = this.#count > 1 ? Math.sqrt(this.#squares / (this.#count - 1)) : 0;
    return Math.max(LEAST_HORIZON_NS, this.#mean + DEVIATIONS * deviation);
  }
}
