/**
 * Checks of a step of a lesson: what it asks for, and whether it is so, always judged from the open trace or from what
 * the page shows of it.
 */
import {
  STATE_BLOCKED_D,
  STATE_BLOCKED_S,
  OWN_TIME_STATES,
  STATE_INTERRUPTED,
  STATE_PREEMPTED,
  STATE_WOKEN,
} from '../../engine/linux/events/values.ts';
import { parseTime, plainNumber } from '../format/time-entry.ts';

/** A number as it is typed: a time has a unit, all else has none. */
export interface Quantity {
  /** ns of a time. */
  readonly value: number;
  readonly isTime: boolean;
}

export type Check =
  /** A thread of this name or tid is selected. */
  | { readonly kind: 'thread'; readonly thread: string }
  /** All of these words, lower case, occur in the selected interval's state, system call and cause. */
  | { readonly kind: 'state'; readonly words: readonly string[] }
  /** A link to what is shown has these parameters. */
  | { readonly kind: 'page'; readonly parts: URLSearchParams }
  /** No more than this long is visible, in ns. */
  | { readonly kind: 'zoom'; readonly ns: number }
  /** The reader types this, or is no farther off than `margin`. */
  | { readonly kind: 'number'; readonly number: Expected; readonly margin: number };

/** Number that a typed one is compared with: one in the lesson, or one that the trace has. */
export type Expected =
  | Quantity
  /** ns, of the selected interval. */
  | 'selected'
  /** ns that a thread, by name or tid, was in states with this first word, in all of the trace. */
  | { readonly state: StateName; readonly thread: string };

/** States of threads by the first word of what they are called, with their numbers. */
const STATES = {
  running: OWN_TIME_STATES,
  interrupted: [STATE_INTERRUPTED],
  runnable: [STATE_PREEMPTED, STATE_WOKEN],
  blocked: [STATE_BLOCKED_S, STATE_BLOCKED_D],
} as const;
export type StateName = keyof typeof STATES;

export function stateNumbers(state: StateName): readonly number[] {
  return STATES[state];
}

/** State of the page: what is selected and shown. */
export interface Shown {
  readonly row?: { readonly name: string; readonly tid?: number };
  /** The selected interval: what it is, and its length in ns. */
  readonly state?: string;
  readonly selectedNs?: number;
  /** Parameters of a link to it. */
  readonly parts: URLSearchParams;
  readonly visibleNs: number;
}

/** @returns what was expected, in words, where it cannot be read */
export function readCheck(text: string): Check | string {
  const [, named, given = ''] = /^(\w+)\s*=(.*)$/.exec(text) ?? [];
  const value = given.trim();
  const kind = value === '' ? undefined : named;
  switch (kind) {
    case 'thread':
      return { kind, thread: value };
    case 'state':
      return { kind, words: value.toLowerCase().split(/[\s,]+/) };
    case 'page':
      return { kind, parts: new URLSearchParams(value.replace(/^#/, '')) };
    case 'zoom': {
      const { isTime, value: ns } = readQuantity(value) ?? { isTime: false, value: 0 };
      return isTime && ns > 0 ? { kind, ns } : 'a time as `zoom = 20 ms`';
    }
    case 'number':
      return readNumber(value);
    default:
      return '`check: thread = …`, `state = …`, `page = …`, `zoom = …` or `number = …`';
  }
}

const NUMBER_FORMS =
  '`number = 12 ± 0`, `number = 3.5 ms ± 0.1 ms`, `number = selected ± 1 ms` or `number = time blocked of THREAD ± 1 ms`';

function readNumber(text: string): Check | string {
  const [, wanted, off] = /^(.*\S)\s*±\s*(.*)$/.exec(text) ?? [];
  const margin = readQuantity(off ?? '');
  if (wanted === undefined || margin === undefined || margin.value < 0) return NUMBER_FORMS;
  const number = readExpected(wanted);
  if (number === undefined) return NUMBER_FORMS;
  const isTime = typeof number === 'string' || 'state' in number || number.isTime;
  // No unit is needed where nothing may be off.
  if (margin.value !== 0 && margin.isTime !== isTime) return NUMBER_FORMS;
  return { kind: 'number', number, margin: margin.value };
}

function readExpected(text: string): Expected | undefined {
  if (text === 'selected') return text;
  const [, state, thread] = /^time (\w+) of (.+)$/.exec(text) ?? [];
  if (state === undefined) return readQuantity(text);
  return Object.hasOwn(STATES, state) ? { state: state as StateName, thread } : undefined;
}

/** Small numbers as words: some type "five". */
const NUMBER_WORDS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six'],
  ...['seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
];

/** A number that people type: "703.6 ms", "703,6 ms", "1 234", "1,234", "five". Undefined: it is none. */
export function readQuantity(text: string): Quantity | undefined {
  const word = NUMBER_WORDS.indexOf(text.trim().toLowerCase());
  const grouped = /^\s*\d{1,3}(,\d{3})+\s*$/.test(text) ? text.replaceAll(',', '') : text;
  const plain = word < 0 ? plainNumber(grouped) : String(word);
  if (/^[+-]?\d+(\.\d*)?$/.test(plain)) return { value: Number(plain), isTime: false };
  const ns = parseTime(plain);
  return ns === undefined ? undefined : { value: ns, isTime: true };
}

/** Whether what is shown is what a step asks for; of a number that is typed it is not asked here. */
export function holds(check: Exclude<Check, { kind: 'number' }>, shown: Shown): boolean {
  switch (check.kind) {
    case 'thread':
      return isThread(shown.row, check.thread);
    case 'state': {
      const state = shown.state?.toLowerCase();
      return state !== undefined && check.words.every((word) => state.includes(word));
    }
    case 'page':
      return [...check.parts].every(([name, value]) => shown.parts.get(name) === value);
    case 'zoom':
      return shown.visibleNs <= check.ns;
  }
}

/** @param thread name or tid */
export function isThread(row: Shown['row'], thread: string): boolean {
  return row !== undefined && (row.name === thread || String(row.tid) === thread);
}
