/** Single durations as columns: all that are long enough, or of very many the longest. */
import { widen } from '../../base/columns.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { f64, i32, noRows } from '../../base/tables.ts';
import { DurationSums } from './duration-sums.ts';

const DURATIONS = {
  /** HostNs. */
  begin: f64(),
  ns: f64(),
  /** Numbers of the owner and the subject, as the caller of `add` has them. */
  owner: i32(),
  subject: i32(),
};

export class DurationLog {
  /** Sums of all durations within the bounds: one group. */
  readonly sums = new DurationSums(1);
  readonly #most: number;
  readonly #least: number;
  readonly #greatest: number;
  readonly #columns = noRows(DURATIONS);
  #length = 0;
  /** ns; what is shorter has no room any more. */
  #floor = 0;

  /**
   * @param most how many are kept
   * @param least ns, and the greatest, which is kept too
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
    if (this.#length === 2 * this.#most) this.#forgetShort();
    const columns = this.#columns;
    if (this.#length === columns.ns.length) widen(columns);
    const row = this.#length++;
    columns.begin[row] = begin;
    columns.ns[row] = ns;
    columns.owner[row] = owner;
    columns.subject[row] = subject;
  }

  /** The longest first; of equal ones that which began first. */
  longest() {
    const { begin, ns, owner, subject } = this.#columns;
    const rows = this.#inOrder().subarray(0, this.#most);
    return {
      length: rows.length,
      begin: Float64Array.from(rows, (row) => begin[row]),
      ns: Float64Array.from(rows, (row) => ns[row]),
      owner: Int32Array.from(rows, (row) => owner[row]),
      subject: Int32Array.from(rows, (row) => subject[row]),
    };
  }

  #inOrder(): Uint32Array {
    const { begin, ns, owner } = this.#columns;
    const byOwner = stableOrder(Float64Array.from(owner.subarray(0, this.#length)));
    const byBegin = stableOrder(begin.subarray(0, this.#length), byOwner);
    return stableOrder(
      ns.subarray(0, this.#length).map((length) => -length),
      byBegin,
    );
  }

  #forgetShort(): void {
    const kept = this.longest();
    this.#columns.begin.set(kept.begin);
    this.#columns.ns.set(kept.ns);
    this.#columns.owner.set(kept.owner);
    this.#columns.subject.set(kept.subject);
    this.#length = kept.length;
    this.#floor = kept.ns[kept.length - 1];
  }
}
