/** A set of threads by row, which is emptied and iterated in time proportional to its members. */
export class ThreadSet {
  length = 0;
  readonly #members: Int32Array;
  /** Place of each thread among the members, plus 1; 0: not a member. */
  readonly #place: Int32Array;

  constructor(threads: number) {
    this.#members = new Int32Array(threads);
    this.#place = new Int32Array(threads);
  }

  at(index: number): number {
    return this.#members[index];
  }

  has(thread: number): boolean {
    return this.#place[thread] !== 0;
  }

  add(thread: number): void {
    if (this.has(thread)) return;
    this.#members[this.length++] = thread;
    this.#place[thread] = this.length;
  }

  /** Removes a thread, and tells whether it was a member. The last member takes its place. */
  delete(thread: number): boolean {
    const place = this.#place[thread];
    if (place === 0) return false;
    const last = this.#members[--this.length];
    this.#members[place - 1] = last;
    this.#place[last] = place;
    this.#place[thread] = 0;
    return true;
  }
}
