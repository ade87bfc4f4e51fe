/** Values of spans: text, colour and height of a span, and whether its end is known. */
import type { ValueScheme } from '../../history/types.ts';

/** Colours that spans are distinguished by. */
export const SPAN_COLOURS = 8;
/** First cause of drawn values that is a colour of spans. Kernel causes are below. */
export const CAUSE_SPAN = 16;

/** Number of states; the state of a value is its colour, or that of a wait. */
const STATES = 16;
/** First state that is a wait, in the colours of spans. */
const WAITS = SPAN_COLOURS;
/** Heights that spans may have besides that of the row. */
export const SPAN_LEVELS = 7;
const TONES = 4;
const LEVELS = SPAN_LEVELS + 1;

/**
 * @param tone 0 or 1, alternating, so that adjacent spans differ @param level 1 … SPAN_LEVELS: its height; 0: that of
 * the row
 */
export function spanValue(colour: number, tone: number, text: number, level = 0): number {
  return ((text * LEVELS + level) * TONES + tone) * STATES + colour;
}

/** A wait for a lock or thread of this colour. */
export function waitValue(colour: number, text: number): number {
  return spanValue(WAITS + colour, 0, text);
}

/** Value of a span that did not end, or whose end was lost. */
export function withoutEnd(value: number): number {
  return hasEnd(value) ? value + 2 * STATES : value;
}

export function hasEnd(value: number): boolean {
  return Math.floor(value / STATES) % TONES < 2;
}

export function textOf(value: number): number {
  return Math.floor(value / (LEVELS * TONES * STATES));
}

export function levelOf(value: number): number {
  return Math.floor(value / (TONES * STATES)) % LEVELS;
}

export function colourOf(value: number): number {
  return value % SPAN_COLOURS;
}

/** Whether a value, or the cause of a drawn one, is a wait. */
export function isWait(value: number): boolean {
  return value % STATES >= WAITS;
}

export function toneOf(value: number): number {
  return Math.floor(value / STATES) % 2;
}

const GROUP_BLOCKED = 4;

/** Scheme of spans. Of the drawn groups only blocked keeps the colour. */
export const spanScheme: ValueScheme = {
  id: 'overlay',
  states: STATES,
  groupOf: () => GROUP_BLOCKED,
  causeOf: (value) => CAUSE_SPAN + (value % STATES),
};

/** A span as an interval of its layer (`Layer.interval`). */
export function spanInterval(value: number, textAt: (text: number) => string) {
  return { text: textAt(textOf(value)), hasEnd: hasEnd(value) };
}
