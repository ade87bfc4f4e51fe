/** Finder of the program or library that an address is in at a time: of several the last one loaded before it. */
import { firstWhere } from '../../base/lower-bound.ts';
import { groupBy } from '../../base/group-by.ts';
import type { LoadedModule } from './stack-tables.ts';

/** The modules of one process that an address may be in. */
interface Space {
  /** Rows of the list, by base. */
  readonly rows: readonly number[];
  readonly base: readonly bigint[];
  /** Greatest end so far by place in `rows`. */
  readonly reach: readonly bigint[];
  /** HostNs at which modules were loaded, ascending. */
  readonly since: Float64Array;
}

export class ModuleFinder {
  readonly #modules: readonly LoadedModule[];
  readonly #spaces: ReadonlyMap<number, Space>;

  /** @param modules later ones of the same time were loaded later */
  constructor(modules: readonly LoadedModule[]) {
    this.#modules = modules;
    const rows = groupBy(modules.keys(), (row) => modules[row].process);
    this.#spaces = new Map(Array.from(rows, ([process, own]) => [process, spaceOf(modules, own)]));
  }

  /** Rows of the modules of a process that ever cover an address, in the order in which they were loaded. */
  covering(process: number, address: bigint): number[] {
    const space = this.#spaces.get(process);
    const found: number[] = [];
    if (space === undefined) return found;
    let at = firstWhere(0, space.base.length, (i) => space.base[i] > address) - 1;
    for (; at >= 0 && space.reach[at] > address; at--) {
      const { base, size } = this.#modules[space.rows[at]];
      if (address < base + BigInt(size)) found.push(space.rows[at]);
    }
    const since = (row: number) => this.#modules[row].since;
    return found.sort((a, b) => (since(a) === since(b) ? a - b : since(a) - since(b)));
  }

  /** The last of these rows, in order of loading, at or before `time` (HostNs), else the first; -1: there is none. */
  at(rows: readonly number[], time: number): number {
    const behind = firstWhere(0, rows.length, (i) => this.#modules[rows[i]].since > time);
    return rows.length === 0 ? -1 : rows[Math.max(0, behind - 1)];
  }

  /** Number of modules of a process that were loaded by a time: while it is equal, so is what addresses are in. */
  loadedAt(process: number, time: number): number {
    const space = this.#spaces.get(process);
    return space === undefined ? 0 : firstWhere(0, space.since.length, (i) => space.since[i] > time);
  }
}

function spaceOf(modules: readonly LoadedModule[], own: readonly number[]): Space {
  const rows = [...own].sort((a, b) =>
    modules[a].base < modules[b].base ? -1 : modules[a].base > modules[b].base ? 1 : a - b,
  );
  let reach = 0n;
  return {
    rows,
    base: rows.map((row) => modules[row].base),
    reach: rows.map((row) => {
      const end = modules[row].base + BigInt(modules[row].size);
      if (end > reach) reach = end;
      return reach;
    }),
    since: Float64Array.from(own, (row) => modules[row].since).sort(),
  };
}
