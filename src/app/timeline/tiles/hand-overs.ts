/** Hand-overs of locks in view, asked for when the view rests; none if there are too many for arrows. */
import { VIA_WAKE_UP } from '../../../engine/graph/path-codes.ts';
import type { LockWaitsAnswer } from '../../../engine/protocol/locks.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { lockLanes } from '../rows/row-by-id.ts';
import type { Hop } from '../paint/path-arrows.ts';
import type { TimelineSource } from '../timeline-source.ts';
import type { TimeRange } from '../view/viewport.ts';

const REST_MS = 120;
/** Most waits in view. */
const MOST = 24;

export class HandOvers {
  #lanes: ReadonlyMap<string, string> = new Map();
  #hops: readonly Hop[] = [];
  #asked: TimeRange | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly source: Pick<TimelineSource, 'ask'>,
    private readonly onAnswer: () => void,
  ) {}

  setRows(rows: readonly RowInfo[]): void {
    this.#lanes = lockLanes(rows);
    this.#asked = undefined;
    this.#hops = [];
  }

  /** Hops of the range; until they are known, those of the previous range. */
  of(range: TimeRange): readonly Hop[] {
    if (this.#lanes.size === 0) return [];
    if (range.from !== this.#asked?.from || range.to !== this.#asked.to) {
      this.#asked = range;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#ask(range), REST_MS);
    }
    return this.#hops;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#asked = undefined;
  }

  async #ask(range: TimeRange): Promise<void> {
    const { from, to } = range;
    const answer = await this.source.ask('lockWaits', { from, to, order: 'earliest', limit: MOST });
    if (this.#asked !== range) return;
    this.#hops = answer.count > MOST ? [] : this.#hopsOf(answer);
    this.onAnswer();
  }

  /** Hops from the lane of the thread that handed the lock over to that of the thread that got it. */
  #hopsOf({ threads, waits }: LockWaitsAnswer): Hop[] {
    const hops: Hop[] = [];
    for (const { waiter, by, handOverNs } of waits) {
      if (by < 0 || handOverNs === undefined) continue;
      const fromRow = this.#lanes.get(threads[by].row);
      const toRow = this.#lanes.get(threads[waiter].row);
      if (fromRow === undefined || toRow === undefined) continue;
      hops.push({ via: VIA_WAKE_UP, fromRow, fromTime: handOverNs, toRow, toTime: handOverNs });
    }
    return hops;
  }
}
