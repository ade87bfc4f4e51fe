/**
 * Texts of events, as the kernel's `print fmt` (`include/trace/events/*.h`) and the plugins of trace-cmd
 * (libtraceevent) write them: fields by name. No pattern has more than one part of variable length that the text
 * could divide in several ways.
 */
import { EVENT_KINDS, type EventKind, firstName, FTRACE_VECTORS, isKind } from '../../trace/event-kinds.ts';
import { type Field, type FieldEvent, textField } from '../field-events.ts';

/** Texts of fields by name; undefined: the event does not have it. */
type Values = readonly (readonly [name: string, value: string | undefined])[];

const COMM = '.{0,64}';
const WAKE_UP = [
  new RegExp(
    `^comm=(?<comm>${COMM}) pid=(?<pid>\\d+) prio=(?<prio>-?\\d+)(?: success=(?<success>\\d+))? target_cpu=(?<target_cpu>\\d+)`,
  ),
  new RegExp(
    `^(?<comm>${COMM}):(?<pid>\\d+) \\[(?<prio>-?\\d+)\\](?: success=(?<success>\\d+))? CPU:(?<target_cpu>\\d+)`,
  ),
];
const REQUEST = [
  /^(?<dev>\d+,\d+) (?<rwbs>\w+) (?:(?<bytes>\d+) )?\(.{0,256}?\) (?<sector>\d+) \+ (?<nr_sector>\d+) (?:\S{1,64} )?\[(?<comm>.{0,64})\]$/,
];

const PACKET = /^dev=(?<name>\S+) skbaddr=(?<skbaddr>\w+) len=(?<len>\d+)(?: rc=(?<rc>-?\d+))?/;

/** Kinds of events that are not written as `name=value`, or whose fields have other names in the text. */
const FORMS: Readonly<Partial<Record<EventKind, readonly RegExp[]>>> = {
  switch: [
    new RegExp(
      `^prev_comm=(?<prev_comm>${COMM}) prev_pid=(?<prev_pid>\\d+) prev_prio=(?<prev_prio>-?\\d+) prev_state=(?<prev_state>\\S+) ==> next_comm=(?<next_comm>${COMM}) next_pid=(?<next_pid>\\d+) next_prio=(?<next_prio>-?\\d+)`,
    ),
    new RegExp(
      `^(?<prev_comm>${COMM}):(?<prev_pid>\\d+) \\[(?<prev_prio>-?\\d+)\\] (?<report_state>\\S+) ==> (?<next_comm>${COMM}):(?<next_pid>\\d+) \\[(?<next_prio>-?\\d+)\\]`,
    ),
  ],
  waking: WAKE_UP,
  wakeup: WAKE_UP,
  'wakeup-new': WAKE_UP,
  fork: [
    new RegExp(
      `^comm=(?<parent_comm>${COMM}) pid=(?<parent_pid>\\d+) child_comm=(?<child_comm>${COMM}) child_pid=(?<child_pid>\\d+)`,
    ),
  ],
  'raw-call': [/^NR (?<id>-?\d+) \((?<args>[^)]*)\)/],
  'syscall-exit': [/^NR (?<id>-?\d+) = (?<ret>-?\d+)/, /^(?<ret>\S+)$/],
  'request-insert': REQUEST,
  'request-issue': REQUEST,
  'request-requeue': REQUEST,
  'request-merge': REQUEST,
  'request-complete': [
    /^(?<dev>\d+,\d+) (?<rwbs>\w+) \(.{0,256}?\) (?<sector>\d+) \+ (?<nr_sector>\d+) (?:\S{1,64} )?\[(?<error>-?\d+)\]$/,
  ],
  'contention-begin': [/^(?<lock_addr>\w+) \(flags=(?<lock_flags>[^)]*)\)/],
  'contention-end': [/^(?<lock_addr>\w+) \(ret=(?<ret>-?\d+)\)/],
  'guest-entry': [/^vcpu (?<vcpu_id>\d+)/],
  'bytes-queued': [PACKET],
  'bytes-sent': [PACKET],
  'bytes-received': [PACKET],
};

/** Letters of `prev_state` by bit: those of Linux since 4.14, and those of trace-cmd's plugin, which are older. */
const LETTERS = 'SDTtXZPI';
const REPORT_LETTERS = 'SDTtZXxW';
/** Bit of `prev_state` that means "runnable, and preempted" (`TASK_REPORT_MAX`). */
const PREEMPTED = 256;
/** Bits of waits for kernel locks (`LCB_F_…`). */
const LOCK_FLAGS = ['SPIN', 'READ', 'WRITE', 'RT', 'PERCPU', 'MUTEX'];

/** Texts that stand for numbers, or numbers written in a special form, by field. */
const NUMBERS: Readonly<
  Record<string, { readonly name?: string; readonly read: (text: string) => number } | undefined>
