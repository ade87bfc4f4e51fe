/** The command line: options common to all commands, and those of some. */
import { parseArgs } from 'node:util';
import type { DecoderKind } from '../engine/ctf/decode/wasm/decode-memory.ts';
import type { SlowRule } from '../engine/layers/executions/ranking/groups.ts';
import { MOST_OFFSET_NS } from '../engine/sync/clock-transform.ts';

const FLAG = { type: 'boolean', default: false } as const;
const TEXT = { type: 'string' } as const;
const LIST = { type: 'string', multiple: true, default: [] as string[] } as const;

/** Options as they are written; those that are numbers or have another name in code are read by `optionsOf`. */
const WRITTEN = {
  // All commands.
  workers: TEXT,
  'chunk-bytes': TEXT,
  decoder: TEXT,
  /** Its times need the experiment's origin (`trace-session.ts`). */
  range: TEXT,
  /** Name of the only host that counts. */
  host: TEXT,
  offset: LIST,
  guest: LIST,
  /** Prints the time per stage to stderr. */
  timing: FLAG,
  /** Prints JSON for programs. */
  json: FLAG,
  /** Warnings make the exit code another. */
  strict: FLAG,
  /** Folder of the store. */
  store: TEXT,
  help: { ...FLAG, short: 'h' },
  // canonical
  /** Prints the digest instead of the text. */
  sha256: FLAG,
  // events, latencies, stats
  /** Filter of events, in its language. */
  filter: TEXT,
  limit: TEXT,
  // stats
  /** Prints single durations instead of their sums. */
  each: FLAG,
  max: TEXT,
  'per-prio': FLAG,
  minsize: TEXT,
  maxsize: TEXT,
  tid: LIST,
  cpu: LIST,
  name: LIST,
  // states, critical-path, latencies, what-if, profile
  /** Name of a thread in output. */
  thread: TEXT,
  /** Checks the invariants of the states instead of printing them. */
  check: FLAG,
  // critical-path
  /** Name of the criterion. */
  criterion: TEXT,
  /** Names in output of threads that are marked as unrelated. */
  marked: LIST,
  'fold-loops': FLAG,
  /** Prints folded stacks. */
  folded: FLAG,
  /** Group of totals: thread, process, host; of a profile of blocked time the order of its frames. */
  by: TEXT,
  // latencies
  /** Kind of delays: wakeup, irq, softirq. */
  kind: TEXT,
  above: TEXT,
  'real-time': FLAG,
  // what-if
  /** Target of a change: KIND or KIND=NAME. */
  change: TEXT,
  /** Value of the first key of the execution, without keys its number from 0. */
  execution: TEXT,
  factor: TEXT,
  // profile, locks
  /** Profiles the active path instead of the thread alone. */
  path: FLAG,
  'off-cpu': FLAG,
  /** Tells locks by the places that ask for them. */
  places: FLAG,
  /** Threads that are profiled: the thread, all of its process, or all. */
  of: TEXT,
  /** Prints names of functions as symbol tables have them. */
  mangled: FLAG,
  'debug-dir': TEXT,
  /** Makes functions that the compiler inlined frames of their own. */
  inline: FLAG,
  // overlays, executions
  /** Name of the event that begins a span or execution. */
  begin: TEXT,
  /** Name of the event that ends it. */
  end: TEXT,
  /** Fields that have the same values in both events. */
  key: LIST,
  'across-threads': FLAG,
  // executions
  where: LIST,
  min: TEXT,
  slow: TEXT,
  /** Path of the trace that is compared, or of a file of executions. */
  against: TEXT,
  /** Puts files of executions in order of time. */
  trend: FLAG,
  /** Path of the file that the executions are written to. */
  database: TEXT,
  rename: LIST,
  // export
  /** Name of the table that is written. */
  what: TEXT,
  /** Format of the file. */
  format: TEXT,
  /** Path of the file that is written. */
  output: { ...TEXT, short: 'o' },
  'without-texts': FLAG,
  /** Path of the folder of a dataset that the trace is added to. */
  dataset: TEXT,
  label: LIST,
  // report
  'without-names': FLAG,
  /** Address of the page that links lead to. */
  page: TEXT,
  'fail-if': LIST,
} as const;

export type Options = Readonly<ReturnType<typeof optionsOf>>;

/** A virtual machine: the name of its host, and its process there. */
interface NamedMachine {
  readonly host: string;
  readonly pid: number;
}

export interface CommandLine {
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: Options;
}

/** A command of `inspect`: runs with operands and options; resolves to the exit code. */
export type Command = (operands: readonly string[], options: Options) => Promise<number>;

/** Error of the user, not of the trace: its message is all there is to say. */
export class UsageError extends Error {}

const MOST_WORKERS = 256;
const MOST_FACTOR = 1e6;

