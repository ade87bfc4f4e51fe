/**
 * The selection: an interval or a system call of a row, a range of time, or a row; the newest of them is the subject of
 * questions. The session finds intervals; selections and steps from them take effect in their order.
 */
import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { IntervalInfo } from '../../../engine/protocol/rows.ts';
import { rowById } from '../rows/row-by-id.ts';
import type { RowView } from './row-view.ts';
import { hasIntervals } from '../tiles/series.ts';
import type { TimelineSource } from '../timeline-source.ts';
import type { VisibleTime } from './view-time.ts';
import * as math from './viewport.ts';
import type { TimeRange, Viewport } from './viewport.ts';

/** An interval of a row, or a system call of a thread; `info` follows from the session. */
export interface SelectedInterval extends TimeRange {
  readonly row: string;
  readonly info?: IntervalInfo;
  readonly kind: 'interval' | 'call';
}

/** Subject of questions: the focused row, and of its time an interval, else a range, else all. */
export interface Question {
  readonly row: string | undefined;
  readonly interval: SelectedInterval | undefined;
  readonly range: TimeRange | undefined;
}

/** Place of the interval or the system call to be selected. */
interface Wanted extends Pick<SelectedInterval, 'row' | 'kind'> {
  readonly timeNs: DisplayNs;
}

export class Selection {
  readonly #interval = signal<SelectedInterval | undefined>(undefined);
  readonly interval: ReadonlySignal<SelectedInterval | undefined> = this.#interval;
  readonly #range = signal<TimeRange | undefined>(undefined);
  /** The selected range of time; statistics follow it. */
  readonly range: ReadonlySignal<TimeRange | undefined> = this.#range;
  /** Id of the focused row. */
  readonly focusedRow = signal<string | undefined>(undefined);
  readonly question: ReadonlySignal<Question> = computed(() => {
    const interval = this.#interval.value;
    const row = this.focusedRow.value ?? interval?.row;
    // No interval if a range was selected later.
    return interval !== undefined && interval.row === row
      ? { row, interval, range: undefined }
      : { row, interval: undefined, range: this.#range.value };
  });
  /** Number of the path's current segment; -1: none. */
  readonly pathStep = signal(-1);
  /** Number of the latest choice; answers for older ones are dropped. */
  #choice = 0;
  /** The choice and steps from it, one after the other, so that none is lost. */
  #finding: Promise<void> = Promise.resolve();

  /** @param onChoice called at once when an interval is chosen, before it is known; not for steps along a path */
  constructor(
    private readonly source: TimelineSource,
    private readonly rows: RowView,
    private readonly time: VisibleTime,
    private readonly onChoice: () => void,
  ) {}

  /** @param segment of the path, for a step along it; -1: the reader chooses an interval */
  select(row: string, timeNs: DisplayNs, known?: TimeRange, segment = -1): Promise<void> {
    return this.#choose({ row, timeNs, kind: 'interval' }, known, segment);
  }

  selectCall(row: string, timeNs: DisplayNs, known?: TimeRange): Promise<void> {
    return this.#choose({ row, timeNs, kind: 'call' }, known, -1);
  }

  /** Selects a range in place of an interval; undefined: clears it. */
  selectRange(range: TimeRange | undefined): void {
    batch(() => {
      this.#range.value = range;
      if (range !== undefined) this.clearInterval();
    });
  }

  /** Focuses a row as a whole; a selected interval of another row stays. */
  selectRow(row: string): void {
    batch(() => {
      this.focusedRow.value = row;
      if (this.#interval.peek()?.row === row) this.clearInterval();
    });
  }

  clearInterval(): void {
    this.giveUp();
    this.#interval.value = undefined;
  }

  clear(): void {
    batch(() => {
      this.clearInterval();
      this.#range.value = undefined;
      this.focusedRow.value = undefined;
      this.pathStep.value = -1;
    });
  }

  #choose(wanted: Wanted, known: TimeRange | undefined, segment: number): Promise<void> {
    const { row, kind } = wanted;
    this.#choice++;
    batch(() => {
      this.focusedRow.value = row;
      this.pathStep.value = segment;
      if (known) this.#interval.value = { row, from: known.from, to: known.to, kind };
    });
    if (segment < 0) this.#tellChoice(row);
    return (this.#finding = this.#find(wanted));
  }

  /** Moves the selection to its time by changed clocks. */
  moveTo(timeNs: DisplayNs): void {
    const selected = this.#interval.peek();
    if (selected === undefined) return;
    this.#choice++;
    const { row, kind } = selected;
    this.#finding = this.#find({ row, timeNs, kind });
  }

  /** Resolves when the selection is known. False: another one was made or cleared meanwhile. */
  async settled(): Promise<boolean> {
    const mine = this.#choice;
    // A failure is reported where the selection was made.
    await this.#finding.catch(() => undefined);
    return mine === this.#choice;
  }

  /** Drops the selection that is being found. */
  giveUp(): void {
    this.#choice++;
  }

  /** Goes to the interval before or after. */
  step(direction: -1 | 1): Promise<void> {
    const focused = this.focusedRow.peek();
    this.#tellChoice(this.interval.peek()?.row ?? focused ?? '');
    return this.#goOn(() => this.#stepOnce(direction, focused));
  }

  /** Goes to the row above or below, and to the interval of it at that time, if one is selected. */
  moveRow(by: -1 | 1): void {
    const layout = this.rows.layout.peek();
    const known = layout.positionOf(this.focusedRow.peek() ?? '');
    const at = known < 0 && by < 0 ? layout.length : known;
    if (layout.length === 0) return;
    const { id } = layout.at(Math.max(0, Math.min(layout.length - 1, at + by))).row;
    this.focusedRow.value = id;
    this.rows.reveal(id);
    if (this.interval.peek()) this.#tellChoice(id);
    void this.#goOn(async () => {
      if (!this.interval.peek()) return;
      this.pathStep.value = -1;
      const timeNs = timeInside(this.interval.peek(), this.time.viewport.peek());
      await this.#find({ row: id, timeNs, kind: 'interval' });
    });
  }