> = {
  prev_state: { read: (text) => stateOf(text, LETTERS) },
  report_state: { name: 'prev_state', read: (text) => stateOf(text, REPORT_LETTERS) },
  lock_flags: {
    name: 'flags',
    read: (text) =>
      text.startsWith('0x')
        ? Number(text)
        : LOCK_FLAGS.reduce((sum, flag, bit) => sum + (text.split('|').includes(flag) ? 1 << bit : 0), 0),
  },
  dev: {
    read: (text) => {
      const [major, minor = NaN] = text.split(',').map(Number);
      return major * 2 ** 20 + minor;
    },
  },
};

function stateOf(text: string, letters: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  if (text.startsWith('R')) return text.endsWith('+') ? PREEMPTED : 0;
  return [...letters].reduce((sum, letter, bit) => sum + (text.includes(letter) ? 1 << bit : 0), 0);
}

/** A name and its text; a system call as the kernel writes it, and a function of the function tracer, have no colon. */
const NAMED = /^([\w.$-]{1,128}): ?(.*)$/;
const CALL = /^sys_(\w{1,64})\((.*)\)$/;
const RETURN = /^sys_(\w{1,64}) -> (\S+)$/;
const FUNCTION = /^(?:function: +)?(\S{1,256}(?: \[\S{1,64}\])?) <--? ?(\S{1,256}(?: \[\S{1,64}\])?)$/;
/** Entries and exits of the function graph; "0.543 us name();" is both. */
const GRAPH = /^(?:[^\d|]{0,8}(\d{1,9}(?:\.\d{1,3})?) us)?\s*\|\s*(?:(\S{1,256})\(\)(;| \{)|\})/;
/** Field with the duration of a function that called no other, ns. */
export const DURATION = 'duration';
/** Texts printed by programs or kernel code. */
const PRINTS = new Set(['tracing_mark_write', 'print', 'bprint', 'bputs']);
const MARK = /^tracing_mark_write: ?/;

/** Kinds of events whose wanted fields are cached; a kernel has some thousand. */
const MOST_KNOWN = 4096;

/** Parses the part of lines after their times. */
export class EventTexts {
  readonly #known = new Map<string, Known>();

