/**
 * Draw codes of states: one code for each form and colour, shared by rows, legend, tables and cards. Height shows how
 * close a thread is to the CPU; waits differ by pattern as well as by colour.
 */
import type { RowKind } from '../../engine/protocol/rows.ts';
import * as values from '../../engine/linux/events/values.ts';
import {
  CAUSE_SPAN,
  SPAN_COLOURS,
  colourOf,
  isWait,
  toneOf,
} from '../../engine/layers/contract/span-values.ts';

export const DRAW_NONE = 0;
export const DRAW_USER = 1;
export const DRAW_KERNEL = 2;
export const DRAW_INTERRUPTED = 3;
export const DRAW_RUNNABLE = 4;
export const DRAW_THREAD = 5;
export const DRAW_TIMER = 6;
export const DRAW_DISK = 7;
export const DRAW_NETWORK = 8;
export const DRAW_INPUT = 9;
export const DRAW_LOCK = 10;
/** A wait that did not end, or that was ended by something that has no code. */
export const DRAW_OTHER = 11;
export const DRAW_UNKNOWN = 12;
/** Idle kernel threads, and parked and stopped threads: they wait for nobody. */
export const DRAW_IDLE = 13;

/** A CPU of a virtual machine whose thread on the host was runnable or waited; on paths only. */
export const DRAW_BY_HOST = 14;
export const DRAW_ON_HOST = 15;

export const DRAW_GUEST = 16;
/** Running, in a mode that is not known. */
export const DRAW_RUNNING = 17;

/** First code of spans: two codes for each colour, its two tones. */
const DRAW_SPAN = 18;
/** First code of waits for something that has the colour of a span. */
const DRAW_SPAN_WAIT = DRAW_SPAN + 2 * SPAN_COLOURS;

/** full: on a CPU · ready: runnable · wait: tint over a base line · hatch: unknown · line: hairline · span: of a layer. */
export type Form = 'none' | 'full' | 'ready' | 'wait' | 'hatch' | 'line' | 'span';
export const PATTERNS = [
  'plain',
  'dots',
  'lines',
  'back-diagonals',
  'dense-diagonals',
  'columns',
  'checks',
] as const;
export type Pattern = (typeof PATTERNS)[number];

export interface DrawStyle {
  readonly form: Form;
  readonly pattern: Pattern;
  /** Part of the token names --st-TOKEN and --on-TOKEN. */
  readonly token: string;
  /** One word, for the legend and for text in bars. */
  readonly word: string;
  /** Text for cards and tables. */
  readonly label: string;
}

const style = (form: Form, pattern: Pattern, token: string, word: string, label: string): DrawStyle => ({
  form,
  pattern,
  token,
  word,
  label,
});

/** Indexed by draw code. */
export const DRAW_STYLES: readonly DrawStyle[] = [
  style('none', 'plain', 'unknown', '', 'Nothing'),
  style('full', 'plain', 'user', 'user', 'Running, user'),
  style('full', 'plain', 'kernel', 'kernel', 'Running, kernel'),
  style('full', 'plain', 'irq', 'interrupted', 'Interrupted'),
  style('ready', 'plain', 'ready', 'runnable', 'Runnable, not running'),
  style('wait', 'plain', 'thread', 'thread', 'Waits for a thread'),
  style('wait', 'dots', 'timer', 'timer', 'Waits for a timer'),
  style('wait', 'lines', 'disk', 'disk', 'Waits for the disk'),
  style('wait', 'back-diagonals', 'net', 'network', 'Waits for the network'),
  style('wait', 'columns', 'thread', 'user input', 'Waits for user input'),
  style('wait', 'dense-diagonals', 'lock', 'lock', 'Waits for a lock'),
  style('wait', 'checks', 'unknown', 'blocked', 'Blocked, cause unknown'),
  style('hatch', 'plain', 'unknown', 'unknown', 'Unknown'),
  style('line', 'plain', 'unknown', 'idle', 'Idle'),
  style('wait', 'back-diagonals', 'ready', 'by the host', 'Preempted by the host'),
  style('wait', 'checks', 'ready', 'on the host', 'Blocked on the host'),
  style('full', 'plain', 'guest', 'guest', 'Running, guest'),
  style('full', 'plain', 'running', 'mode unknown', 'Running, mode not known'),
  ...Array.from({ length: 2 * SPAN_COLOURS }, (_, i) =>
    style('span', 'plain', `own-${1 + (i >> 1)}`, '', 'Span'),
  ),
  ...Array.from({ length: SPAN_COLOURS }, (_, i) =>
    style('wait', 'dense-diagonals', `own-${1 + i}`, '', 'Wait'),
  ),
];

