/**
 * Builds the history. For each attribute it keeps the current interval and the one closed last; older ones are emitted
 * to the open segment, which is sealed when it has enough intervals.
 *
 * Invariant: where segments are cut, and so every stored byte, depends only on the sequence of sink calls: a segment
 * ends at the first new time after its intervals reached the limit. Every living attribute has a row in every segment,
 * so the limit is at least the number of attributes that live when the segment begins: the rows of all segments
 * together grow with the intervals, not with their product with the attributes.
 */
import { assert } from '../base/assert.ts';
import { freeBuffers } from '../base/buffers.ts';
import type { HostNs } from '../base/units.ts';
import { AttributeTree } from './attribute-tree.ts';
import { type Patch, patchSegments, readDirectory, type Segment } from './directory.ts';
import { groupsOfScheme, groupTable, IDS, isStateScheme, NO_SCHEME, NO_STATE } from './groups.ts';
import { type GroupTable } from './mix.ts';
import type { SealedBytes, SealJob, SegmentSealer } from './seal.ts';
import type { Outline } from './query-context.ts';
import {
  GAP,
  SortScratch,
  sortIntervals,
  IntervalColumns,
  type EmittedIntervals,
  type SortedIntervals,
} from './intervals.ts';
import {
  createSharedHistory,
  ENOUGH_INTERVALS,
  NO_PAST,
  PAST_SINCE,
  PAST_VALUE,
  SINCE,
  STRIDE,
  VALUE,
  type SharedHistory,
} from './shared-history.ts';
import type { AttributeFamily, AttributeId, AttributeKind, HistorySink, ValueScheme } from './types.ts';
import { createSealer } from './wasm-sealer.ts';

/** Segments (or as many intervals as these usually have) that may wait for sealing before the reader must wait. */
const SEALING_SEGMENTS = 3;

/** Columns kept for further segments: a chunk that others waited for may cut many at once. */
const SPARE_COLUMNS = 9;

/** Intervals after which a segment is cut. */
const SEGMENT_INTERVALS = 262_144;

export interface BuilderOptions {
  /**
   * Scheme by which the values of a state attribute are drawn; undefined: none is drawn. Attributes of other kinds have
   * no scheme.
   */
  readonly schemeOf: (path: readonly string[]) => ValueScheme | undefined;
  /** Level of the outline (`outlineLevel`); default: there is none. */
  readonly outlineLevel?: number;
  /** Default `SEGMENT_INTERVALS`; tests use less. */
  readonly segmentIntervals?: number;
  /**
   * Seals a segment elsewhere, in a worker by a `Sealer`; default: here, at once. It must not fail: if a worker is
   * lost, the job is done again. The job's columns are reused afterwards.
   */
  readonly seal?: (job: SealJob) => Promise<SealedBytes>;
  /** Called with each sealed segment, in order. */
  readonly onSealed?: (segment: Segment) => void;
  readonly keepRows?: HistorySink['keepRows'];
}

/** Scheme of each attribute: `IDS`, `NO_STATE`, `NO_SCHEME`, or a place in `ids`. */
export interface AttributeSchemes {
  readonly ids: readonly string[];
  readonly of: Int8Array;
}

const FIRST_ATTRIBUTES = 1024;