  /** Undefined: it is no event. @param hasForms whether fields are parsed, rather than one text */
  read(text: string, hasForms: boolean): FieldEvent | undefined {
    const traced = text.includes(' <-') ? FUNCTION.exec(text) : null;
    if (traced !== null) {
      const [, called, parent] = traced;
      return {
        name: 'ftrace:function',
        fields: [textField('function', called), textField('parent', parent)],
      };
    }
    const isCall = text.startsWith('sys_');
    const call = isCall ? CALL.exec(text) : null;
    if (call !== null) return eventOf(this.#knownOf(`syscalls:sys_enter_${call[1]}`), arguments_(call[2]));
    const back = isCall ? RETURN.exec(text) : null;
    if (back !== null) return eventOf(this.#knownOf(`syscalls:sys_exit_${back[1]}`), [['ret', back[2]]]);
    const named = NAMED.exec(text);
    if (named === null) return undefined;
    const [, event, rest] = named;
    const body = rest.trim();
    const graph = event.startsWith('funcgraph_') ? GRAPH.exec(body) : null;
    if (graph !== null) {
      const [, took = '0', called, end] = graph as (string | undefined)[];
      if (called === undefined) return { name: firstName('graph-exit'), fields: [] };
      const ns = BigInt(Math.round(1000 * Number(took)));
      const fields: Field[] = [textField('function', called)];
      if (end === ';') fields.push({ name: DURATION, form: 'i64', value: ns });
      return { name: firstName('graph-entry'), fields };
    }
    if (PRINTS.has(event))
      return { name: firstName('print'), fields: [textField('buf', body.replace(MARK, ''))] };
    if (!hasForms) return { name: systemName(event), fields: [textField('text', body)] };
    const known = this.#knownOf(systemName(event));
    for (const { pattern, names } of known.patterns) {
      const found: readonly (string | undefined)[] | null = pattern.exec(body);
      if (found === null) continue;
      const values = names.map((name, i) => [name, found[i + 1]] as const);
      return eventOf(known, values);
    }
    return eventOf(known, known.isCall && !body.includes('=') ? arguments_(body) : assignments(body));
  }

  #knownOf(name: string): Known {
    let known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const patterns = Object.entries(FORMS).filter(([kind]) => isKind(kind as EventKind, name));
    known = {
      name,
      wanted: wantedFields(name),
      patterns: patterns.flatMap(([, own]) =>
        own.map((pattern) => ({
          pattern,
          names: [...pattern.source.matchAll(/\(\?<(\w+)>/g)].map(([, group]) => group),
        })),
      ),
      isCall: name.startsWith('syscalls:'),
      read: new Map(),
    };
    this.#known.set(name, known);
    return known;
  }
}

/** Facts shared by all lines of one event. */
interface Known {
  readonly name: string;
  readonly wanted: ReturnType<typeof wantedFields>;
  /** Patterns with the names of their groups, all of which are named. */
  readonly patterns: readonly { readonly pattern: RegExp; readonly names: readonly string[] }[];
  readonly isCall: boolean;
  /** Fields that were parsed, by name and text. */
  readonly read: Map<string, Map<string, Field>>;
}

function eventOf({ name, wanted, isCall, read }: Known, values: Values): FieldEvent {
  const fields: Field[] = [];
  for (const [key, value] of values) {
    if (value === undefined) continue;
    const known = read.get(key)?.get(value);
    const field = known ?? fieldOf(key, value, wanted.get(key) ?? [], isCall);
    // Longer values would keep the text that they are slices of in memory.
    if (known === undefined && value.length < 13) remember(read, key, value, field);
    const { name: own } = field;
    if (!fields.some((other) => other.name === own)) fields.push(field);
  }
  return { name, fields };
}

function remember(read: Known['read'], key: string, value: string, field: Field): void {
  if (read.size >= MOST_FIELDS) read.clear();
  const values = read.get(key) ?? new Map<string, Field>();
  if (values.size >= MOST_KNOWN) values.clear();
  read.set(key, values.set(value, field));
}

const ASSIGNMENT = /(?:^|[\s[({,])([A-Za-z_][\w.]{0,63})=/g;

/** Parses `name=value name=value`; a value extends to the next name. Text before the first name becomes `text`. */
function assignments(text: string): Values {
  const values: [string, string][] = [];
  let name = 'text';
  let from = 0;
  const end = (to: number) => {
    const own = text
      .slice(from, to)
      .trim()
      .replace(/(?: \[ns\]|[\])},])$/, '');
    if (name !== 'text' || own !== '') values.push([name, own]);
  };
  for (const match of text.matchAll(ASSIGNMENT)) {
    end(match.index);
    name = match[1];
    from = match.index + match[0].length;
  }
  end(text.length);
  return values.slice(0, MOST_FIELDS);
}

/** Parses `name: value, name: value` of calls: numbers are hexadecimal, and the kernel omits the 0x. */
function arguments_(text: string): Values {
  return text
    .split(', ')
    .slice(0, MOST_FIELDS)
    .flatMap((part): Values => {
      const [, name, hex, other] = /^(\w{1,64}): (?:(?:0x)?([0-9a-f]{1,16})$|(.*))/.exec(part) ?? [];
      return (name as string | undefined) === undefined ? [] : [[name, hex ? `0x${hex}` : other]];
    });
}

const MOST_FIELDS = 64;

function fieldOf(key: string, value: string, wanted: readonly string[], isCall: boolean): Field {
  const own = NUMBERS[key];
  const number = own?.read(value);
  if (own !== undefined && Number.isSafeInteger(number))
    return { name: own.name ?? key, form: 'i64', value: BigInt(number ?? 0) };
  if (wanted.includes('string') && !isCall) return textField(key, value);
  if (key === 'ret' && !isCall && (value === 'handled' || value === 'unhandled'))
    return { name: key, form: 'i64', value: value === 'handled' ? 1n : 0n };
  if (/^-?\d{1,18}$/.test(value) && !isPointer(value))
    return { name: key, form: 'i64', value: BigInt(value) };
  if (/^\d{19,20}$/.test(value) && BigInt(value) < 1n << 64n)
    return { name: key, form: 'u64', value: BigInt(value) };
  const hex = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(value);
  if (hex === null || !(value.startsWith('0x') || isPointer(value))) return textField(key, value);
  const bits = BigInt(`0x${hex[1]}`);
  // Numbers with a sign are written with all their bits.
  if (wanted.includes('int') && bits < 1n << 32n)
    return { name: key, form: 'i64', value: BigInt.asIntN(32, bits) };
  if (wanted.includes('wide') && key === 'ret')
    return { name: key, form: 'i64', value: BigInt.asIntN(64, bits) };
  return { name: key, form: 'x64', value: bits };
}

/** Whether it is written like `%p` on 64 bits. */
function isPointer(value: string): boolean {
  return value.length === 16 && /^[0-9a-f]*$/.test(value) && (value.startsWith('0') || /[a-f]/.test(value));
}

/** Events of ftrace by their name without a system, and their full name. */
const SYSTEM_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.values(EVENT_KINDS)
    .flatMap(({ events }): readonly string[] => events)
    .filter((name) => /^(?!lttng|ust)\w+:\w+$/.test(name))
    .map((name) => [name.slice(name.indexOf(':') + 1), name] as const),
  ...FTRACE_VECTORS.flatMap((vector) =>
    ['_entry', '_exit'].map((end) => [vector + end, `irq_vectors:${vector}${end}`] as const),
  ),
]);

/** The name `SYSTEM:EVENT` of an event of ftrace whose system is not known; unchanged for events without a kind. */
function systemName(event: string): string {
  return SYSTEM_NAMES.get(event) ?? (/^sys_(?:enter|exit)_/.test(event) ? `syscalls:${event}` : event);
}

/** Fields that some kind wants of an event, by name. */
function wantedFields(eventName: string): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const [kind, { fields }] of Object.entries(EVENT_KINDS)) {
    if (!isKind(kind as EventKind, eventName)) continue;
    for (const { names, kind: form } of Object.values<{
      readonly names: readonly string[];
      readonly kind: string;
    }>(fields))
      for (const name of names) wanted.set(name, [...(wanted.get(name) ?? []), form]);
  }
  return wanted;
}
