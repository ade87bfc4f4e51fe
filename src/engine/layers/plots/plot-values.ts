/** Values of plots: whole numbers with a unit, in the form that a history stores. */
import type { ValueScheme } from '../../history/types.ts';

/** Units of plots: plain numbers, Hz or bytes. Rates are stored as sums, and their growth per second is drawn. */
const PLOT_UNITS = ['number', 'hertz', 'number per second', 'bytes per second', 'bytes'] as const;
export type PlotUnit = (typeof PLOT_UNITS)[number];

/** Number of states. A value's lowest bits, its state, are the unit; above it is the number + 1, with its sign lowest. */
const STATES = 16;
/** Part above the unit of an unknown number, after a loss. */
const NOT_KNOWN = 0;
/** Numbers from this size on count as unknown. */
const MOST_NUMBER = 2 ** 47;

/** @param number a whole one, NaN: not known */
export function plotValue(unit: PlotUnit, number: number): number {
  const state = PLOT_UNITS.indexOf(unit);
  if (!(Math.abs(number) < MOST_NUMBER)) return NOT_KNOWN + state;
  return (1 + (number < 0 ? -2 * number - 1 : 2 * number)) * STATES + state;
}

/** NaN: not known. */
export function plotNumber(value: number): number {
  const above = Math.floor(value / STATES);
  if (above === NOT_KNOWN) return NaN;
  return above % 2 === 1 ? (above - 1) / 2 : -above / 2;
}

export function plotUnit(value: number): PlotUnit {
  return PLOT_UNITS[value % STATES];
}

export function isRate(unit: PlotUnit): boolean {
  return unit === 'number per second' || unit === 'bytes per second';
}

/** Thin space between thousands. */
const THIN = '\u2009';

const WORDS = {
  number: '',
  hertz: ' Hz',
  'number per second': ' recorded so far',
  'bytes per second': ' bytes recorded so far',
  bytes: ' bytes',
} as const;

/** A value in words, with its unit. */
function plotText(value: number): string {
  const number = plotNumber(value);
  if (Number.isNaN(number)) return 'Not known: events were lost';
  const digits = String(number).replace(/\B(?=(\d{3})+$)/g, THIN);
  return `${digits}${WORDS[plotUnit(value)]}`;
}

const GROUP_BLOCKED = 4;

/** Scheme of plots; as intervals all look alike. */
export const plotScheme: ValueScheme = {
  id: 'plot',
  states: STATES,
  groupOf: () => GROUP_BLOCKED,
  causeOf: () => 0,
};

/** A number as an interval of its layer (`Layer.interval`). */
export function plotInterval(value: number) {
  return { text: plotText(value), hasEnd: true };
}