export class HistoryBuilder implements HistorySink {
  readonly tree = new AttributeTree();
  readonly segments: Segment[] = [];
  readonly outline: Outline | undefined;
  readonly #outlines: Segment[] = [];
  readonly #schemeOf: BuilderOptions['schemeOf'];
  readonly #segmentIntervals: number;
  /** Intervals after which the open segment is cut. */
  #limit: number;
  readonly #onSealed: ((segment: Segment) => void) | undefined;
  readonly #seal: BuilderOptions['seal'];
  /** Schemes met so far, and for each attribute its place there, or as in `SealJob`: a column of the memory. */
  readonly #schemes: ValueScheme[] = [];
  readonly #tables: GroupTable[] = [];
  #scheme: { scheme: Int32Array };
  /** The open segment's intervals without those in `emitted`. */
  #intervals: IntervalColumns;
  /** Made on first use: usually segments are sealed elsewhere. */
  #sealer: SegmentSealer | undefined;
  shared: SharedHistory | undefined;
  readonly keepRows: HistorySink['keepRows'];
  #columns: SharedHistory = createSharedHistory(FIRST_ATTRIBUTES);
  #families = 0;
  #patches: Patch[] = [];
  /** Number of segments cut, sealed or not. */
  #cuts = 0;
  /** Segments being sealed, in order; each promise resolves when its segment is sealed. */
  readonly #sealing: Promise<void>[] = [];
  #sealingIntervals = 0;
  /** Columns of segments that were sealed elsewhere, for reuse. */
  readonly #spare: IntervalColumns[] = [];
  /** Memory for sorting the open segment for queries. */
  #scratch = new SortScratch();
  /** Patches made while segments are being sealed, with the begin of the segment that holds the patch. */
  #latePatches: { readonly patch: Patch; readonly until: HostNs }[] = [];
  /** Time of the first call; NaN before it. */
  #begin: HostNs = NaN;
  #known: HostNs = -Infinity;
  #finished = false;
  #sorted: { readonly changes: number; readonly intervals: SortedIntervals } | undefined;

