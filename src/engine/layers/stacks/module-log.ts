/** Programs and libraries in the memory of processes, as programs tell them, or as calls that map files show. */
import { addTo } from '../../base/group-by.ts';
import type { LoadedModule } from './stack-tables.ts';

/** Modules of one process that are kept. */
const MOST_MODULES = 10_000;
/** Results of calls from here on, as unsigned numbers of 64 bits, are errors. */
const ERRORS = 2n ** 64n - 4096n;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A call of a thread that has not returned: the path of an opened file, or a mapping of one. */
type PendingCall =
  | { readonly path: string }
  | { readonly descriptor: number; readonly offset: bigint; readonly length: bigint };

export class ModuleLog {
  readonly #told = new Map<number, Writable<LoadedModule>[]>();
  readonly #mapped = new Map<number, Writable<LoadedModule>[]>();
  /** Calls by thread. */
  readonly #calls = new Map<number, PendingCall>();
  /** Path of the file by process and descriptor. */
  readonly #files = new Map<number, Map<number, string>>();

  /** A program says what it has loaded. The same path at the same base again is nothing new. */
  tell(module: LoadedModule): void {
    const known = this.#told.get(module.process) ?? [];
    if (known.length === MOST_MODULES) return;
    const isThere = ({ base, path, until }: LoadedModule) =>
      base === module.base && path === module.path && until === undefined;
    if (!known.some(isThere)) addTo(this.#told, module.process, { ...module });
  }

  /** Sets the build id of the module that was told last at this base. */
  tellBuildId(process: number, base: bigint, buildId: string): void {
    const module = this.#told.get(process)?.findLast((other) => other.base === base);
    if (module !== undefined) module.buildId = buildId;
  }

  /** A program closes what it has loaded at this base. */
  close(process: number, base: bigint, time: number): void {
    const module = this.#told.get(process)?.findLast((other) => other.base === base);
    if (module !== undefined) module.until ??= time;
  }

  open(thread: number, path: string): void {
    this.#calls.set(thread, { path });
  }

  /** @param descriptor -1: memory of no file */
  map(thread: number, descriptor: number, offset: bigint, length: bigint): void {
    this.#calls.set(thread, { descriptor, offset, length });
  }

  return(thread: number, process: number, isMapping: boolean, result: bigint, time: number): void {
    const call = this.#calls.get(thread);
    this.#calls.delete(thread);
    if (call === undefined || result >= ERRORS) return;
    if ('path' in call) {
      const files = this.#files.get(process) ?? new Map<number, string>();
      this.#files.set(process, files);
      if (!isMapping) files.set(Number(result), call.path);
      return;
    }
    const path = this.#files.get(process)?.get(call.descriptor);
    if (!isMapping || path === undefined) return;
    this.#addMapping(process, path, result - call.offset, result + call.length, time);
  }

  /** Modules in the order in which they became known; mappings only of processes that tell nothing. */
  modules(): LoadedModule[] {
    const mapped = [...this.#mapped].filter(([process]) => !this.#told.has(process));
    return [...this.#told, ...mapped].flatMap(([, modules]) => modules.map((module) => ({ ...module })));
  }

  /** All mappings of a path from one base are one module. */
  #addMapping(process: number, path: string, base: bigint, end: bigint, since: number): void {
    const modules = this.#mapped.get(process) ?? [];
    const size = Number(end - base);
    const known = modules.find((other) => other.base === base && other.path === path);
    if (known !== undefined) known.size = Math.max(known.size, size);
    else if (modules.length < MOST_MODULES)
      addTo(this.#mapped, process, { process, base, size, path, buildId: undefined, isPic: true, since });
  }
}
