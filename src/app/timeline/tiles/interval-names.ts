/** Cache of texts in bars that say more than a state, asked for a few at a time when the view rests. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import * as values from '../../../engine/linux/events/values.ts';
import type { IntervalInfo } from '../../../engine/protocol/rows.ts';
import { visibleText } from '../../format/text.ts';
import type { TimelineSource } from '../timeline-source.ts';

const REST_MS = 120;
const MOST_QUESTIONS = 40;
const MOST_NAMES = 5000;

/** States of threads whose intervals have names. */
const NAMED_STATES: ReadonlySet<number> = new Set([
  values.STATE_KERNEL,
  values.STATE_INTERRUPTED,
  values.STATE_BLOCKED_S,
  values.STATE_BLOCKED_D,
]);

export class IntervalNames {
  /** Names by row and begin; '' where there is no name. */
  #names = new Map<string, string>();
  #wanted = new Map<string, { readonly row: string; readonly time: DisplayNs }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly source: Pick<TimelineSource, 'ask'>,
    private readonly onAnswer: () => void,
  ) {}

  /** Begins a frame; its names are asked for when no other frame follows for a while. */
  beginFrame(): void {
    this.#wanted.clear();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), REST_MS);
  }

  /** Name of an interval; undefined: not known, or its state has none. `from` may be where the view cuts it. */
  of(row: string, from: DisplayNs, value: number): string | undefined {
    if (row.startsWith('thread') && !NAMED_STATES.has(values.stateOf(value))) return undefined;
    const key = `${row} ${from}`;
    const name = this.#names.get(key);
    if (name !== undefined) return name || undefined;
    if (this.#wanted.size < MOST_QUESTIONS) this.#wanted.set(key, { row, time: from });
    return undefined;
  }

  /** Forgets all names, also those being asked for, since spans of the same row may have changed. */
  clear(): void {
    this.#names = new Map();
  }

  dispose(): void {
    this.clear();
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    if (this.#wanted.size === 0) return;
    const wanted = this.#wanted;
    this.#wanted = new Map();
    if (this.#names.size > MOST_NAMES) this.#names.clear();
    const names = this.#names;
    const answers = await Promise.all(
      [...wanted.values()].map(({ row, time }) => this.source.ask('interval', { row, timeNs: time })),
    );
    [...wanted.keys()].forEach((key, i) => names.set(key, nameOf(answers[i])));
    if (names === this.#names) this.onAnswer();
  }
}

function nameOf(interval: IntervalInfo | undefined): string {
  if (interval === undefined) return '';
  const { layer, interrupt, threads, causeText, syscall, stateText } = interval;
  if (layer !== undefined) return visibleText(stateText);
  const name = interrupt ?? (threads ? threadsText(threads) : undefined);
  return visibleText(name ?? [syscall, causeText].filter(Boolean).join(', '));
}

/** Text of the threads that a CPU ran, in order. */
export function threadsText(threads: NonNullable<IntervalInfo['threads']>): string | undefined {
  return threads.map(({ name }) => name).join(', ') || undefined;
}

/** Reason why a state is unknown, for hatched bars; undefined: it is known. Threads and CPUs have the same number for unknown. */
export function unknownReason({ state, layer, previous, isDamaged }: IntervalInfo): string | undefined {
  if (layer !== undefined || state !== values.STATE_UNKNOWN) return undefined;
  if (isDamaged === true) return 'the kept data of this trace are damaged here, or nothing was recorded';
  return previous === undefined
    ? 'no earlier event shows it'
    : 'events were lost here, or nothing was recorded';
}
