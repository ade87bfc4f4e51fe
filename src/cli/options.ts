/** The command line: options common to all commands, and those of some. */
import { parseArgs } from 'node:util';
import type { DecoderKind } from '../engine/ctf/decode/wasm/decode-memory.ts';
import type { SlowRule } from '../engine/layers/executions/ranking/groups.ts';
import { MOST_OFFSET_NS } from '../engine/sync/clock-transform.ts';

const FLAG = { type: 'boolean', default: false } as const;
const TEXT = { type: 'string' } as const;
const LIST = { type: 'string', multiple: true, default: [] as string[] } as const;

/** Options as they are written. */
const WRITTEN = {
  workers: TEXT,
  'chunk-bytes': TEXT,
  decoder: TEXT,
  range: TEXT,
  host: TEXT,
  offset: LIST,
  guest: LIST,
  timing: FLAG,
  json: FLAG,
  strict: FLAG,
  store: TEXT,
  sha256: FLAG,
  filter: TEXT,
  limit: TEXT,
  each: FLAG,
  kind: TEXT,
  above: TEXT,
  'real-time': FLAG,
  max: TEXT,
  'per-prio': FLAG,
  minsize: TEXT,
  maxsize: TEXT,
  tid: LIST,
  cpu: LIST,
  name: LIST,
  thread: TEXT,
  check: FLAG,
  criterion: TEXT,
  marked: LIST,
  'fold-loops': FLAG,
  folded: FLAG,
  change: TEXT,
  execution: TEXT,
  factor: TEXT,
  by: TEXT,
  path: FLAG,
  'off-cpu': FLAG,
  places: FLAG,
  of: TEXT,
  mangled: FLAG,
  'debug-dir': TEXT,
  inline: FLAG,
  begin: TEXT,
  end: TEXT,
  key: LIST,
  'across-threads': FLAG,
  where: LIST,
  min: TEXT,
  slow: TEXT,
  against: TEXT,
  trend: FLAG,
  database: TEXT,
  rename: LIST,
  what: TEXT,
  format: TEXT,
  output: { ...TEXT, short: 'o' },
  'without-texts': FLAG,
  dataset: TEXT,
  label: LIST,
  'without-names': FLAG,
  page: TEXT,
  'fail-if': LIST,
  help: { ...FLAG, short: 'h' },
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
    /** Decode workers; 0: none, in this thread; undefined: as many as the trace is worth. */
    workers: integer('--workers', values.workers, 0, MOST_WORKERS) ?? defaultWorkers,
    /** Kind of decoder; default: generated code, where there is WebAssembly. */
    decoder: decoderKind(values.decoder),
    /** Target size of a chunk, bytes. */
    chunkBytes: integer('--chunk-bytes', values['chunk-bytes'], 1, 2 ** 31),
    /** Range as it is written; its times need the experiment's origin (`trace-session.ts`). */
    range: values.range,
    /** Name of the only host that counts. */
    host: values.host,
    /** Offsets to add to hosts' clocks, by name of the host, ns. */
    offsets: new Map(values.offset.map(parseOffset)),
    /** Virtual machine that a host is, by name of the host; undefined: it is none. */
    guests: new Map(values.guest.map(parseGuest)),
    /** Prints the time per stage to stderr. */
    timing: values.timing,
    /** Prints JSON for programs. */
    json: values.json,
    /** Warnings make the exit code another. */
    strict: values.strict,
    /** Folder of the store. */
    store: values.store,

    // canonical
    /** Prints the digest instead of the text. */
    sha256: values.sha256,

    // events
    /** Filter of events, in its language. */
    filter: values.filter,

    // events, latencies, stats
    /** Number of rows that are printed. */
    limit: integer('--limit', values.limit),

    // stats
    /** Prints single durations instead of their sums. */
    each: values.each,
    /** Longest duration that is printed, ns. */
    max: integer('--max', values.max),
    /** Prints waits for a CPU by priority, too. */
    perPriority: values['per-prio'],
    /** Fewest bytes moved by an access that is printed. */
    minSize: integer('--minsize', values.minsize),
    /** Most bytes moved by an access that is printed. */
    maxSize: integer('--maxsize', values.maxsize),
    /** Threads, CPUs, and names of threads, interrupts or events; empty: all. */
    tids: integers('--tid', values.tid),
    cpus: integers('--cpu', values.cpu),
    names: values.name,

    // states, critical-path, profile
    /** Name of a thread in output. */
    thread: values.thread,
    /** Checks the invariants of the states instead of printing them. */
    check: values.check,

    // critical-path
    /** Name of the criterion. */
    criterion: values.criterion,
    /** Names in output of threads that are marked as unrelated. */
    marked: values.marked,
    /** Takes the waits of an event loop as one. */
    foldLoops: values['fold-loops'],
    /** Prints folded stacks. */
    folded: values.folded,
    /** Group of totals: thread, process, host; of a profile of blocked time the order of its frames. */
    by: values.by,

    // latencies
    /** Kind of delays: wakeup, irq, softirq. */
    kind: values.kind,
    /** Length above which delays are marked, ns. */
    above: duration('--above', values.above),
    /** Only delays of threads with a real-time priority. */
    isRealTime: values['real-time'],

    // what-if
    /** Target of a change: KIND or KIND=NAME. */
    change: values.change,
    /** Value of the first key of the execution, without keys its number from 0. */
    execution: values.execution,
    /** Share of its time that the target then takes. */
    factor: factor(values.factor),

    // profile
    /** Profiles the active path instead of the thread alone. */
    path: values.path,
    /** Profiles the blocked time of the thread. */
    offCpu: values['off-cpu'],
    // locks
    /** Tells locks by the places that ask for them. */
    places: values.places,

    /** Threads that are profiled: the thread, all of its process, or all. */
    of: values.of,
    /** Prints names of functions as symbol tables have them. */
    mangled: values.mangled,
    /** Folder of debug files by build id; '': none; undefined: that of the distribution. */
    debugDir: values['debug-dir'],
    /** Makes functions that the compiler inlined frames of their own. */
    inline: values.inline,

    // overlays, executions
    /** Name of the event that begins a span or execution. */
    begin: values.begin,
    /** Name of the event that ends it. */
    end: values.end,
    /** Fields that have the same values in both events. */
    key: values.key,
    /** Lets a pair begin and end in different threads. */
    acrossThreads: values['across-threads'],

    // executions
    /** Fields of the events that begin, and their values. */
    where: values.where.map((text) => {
      const [field, value] = assignment('--where', 'FIELD=VALUE', text);
      return { field, value };
    }),

    // executions, stats
    /** Shortest duration that counts, ns. */
    min: integer('--min', values.min),
    /** Rule by which executions are slow. */
    slow: slowRule(values.slow),
    /** Path of the trace that is compared, or of a file of executions. */
    against: values.against,
    /** Puts files of executions in order of time. */
    trend: values.trend,
    /** Path of the file that the executions are written to. */
    database: values.database,
    /** Frames of the first trace that the other one calls otherwise. */
    renames: new Map(values.rename.map((text) => assignment('--rename', 'OLD=NEW', text))),

    // export
    /** Name of the table that is written. */
    what: values.what,
    /** Format of the file. */
    format: values.format,
    /** Path of the file that is written. */
    output: values.output,
    /** Replaces the texts of events and of the environment. */
    withoutTexts: values['without-texts'],
    /** Path of the folder of a dataset that the trace is added to. */
    dataset: values.dataset,
    /** Texts about the recording, by name. */
    labels: new Map(values.label.map((text) => assignment('--label', 'NAME=VALUE', text))),

    // report
    /** Puts numbers in place of names. */
    withoutNames: values['without-names'],
    /** Address of the page that links lead to. */
    page: values.page,
    /** Conditions under which the command fails. */
    failIf: values['fail-if'],
  };
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
