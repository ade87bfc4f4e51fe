/** The command line: options common to all commands, and those of some. */
import { parseArgs } from 'node:util';
import type { DecoderKind } from '../engine/ctf/decode/wasm/decode-memory.ts';

export interface Options {
  /** Decode workers; 0: none, in this thread. */
  readonly workers: number;
  /** Default: generated code, where there is WebAssembly. */
  readonly decoder?: DecoderKind;
  /** Bytes. */
  readonly chunkBytes?: number;
  /** As written; times need the experiment's origin, see `range.ts`. */
  readonly range?: string;
  /** Only the host of this name. */
  readonly host?: string;
  /** ns to add to a host's clock, by host name. */
  readonly offsets: ReadonlyMap<string, bigint>;
  /** Which machine of which host a host is, by host name; undefined: it is none. */
  readonly guests: ReadonlyMap<string, NamedMachine | undefined>;
  /** Time per stage, on stderr. */
  readonly timing: boolean;
  /** Output for programs. */
  readonly json: boolean;
  /** Warnings make the exit code another. */
  readonly strict: boolean;
  /** Folder of the store. */
  readonly store?: string;

  // canonical
  /** The digest instead of the text. */
  readonly sha256: boolean;

  // events
  /** In the filter language. */
  readonly filter?: string;

  // events, stats
  /** How many are printed. */
  readonly limit?: number;

  // stats
  /** Single durations instead of their sums. */
  readonly each: boolean;
  /** ns: longer ones are left out. */
  readonly max?: number;
  /** Waits for a CPU by priority too. */
  readonly perPriority: boolean;
  /** Bytes: what moved fewer, or more, is left out. */
  readonly minSize?: number;
  readonly maxSize?: number;
  /** Threads, CPUs, and names of threads, interrupts or events; empty: all. */
  readonly tids: readonly number[];
  readonly cpus: readonly number[];
  readonly names: readonly string[];

  // states, critical-path, profile
  /** A thread by its name in output. */
  readonly thread?: string;
  /** The invariants of the states instead of these. */
  readonly check: boolean;

  // critical-path
  /** Name of the criterion. */
  readonly criterion?: string;
  /** Threads that are marked as unrelated, by their names in output. */
  readonly marked: readonly string[];
  /** Takes the waits of an event loop as one. */
  readonly foldLoops: boolean;
  /** Output as folded stacks. */
  readonly folded: boolean;
  /** By whom totals are: thread, process, host. */
  readonly by?: string;

  // profile
  /** Of the active path instead of the thread alone. */
  readonly path: boolean;
  /** Names of functions as symbol tables have them. */
  readonly mangled: boolean;
  /** Functions that the compiler put into others are frames of their own. */
  readonly inline: boolean;

  // overlays, executions
  /** The events of a pair. */
  readonly begin?: string;
  readonly end?: string;
  /** Fields that have the same values in both. */
  readonly key: readonly string[];
  /** A pair may begin and end in different threads. */
  readonly acrossThreads: boolean;

  // executions, stats
  /** ns: shorter ones are left out. */
  readonly min?: number;

  // executions
  /** Fields and the values that they have in the events that begin. */
  readonly where: readonly { readonly field: string; readonly value: string }[];
  /** Percentile above which an execution is slow. */
  readonly slow?: number;
  /** Path of the trace that is compared, or of a file of executions. */
  readonly against?: string;
  /** File that the executions are written to. */
  readonly database?: string;
  /** Frames of the first trace that the other one calls otherwise. */
  readonly renames: ReadonlyMap<string, string>;

  // export
  /** What is written. */
  readonly what?: string;
  /** As what kind of file. */
  readonly format?: string;
  /** The file that is written. */
  readonly output?: string;
  /** Other texts are in place of those of events and of the environment. */
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

/** Of the user, not of the trace: its message is all there is to say. */
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

/** What stands before and behind the first equals sign. */
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