const OF_CAUSE = [
  DRAW_OTHER,
  DRAW_THREAD,
  DRAW_TIMER,
  DRAW_DISK,
  DRAW_NETWORK,
  DRAW_INPUT,
  DRAW_LOCK,
  DRAW_OTHER,
  DRAW_OTHER,
];

/** Draw code of a cause of a wait (kernel/values `CAUSES`); in a mixed bucket no cause means an idle thread. */
export function drawCodeOfMixedCause(cause: number): number {
  if (cause >= CAUSE_SPAN) return codeOfSpan(cause - CAUSE_SPAN);
  return cause === values.CAUSE_NONE ? DRAW_IDLE : (OF_CAUSE[cause] ?? DRAW_OTHER);
}

const OF_CPU_STATE = [
  DRAW_UNKNOWN,
  DRAW_NONE,
  DRAW_USER,
  DRAW_KERNEL,
  DRAW_INTERRUPTED,
  DRAW_INTERRUPTED,
  DRAW_INTERRUPTED,
  DRAW_RUNNING,
  DRAW_RUNNING,
  DRAW_GUEST,
];

const OF_THREAD_STATE = [
  DRAW_UNKNOWN,
  DRAW_USER,
  DRAW_KERNEL,
  DRAW_INTERRUPTED,
  DRAW_RUNNABLE,
  DRAW_RUNNABLE,
  DRAW_OTHER,
  DRAW_OTHER,
  DRAW_IDLE,
  DRAW_IDLE,
  DRAW_IDLE,
  DRAW_RUNNABLE,
  DRAW_NONE,
  DRAW_NONE,
  DRAW_GUEST,
  DRAW_RUNNING,
];

/** Whether a thread in such a state ran on a CPU itself. */
export function isOwnTime(code: number): boolean {
  return DRAW_STYLES[code].form === 'full' && code !== DRAW_INTERRUPTED;
}

/** Whether a thread in such a state was blocked, or runnable without a CPU. */
export function isWaiting(code: number): boolean {
  const { form } = DRAW_STYLES[code];
  return form === 'wait' || form === 'ready';
}

/** Word for the CPU of a thread in such a state: a running thread is on it, another was on it last. */
export function cpuWord(code: number): string {
  return DRAW_STYLES[code].form === 'full' ? 'CPU' : 'Last CPU';
}

/** Whether a code is the second tone of its colour, which every second span of a row has. */
export function isSecondTone(code: number): boolean {
  return code > DRAW_SPAN && code < DRAW_SPAN_WAIT && (code - DRAW_SPAN) % 2 === 1;
}

/** Draw code for sums: the first tone, since tones have no meaning. */
export function withoutTone(code: number): number {
  return isSecondTone(code) ? code - 1 : code;
}

/** Draw code of a stored value of a row's attribute. */
export function drawCodeOf(kind: RowKind, value: number): number {
  if (kind === 'layer') return codeOfSpan(value);
  if (kind === 'plot') return DRAW_SPAN;
  const state = values.stateOf(value);
  if (kind === 'cpu') return OF_CPU_STATE[state] ?? DRAW_UNKNOWN;
  if (values.isBlocked(value)) return OF_CAUSE[values.causeOf(value)] ?? DRAW_OTHER;
  return OF_THREAD_STATE[state] ?? DRAW_UNKNOWN;
}

function codeOfSpan(value: number): number {
  const colour = colourOf(value);
  return isWait(value) ? DRAW_SPAN_WAIT + colour : DRAW_SPAN + 2 * colour + toneOf(value);
}

/** Codes of the legend, in its order, with explanations for new readers; no analysis finds waits for locks yet. */
export const LEGEND: ReadonlyMap<number, string> = new Map([
  [DRAW_USER, 'the program runs its own code'],
  [DRAW_KERNEL, 'the kernel works for it, for instance in a system call'],
  [DRAW_GUEST, 'the processor runs the code of a virtual machine'],
  [DRAW_RUNNING, 'it runs, and nothing tells whether in user mode or in the kernel'],
  [DRAW_INTERRUPTED, 'it has a CPU, which handles an interrupt meanwhile'],
  [DRAW_RUNNABLE, 'it could go on, and waits for a CPU'],
  [DRAW_THREAD, 'it sleeps until another thread wakes it'],
  [DRAW_TIMER, 'it sleeps until a time has come'],
  [DRAW_DISK, 'it sleeps until a disk has answered'],
  [DRAW_NETWORK, 'it sleeps until a packet has come'],
  [DRAW_UNKNOWN, 'not recorded, lost or damaged'],
]);
