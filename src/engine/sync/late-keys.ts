/**
 * Notices that packets were forgotten too early: one that was sent and one that was received with the same key, both
 * without another end. Of many keys only the last in each place is kept, so that memory stays constant.
 */
const PLACES = 2 ** 14;

export class LateKeys {
  readonly #sent = new Int32Array(PLACES);
  readonly #received = new Int32Array(PLACES);
  /** Pairs noticed. */
  count = 0;

  /** A packet is forgotten that found no other end; `mark`: of its key (`PacketKeys.mark`). */
  forget(mark: number, isSent: boolean): void {
    const own = isSent ? this.#sent : this.#received;
    const other = isSent ? this.#received : this.#sent;
    const at = mark & (PLACES - 1);
    if (other[at] === mark && mark !== 0) {
      this.count++;
      other[at] = 0;
    } else own[at] = mark;
  }
}
