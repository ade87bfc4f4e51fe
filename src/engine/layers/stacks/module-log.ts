/** Programs and libraries in the memory of processes, from the programs' events, or from calls that map files. */
import type { LoadedModule, ProcessMemory } from './stack-tables.ts';

/** Events, and mappings, of one memory that are kept. */
const MOST_EVENTS = 20_000;
/** Results of calls from here on, as unsigned 64-bit numbers, are errors. */
const ERRORS = 2n ** 64n - 4096n;

/** A call of a thread that has not returned: the path of an opened file, a mapping of one, or a closed descriptor. */
type PendingCall =
  | { readonly path: string }
  | { readonly closed: number }
  | { readonly descriptor: number; readonly offset: bigint; readonly length: bigint };

/**
 * `there`: a state dump lists it. `opened`, `closed`: a call of dlopen or dlclose. `loaded`, `unloaded`: results of
 * such calls by the program's loader, including libraries that a library needs.
 */
export type ModuleChange = 'there' | 'opened' | 'loaded' | 'closed' | 'unloaded' | 'build id';

export interface ModuleEvent {
  readonly change: ModuleChange;
  /** HostNs. */
  readonly time: number;
  readonly base: bigint;
  /** Size in memory, bytes. */
  readonly size: number;
  /** Path; for a build id its hexadecimal digits. */
  readonly text: string;
  readonly isPic: boolean;
}

/** Mapped bytes of a file. */
interface MappedPart {
  readonly offset: bigint;
  readonly length: bigint;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Memory extends ProcessMemory {
  readonly told: ModuleEvent[];
  readonly mapped: Writable<LoadedModule>[];
}

export class ModuleLog {
  readonly #memories: Memory[] = [];
  /** Rows of the present memories, by process. */
  readonly #current = new Map<number, number>();
  /** Processes whose loaders report. */
  readonly #withLoader = new Set<number>();
  /** Calls by thread. */
  readonly #calls = new Map<number, PendingCall>();
  /** Path of the file by process and descriptor. */
  readonly #files = new Map<number, Map<number, string>>();

  /** Begins another memory of a process. @param parent that it was forked from; undefined: it executes another program */
  begin(process: number, since: number, parent?: number): void {
    const copied = parent === undefined ? -1 : this.#rowOf(parent);
    this.#current.set(process, this.#memories.length);
    this.#memories.push({ process, since, parent: copied, told: [], mapped: [] });
  }

  /** Notes a module event of a program. @param isOfLoader whether its loader reports it */
  tell(process: number, event: ModuleEvent, isOfLoader = false): void {
    if (isOfLoader) this.#withLoader.add(process);
    const { told } = this.#memories[this.#rowOf(process)];
    if (told.length < MOST_EVENTS) told.push(event);
  }

  open(thread: number, path: string): void {
    this.#calls.set(thread, { path });
  }

  close(thread: number, descriptor: number): void {
    this.#calls.set(thread, { closed: descriptor });
  }

  /** @param descriptor -1: memory of no file */
  map(thread: number, descriptor: number, offset: bigint, length: bigint): void {
    this.#calls.set(thread, { descriptor, offset, length });
  }

  return(thread: number, process: number, isMapping: boolean, result: bigint, time: number): void {
    const call = this.#calls.get(thread);
    this.#calls.delete(thread);
    if (call === undefined || result >= ERRORS) return;
    const files = this.#files.get(process) ?? new Map<number, string>();
    this.#files.set(process, files);
    if ('descriptor' in call) {
      const path = files.get(call.descriptor);
      if (isMapping && path !== undefined) this.mapped(process, path, result, call, time);
    } else if (isMapping) return;
    else if ('path' in call) files.set(Number(result), call.path);
    else files.delete(call.closed);
  }

