/** Finds the program or library that contains an address at a time: of several the last one loaded before it. */
import { compare } from '../../base/compare.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { groupBy } from '../../base/group-by.ts';
import type { LoadedModule, ProcessMemory } from './stack-tables.ts';

/** Most forks between a process and the one that loaded its modules. */
const MOST_FORKS = 64;

/** Modules of one memory. */
interface Space {
  /** Rows of the list, in order of their begin. */
  readonly rows: readonly number[];
  readonly begin: readonly bigint[];
  /** Greatest end so far by place in `rows`. */
  readonly reach: readonly bigint[];
}

export class ModuleFinder {
  readonly #modules: readonly LoadedModule[];
  readonly #memories: readonly ProcessMemory[];
  /** Modules by memory; undefined: it has none. */
  readonly #spaces: readonly (Space | undefined)[];
  /** Rows of memories by process, in order of time. */
  readonly #ofProcess: ReadonlyMap<number, readonly number[]>;
  /** HostNs of changes, ascending, by process. */
  readonly #changes = new Map<number, Float64Array>();

  /** @param modules of the same time in order of loading @param memories that contain the modules */
  constructor(modules: readonly LoadedModule[], memories: readonly ProcessMemory[]) {
    this.#modules = modules;
    this.#memories = memories;
    const rows = groupBy(modules.keys(), (row) => modules[row].memory);
    this.#spaces = memories.map((_, memory) => {
      const own = rows.get(memory);
      return own && spaceOf(modules, own);
    });
    this.#ofProcess = groupBy(memories.keys(), (row) => memories[row].process);
    for (const [process, own] of this.#ofProcess) {
      const times = own.flatMap((memory) => [
        memories[memory].since,
        ...(rows.get(memory) ?? []).flatMap((row) => [modules[row].since, modules[row].until ?? Infinity]),
      ]);
      this.#changes.set(process, Float64Array.from(new Set(times)).filter(Number.isFinite).sort());
    }
  }

  /** Rows of a process's modules that ever cover an address, in order of loading. */
  covering(process: number, address: bigint): number[] {
    const memories = this.#ofProcess.get(process) ?? [];
    return memories.flatMap((memory) => this.#covering(memory, address));
  }

  /**
   * Module that contains an address of a process at `time` (HostNs); -1: none. If none was loaded before, it is that
   * of the parent process, else the first one loaded later.
   */
  at(process: number, address: bigint, time: number): number {
    const memories = this.#ofProcess.get(process) ?? [];
    const begun = firstWhere(0, memories.length, (i) => this.#memories[memories[i]].since > time);
    return begun === 0 ? -1 : this.#in(memories[begun - 1], address, time, true);
  }

  /** Number of module changes of a process by a time: while it is equal, addresses are in the same modules. */
  changesBy(process: number, time: number): number {
    const changes = this.#changes.get(process);
    return changes === undefined ? 0 : firstWhere(0, changes.length, (i) => changes[i] > time);
  }

  /** @param mayBeLater whether a module loaded later counts */
  #in(memory: number, address: bigint, time: number, mayBeLater: boolean): number {
    let [at, now] = [memory, time];
    for (let forks = 0; forks <= MOST_FORKS; forks++) {
      const rows = this.#covering(at, address);
      const loaded = firstWhere(0, rows.length, (i) => this.#modules[rows[i]].since > now);
      for (let i = loaded - 1; i >= 0; i--)
        if ((this.#modules[rows[i]].until ?? Infinity) > now) return rows[i];
      if (loaded > 0) break;
      const { parent, since } = this.#memories[at];
      if (parent < 0) break;
      [at, now] = [parent, since];
    }
    const rows = mayBeLater ? this.#covering(memory, address) : [];
    return rows.length > 0 && this.#modules[rows[0]].since > time ? rows[0] : -1;
  }

  #covering(memory: number, address: bigint): number[] {
    const space = this.#spaces[memory];
    const found: number[] = [];
    if (space === undefined) return found;
    let at = firstWhere(0, space.begin.length, (i) => space.begin[i] > address) - 1;
    for (; at >= 0 && space.reach[at] > address; at--)
      if (address < endOf(this.#modules[space.rows[at]])) found.push(space.rows[at]);
    const since = (row: number) => this.#modules[row].since;
    return found.sort((a, b) => (since(a) === since(b) ? a - b : since(a) - since(b)));
  }
}

function beginOf({ base, mapping }: LoadedModule): bigint {
  return mapping?.at ?? base;
}

function endOf({ base, size }: LoadedModule): bigint {
  return base + BigInt(size);
}

function spaceOf(modules: readonly LoadedModule[], own: readonly number[]): Space {
  const begin = own.map((row) => beginOf(modules[row]));
  const order = [...own.keys()].sort((a, b) => compare(begin[a], begin[b]) || own[a] - own[b]);
  let reach = 0n;
  return {
    rows: order.map((i) => own[i]),
    begin: order.map((i) => begin[i]),
    reach: order.map((i) => {
      const end = endOf(modules[own[i]]);
      if (end > reach) reach = end;
      return reach;
    }),
  };
}
