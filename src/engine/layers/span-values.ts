/** Values of spans: which text a span has, how it is drawn, and whether its end is known. */
import type { ValueScheme } from '../history/types.ts';

/** Colours that spans are distinguished by. */
export const SPAN_COLOURS = 8;
/** Causes of drawn values from here on are colours of spans. Kernel causes are below. */
export const CAUSE_SPAN = 16;

/** The state of a value is its colour. */
const STATES = 16;

/**
 * @param tone 0 or 1, in turn in a row: spans that touch are drawn apart, and are not one to the history
 * @param text index of the history's text
 */
export function spanValue(colour: number, tone: number, text: number): number {
  return (text * 4 + tone) * STATES + colour;
}

/** The span did not end, or what ended it was lost. */
export function withoutEnd(value: number): number {
  return hasEnd(value) ? value + 2 * STATES : value;
}

export function hasEnd(value: number): boolean {
  return Math.floor(value / STATES) % 4 < 2;
}

export function textOf(value: number): number {
  return Math.floor(value / (4 * STATES));
}

export function colourOf(value: number): number {
  return value & 15;
}

export function toneOf(value: number): number {
  return (value >>> 4) & 1;
}

const GROUP_BLOCKED = 4;

/** Of the drawn groups only blocked carries what it is drawn as. */
export const spanScheme: ValueScheme = {
  id: 'overlay',
  states: SPAN_COLOURS,
  groupOf: () => GROUP_BLOCKED,
  causeOf: (value) => CAUSE_SPAN + colourOf(value),
};