  /** Acts on the selection once it is known, unless another one is made before. */
  #goOn(act: () => Promise<void>): Promise<void> {
    const turn = this.settled();
    const go = async () => {
      if (await turn) await act();
    };
    return (this.#finding = go());
  }

  async #stepOnce(direction: -1 | 1, focused: string | undefined): Promise<void> {
    const mine = this.#choice;
    const current = this.interval.peek();
    const row = current?.row ?? this.focusedRow.peek();
    if (row === undefined) return;
    // The selection moves the focus, unless the focus has moved meanwhile.
    if (this.focusedRow.peek() === focused) this.focusedRow.value = row;
    if (!current) {
      const timeNs = math.middle(this.time.viewport.peek());
      return this.#find({ row, timeNs, kind: 'interval' });
    }
    const timeNs = direction < 0 ? current.from : current.to - 1;
    const info = await this.source.ask('interval', { row, timeNs, step: direction });
    if (mine !== this.#choice || !info) return;
    this.#interval.value = { row, from: info.from, to: info.to, info, kind: 'interval' };
    this.time.keepInView(info);
  }

  async #find({ row, timeNs, kind }: Wanted): Promise<void> {
    const mine = this.#choice;
    const info = await this.source.ask(kind, { row, timeNs });
    if (info && mine === this.#choice)
      this.#interval.value = { row, from: info.from, to: info.to, info, kind };
  }

  #tellChoice(id: string): void {
    const row = rowById(this.source.rows.peek(), id);
    if (row && hasIntervals(row)) this.onChoice();
  }
}

/** A visible time inside the selection, for an interval of the row above or below. */
function timeInside(selected: TimeRange | undefined, view: Viewport): DisplayNs {
  const seen = math.rangeOf(view);
  if (!selected) return math.middle(view);
  return Math.floor((Math.max(seen.from, selected.from) + Math.min(seen.to, selected.to)) / 2);
}
