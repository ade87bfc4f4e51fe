/**
 * Functions that a thread has entered and not left. Exits may be missing if exceptions or `longjmp` leave functions;
 * then the call site of the next entry, a return address, tells from which of them it was called.
 */

import { addTo } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import type { SymbolAt } from '../../symbols/symbols.ts';
import { ALL_LEFT, exitOf, type FunctionEntries, type StackTables } from './stack-tables.ts';

/** Frames of a stack from entries and exits; of deeper ones only the outermost are shown. */
const MOST_SHOWN = 1024;
/** Entered functions that are kept; more are only counted. */
const MOST_ENTERED = 2 ** 20;

/** Number of sites in keys of frame and site, exact in a double. */
const MOST_SITES = 2 ** 26;

const EMPTY = 0;

/** Space in which stacks are made, with the functions of addresses. */
export interface FunctionSpace {
  /** Row of the stack `below` with one more frame. */
  on(below: number, frame: number): number;
  /** Key of the function that contains a frame; undefined: not known. */
  functionOf(frame: number): string | undefined;
}

interface Entry {
  readonly frame: number;
  /** Frame of its call site; -1: not known. */
  readonly site: number;
  /** The function that contains the call site, if known. */
  readonly inside: string | undefined;
  /** Outermost of adjacent entries with this call site, which are inlined into one another. */
  readonly group: number;
  readonly stack: number;
}

/** Places among the entries, by key. */
class Places<Key> {
  readonly #places = new Map<Key, number[]>();

  /** Place of the innermost one, -1 none. */
  last(key: Key): number {
    return this.#places.get(key)?.at(-1) ?? -1;
  }

  add(key: Key, place: number): void {
    addTo(this.#places, key, place);
  }

  pop(key: Key): void {
    const places = this.#places.get(key);
    places?.pop();
    if (places?.length === 0) this.#places.delete(key);
  }
}

export class EnteredFunctions {
  readonly #entries: Entry[] = [];
  readonly #frames = new Places<number>();
  readonly #pairs = new Places<number>();
  readonly #functions = new Places<string>();
  /** Number of entries that are only counted. */
  #more = 0;

  constructor(private readonly space: FunctionSpace) {}

  get stack(): number {
    return this.#entries.at(-1)?.stack ?? EMPTY;
  }

  /** @param site frame of the call site, a return address; -1: not known */
  enter(frame: number, site: number): void {
    if (site >= 0) this.#leaveBy(frame, site);
    const entries = this.#entries;
    if (entries.length === MOST_ENTERED) {
      this.#more++;
      return;
    }
    const last = entries.at(-1);
    const below = this.stack;
    const entry: Entry = {
      ...{ frame, site, inside: site >= 0 ? this.space.functionOf(frame) : undefined },
      group: site >= 0 && last?.site === site ? last.group : entries.length,
      stack: entries.length < MOST_SHOWN ? this.space.on(below, frame) : below,
    };
    entries.push(entry);
    this.#note(entry, entries.length - 1);
  }

  /**
   * Leaves the innermost entry with a frame (-1: any) and a call site, else with the frame, and the functions it
   * called. False: none.
   */
  leave(frame: number, site: number): boolean {
    const innermost = frame < 0 ? this.#entries.length - 1 : this.#frames.last(frame);
    if (this.#more > 0 && (frame < 0 || innermost < 0)) {
      this.#more--;
      return false;
    }
    if (innermost < 0) return false;
    const ofPair = site >= 0 && frame >= 0 ? this.#pairs.last(pairOf(frame, site)) : -1;
    this.#cut(ofPair >= 0 ? ofPair : innermost);
    return true;
  }

  clear(): void {
    this.#cut(0);
  }

  /** Removes functions that were left without an exit before an entry. */
  #leaveBy(frame: number, site: number): void {
    const entries = this.#entries;
    const last = entries.at(-1);
    if (last === undefined) return;
    if (last.site === site) {
      const same = this.#pairs.last(pairOf(frame, site));
      if (same >= last.group) this.#cut(same);
      return;
    }
    const caller = this.space.functionOf(site);
    const at = caller === undefined ? -1 : this.#functions.last(caller);
    if (at < 0) return;
    // Functions inlined into one another have one call site.
    const { group } = entries[at];
    this.#cut(firstWhere(at, entries.length, (place) => entries[place].group > group));
  }

  #cut(length: number): void {
    for (const entry of this.#entries.splice(length).reverse()) this.#forget(entry);
    if (length < MOST_ENTERED) this.#more = 0;
  }

  #note({ frame, site, inside }: Entry, place: number): void {
    this.#frames.add(frame, place);
    if (site >= 0) this.#pairs.add(pairOf(frame, site), place);
    if (inside !== undefined) this.#functions.add(inside, place);
  }

  #forget({ frame, site, inside }: Entry): void {
    this.#frames.pop(frame);
    if (site >= 0) this.#pairs.pop(pairOf(frame, site));
    if (inside !== undefined) this.#functions.pop(inside);
  }
}

function pairOf(frame: number, site: number): number {
  return frame * MOST_SITES + site;
}

/** Replaces stacks by the given ones if entries have call sites. @param symbols by row of frames */
export function withCallSites(
  tables: StackTables,
  symbols: readonly (Pick<SymbolAt, 'begin'> | undefined)[],
): StackTables {
  if (tables.threads.every(({ entries }) => entries === undefined)) return tables;
  const { parent, frame } = tables.tree;
  const tree = new TupleIndex();
  for (let stack = 0; stack < parent.length; stack++) tree.place(parent[stack], frame[stack], 0, 0);
  const space = {
    on: (below: number, row: number) => tree.place(below, row, 0, 0),
    functionOf: (row: number) => {
      const begin = symbols[row]?.begin;
      return begin === undefined ? undefined : `${tables.frames.module[row]} ${begin}`;
    },
  };
  const threads = tables.threads.map((thread) => {
    const { entries } = thread;
    return entries === undefined ? thread : { ...thread, ...changesOf(entries, new EnteredFunctions(space)) };
  });
  return { ...tables, threads, tree: { length: tree.length, parent: tree.column(0), frame: tree.column(1) } };
}

function changesOf({ times, frames, sites }: FunctionEntries, functions: EnteredFunctions) {
  const stacks = Int32Array.from(times, (_, i) => {
    if (frames[i] === ALL_LEFT) functions.clear();
    else if (frames[i] >= 0) functions.enter(frames[i], sites[i]);
    else functions.leave(exitOf(frames[i]), sites[i]);
    return functions.stack;
  });
  return { times, stacks, inside: new Int32Array(times.length) };
}