  constructor(options: BuilderOptions) {
    this.shared = this.#columns;
    this.#scheme = this.#columns.attributes;
    this.#schemeOf = options.schemeOf;
    if (options.outlineLevel !== undefined)
      this.outline = { level: options.outlineLevel, segments: this.#outlines };
    this.#segmentIntervals = this.#limit = options.segmentIntervals ?? SEGMENT_INTERVALS;
    this.#seal = options.seal;
    this.#onSealed = options.onSealed;
    this.keepRows = options.keepRows;
    this.#intervals = this.#newColumns();
    this.#columns.cursor.enough[0] = this.#limit;
  }

  attribute(path: readonly string[], kind: AttributeKind): AttributeId {
    const id = this.tree.attribute(path, kind, this.attributes);
    if (id === this.attributes) this.#addAttribute(this.#schemeFor(path, kind));
    return id;
  }

  family(family: AttributeFamily): number {
    const { families } = this.#columns;
    const number = this.#families++;
    assert(number < families.scheme.length, 'families are few');
    families.scheme[number] = this.#schemeFor(family.pathOf(0, 0), family.kind);
    return number;
  }

  member(family: number): AttributeId {
    return this.#addAttribute(this.#columns.families.scheme[family]);
  }

  string(text: string): number {
    return this.tree.text(text);
  }

  moveTo(time: HostNs): void {
    this.#columns.cursor.next[0] = time;
  }

  set(attribute: AttributeId, value: number): void {
    const { cursor, attributes } = this.#columns;
    const time = cursor.next[0];
    if (time !== cursor.now[0]) this.#step(time);
    const { state, isLive } = attributes;
    const at = attribute * STRIDE;
    const current = state[at + VALUE];
    if (current === value) return;
    const since = state[at + SINCE];
    if (since < time) {
      if (state[at + PAST_VALUE] !== NO_PAST) this.#emitPast(attribute, at);
      if (current === GAP && isLive[attribute] === 0) this.#addToLive(attribute);
      state[at + PAST_VALUE] = current;
      state[at + PAST_SINCE] = since;
      state[at + VALUE] = value;
      state[at + SINCE] = time;
    } else if (state[at + PAST_VALUE] === value) {
      state[at + VALUE] = value;
      state[at + SINCE] = state[at + PAST_SINCE];
      forgetPast(state, at);
    } else {
      state[at + VALUE] = value;
    }
  }

  settle(attribute: AttributeId, past: number, value: number): void {
    const { cursor, attributes } = this.#columns;
    const time = cursor.next[0];
    if (time !== cursor.now[0]) this.#step(time);
    const { state } = attributes;
    const at = attribute * STRIDE;
    const since = state[at + SINCE];
    const pending = state[at + VALUE];
    if (since < time && pending !== past) {
      assert(!this.isState(attribute) || (pending & 15) === (past & 15), 'settling keeps the state');
      state[at + VALUE] = past;
      cursor.changes[0]++;
      if (since < cursor.from[0]) this.#patch({ attribute, begin: since, value: past });
    }
    this.set(attribute, value);
  }

  end(attribute: AttributeId): void {
    this.set(attribute, GAP);
  }

  /** All calls before `upTo` were made: open intervals extend at least to it in answers. */
  advance(upTo: HostNs): void {
    if (Number.isFinite(upTo) && upTo > this.#known) {
      this.#known = upTo;
      this.#columns.cursor.changes[0]++;
    }
  }

  get attributes(): number {
    return this.#columns.cursor.attributes[0];
  }

  /** The history ends at `end` (at the last call's time, if that is later). No call may follow. */
  finish(end: HostNs): void {
    const { now, from } = this.#columns.cursor;
    this.#finished = true;
    now[0] = Math.max(now[0], end);
    if (now[0] > from[0]) this.#cut(now[0]);
    this.#intervals = new IntervalColumns(0);
    this.#spare.length = 0;
    this.#scratch = new SortScratch();
    this.#sealer = undefined;
    // Frees the memory, with all that reducers have in it.
    const { attributes } = this;
    this.#scheme = { scheme: this.#scheme.scheme.slice(0, attributes) };
    this.shared = undefined;
    this.#columns = createSharedHistory(0);
    this.#columns.cursor.now[0] = now[0];
    this.#columns.cursor.attributes[0] = attributes;
  }

  /** Begin and end of the calls. */
  extent(): { readonly from: HostNs; readonly to: HostNs } {
    if (Number.isNaN(this.#begin)) return { from: 0, to: 0 };
    const now = this.#columns.cursor.now[0];
    return { from: this.#begin, to: this.#finished ? now : Math.max(now, this.#known) };
  }

  /**
   * Resolves when all calls made so far are in segments or in the open one. Calls in the meantime may cut so fast that
   * some segment is always being sealed: segments cut later are not waited for.
   */
  async ready(): Promise<void> {
    const open = this.#cuts;
    while (this.segments.length <= open && this.#sealing.length > 0) await this.#sealing[0];
  }

  /** Resolves when the reader may go on; undefined while few segments are being sealed. */
  pressure(): Promise<void> | undefined {
    const isMany = this.#sealing.length > SEALING_SEGMENTS;
    const isMuch = this.#sealingIntervals > SEALING_SEGMENTS * capacityFor(this.#segmentIntervals);
    return isMany || isMuch ? this.#sealing[0] : undefined;
  }

  /**
   * The open segment as it is now, for queries while reading; undefined when it is empty, or when a segment before it
   * is not in `segments` yet: an answer then ends early, but has no hole.
   */
  openIntervals(): SortedIntervals | undefined {
    if (this.segments.length < this.#cuts) return undefined;
    const { now, from, changes } = this.#columns.cursor;
    const to = Math.max(now[0], this.#known);
    if (this.#finished || !(to > from[0])) return undefined;
    if (this.#sorted?.changes === changes[0]) return this.#sorted.intervals;
    this.#gather();
    const { length } = this.#intervals;
    this.#emitLive(to);
    this.#scratch.reserveAttributes(this.attributes);
    const intervals = sortIntervals(this.#emitted(to), this.#liveOnes(), this.#scratch);
    // Queries may still read them when the segment is sealed.
    this.#scratch.leaveColumns();
    this.#intervals.length = length;
    this.#gather();
    this.#sorted = { changes: changes[0], intervals };
    return intervals;
  }

  groupsOf(attribute: AttributeId): GroupTable {
    return groupsOfScheme(this.#scheme.scheme[attribute], this.#tables);
  }

  isState(attribute: AttributeId): boolean {
    return isStateScheme(this.#scheme.scheme[attribute]);
  }

  /** Schemes by which the values of all attributes are drawn. */
  schemes(): AttributeSchemes {
    return {
      ids: this.#schemes.map(({ id }) => id),
      of: Int8Array.from(this.#scheme.scheme.subarray(0, this.attributes)),
    };
  }

  /** Called when something happens at `time`, the time moved to. */
  #step(time: HostNs): void {
    const { cursor } = this.#columns;
    assert(time > cursor.now[0] && !this.#finished, 'times of a history never go back');
    if (Number.isNaN(this.#begin)) this.#begin = cursor.from[0] = time;
    cursor.now[0] = time;
    cursor.changes[0]++;
    if (cursor.intervals[0] >= cursor.enough[0]) this.#cut(time);
  }

  #emitPast(attribute: AttributeId, at: number): void {
    const { cursor, attributes } = this.#columns;
    const { state } = attributes;
    const end = state[at + SINCE];
    const from = cursor.from[0];
    // An interval that ended where the segment began has no part in it.
    if (end <= from) return;
    const value = state[at + PAST_VALUE];
    const continues = value !== GAP && state[at + PAST_SINCE] < from;
    this.#emit(continues ? ~attribute : attribute, end, value);
  }

  #emit(attribute: number, end: HostNs, value: number): void {
    const { cursor, emitted } = this.#columns;
    if (cursor.intervals[0] >= ENOUGH_INTERVALS) this.#gather();
    const interval = cursor.intervals[0]++;
    emitted.attribute[interval] = attribute;
    emitted.end[interval] = end;
    emitted.value[interval] = value;
  }

  /** Moves emitted intervals to the open segment. */
  #gather(): void {
    const { cursor, emitted } = this.#columns;
    this.#intervals.append(emitted, cursor.intervals[0]);
    cursor.intervals[0] = 0;
    cursor.enough[0] = Math.max(0, this.#limit - this.#intervals.length);
  }

  /** Emits held-back and current intervals up to `to`; the state stays. */
  #emitLive(to: HostNs): void {
    const from = this.#columns.cursor.from[0];
    const { state } = this.#columns.attributes;
    this.#intervals.reserve(this.#intervals.length + this.#liveIntervals());
    for (const attribute of this.#liveOnes()) {
      const at = attribute * STRIDE;
      const value = state[at + VALUE];
      const since = state[at + SINCE];
      const open = value !== GAP && since < to;
      const past = state[at + PAST_VALUE];
      if (past !== NO_PAST && (open || past !== GAP)) this.#emitPast(attribute, at);
      if (open) this.#emit(since < from ? ~attribute : attribute, to, value);
    }
    this.#gather();
  }

  /** Upper bound of the intervals of living attributes that are not in the open segment yet. */
  #liveIntervals(): number {
    const { state } = this.#columns.attributes;
    const { intervals, live } = this.#columns.cursor;
    let count = intervals[0] + live[0];
    for (const attribute of this.#liveOnes()) if (state[attribute * STRIDE + PAST_VALUE] !== NO_PAST) count++;
    return count;
  }

  /** Attributes that may have intervals in the open segment, as a view. */
  #liveOnes(): Int32Array {
    return this.#columns.attributes.live.subarray(0, this.#columns.cursor.live[0]);
  }

  #emitted(to: HostNs): EmittedIntervals {
    const { length, attribute, end, value } = this.#intervals;
    return { from: this.#columns.cursor.from[0], to, length, attribute, end, value };
  }

  /** Ends the open segment at `to` and begins the next one. */
  #cut(to: HostNs): void {
    this.#emitLive(to);
    const touched = this.#liveOnes().slice();
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
    this.#columns.cursor.from[0] = to;
    this.#delist();
    if (this.#seal === undefined) {
      this.#sealer ??= createSealer((id) => this.#schemes.find((scheme) => scheme.id === id));
      this.#accept(this.#sealer.seal(job));
      this.#intervals.length = 0;
      this.#gather();
      return;
    }
    const columns = this.#intervals;
    const spare = this.#limit === this.#segmentIntervals ? this.#spare.pop() : undefined;
    this.#intervals = spare ?? this.#newColumns();
    this.#gather();
    this.#sealing.push(this.#sealElsewhere(this.#seal(job), columns, this.#sealing.at(-1)));
  }

  /** Stores a segment when it and those before it are sealed. */
  async #sealElsewhere(
    sealed: Promise<SealedBytes>,
    columns: IntervalColumns,
    before: Promise<void> | undefined,
  ): Promise<void> {
    this.#sealingIntervals += columns.length;
    const [bytes] = await Promise.all([sealed, before]);
    void this.#sealing.shift();
    this.#sealingIntervals -= columns.length;
    columns.length = 0;
    const isUsual = columns.attribute.length <= 2 * capacityFor(this.#segmentIntervals);
    if (isUsual && !this.#finished && this.#spare.length < SPARE_COLUMNS) this.#spare.push(columns);
    else freeBuffers(columns);
    this.#accept(bytes);
  }

  #newColumns(): IntervalColumns {
    return new IntervalColumns(this.#finished ? 0 : capacityFor(this.#limit));
  }

  #schemesOf(attributes: Int32Array): Int8Array {
    const schemes = new Int8Array(attributes.length);
    const { scheme } = this.#scheme;
    for (let i = 0; i < schemes.length; i++) schemes[i] = scheme[attributes[i]];
    return schemes;
  }

  #accept({ index, directory, blocks, outline }: SealedBytes): void {
    const segment = { index, directory: readDirectory(directory), blocks };
    this.segments.push(segment);
    const parts: Segment[] = [segment];
    if (this.outline !== undefined) {
      const outlined = { index, directory: readDirectory(outline), blocks: undefined };
      this.#outlines.push(outlined);
      parts.push(outlined);
    }
    for (const { patch, until } of this.#latePatches) patchSegments(parts, patch, until);
    if (this.segments.length === this.#cuts) this.#latePatches = [];
    this.#onSealed?.(segment);
  }

  /** Removes attributes without a value from the list; after a cut no interval is held back. */
  #delist(): void {
    const { state, isLive, live } = this.#columns.attributes;
    let kept = 0;
    for (const attribute of this.#liveOnes()) {
      forgetPast(state, attribute * STRIDE);
      if (state[attribute * STRIDE + VALUE] === GAP) isLive[attribute] = 0;
      else live[kept++] = attribute;
    }
    this.#columns.cursor.live[0] = kept;
    this.#limit = kept > SEGMENT_INTERVALS ? Math.max(kept, this.#segmentIntervals) : this.#segmentIntervals;
  }

  #addToLive(attribute: AttributeId): void {
    const { cursor, attributes } = this.#columns;
    attributes.isLive[attribute] = 1;
    attributes.live[cursor.live[0]++] = attribute;
  }

  /** Sets the value of the interval's parts in earlier segments; the open segment stores the patch as well. */
  #patch(patch: Patch): void {
    const from = this.#columns.cursor.from[0];
    this.#patches.push(patch);
    patchSegments(this.segments, patch, from);
    patchSegments(this.#outlines, patch, from);
    if (this.segments.length < this.#cuts) this.#latePatches.push({ patch, until: from });
  }

  /**
   * Adds an attribute.
   * @param scheme as in the column
   */
  #addAttribute(scheme: number): AttributeId {
    const { memory, attributes, cursor } = this.#columns;
    const id = cursor.attributes[0];
    if (id === attributes.isLive.length) memory.widen(attributes, 2 * id);
    cursor.attributes[0]++;
    attributes.scheme[id] = scheme;
    const at = id * STRIDE;
    attributes.state[at + VALUE] = GAP;
    attributes.state[at + SINCE] = -Infinity;
    forgetPast(attributes.state, at);
    return id;
  }

  #schemeFor(path: readonly string[], kind: AttributeKind): number {
    if (kind === 'state') return this.#placeOf(this.#schemeOf(path));
    return kind === 'id' ? IDS : NO_STATE;
  }

  #placeOf(scheme: ValueScheme | undefined): number {
    if (scheme === undefined) return NO_SCHEME;
    const known = this.#schemes.indexOf(scheme);
    if (known >= 0) return known;
    this.#tables.push(groupTable(scheme));
    return this.#schemes.push(scheme) - 1;
  }
}

/** Room for a segment's intervals, with one open interval of every living attribute at the cut beyond the limit. */
function capacityFor(segmentIntervals: number): number {
  return segmentIntervals + Math.max(4096, segmentIntervals >>> 3);
}

/** Drops the held-back interval of the attribute whose numbers begin at `at`. */
function forgetPast(state: Float64Array, at: number): void {
  state[at + PAST_VALUE] = NO_PAST;
  state[at + PAST_SINCE] = -Infinity;
}
