/** The listed events and the reader's place among them, which the tab shows and keys move in every tab. */
import { batch, computed, signal } from '@preact/signals';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { EventLine, EventRow, EventRowAtRequest, EventSet } from '../../engine/protocol/events.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { App } from '../context/app-context.ts';
import { rangeOf, rowById, type ViewModel } from '../timeline/timeline.tsx';
import { EVENTS_AT, EVENTS_FILTER } from './show-events.ts';

/** Time that the list goes to; with `untilNs` the first event before that, else the first of all. */
export type EventPlace = Pick<EventRowAtRequest, 'timeNs' | 'untilNs'>;

export class EventsState {
  readonly filter = computed(() => this.app.choices.text(EVENTS_FILTER) ?? '');
  /** Row whose events alone are listed; undefined: events of all rows. */
  readonly only = computed(() => {
    const focused = this.view.focusedRow.value;
    // An event that leads to another row does not change which events are listed.
    const row = this.#lastShown.value?.to === focused ? this.#lastShown.value?.listed : focused;
    return listedRowOf(this.app.experiment.rows.value, row);
  });
  readonly #only = computed(() => this.only.value?.id);
  readonly set = computed((): EventSet => {
    const row = this.#only.value;
    const usesSelection = /\bsel\b/.test(this.filter.value);
    const selection = usesSelection ? (this.view.range.value ?? this.view.selected.value) : undefined;
    return {
      filter: this.filter.value,
      ...(selection !== undefined && { selection: { from: selection.from, to: selection.to } }),
      ...(row !== undefined && { row }),
    };
  });
  /** Number of the active event in the set. */
  readonly number = signal(0);
  /** Place that the list goes to; undefined: it was not shown yet. */
  readonly place = signal<EventPlace | undefined>(undefined);
  /** Time at which the list is. */
  listedAt: DisplayNs | undefined;
  /** Row that the list followed last, or that one of its events led to. */
  followed: string | undefined;
  /** Row that an event led to last, and the row whose events were listed then. */
  readonly #lastShown = signal<{ readonly to: string; readonly listed: string | undefined } | undefined>(
    undefined,
  );
  /** Set that `number` counts in, and its number of events. */
  #numbered: { readonly set: EventSet; readonly total: number } | undefined;
  /** Set whose event was shown last. */
  #shownOf: EventSet | undefined;

  constructor(
    private readonly app: App,
    private readonly view: ViewModel,
  ) {}

  /** The first event in view, else the first of all. */
  get inView(): EventPlace {
    const { from, to } = rangeOf(this.view.viewport.peek());
    return { timeNs: from, untilNs: to };
  }

  /** Takes the set that `number` counts in, from the list. */
  setNumbered(set: EventSet, total: number): void {
    this.#numbered = { set, total };
  }

  /** Shows the row and time of an event. */
  goTo(event: EventRow): void {
    const rows = this.app.experiment.rows.peek();
    const row = rowById(rows, event.thread?.row ?? '')?.id ?? rowOfEvent(rows, event);
    this.listedAt = event.timeNs;
    this.#shownOf = this.set.peek();
    this.followed = row ?? this.followed;
    batch(() => {
      this.app.choices.choose(EVENTS_AT, String(event.timeNs));
      if (row !== undefined) {
        this.#lastShown.value = { to: row, listed: this.only.peek()?.id };
        this.view.show(row);
      }
    });
    this.view.keepInView({ from: event.timeNs, to: event.timeNs + 1 });
    this.view.hover.value = { timeNs: event.timeNs };
  }

  /** Goes to the next or previous event; if no event of the set was shown yet, to the one at the list's place. */
  async step(by: -1 | 1): Promise<void> {
    const { session } = this.app;
    const set = this.set.peek();
    if (this.#numbered?.set !== set) {
      const { total } = await session.ask('eventSearch', set);
      const at = await session.ask('eventRowAt', { ...set, ...(this.place.peek() ?? this.inView) });
      if (this.set.peek() !== set) return;
      this.setNumbered(set, total);
      this.number.value = at;
    } else if (this.#shownOf === set) {
      const next = this.number.peek() + by;
      if (next < 0 || next >= this.#numbered.total) return;
      this.number.value = next;
    }
    this.#shownOf = set;
    const first = this.number.peek();
    const { rows } = await session.ask('eventRows', { ...set, first, count: 1 });
    // Another key may have been pressed meanwhile.
    if (rows.length > 0 && this.number.peek() === first && this.set.peek() === set) this.goTo(rows[0]);
  }
}

/** Id of the row of the event's CPU, else of its thread, else of its stream; undefined: there is none. */
export function rowOfEvent(rows: readonly RowInfo[], event: EventLine): string | undefined {
  const { host, cpu, stream } = event;
  const known = [`cpu:${host}:${cpu}`, ...threadsOf(event)].find((id) => rowById(rows, id) !== undefined);
  if (known !== undefined) return known;
  return rows.find((row) => row.kind === 'stream' && row.host === host && row.name === stream)?.id;
}

/** Ids of the rows that the thread in the event's context may have: its own, or the one that many threads share. */
function threadsOf({ host, fields }: EventLine): readonly string[] {
  const vtid = contextNumber(fields, 'vtid');
  if (vtid === undefined) return [];
  return [`thread:${host}:${contextNumber(fields, 'vpid') ?? -1}.${vtid}`, `more-threads:${host}`];
}

/** Number of a context field. The name in a string value does not match, as its quotes are escaped. */
function contextNumber({ common, context }: EventLine['fields'], name: string): string | undefined {
  return new RegExp(`"${name}":(\\d+)`).exec(`${common} ${context}`)?.[1];
}

/** The row with this id, if its events can be distinguished from those of others. */
function listedRowOf(rows: readonly RowInfo[], id: string | undefined): RowInfo | undefined {
  const row = rowById(rows, id ?? '');
  return row !== undefined && (row.kind === 'cpu' || row.events > 0) ? row : undefined;
}
