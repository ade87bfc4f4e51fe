/**
 * The history's writing end. Per attribute it keeps the current interval and the one closed last; what is older is
 * emitted as tiles of the open segment, which is sealed when enough have gathered.
 *
 * Invariant: where segments are cut, and so every stored byte, depends on the sequence of sink calls alone: a
 * segment ends at the first new time after its tiles have reached the limit.
 */
import { assert } from '../base/assert.ts';
import type { TimeNs } from '../base/units.ts';
import { AttributeTree } from './attribute-tree.ts';
import type { Patch } from './directory.ts';
import { groupTable, NO_GROUPS, type GroupTable } from './groups.ts';
import { NO_SCHEME, NO_STATE, type SealedBytes, type SealJob, type SegmentSealer } from './seal.ts';
import type { Outline } from './query-context.ts';
import { openOutline, openSealed, patchSegments, type Segment } from './segment.ts';
import {
  grown,
  GAP,
  SortScratch,
  sortTiles,
  TileColumns,
  type EmittedTiles,
  type SortedTiles,
} from './tiles.ts';
import type { AttributeId, AttributeKind, HistorySink, ValueScheme } from './types.ts';
import { createSealer } from './wasm-sealer.ts';

/** Segments that may be on their way to be sealed before the reader has to wait. */
const SEALING_SEGMENTS = 3;

/** Tiles of a segment before it is cut. */
export const SEGMENT_TILES = 262_144;

export interface BuilderOptions {
  /** How the values of a state attribute are drawn; undefined: not at all. Attributes of other kinds are not drawn. */
  readonly schemeOf: (path: readonly string[]) => ValueScheme | undefined;
  /** Level of the outline (`outlineLevel`); default: there is none. */
  readonly outlineLevel?: number;
  /** Default `SEGMENT_TILES`; tests take less. */
  readonly segmentTiles?: number;
  /**
   * Seals a segment elsewhere, in a worker by a `Sealer`; default: here, at once. It must not fail: who loses a
   * worker does the job again. The job's columns are used again once it is done.
   */
  readonly seal?: (job: SealJob) => Promise<SealedBytes>;
  /** Called with each sealed segment, in order. */
  readonly onSealed?: (segment: Segment) => void;
}

/** For each attribute `NO_STATE`, `NO_SCHEME`, or the place of its scheme in `ids`. */
export interface AttributeSchemes {
  readonly ids: readonly string[];
  readonly of: Int8Array;
}

// Four numbers an attribute, side by side so that a change touches one line of the cache.
const STRIDE = 4;
const VALUE = 0;
const SINCE = 1;
/** The interval closed last, still held back: it goes on when what follows it turns out to have no length. */
const PAST_VALUE = 2;
const PAST_SINCE = 3;
/** `PAST_VALUE` when none is held back. */
const NO_PAST = -3;

export class HistoryBuilder implements HistorySink {
  readonly tree = new AttributeTree();
  readonly segments: Segment[] = [];
  readonly outline: Outline | undefined;
  readonly #outlines: Segment[] = [];
  readonly #schemeOf: BuilderOptions['schemeOf'];
  readonly #limit: number;
  readonly #onSealed: ((segment: Segment) => void) | undefined;
  readonly #seal: BuilderOptions['seal'];
  /** Schemes met so far, and for each attribute its place there, NO_SCHEME or NO_STATE. */
  readonly #schemes: ValueScheme[] = [];
  readonly #tables: GroupTable[] = [];
  #scheme = new Int8Array(64);
  #tiles: TileColumns;
  /** Made when it is needed: mostly segments are sealed elsewhere. */
  #sealer: SegmentSealer | undefined;
  #state = new Float64Array(64 * STRIDE);
  /** 1 for attributes in `#live`: those with a value, or a tile in the open segment. */
  #isLive = new Uint8Array(64);
  #live = new Int32Array(64);
  #liveCount = 0;
  attributes = 0;
  #patches: Patch[] = [];
  /** Segments that were cut, sealed or on their way. */
  #cuts = 0;
  /** For each segment on its way, in order: resolves when it is sealed. */
  readonly #sealing: Promise<void>[] = [];
  /** Columns of segments that were sealed elsewhere, for the next ones. */
  readonly #spare: TileColumns[] = [];
  /** Patches made since a segment is on its way, with the begin of the segment that brings them. */
  #latePatches: { readonly patch: Patch; readonly until: TimeNs }[] = [];
  /** Time of the first call; NaN before it. */
  #begin: TimeNs = NaN;
  /** Begin of the open segment. */
  #from: TimeNs = NaN;
  /** Time of the last call that told something; what was moved to since then: it may tell nothing. */
  #now: TimeNs = -Infinity;
  #next: TimeNs = -Infinity;
  #known: TimeNs = -Infinity;
  #finished = false;
  /** Counts what may change the open segment's tiles as they were last sorted. */
  #changes = 0;
  #sorted: { readonly changes: number; readonly tiles: SortedTiles } | undefined;

