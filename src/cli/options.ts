/** The command line: options common to all commands, and those of some. */
import { parseArgs } from 'node:util';
import type { DecoderKind } from '../engine/ctf/decode/wasm/decode-memory.ts';

export interface Options {
  /** Decode workers; 0: none, in this thread. */
  readonly workers: number;
  /** Kind of decoder; default: generated code, where there is WebAssembly. */
  readonly decoder?: DecoderKind;
  /** Target size of a chunk, bytes. */
  readonly chunkBytes?: number;
  /** Range as it is written; its times need the experiment's origin (`range.ts`). */
  readonly range?: string;
  /** Name of the only host that counts. */
  readonly host?: string;
  /** Offsets to add to hosts' clocks, by name of the host, ns. */
  readonly offsets: ReadonlyMap<string, bigint>;
  /** Virtual machine that a host is, by name of the host; undefined: it is none. */
  readonly guests: ReadonlyMap<string, NamedMachine | undefined>;
  /** Prints the time per stage to stderr. */
  readonly timing: boolean;
  /** Prints JSON for programs. */
  readonly json: boolean;
  /** Warnings make the exit code another. */
  readonly strict: boolean;
  /** Folder of the store. */
  readonly store?: string;

  // canonical
  /** Prints the digest instead of the text. */
  readonly sha256: boolean;

  // events
  /** Filter of events, in its language. */
  readonly filter?: string;

  // events, stats
  /** Number of rows that are printed. */
  readonly limit?: number;

  // stats
  /** Prints single durations instead of their sums. */
  readonly each: boolean;
  /** Longest duration that is printed, ns. */
  readonly max?: number;
  /** Prints waits for a CPU by priority, too. */
  readonly perPriority: boolean;
  /** Fewest bytes moved by an access that is printed. */
  readonly minSize?: number;
  /** Most bytes moved by an access that is printed. */
  readonly maxSize?: number;
  /** Threads, CPUs, and names of threads, interrupts or events; empty: all. */
  readonly tids: readonly number[];
  readonly cpus: readonly number[];
  readonly names: readonly string[];

  // states, critical-path, profile
  /** Name of a thread in output. */
  readonly thread?: string;
  /** Checks the invariants of the states instead of printing them. */
  readonly check: boolean;

  // critical-path
  /** Name of the criterion. */
  readonly criterion?: string;
  /** Names in output of threads that are marked as unrelated. */
  readonly marked: readonly string[];
  /** Takes the waits of an event loop as one. */
  readonly foldLoops: boolean;
  /** Prints folded stacks. */
  readonly folded: boolean;
  /** Group of totals: thread, process, host. */
  readonly by?: string;

  // profile
  /** Profiles the active path instead of the thread alone. */
  readonly path: boolean;
  /** Prints names of functions as symbol tables have them. */
  readonly mangled: boolean;
  /** Makes functions that the compiler inlined frames of their own. */
  readonly inline: boolean;

  // overlays, executions
  /** Name of the event that begins a span or execution. */
  readonly begin?: string;
  /** Name of the event that ends it. */
  readonly end?: string;
  /** Fields that have the same values in both events. */
  readonly key: readonly string[];
  /** Lets a pair begin and end in different threads. */
  readonly acrossThreads: boolean;

  // executions, stats
  /** Shortest duration that counts, ns. */
  readonly min?: number;

  // executions
  /** Fields of the events that begin, and their values. */
  readonly where: readonly { readonly field: string; readonly value: string }[];
  /** Percentile above which an execution is slow. */
  readonly slow?: number;
  /** Path of the trace that is compared, or of a file of executions. */
  readonly against?: string;
  /** Path of the file that the executions are written to. */
  readonly database?: string;
  /** Frames of the first trace that the other one calls otherwise. */
  readonly renames: ReadonlyMap<string, string>;

  // export
  /** Name of the table that is written. */
  readonly what?: string;
  /** Format of the file. */
  readonly format?: string;
  /** Path of the file that is written. */
  readonly output?: string;
  /** Replaces the texts of events and of the environment. */
  readonly withoutTexts: boolean;
}