/** @throws UsageError */
export function parseCommandLine(args: readonly string[], defaultWorkers?: number): CommandLine {
  const { values, positionals } = parse(args);
  const [command = 'help', ...operands] = positionals;
  return {
    command: values.help ? 'help' : command,
    operands,
    options: optionsOf(values, defaultWorkers),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: WRITTEN });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function optionsOf(values: ReturnType<typeof parse>['values'], defaultWorkers: number | undefined) {
  return {
    ...values,
    /** Decode workers; 0: none, in this thread; undefined: as many as the trace is worth. */
    workers: integer('--workers', values.workers, 0, MOST_WORKERS) ?? defaultWorkers,
    /** Kind of decoder; default: generated code, where there is WebAssembly. */
    decoder: decoderKind(values.decoder),
    /** Target size of a chunk, bytes. */
    chunkBytes: integer('--chunk-bytes', values['chunk-bytes'], 1, 2 ** 31),
    /** Offsets to add to hosts' clocks, by name of the host, ns. */
    offsets: new Map(values.offset.map(parseOffset)),
    /** Virtual machine that a host is, by name of the host; undefined: it is none. */
    guests: new Map(values.guest.map(parseGuest)),
    /** Number of rows that are printed. */
    limit: integer('--limit', values.limit),
    /** Shortest and longest duration that counts, ns. */
    min: integer('--min', values.min),
    max: integer('--max', values.max),
    /** Prints waits for a CPU by priority, too. */
    perPriority: values['per-prio'],
    /** Fewest and most bytes moved by an access that is printed. */
    minSize: integer('--minsize', values.minsize),
    maxSize: integer('--maxsize', values.maxsize),
    /** Threads, CPUs, and names of threads, interrupts or events; empty: all. */
    tids: integers('--tid', values.tid),
    cpus: integers('--cpu', values.cpu),
    names: values.name,
    /** Takes the waits of an event loop as one. */
    foldLoops: values['fold-loops'],
    /** Length above which delays are marked, ns. */
    above: duration('--above', values.above),
    /** Only delays of threads with a real-time priority. */
    isRealTime: values['real-time'],
    /** Share of its time that the target of a change then takes. */
    factor: factor(values.factor),
    /** Profiles the blocked time of the thread. */
    offCpu: values['off-cpu'],
    /** Folder of debug files by build id; '': none; undefined: that of the distribution. */
    debugDir: values['debug-dir'],
    /** Lets a pair begin and end in different threads. */
    acrossThreads: values['across-threads'],
    /** Fields of the events that begin, and their values. */
    where: values.where.map((text) => {
      const [field, value] = assignment('--where', 'FIELD=VALUE', text);
      return { field, value };
    }),
    /** Rule by which executions are slow. */
    slow: slowRule(values.slow),
    /** Frames of the first trace that the other one calls otherwise. */
    renames: new Map(values.rename.map((text) => assignment('--rename', 'OLD=NEW', text))),
    /** Replaces the texts of events and of the environment. */
    withoutTexts: values['without-texts'],
    /** Texts about the recording, by name. */
    labels: new Map(values.label.map((text) => assignment('--label', 'NAME=VALUE', text))),
    /** Puts numbers in place of names. */
    withoutNames: values['without-names'],
    /** Conditions under which the command fails. */
    failIf: values['fail-if'],
  };
}

/** The word of a list that was written. @throws UsageError for another one */
export function oneOf<Word extends string>(name: string, words: readonly Word[], text = ''): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new UsageError(`${name}: one of ${words.join(', ')} is expected, not "${text}"`);
}

function integer(
  name: string,
  text: string | undefined,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${name}: an integer from ${least} to ${most} is expected, not "${text}"`);
}

const NS_PER_UNIT: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** @throws UsageError for what is no time: a number with its unit, ns without one */
function duration(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = '', unit = 'ns'] = /^(\d{1,15}(?:\.\d{1,9})?)(ns|us|µs|ms|s)?$/.exec(text) ?? [];
  if (number !== '') return Math.round(Number(number) * NS_PER_UNIT[unit]);
  throw new UsageError(`${name}: a time as 100us, 2.5ms or 300 (ns) is expected, not "${text}"`);
}

function integers(name: string, texts: readonly string[]): number[] {
  return texts.flatMap((text) => integer(name, text, 0, 2 ** 31 - 1) ?? []);
}

function slowRule(text: string | undefined): SlowRule | undefined {
  if (text === undefined || text === 'auto') return text;
  const percent = Number(/^p(\d{1,2}(?:\.\d{1,6})?)$/.exec(text)?.[1]);
  if (percent > 0) return percent;
  throw new UsageError(`--slow: auto, or a percentile as p90, is expected, not "${text}"`);
}

/** Texts before and behind the first equals sign. */
function assignment(name: string, expected: string, text: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw new UsageError(`${name}: ${expected} is expected, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws UsageError for what is no number from 0 to MOST_FACTOR */
function factor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MOST_FACTOR) return value;
  throw new UsageError(`--factor: a number from 0 to ${MOST_FACTOR} is expected, not "${text}"`);
}

function decoderKind(text: string | undefined): DecoderKind | undefined {
  if (text === undefined || text === 'wasm' || text === 'ts') return text;
  throw new UsageError(`--decoder: wasm or ts is expected, not "${text}"`);
}

function parseOffset(text: string): [string, bigint] {
  const match = /^(.+)=([+-]?\d+)$/.exec(text);
  if (match === null) throw new UsageError(`--offset: HOST=NS is expected, not "${text}"`);
  const ns = BigInt(match[2]);
  if (ns > MOST_OFFSET_NS || ns < -MOST_OFFSET_NS)
    throw new UsageError(
      `--offset: at most ${MOST_OFFSET_NS} ns (584 years) are expected, not "${match[2]}"`,
    );
  return [match[1], ns];
}

function parseGuest(text: string): [string, NamedMachine | undefined] {
  const match = /^(.+)=(?:none|(.+):(\d+))$/.exec(text);
  if (match === null)
    throw new UsageError(`--guest: GUEST=HOST:PID or GUEST=none is expected, not "${text}"`);
  const [, guest, host, pid] = match as (string | undefined)[];
  return [guest ?? '', host === undefined ? undefined : { host, pid: Number(pid) }];
}