  /** Notes a file mapped at an address. @param buildId in hexadecimal digits; undefined: not known */
  mapped(process: number, path: string, at: bigint, part: MappedPart, time: number, buildId?: string): void {
    addMapping(this.#memories[this.#rowOf(process)], path, at, part, time, buildId);
  }

  /** Modules by memory, in the order in which they became known; mappings only without module events. */
  modules(): LoadedModule[] {
    const isTold: boolean[] = [];
    return this.#memories.flatMap((memory, row) => {
      const { told, mapped, parent } = memory;
      const loaded = loadedBy(told, memory, row, this.#withLoader.has(memory.process));
      isTold[row] = loaded.length > 0 || (parent >= 0 && isTold[parent]);
      return isTold[row] ? loaded : mapped.map((module) => ({ ...module, memory: row }));
    });
  }

  /** Memories in order of their begin, each after the one that it is a copy of. */
  memories(): ProcessMemory[] {
    return this.#memories.map(({ process, since, parent }) => ({ process, since, parent }));
  }

  /** Row of a process's present memory; one whose begin was not seen always existed. */
  #rowOf(process: number): number {
    const known = this.#current.get(process);
    if (known !== undefined) return known;
    this.begin(process, -Infinity);
    return this.#memories.length - 1;
  }
}

/** Adds a mapping. Within a module of its path it belongs to that, as a loader first maps the whole file. */
function addMapping(
  { process, mapped }: Memory,
  path: string,
  at: bigint,
  { offset, length }: MappedPart,
  since: number,
  buildId: string | undefined,
): void {
  const base = at - offset;
  const size = (from: bigint) => Number(at + length - from);
  const isIn = (module: LoadedModule) =>
    module.path === path &&
    (buildId === undefined || module.buildId === undefined || module.buildId === buildId) &&
    (module.base === base || (module.base <= at && at < module.base + BigInt(module.size)));
  const known = mapped.find(isIn);
  if (known !== undefined) {
    known.size = Math.max(known.size, size(known.base));
    known.buildId ??= buildId;
  } else if (mapped.length < MOST_EVENTS) {
    const mapping = { at, offset: Number(offset), length: Number(length) };
    const identity = { process, memory: 0, base, size: size(base), path, buildId };
    mapped.push({ ...identity, isPic: true, since, mapping });
  }
}

interface Loading {
  readonly module: Writable<LoadedModule>;
  /** Range of memory, rounded to doubles. */
  readonly from: number;
  readonly to: number;
  /** Number of opening calls that have not been undone. */
  opens: number;
}

/** Modules of a memory. One ends by its loader's event, else when closed as often as opened, or when another takes its place. */
function loadedBy(
  events: readonly ModuleEvent[],
  { process, since: begin }: ProcessMemory,
  memory: number,
  hasLoader: boolean,
): LoadedModule[] {
  const all: Writable<LoadedModule>[] = [];
  let there: Loading[] = [];
  for (const { change, time, base, size, text, isPic } of events) {
    if (change === 'build id') {
      const known = all.findLast((module) => module.base === base && module.buildId === undefined);
      if (known !== undefined) known.buildId = text;
    } else if (change === 'closed' || change === 'unloaded') {
      const last = there.findLast(({ module }) => module.base === base);
      if (last === undefined) continue;
      // It is unknown how often a module in a state dump was opened.
      if (change === 'closed' && (hasLoader || last.opens === 0 || --last.opens > 0)) continue;
      last.module.until = time;
      there = there.filter((other) => other !== last);
    } else {
      const [from, to] = [Number(base), Number(base) + size];
      const opens = change === 'opened' ? 1 : 0;
      const known = there.find(
        (other) => other.from === from && other.module.base === base && other.module.path === text,
      );
      if (known !== undefined) {
        known.opens += opens;
        continue;
      }
      const gone = there.filter((other) => other.from < to && from < other.to);
      for (const { module } of gone) module.until = time;
      const since = change === 'there' && gone.length === 0 ? begin : time;
      const module = { process, memory, base, size, path: text, buildId: undefined, isPic, since };
      all.push(module);
      if (gone.length > 0) there = there.filter((other) => !gone.includes(other));
      there.push({ module, from, to, opens });
    }
  }
  return all;
}
