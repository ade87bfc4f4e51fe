/**
 * Notices a worker that answers nothing any more: it ended without a word, or runs without end. Time in which this
 * thread itself stood still (a suspended page, a long task) does not count, since looks are counted and not hours.
 */
export interface Patience {
  /** ms between two looks. */
  readonly lookMs: number;
  /** ms in which a worker may answer nothing. */
  readonly silentMs: number;
  /** ms more for each byte of what it has to do. */
  readonly msPerByte: number;
}

/** A worker does some 100 MB/s, and answers between two chunks. */
export const PATIENCE: Patience = { lookMs: 1000, silentMs: 20_000, msPerByte: 2000 / 1e6 };

interface Watched {
  /** Resolves when the worker answers, whatever else it waits for. */
  ping(): Promise<unknown>;
  /** Bytes of what it has to do now. */
  bytes(): number;
  /** Reports that it was silent for too long; called at each look until it answers or nobody watches. */
  onSilent(silentMs: number): void;
}

export class StallDetector {
  #timer: ReturnType<typeof setInterval> | undefined;
  #silentMs = 0;
  /** A ping has no answer yet. */
  #isAsked = false;

  constructor(
    private readonly watched: Watched,
    private readonly patience: Patience = PATIENCE,
  ) {}

  /** Watches from now on, unless it does so already. */
  start(): void {
    this.#silentMs = 0;
    this.#timer ??= setInterval(() => this.#look(), this.patience.lookMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The worker answered something. */
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
      // What failed with its worker is reported otherwise.
      () => undefined,
    );
  }
}
