/**
 * Checks of a step of a lesson: reads them, and judges them by the open trace or by what the page shows of it. A verdict
 * says what is not right yet.
 */
import { textAt } from '../../engine/base/text-column.ts';
import {
  STATE_BLOCKED_D,
  STATE_BLOCKED_S,
  OWN_TIME_STATES,
  STATE_INTERRUPTED,
  STATE_PREEMPTED,
  STATE_WOKEN,
  THREAD_STATES,
} from '../../engine/linux/events/values.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { parseTime, plainNumber } from '../format/time-entry.ts';

/** A typed number: a time has a unit, all else has none. */
interface Quantity {
  /** ns of a time. */
  readonly value: number;
  readonly isTime: boolean;
}

export type Check =
  /** A thread of this name or tid is selected. */
  | { readonly kind: 'thread'; readonly thread: string }
  /** The selected interval's state, system call and cause have all of these words, lower case. */
  | { readonly kind: 'state'; readonly words: readonly string[] }
  /** A link to the current view has these parameters. */
  | { readonly kind: 'page'; readonly parts: URLSearchParams }
  /** The visible range has at most this length, ns. */
  | { readonly kind: 'zoom'; readonly ns: number }
  /** The reader types this number, or one within `margin` of it. */
  | { readonly kind: 'number'; readonly number: Expected; readonly margin: number };

/** Number that a typed one is compared with: one in the lesson, or one from the trace. */
type Expected =
  | Quantity
  /** Length of the selected interval, ns. */
  | 'selected'
  /** Time of a thread, by name or tid, in states with this first word over the whole trace, ns. */
  | { readonly state: StateName; readonly thread: string };

/** Numbers of the states of threads, by the first word of their names. */
const STATES = {
  running: OWN_TIME_STATES,
  interrupted: [STATE_INTERRUPTED],
  runnable: [STATE_PREEMPTED, STATE_WOKEN],
  blocked: [STATE_BLOCKED_S, STATE_BLOCKED_D],
} as const;
type StateName = keyof typeof STATES;

/** State of the page: what is selected and shown. */
export interface Shown {
  readonly row?: { readonly name: string; readonly tid?: number };
  /** Text of the selected interval, and its length in ns. */
  readonly state?: string;
  readonly selectedNs?: number;
  readonly parts: URLSearchParams;
  readonly visibleNs: number;
}

/** @returns if it cannot be read, a text that says what was expected */
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
  // A margin of 0 needs no unit.
  if (margin.value !== 0 && margin.isTime !== isTime) return NUMBER_FORMS;
  return { kind: 'number', number, margin: margin.value };
}

function readExpected(text: string): Expected | undefined {
  if (text === 'selected') return text;
  const [, state, thread] = /^time (\w+) of (.+)$/.exec(text) ?? [];
  if (state === undefined) return readQuantity(text);
  return Object.hasOwn(STATES, state) ? { state: state as StateName, thread } : undefined;
}

/** Words for small numbers, which some readers type. */
const NUMBER_WORDS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six'],
  ...['seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
];

/** Reads a typed number: "703.6 ms", "703,6 ms", "1 234", "1,234", "five". Undefined: it is none. */
function readQuantity(text: string): Quantity | undefined {
  const word = NUMBER_WORDS.indexOf(text.trim().toLowerCase());
  const grouped = /^\s*\d{1,3}(,\d{3})+\s*$/.test(text) ? text.replaceAll(',', '') : text;
  const plain = word < 0 ? plainNumber(grouped) : String(word);
  if (/^[+-]?\d+(\.\d*)?$/.test(plain)) return { value: Number(plain), isTime: false };
  const ns = parseTime(plain);
  return ns === undefined ? undefined : { value: ns, isTime: true };
}

/** Whether the page shows what a check asks for. */
function holds(check: Exclude<Check, { kind: 'number' }>, shown: Shown): boolean {
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
function isThread(row: Shown['row'], thread: string): boolean {
  return row !== undefined && (row.name === thread || String(row.tid) === thread);
}

/** Sentence that says what is not right yet; undefined: all is right. */
export type Verdict = string | undefined;

/** Judges all checks but those of typed numbers. */
export function judgeShown(checks: readonly Check[], shown: Shown): Verdict {
  const failed = checks.find((check) => check.kind !== 'number' && !holds(check, shown));
  return failed && reason(failed, shown);
}

function reason({ kind }: Check, { row, state, visibleNs }: Shown): string {
  switch (kind) {
    case 'thread':
      return row === undefined ? 'No row is selected.' : `The selected row is ${visibleText(row.name)}.`;
    case 'state':
      return state === undefined
        ? 'No interval is selected.'
        : `The selected interval is: ${visibleText(state)}.`;
    case 'zoom':
      return `The visible range is ${formatDuration(visibleNs)} long.`;
    default:
      return 'The page does not show it yet.';
  }
}

/** @param text as typed */
export async function judgeNumber(
  { number, margin }: Extract<Check, { kind: 'number' }>,
  text: string,
  shown: Shown,
  session: Pick<SessionApi, 'ask'>,
): Promise<Verdict> {
  const typed = readQuantity(text);
  if (typed === undefined) return 'Type a number, with its unit where it is a time: 12.3 ms.';
  const isTime = typeof number === 'string' || 'state' in number || number.isTime;
  if (typed.isTime !== isTime) return isTime ? 'Type the unit, too: 12.3 ms.' : 'This number has no unit.';
  const value = await valueOf(number, shown, session);
  if (value === undefined) {
    return number === 'selected' ? 'No interval is selected.' : 'The open trace does not have this number.';
  }
  return Math.abs(typed.value - value) <= margin ? undefined : 'It is another number.';
}

/** Undefined: nothing is selected, or the trace has no such thread. */
async function valueOf(
  number: Expected,
  { selectedNs }: Shown,
  session: Pick<SessionApi, 'ask'>,
): Promise<number | undefined> {
  if (number === 'selected') return selectedNs;
  if (!('state' in number)) return number.value;
  const { threads } = await session.ask('cpu', {});
  for (let at = 0; at < threads.length; at++) {
    const row = { name: textAt(threads.name, at), tid: threads.tid[at] };
    if (!isThread(row, number.thread)) continue;
    const first = at * THREAD_STATES.length;
    return STATES[number.state].reduce<number>((sum, state) => sum + threads.states[first + state], 0);
  }
  return undefined;
}
