/** How the values of kernel attributes are summed and drawn. */
import { GROUP_NONE, type ValueScheme } from '../../history/types.ts';
import { causeOf, CPU_STATES, stateOf } from './values.ts';

// Indices in GROUPS.
const USER = 0;
const KERNEL = 1;
const INTERRUPTED = 2;
const RUNNABLE = 3;
const BLOCKED = 4;
const UNKNOWN = 5;
const GUEST = 6;
const RUNNING = 7;

/** Groups by state number. A dead thread has no row to draw on. */
const THREAD_GROUPS = [
  UNKNOWN,
  USER,
  KERNEL,
  INTERRUPTED,
  RUNNABLE,
  RUNNABLE,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  RUNNABLE,
  GROUP_NONE,
  GROUP_NONE,
  GUEST,
  RUNNING,
];

/** Groups by CPU state number: an idle CPU draws nothing. */
const CPU_GROUPS = [
  UNKNOWN,
  GROUP_NONE,
  USER,
  KERNEL,
  INTERRUPTED,
  INTERRUPTED,
  INTERRUPTED,
  RUNNING,
  USER,
  GUEST,
];

export const threadScheme: ValueScheme = {
  id: 'thread',
  states: THREAD_GROUPS.length,
  groupOf: (value) => THREAD_GROUPS[stateOf(value)] ?? GROUP_NONE,
  causeOf: (value) => (THREAD_GROUPS[stateOf(value)] === BLOCKED ? causeOf(value) : 0),
};

export const cpuScheme: ValueScheme = {
  id: 'cpu',
  states: CPU_STATES.length,
  groupOf: (value) => CPU_GROUPS[stateOf(value)] ?? GROUP_NONE,
  causeOf: () => 0,
};

/** The scheme of an attribute by its path; undefined: neither summed nor drawn. */
export function kernelSchemeOf(path: readonly string[]): ValueScheme | undefined {
  if (path.at(-1) !== 'state') return undefined;
  if (path[0] === 'threads') return threadScheme;
  return path[0] === 'cpus' ? cpuScheme : undefined;
}