/** A virtual machine: the name of its host, and its process there. */
export interface NamedMachine {
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

/** @throws UsageError */
export function parseCommandLine(args: readonly string[], defaultWorkers: number): CommandLine {
  const { values, positionals } = parse(args);
  const [command = 'help', ...operands] = positionals;
  return {
    command: values.help === true ? 'help' : command,
    operands,
    options: {
      workers: integer('--workers', values.workers, 0, MOST_WORKERS) ?? defaultWorkers,
      decoder: decoderKind(values.decoder),
      chunkBytes: integer('--chunk-bytes', values['chunk-bytes'], 1, 2 ** 31),
      range: values.range,
      host: values.host,
      offsets: new Map((values.offset ?? []).map(parseOffset)),
      guests: new Map((values.guest ?? []).map(parseGuest)),
      timing: values.timing ?? false,
      json: values.json ?? false,
      strict: values.strict ?? false,
      store: values.store,
      sha256: values.sha256 ?? false,
      filter: values.filter,
      limit: integer('--limit', values.limit, 0, Number.MAX_SAFE_INTEGER),
      each: values.each ?? false,
      max: integer('--max', values.max, 0, Number.MAX_SAFE_INTEGER),
      perPriority: values['per-prio'] ?? false,
      minSize: integer('--minsize', values.minsize, 0, Number.MAX_SAFE_INTEGER),
      maxSize: integer('--maxsize', values.maxsize, 0, Number.MAX_SAFE_INTEGER),
      tids: integers('--tid', values.tid),
      cpus: integers('--cpu', values.cpu),
      names: values.name ?? [],
      thread: values.thread,
      check: values.check ?? false,
      criterion: values.criterion,
      marked: values.marked ?? [],
      foldLoops: values['fold-loops'] ?? false,
      folded: values.folded ?? false,
      by: values.by,
      path: values.path ?? false,
      mangled: values.mangled ?? false,
      inline: values.inline ?? false,
      begin: values.begin,
      end: values.end,
      key: values.key ?? [],
      acrossThreads: values['across-threads'] ?? false,
      where: (values.where ?? []).map((text) => {
        const [field, value] = assignment('--where', 'FIELD=VALUE', text);
        return { field, value };
      }),
      min: integer('--min', values.min, 0, Number.MAX_SAFE_INTEGER),
      slow: percentile(values.slow),
      against: values.against,
      database: values.database,
      renames: new Map((values.rename ?? []).map((text) => assignment('--rename', 'OLD=NEW', text))),
      what: values.what,
      format: values.format,
      output: values.output,
      withoutTexts: values['without-texts'] ?? false,
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        workers: { type: 'string' },
        'chunk-bytes': { type: 'string' },
        decoder: { type: 'string' },
        range: { type: 'string' },
        host: { type: 'string' },
        offset: { type: 'string', multiple: true },
        guest: { type: 'string', multiple: true },
        timing: { type: 'boolean' },
        json: { type: 'boolean' },
        strict: { type: 'boolean' },
        store: { type: 'string' },
        sha256: { type: 'boolean' },
        filter: { type: 'string' },
        limit: { type: 'string' },
        each: { type: 'boolean' },
        max: { type: 'string' },
        'per-prio': { type: 'boolean' },
        minsize: { type: 'string' },
        maxsize: { type: 'string' },
        tid: { type: 'string', multiple: true },
        cpu: { type: 'string', multiple: true },
        name: { type: 'string', multiple: true },
        thread: { type: 'string' },
        check: { type: 'boolean' },
        criterion: { type: 'string' },
        marked: { type: 'string', multiple: true },
        'fold-loops': { type: 'boolean' },
        folded: { type: 'boolean' },
        by: { type: 'string' },
        path: { type: 'boolean' },
        mangled: { type: 'boolean' },
        inline: { type: 'boolean' },
        begin: { type: 'string' },
        end: { type: 'string' },
        key: { type: 'string', multiple: true },
        'across-threads': { type: 'boolean' },
        where: { type: 'string', multiple: true },
        min: { type: 'string' },
        slow: { type: 'string' },
        against: { type: 'string' },
        database: { type: 'string' },
        rename: { type: 'string', multiple: true },
        what: { type: 'string' },
        format: { type: 'string' },
        output: { type: 'string', short: 'o' },
        'without-texts': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function integer(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${name}: an integer from ${least} to ${most} is expected, not "${text}"`);
}

function integers(name: string, texts: readonly string[] = []): number[] {
  return texts.flatMap((text) => integer(name, text, 0, 2 ** 31 - 1) ?? []);
}

function percentile(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(/^p(\d{1,2}(?:\.\d{1,6})?)$/.exec(text)?.[1]);
  if (percent > 0) return percent;
  throw new UsageError(`--slow: a percentile is expected, as p90, not "${text}"`);
}

/** Texts before and behind the first equals sign. */
function assignment(name: string, expected: string, text: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw new UsageError(`${name}: ${expected} is expected, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function decoderKind(text: string | undefined): DecoderKind | undefined {
  if (text === undefined || text === 'wasm' || text === 'ts') return text;
  throw new UsageError(`--decoder: wasm or ts is expected, not "${text}"`);
}

function parseOffset(text: string): [string, bigint] {
  const match = /^(.+)=([+-]?\d+)$/.exec(text);
  if (match === null) throw new UsageError(`--offset: HOST=NS is expected, not "${text}"`);
  return [match[1], BigInt(match[2])];
}

function parseGuest(text: string): [string, NamedMachine | undefined] {
  const match = /^(.+)=(?:none|(.+):(\d+))$/.exec(text);
  if (match === null)
    throw new UsageError(`--guest: GUEST=HOST:PID or GUEST=none is expected, not "${text}"`);
  const [, guest, host, pid] = match as (string | undefined)[];
  return [guest ?? '', host === undefined ? undefined : { host, pid: Number(pid) }];
}
