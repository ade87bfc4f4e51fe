/**
 * Detects a worker that no longer answers: it ended silently, or runs without end. Time in which this thread itself
 * stood still (a suspended page, a long task) does not count, since checks are counted instead of clock time.
 */
export interface Patience {
  /** ms between two checks. */
  readonly lookMs: number;
  /** ms for which a worker may be silent. */
  readonly silentMs: number;
  /** Additional ms per byte of the worker's current work. */
  readonly msPerByte: number;
}

/** A worker processes some 100 MB/s, and answers between two chunks. */
export const PATIENCE: Patience = { lookMs: 1000, silentMs: 20_000, msPerByte: 2000 / 1e6 };

interface Watched {
  /** Resolves when the worker answers, whatever else it is doing. */
  ping(): Promise<unknown>;
  /** Bytes of its current work. */
  bytes(): number;
  /** Called at each check after it was silent for too long, until it answers or watching ends. */
  onSilent(silentMs: number): void;
}

export class StallDetector {
  #timer: ReturnType<typeof setInterval> | undefined;
  #silentMs = 0;
  /** Whether a ping is unanswered. */
  #isAsked = false;

  constructor(
    private readonly watched: Watched,
    private readonly patience: Patience = PATIENCE,
  ) {}

  /** Starts watching, unless already watching. */
  start(): void {
    this.#silentMs = 0;
    this.#timer ??= setInterval(() => this.#look(), this.patience.lookMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Records that the worker answered something. */
  heard(): void {
    this.#silentMs = 0;
  }

  #look(): void {
    const { lookMs, silentMs, msPerByte } = this.patience;
    if (!this.#isAsked) return this.#ask();
    this.#silentMs += lookMs;
    const allowed = silentMs + msPerByte * this.watched.bytes();
    if (this.#silentMs >= allowed) this.watched.onSilent(this.#silentMs);
  }

  #ask(): void {
    this.#isAsked = true;
    this.watched.ping().then(
      () => {
        this.#isAsked = false;
        this.heard();
      },
      // Failures of the worker are reported elsewhere.
      () => undefined,
    );
  }
}
