/** A set of threads by their rows, which takes no time to empty or to walk through beyond its members. */
export class ThreadSet {
  length = 0;
  readonly #members: Int32Array;
  /** Place of each thread among the members, plus 1; 0: it is none. */
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

  /** Takes out a thread, and tells whether it was a member. The last member takes its place. */
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
