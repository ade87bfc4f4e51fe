/** Single durations as columns: all that are long enough or, if there are very many, the longest. */
import { GrowingTable, ordered } from '../../base/columns.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { f64, i32, noRows } from '../../base/tables.ts';
import { DurationSums } from './duration-sums.ts';

const DURATIONS = {
  /** HostNs. */
  begin: f64(),
  ns: f64(),
  /** Numbers of the owner and the subject, as given by the caller of `add`. */
  owner: i32(),
  subject: i32(),
};

export class DurationLog {
  /** Sums of all durations within the bounds, as one group. */
  readonly sums = new DurationSums(1);
  readonly #most: number;
  readonly #least: number;
  readonly #greatest: number;
  readonly #log = new GrowingTable(noRows(DURATIONS));
  /** Shorter durations no longer have room, ns. */
  #floor = 0;

  /**
   * @param most durations that are kept
   * @param least ns, like `greatest`; both inclusive
   */
  constructor(most: number, least: number, greatest: number) {
    this.#most = most;
    this.#least = least;
    this.#greatest = greatest;
    this.sums.addGroup();
  }

  /** Durations within the bounds. */
  get count(): number {
    return this.sums.columns.count[0];
  }

  add(begin: number, ns: number, owner: number, subject: number): void {
    if (!(ns >= this.#least && ns <= this.#greatest)) return;
    this.sums.add(0, begin, ns, owner);
    if (ns < this.#floor) return;
    if (this.#log.length === 2 * this.#most) this.#forgetShort();
    const row = this.#log.addRow();
    const { rows } = this.#log;
    rows.begin[row] = begin;
    rows.ns[row] = ns;
    rows.owner[row] = owner;
    rows.subject[row] = subject;
  }

  /** Durations, longest first, equal ones in order of begin. */
  longest() {
    const order = this.#inOrder().subarray(0, this.#most);
    return { length: order.length, ...ordered(this.#log.rows, order) };
  }

  #inOrder(): Uint32Array {
    const { begin, ns, owner } = this.#log.rows;
    const byOwner = stableOrder(Float64Array.from(owner.subarray(0, this.#log.length)));
    const byBegin = stableOrder(begin, byOwner);
    const negated = ns.map((length) => -length);
    return stableOrder(negated, byBegin);
  }

  #forgetShort(): void {
    const kept = this.longest();
    const { rows } = this.#log;
    for (const name of Object.keys(DURATIONS) as (keyof typeof DURATIONS)[]) rows[name].set(kept[name]);
    this.#log.length = kept.length;
    this.#floor = kept.ns[kept.length - 1];
  }
}
