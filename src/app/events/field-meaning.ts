/** Meanings of numbers in fields of Linux kernel events, as LTTng records them. Pure. */
import { REQUEST_LETTERS } from '../../engine/linux/events/values.ts';
import { callBegun, isKind, isOfSubsystem } from '../../engine/trace/event-kinds.ts';
import { priorityWords } from '../../engine/words/thread-words.ts';
import { errnoName } from '../format/errno.ts';

export interface FieldMeaning {
  readonly words: string;
  /** Text in place of the number where there is little room; absent: the number. */
  readonly short?: string;
}

/** Meaning of a whole number in a field of an event; undefined: it is plain, or not known. */
export function fieldMeaning(event: string, field: string, value: bigint): FieldMeaning | undefined {
  const number = Number(value);
  if (field === 'ret' && isKind('syscall-exit', event)) return returned(number);
  if (field === 'flags' && ['open', 'openat'].includes(callBegun(event))) return openFlags(number);
  if (field === 'prev_state' && isKind('switch', event)) return taskState(number);
  if (field === 'rwbs' && isOfSubsystem('block', event)) return request(number);
  if (OF_DEVICES.test(event) && (field === 'dev' || field === 'old_dev')) return device(number);
  if (/^(?:prev_|next_|old|new)?prio$/.test(field) && isOfSubsystem('sched', event)) {
    const words = priorityWords(number);
    return words === undefined ? undefined : { words };
  }
  return undefined;
}

/** Short meaning of an integer as the table writes it: decimal, hexadecimal with 0x, octal with 0. */
export function shortMeaning(event: string, field: string, integer: string): string | undefined {
  const text = integer.replace(/^0(?=[0-7])/, '0o');
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  return fieldMeaning(event, field, value)?.short;
}

/** Text of an IP address, which is an array of bytes. @param json the value */
export function addressMeaning(field: string, json: string): string | undefined {
  return /(?:^|\.)[sd]addr$/.test(field) && /^\[\d+(?:,\d+){3}\]$/.test(json)
    ? json.slice(1, -1).replaceAll(',', '.')
    : undefined;
}

/** The kernel returns errors as -1 to -4095. */
const MOST_ERRNO = 4095;

function returned(value: number): FieldMeaning | undefined {
  if (value >= 0 || value < -MOST_ERRNO) return undefined;
  const name = errnoName(-value);
  return { words: name, short: `${value} ${name}` };
}

type Flags = readonly (readonly [bits: number, name: string])[];

/** Names of the bits that are set, and the others as one number. */
function namesOf(value: number, flags: Flags): string[] {
  let left = value;
  const names: string[] = [];
  for (const [bits, name] of flags) {
    if ((left & bits) !== bits) continue;
    names.push(name);
    left &= ~bits;
  }
  if (left !== 0) names.push(`0x${(left >>> 0).toString(16)}`);
  return names;
}

/** Flags that are the same on x86, Arm and most others (asm-generic/fcntl.h). */
const OPEN_FLAGS: Flags = [
  [0o100, 'O_CREAT'],
  [0o200, 'O_EXCL'],
  [0o400, 'O_NOCTTY'],
  [0o1000, 'O_TRUNC'],
  [0o2000, 'O_APPEND'],
  [0o4000, 'O_NONBLOCK'],
  [0o4010000, 'O_SYNC'],
  [0o10000, 'O_DSYNC'],
  [0o20000, 'O_ASYNC'],
  [0o1000000, 'O_NOATIME'],
  [0o2000000, 'O_CLOEXEC'],
  [0o10000000, 'O_PATH'],
  [0o20000000, 'O_TMPFILE'],
];
const ACCESS = ['O_RDONLY', 'O_WRONLY', 'O_RDWR', 'O_ACCMODE'];

function openFlags(value: number): FieldMeaning {
  const words = [ACCESS[value & 3], ...namesOf(value & ~3, OPEN_FLAGS)].join('|');
  return { words, short: words };
}

/** Bits of LTTng's `rwbs`, which are not the letters of ftrace. */
const REQUEST_FLAGS: Flags = [
  [1 << 0, 'write'],
  [1 << 1, 'discard'],
  [1 << 2, 'read'],
  [1 << 3, 'read ahead'],
  [1 << 4, 'barrier'],
  [1 << 5, 'sync'],
  [1 << 6, 'metadata'],
  [1 << 7, 'secure'],
  [1 << 8, 'flush'],
  [1 << 9, 'force unit access'],
  [1 << 10, 'flush before'],
];
const ALL_REQUEST_FLAGS = 0x7ff;

function request(value: number): FieldMeaning {
  const words = value === 0 ? 'no data' : namesOf(value, REQUEST_FLAGS).join(', ');
  const isKnown = (value & ~ALL_REQUEST_FLAGS) === 0;
  const letters = value === 0 ? 'N' : namesOf(value, REQUEST_LETTERS).join('');
  return isKnown ? { words: `${letters}: ${words}`, short: letters } : { words };
}

/**
 * States by the letters of `ps`. The numbers of ended and parked threads changed in Linux 4.14; the version of Linux is
 * not known here.
 */
const TASK_STATES: ReadonlyMap<number, FieldMeaning> = new Map([
  [0, { short: 'R', words: 'R: runnable' }],
  [1, { short: 'S', words: 'S: sleeps' }],
  [2, { short: 'D', words: 'D: sleeps, and no signal ends that' }],
  [4, { short: 'T', words: 'T: stopped' }],
  [8, { short: 't', words: 't: stopped by a debugger' }],
  [16, { words: 'has ended' }],
  [32, { words: 'has ended' }],
  [128, { short: 'I', words: 'I: idle kernel thread' }],
  [130, { short: 'D', words: 'D: sleeps until it is killed' }],
  [256, { short: 'R+', words: 'R+: preempted' }],
]);

function taskState(value: number): FieldMeaning | undefined {
  return TASK_STATES.get(value);
}

/** Events with a device number of the kernel. */
const OF_DEVICES = /^(?:block|ext4|jbd2|btrfs|f2fs|scsi|writeback)_/;

/** The kernel keeps a device as 12 bits of major and 20 of minor number. */
function device(value: number): FieldMeaning {
  const short = `${Math.floor(value / 2 ** 20)}:${value % 2 ** 20}`;
  return { short, words: `device ${short}` };
}
