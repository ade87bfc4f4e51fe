/** Who goes on at what time: one agenda for all machines of a simulation. Times are true ns since its begin. */
interface Appointment {
  readonly time: number;
  readonly sequence: number;
  readonly run: () => void;
}

export class Agenda {
  now = 0;
  readonly #gap: number;
  #lastActor: unknown;
  #sequence = 0;
  #stopped = false;
  readonly #heap: Appointment[] = [];

  /** @param gap ns that lie between what two CPUs do, at least */
  constructor(gap = 1) {
    this.#gap = gap;
  }

  /** Calls `run` at `time`, or now when that has passed. */
  at(time: number, run: () => void): void {
    const appointment = { time: Math.max(time, this.now), sequence: this.#sequence++, run };
    const heap = this.#heap;
    let at = heap.push(appointment) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(appointment, heap[up]); up = (at - 1) >> 1) {
      heap[at] = heap[up];
      at = up;
    }
    heap[at] = appointment;
  }

  /** Two CPUs never act at the same ns: so the order by (time, CPU) is the order in which things happened. */
  takeTurn(actor: unknown): void {
    if (actor !== this.#lastActor) this.now += this.#gap;
    this.#lastActor = actor;
  }

  /** Runs until `end`, or until somebody says stop. */
  run(end: number, watch?: () => void): void {
    this.#stopped = false;
    for (let next = this.#take(); next !== undefined && next.time < end; next = this.#take()) {
      this.now = Math.max(this.now, next.time);
      next.run();
      watch?.();
      if (this.#stopped) return;
    }
    this.now = end;
  }

  stop(): void {
    this.#stopped = true;
  }

  #take(): Appointment | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const moved = heap.pop();
    if (first === undefined || moved === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && isBefore(heap[down + 1], heap[down])) down++;
      if (!isBefore(heap[down], moved)) break;
      heap[at] = heap[down];
      at = down;
    }
    heap[at] = moved;
    return first;
  }
}

function isBefore(a: Appointment, b: Appointment): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence);
}
