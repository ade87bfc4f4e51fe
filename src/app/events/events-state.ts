/** Events that are listed and the reader's place among them: the tab shows it, and keys go on from it in every tab. */
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
  /** Row whose events alone are listed, as they can be distinguished from others'; undefined: those of all. */
  readonly only = computed(() => {
    const focused = this.view.focusedRow.value;
    // Those of all do not give way to those of the row that an event led to.
    const row = this.#led.value?.to === focused ? this.#led.value?.listed : focused;
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
  /** undefined: the list was not shown yet. */
  readonly place = signal<EventPlace | undefined>(undefined);
  /** Time that the list stands at. */
  lookedAt: DisplayNs | undefined;
  /** Row whose time the list followed last, or that it led to. */
  followed: string | undefined;
  readonly #led = signal<{ readonly to: string; readonly listed: string | undefined } | undefined>(undefined);
  /** Set of which `number` is, and how many events it has. */
  #numbered: { readonly set: EventSet; readonly total: number } | undefined;
  /** Set of which an event was gone to. */
  #gone: EventSet | undefined;

  constructor(
    private readonly app: App,
    private readonly view: ViewModel,
  ) {}

  /** The first event in view, else the first of all. */
  get inView(): EventPlace {
    const { from, to } = rangeOf(this.view.viewport.peek());
    return { timeNs: from, untilNs: to };
  }

  /** The list has brought the reader to an event of the set, which has so many. */
  standAt(set: EventSet, total: number): void {
    this.#numbered = { set, total };
  }

  /** Shows the row and time of an event. */
  goTo(event: EventRow): void {
    const rows = this.app.experiment.rows.peek();
    const row = rowById(rows, event.thread?.row ?? '')?.id ?? rowOfEvent(rows, event);
    this.lookedAt = event.timeNs;
    this.#gone = this.set.peek();
    this.followed = row ?? this.followed;
    batch(() => {
      this.app.choices.choose(EVENTS_AT, String(event.timeNs));
      if (row !== undefined) {
        this.#led.value = { to: row, listed: this.only.peek()?.id };
        this.view.show(row);
      }
    });
    this.view.keepInView({ from: event.timeNs, to: event.timeNs + 1 });
    this.view.hover.value = { timeNs: event.timeNs };
  }

  /** Goes to the event after or before; to that which the list stands at where none of the set was gone to. */
  async step(by: -1 | 1): Promise<void> {
    const { session } = this.app;
    const set = this.set.peek();
    if (this.#numbered?.set !== set) {
      const { total } = await session.ask('eventSearch', set);
      const at = await session.ask('eventRowAt', { ...set, ...(this.place.peek() ?? this.inView) });
      if (this.set.peek() !== set) return;
      this.standAt(set, total);
      this.number.value = at;
    } else if (this.#gone === set) {
      const next = this.number.peek() + by;
      if (next < 0 || next >= this.#numbered.total) return;
      this.number.value = next;
    }
    this.#gone = set;
    const first = this.number.peek();
    const { rows } = await session.ask('eventRows', { ...set, first, count: 1 });
    // Keys may be faster than answers.
    if (rows.length > 0 && this.number.peek() === first && this.set.peek() === set) this.goTo(rows[0]);
  }
}

/** The id of its CPU's row, else of its thread's, else of its stream's; undefined: there is none. */
export function rowOfEvent(rows: readonly RowInfo[], event: EventLine): string | undefined {
  const { host, cpu, stream } = event;
  const known = [`cpu:${host}:${cpu}`, ...threadsOf(event)].find((id) => rowById(rows, id) !== undefined);
  if (known !== undefined) return known;
  return rows.find((row) => row.kind === 'stream' && row.host === host && row.name === stream)?.id;
}

/** Ids of the rows that its thread may have where contexts give it: its own, or one with many others. */
function threadsOf({ host, fields }: EventLine): readonly string[] {
  const vtid = contextNumber(fields, 'vtid');
  if (vtid === undefined) return [];
  return [`thread:${host}:${contextNumber(fields, 'vpid') ?? -1}.${vtid}`, `more-threads:${host}`];
}

/** Names in strings do not look like this: their quotes are escaped. */
function contextNumber({ common, context }: EventLine['fields'], name: string): string | undefined {
  return new RegExp(`"${name}":(\\d+)`).exec(`${common} ${context}`)?.[1];
}

/** The row with this id, if its events can be distinguished from those of others. */
function listedRowOf(rows: readonly RowInfo[], id: string | undefined): RowInfo | undefined {
  const row = rowById(rows, id ?? '');
  return row !== undefined && (row.kind === 'cpu' || row.events > 0) ? row : undefined;
}
