/**
 * The functions that a thread has entered and not left. Exits may be missing, where exceptions or `longjmp` leave functions;
 * then the call site of the next entry, a return address, says which of them it was called from.
 */

/** Frames of a stack by entries and exits: of more only the outermost are shown. */
const MOST_SHOWN = 1024;
/** Functions that are entered and not left: more are counted alone. */
const MOST_ENTERED = 2 ** 20;

/** Distinguishes pairs of frame and site, exact in a double. */
const MOST_SITES = 2 ** 26;

/** The stack without frames. */
const EMPTY = 0;

/** Where stacks are made, and what is known of addresses. */
export interface FunctionSpace {
  /** Row of the stack `below` with a frame more. */
  on(below: number, frame: number): number;
  /** Key of the function that a frame is in; undefined: it is not known. */
  functionOf(frame: number): string | undefined;
}

interface Entry {
  readonly frame: number;
  /** Frame of its call site; -1: it is not known. */
  readonly site: number;
  /** The function that it is in, where its call site is known. */
  readonly inside: string | undefined;
  /** The outermost one of those next to each other with its call site, which are inlined into one another. */
  readonly group: number;
  readonly stack: number;
}

/** How often something is among the entries. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>();

  has(key: Key): boolean {
    return this.#counts.has(key);
  }

  add(key: Key, by: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

export class EnteredFunctions {
  readonly #space: FunctionSpace;
  readonly #entries: Entry[] = [];
  // A look through the entries is for something that is among them, and takes what is above it off.
  readonly #frames = new Counts<number>();
  readonly #pairs = new Counts<number>();
  readonly #functions = new Counts<string>();
  /** Entries that are counted alone. */
  #more = 0;

  constructor(space: FunctionSpace) {
    this.#space = space;
  }

  get stack(): number {
    return this.#entries.at(-1)?.stack ?? EMPTY;
  }

  /** @param site frame of the call site, a return address; -1: it is not known */
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
      ...{ frame, site, inside: site >= 0 ? this.#space.functionOf(frame) : undefined },
      group: site >= 0 && last?.site === site ? last.group : entries.length,
      stack: entries.length < MOST_SHOWN ? this.#space.on(below, frame) : below,
    };
    entries.push(entry);
    this.#count(entry, 1);
  }

  /**
   * Leaves the innermost entry of a frame and a call site, else of the frame, with those that it called. False: there is none.
   * @param frame -1: the innermost
   */
  leave(frame: number, site: number): boolean {
    const entries = this.#entries;
    const isKnown = frame < 0 ? entries.length > 0 : this.#frames.has(frame);
    if (this.#more > 0 && (frame < 0 || !isKnown)) {
      this.#more--;
      return false;
    }
    if (!isKnown) return false;
    const isPair = site >= 0 && frame >= 0 && this.#pairs.has(frame * MOST_SITES + site);
    const isIt = (entry: Entry) => frame < 0 || (entry.frame === frame && (!isPair || entry.site === site));
    let at = entries.length - 1;
    while (!isIt(entries[at])) at--;
    this.#cut(at);
    return true;
  }

  clear(): void {
    this.#cut(0);
  }

  /** Takes off what was left without an exit before an entry. */
  #leaveBy(frame: number, site: number): void {
    const entries = this.#entries;
    const last = entries.at(-1);
    if (last === undefined) return;
    if (last.site === site) {
      let at = last.group;
      while (at < entries.length && entries[at].frame !== frame) at++;
      this.#cut(at);
      return;
    }
    const caller = this.#space.functionOf(site);
    if (caller === undefined || !this.#functions.has(caller)) return;
    let at = entries.length - 1;
    while (entries[at].inside !== caller) at--;
    // What is inlined into one another is entered with one call site.
    const { group } = entries[at];
    do at++;
    while (at < entries.length && entries[at].group === group);
    this.#cut(at);
  }

  #cut(length: number): void {
    for (const entry of this.#entries.splice(length)) this.#count(entry, -1);
    if (length < MOST_ENTERED) this.#more = 0;
  }

  #count({ frame, site, inside }: Entry, by: 1 | -1): void {
    this.#frames.add(frame, by);
    if (site >= 0) this.#pairs.add(frame * MOST_SITES + site, by);
    if (inside !== undefined) this.#functions.add(inside, by);
  }
}