  constructor(options: BuilderOptions) {
    this.#schemeOf = options.schemeOf;
    if (options.outlineLevel !== undefined)
      this.outline = { level: options.outlineLevel, segments: this.#outlines };
    this.#limit = options.segmentTiles ?? SEGMENT_TILES;
    this.#seal = options.seal;
    this.#onSealed = options.onSealed;
    this.#tiles = this.#newColumns();
  }

  attribute(path: readonly string[], kind: AttributeKind): AttributeId {
    const id = this.tree.attribute(path, kind);
    if (id === this.attributes) this.#addAttribute(id, path, kind);
    return id;
  }

  string(text: string): number {
    return this.tree.text(text);
  }

  moveTo(time: TimeNs): void {
    this.#next = time;
  }

  set(attribute: AttributeId, value: number): void {
    const time = this.#next;
    if (time !== this.#now) this.#step();
    const state = this.#state;
    const at = attribute * STRIDE;
    const current = state[at + VALUE];
    if (current === value) return;
    const since = state[at + SINCE];
    if (since < time) {
      if (state[at + PAST_VALUE] !== NO_PAST) this.#emitPast(attribute, at);
      if (current === GAP && this.#isLive[attribute] === 0) this.#enlist(attribute);
      state[at + PAST_VALUE] = current;
      state[at + PAST_SINCE] = since;
      state[at + VALUE] = value;
      state[at + SINCE] = time;
    } else if (state[at + PAST_VALUE] === value) {
      state[at + VALUE] = value;
      state[at + SINCE] = state[at + PAST_SINCE];
      state[at + PAST_VALUE] = NO_PAST;
    } else {
      state[at + VALUE] = value;
    }
  }

  settle(attribute: AttributeId, past: number, value: number): void {
    if (this.#next !== this.#now) this.#step();
    const at = attribute * STRIDE;
    const since = this.#state[at + SINCE];
    const pending = this.#state[at + VALUE];
    if (since < this.#now && pending !== past) {
      assert((pending & 15) === (past & 15), 'settling keeps the state');
      this.#state[at + VALUE] = past;
      this.#changes++;
      if (since < this.#from) this.#patch({ attribute, begin: since, value: past });
    }
    this.set(attribute, value);
  }

  end(attribute: AttributeId): void {
    this.set(attribute, GAP);
  }

  /** Everything before `upTo` has been told: open intervals reach at least so far in answers. */
  advance(upTo: TimeNs): void {
    if (Number.isFinite(upTo) && upTo > this.#known) {
      this.#known = upTo;
      this.#changes++;
    }
  }

  /** The history ends at `end` (at the last call's time, if that is later). No call may follow. */
  finish(end: TimeNs): void {
    this.#finished = true;
    this.#now = Math.max(this.#now, end);
    if (this.#now > this.#from) this.#cut(this.#now);
    this.#tiles = new TileColumns(0);
    this.#spare.length = 0;
  }

  /** Begin and end of what was told. */
  extent(): { readonly from: TimeNs; readonly to: TimeNs } {
    if (Number.isNaN(this.#begin)) return { from: 0, to: 0 };
    return { from: this.#begin, to: this.#finished ? this.#now : Math.max(this.#now, this.#known) };
  }

  /** Resolves when no segment that was cut is on its way any more. */
  async ready(): Promise<void> {
    await this.#sealing.at(-1);
  }

  /** Resolves when the reader may go on; undefined while few segments are on their way. */
  pressure(): Promise<void> | undefined {
    return this.#sealing.length > SEALING_SEGMENTS ? this.#sealing[0] : undefined;
  }

  /** The open segment as it is now, for queries while reading; undefined when it holds nothing. */
  openTiles(): SortedTiles | undefined {
    const to = Math.max(this.#now, this.#known);
    if (this.#finished || !(to > this.#from)) return undefined;
    if (this.#sorted?.changes === this.#changes) return this.#sorted.tiles;
    const { length } = this.#tiles;
    this.#emitLive(to);
    // Columns of their own: queries may still read them when the segment is sealed.
    const scratch = new SortScratch();
    scratch.reserveAttributes(this.attributes);
    const tiles = sortTiles(this.#emitted(to), this.#live.subarray(0, this.#liveCount), scratch);
    this.#tiles.length = length;
    this.#sorted = { changes: this.#changes, tiles };
    return tiles;
  }

  groupsOf(attribute: AttributeId): GroupTable {
    return this.#tables[this.#scheme[attribute]] ?? NO_GROUPS;
  }

  isState(attribute: AttributeId): boolean {
    return this.#scheme[attribute] !== NO_STATE;
  }

  /** How the values of all attributes are drawn. */
  schemes(): AttributeSchemes {
    return { ids: this.#schemes.map(({ id }) => id), of: this.#scheme.slice(0, this.attributes) };
  }

  /** Something happens at the time moved to. */
  #step(): void {
    const time = this.#next;
    assert(time > this.#now && !this.#finished, 'times of a history never go back');
    if (Number.isNaN(this.#begin)) this.#begin = this.#from = time;
    this.#now = time;
    this.#changes++;
    if (this.#tiles.length >= this.#limit) this.#cut(time);
  }

  #emitPast(attribute: AttributeId, at: number): void {
    const state = this.#state;
    const end = state[at + SINCE];
    // Nothing of it lies in this segment when it ended where the segment began.
    if (end <= this.#from) return;
    const value = state[at + PAST_VALUE];
    const continues = value !== GAP && state[at + PAST_SINCE] < this.#from;
    this.#tiles.push(continues ? ~attribute : attribute, end, value);
  }

  /** Emits what is held back and the current intervals as far as `to`; the state stays. */
  #emitLive(to: TimeNs): void {
    for (let i = 0; i < this.#liveCount; i++) {
      const attribute = this.#live[i];
      const at = attribute * STRIDE;
      const value = this.#state[at + VALUE];
      const since = this.#state[at + SINCE];
      const open = value !== GAP && since < to;
      const past = this.#state[at + PAST_VALUE];
      if (past !== NO_PAST && (open || past !== GAP)) this.#emitPast(attribute, at);
      if (open) this.#tiles.push(since < this.#from ? ~attribute : attribute, to, value);
    }
  }

  #emitted(to: TimeNs): EmittedTiles {
    const { length, attribute, end, value } = this.#tiles;
    return { from: this.#from, to, length, attribute, end, value };
  }

  /** Ends the open segment at `to` and begins the next one. */
  #cut(to: TimeNs): void {
    this.#emitLive(to);
    const touched = this.#live.slice(0, this.#liveCount);
    const job: SealJob = {
      ...this.#emitted(to),
      index: this.#cuts++,
      touched,
      scheme: this.#schemesOf(touched),
      schemes: this.#schemes.map(({ id }) => id),
      patches: this.#patches,
      outline: this.outline?.level ?? -1,
    };
    this.#patches = [];
    this.#sorted = undefined;
    this.#from = to;
    this.#delist();
    if (this.#seal === undefined) {
      this.#sealer ??= createSealer((id) => this.#schemes.find((scheme) => scheme.id === id));
      this.#accept(this.#sealer.seal(job));
      this.#tiles.length = 0;
      return;
    }
    const columns = this.#tiles;
    this.#tiles = this.#spare.pop() ?? this.#newColumns();
    this.#sealing.push(this.#sealElsewhere(this.#seal(job), columns, this.#sealing.at(-1)));
  }

  /** Takes a segment when it and those before it are sealed. */
  async #sealElsewhere(
    sealed: Promise<SealedBytes>,
    columns: TileColumns,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const [bytes] = await Promise.all([sealed, before]);
    void this.#sealing.shift();
    columns.length = 0;
    if (!this.#finished) this.#spare.push(columns);
    this.#accept(bytes);
  }

  /** Columns of a segment. Beyond the limit they hold what is open at the cut: a tile of every living attribute. */
  #newColumns(): TileColumns {
    return new TileColumns(this.#limit + Math.max(4096, this.#limit >>> 3));
  }

  #schemesOf(attributes: Int32Array): Int8Array {
    const schemes = new Int8Array(attributes.length);
    for (let i = 0; i < schemes.length; i++) schemes[i] = this.#scheme[attributes[i]];
    return schemes;
  }

  #accept(sealed: SealedBytes): void {
    const segment = openSealed(sealed);
    this.segments.push(segment);
    const pieces = [segment];
    if (this.outline !== undefined) pieces.push(openOutline(sealed));
    this.#outlines.push(...pieces.slice(1));
    for (const { patch, until } of this.#latePatches) patchSegments(pieces, patch, until);
    if (this.segments.length === this.#cuts) this.#latePatches = [];
    this.#onSealed?.(segment);
  }

  /** After a seal nothing is held back, and attributes without a value leave the list. */
  #delist(): void {
    let kept = 0;
    for (let i = 0; i < this.#liveCount; i++) {
      const attribute = this.#live[i];
      this.#state[attribute * STRIDE + PAST_VALUE] = NO_PAST;
      if (this.#state[attribute * STRIDE + VALUE] === GAP) this.#isLive[attribute] = 0;
      else this.#live[kept++] = attribute;
    }
    this.#liveCount = kept;
  }

  #enlist(attribute: AttributeId): void {
    this.#isLive[attribute] = 1;
    this.#live[this.#liveCount++] = attribute;
  }

  /** The pieces of the interval in earlier segments get their value now; the open segment's record says so again. */
  #patch(patch: Patch): void {
    this.#patches.push(patch);
    patchSegments(this.segments, patch, this.#from);
    patchSegments(this.#outlines, patch, this.#from);
    if (this.segments.length < this.#cuts) this.#latePatches.push({ patch, until: this.#from });
  }

  #addAttribute(id: AttributeId, path: readonly string[], kind: AttributeKind): void {
    this.attributes++;
    if (id === this.#isLive.length) {
      const capacity = id * 2;
      this.#state = grown(this.#state, new Float64Array(capacity * STRIDE));
      this.#isLive = grown(this.#isLive, new Uint8Array(capacity));
      this.#live = grown(this.#live, new Int32Array(capacity));
      this.#scheme = grown(this.#scheme, new Int8Array(capacity));
    }
    this.#scheme[id] = kind === 'state' ? this.#placeOf(this.#schemeOf(path)) : NO_STATE;
    const at = id * STRIDE;
    this.#state[at + VALUE] = GAP;
    this.#state[at + SINCE] = -Infinity;
    this.#state[at + PAST_VALUE] = NO_PAST;
  }

  #placeOf(scheme: ValueScheme | undefined): number {
    if (scheme === undefined) return NO_SCHEME;
    const known = this.#schemes.indexOf(scheme);
    if (known >= 0) return known;
    this.#tables.push(groupTable(scheme));
    return this.#schemes.push(scheme) - 1;
  }
}
