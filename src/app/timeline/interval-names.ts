/** Names for texts in bars, of system calls and of overlays' spans: asked for when the view rests, a few at a time, and remembered. */
import { STATE_KERNEL, stateOf } from '../../engine/kernel/values.ts';
import type { IntervalInfo } from '../../workers/session-api.ts';
import { visibleText } from '../format/text.ts';
import type { TimelineSource } from './timeline-source.ts';

const REST_MS = 120;
const MOST_QUESTIONS = 40;
const MOST_NAMES = 5000;

export class IntervalNames {
  readonly #source: Pick<TimelineSource, 'interval'>;
  readonly #onAnswer: () => void;
  /** By row and begin; '' where there is no name. */
  readonly #names = new Map<string, string>();
  #wanted = new Map<string, { readonly row: string; readonly time: number }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Pick<TimelineSource, 'interval'>, onAnswer: () => void) {
    this.#source = source;
    this.#onAnswer = onAnswer;
  }

  /**
   * The system call a thread runs in the kernel, or what a span is about; undefined while it is not known. `from` may be
   * where the view cuts.
   */
  of(row: string, from: number, value: number): string | undefined {
    const isCall = stateOf(value) === STATE_KERNEL && row.startsWith('thread');
    if (!isCall && !row.startsWith('overlay')) return undefined;
    const key = `${row} ${from}`;
    const name = this.#names.get(key);
    if (name !== undefined) return name || undefined;
    if (this.#wanted.size < MOST_QUESTIONS) this.#wanted.set(key, { row, time: from });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), REST_MS);
    return undefined;
  }

  /** Rows have changed, and spans of the same row may be others. */
  clear(): void {
    this.#names.clear();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Map();
    if (this.#names.size > MOST_NAMES) this.#names.clear();
    const answers = await Promise.all(
      [...wanted.values()].map(({ row, time }) => this.#source.interval(row, time)),
    );
    [...wanted.keys()].forEach((key, i) => this.#names.set(key, nameOf(answers[i])));
    this.#onAnswer();
  }
}

function nameOf(interval: IntervalInfo | undefined): string {
  return (interval?.overlay === undefined ? interval?.syscall : visibleText(interval.stateText)) ?? '';
}
