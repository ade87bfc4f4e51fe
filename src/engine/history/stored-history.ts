/**
 * Opens a history that `persist.ts` wrote. A view of the whole needs only the outline, which is read at once;
 * directories are read at the first finer query, blocks when a query needs them.
 */
import { append } from '../base/append.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { HostNs } from '../base/units.ts';
import { AttributeTree } from './attribute-tree.ts';
import { type AttributeSchemes, type BuilderOptions, HistoryBuilder } from './builder.ts';
import { DIRECTORY_FORMAT, lostSegment, parseDirectory, patchSegments, type Segment } from './directory.ts';
import { groupsOfScheme, groupTable, hasUnknown, isStateScheme } from './groups.ts';
import { type GroupTable } from './mix.ts';
import { type HistoryRecord, type HistoryRecords, HistoryWriter } from './persist.ts';
import type { HistorySource, Outline } from './query-context.ts';
import type { AttributeId, ValueScheme } from './types.ts';
import { outlineLevel } from './levels.ts';
import type { HistoryQuery } from './query-types.ts';
import { createQuery, type QueryOptions } from './query.ts';

export interface StoredOptions {
  /** Prefix of the records' names, where a trace has several histories: 'host/0/'. */
  readonly prefix: string;
  readonly schemeOf: (id: string) => ValueScheme | undefined;
  /**
   * Called when segments cannot be read, in whose time states are unknown, and when names of attributes are missing.
   */
  readonly onFault?: (fault: Fault) => void;
}

/** Opens a history; a fault if it is incomplete, or of another format. */
export async function openHistory(
  records: HistoryRecords,
  options: StoredOptions,
): Promise<Result<StoredHistory>> {
  const { prefix } = options;
  const [record, outline, attributes] = await Promise.all(
    ['history', 'outline', 'attributes'].map((name) => records.read(`${prefix}${name}`)),
  );
  const found = record as Partial<HistoryRecord> | undefined;
  if (found?.format !== DIRECTORY_FORMAT)
    return damaged('history', record === undefined ? 'no such record' : 'another format');
  if (!(attributes instanceof Uint8Array)) return damaged('attributes', 'no such record');
  if (!Array.isArray(outline)) options.onFault?.(damage(`${prefix}outline`, 'no such record'));
  const segments = Array.isArray(outline) ? parseSegments(outline, `${prefix}outline`, options) : [];
  return ok(new StoredHistory(found as HistoryRecord, segments, attributes, records, options));
}

export class StoredHistory implements HistorySource {
  readonly segments: Segment[] = [];
  readonly outline: Outline | undefined;
  readonly #record: HistoryRecord;
  readonly #attributes: Uint8Array;
  readonly #records: HistoryRecords;
  readonly #options: StoredOptions;
  readonly #tables: readonly GroupTable[];
  #tree: AttributeTree | undefined;
  #reading: Promise<void> | undefined;

  /** @param attributes text of `AttributeTree.toText` in UTF-8 */
  constructor(
    record: HistoryRecord,
    outline: readonly Segment[],
    attributes: Uint8Array,
    records: HistoryRecords,
    options: StoredOptions,
  ) {
    this.#record = record;
    this.#attributes = attributes;
    this.#records = records;
    this.#options = options;
    this.#tables = record.schemes.ids.map((id) => groupTable(options.schemeOf(id)));
    // An outline that lacks segments would show less than there is.
    if (record.outlineLevel !== undefined && outline.length === record.segments)
      this.outline = { level: record.outlineLevel, segments: outline };
  }

  /** Made on first use: large traces have many attributes, and a picture needs no names. */
  get tree(): AttributeTree {
    this.#tree ??= AttributeTree.fromText(new TextDecoder().decode(this.#attributes));
    if (this.#tree !== undefined) return this.#tree;
    this.#options.onFault?.(damage('attributes', 'attributes that cannot be read'));
    return (this.#tree = new AttributeTree());
  }

  get attributes(): number {
    return this.#schemes.of.length;
  }

  get #schemes(): AttributeSchemes {
    return this.#record.schemes;
  }

  groupsOf(attribute: AttributeId): GroupTable {
    return groupsOfScheme(this.#schemes.of[attribute], this.#tables);
  }

  isState(attribute: AttributeId): boolean {
    return isStateScheme(this.#schemes.of[attribute]);
  }

  extent(): { readonly from: HostNs; readonly to: HostNs } {
    return this.#record.extent;
  }

  async ready(wanted: 'segments' | 'outline'): Promise<void> {
    if (wanted === 'segments') await (this.#reading ??= this.#readSegments());
  }

  /** All blocks of a segment, for `QueryOptions.load`. */
  readonly load = (segment: number): Promise<Uint8Array | undefined> =>
    blockLoader(this.#records, this.#options.prefix)(segment);

  async #readSegments(): Promise<void> {
    const name = `${this.#options.prefix}directory`;
    const reads = Array.from({ length: this.#record.segments }, (_, i) => this.#records.read(`${name}/${i}`));
    const segments = parseSegments(await Promise.all(reads), name, this.#options);
    append(this.segments, segments.length < reads.length ? this.#withLost(segments) : segments);
  }

  /**
   * All segments; those that cannot be read are replaced by segments of unknown states over the time between others.
   */
  #withLost(sound: readonly Segment[]): Segment[] {
    const { extent, segments: count } = this.#record;
    const states = Int32Array.from(this.#schemes.of.keys()).filter((id) => hasUnknown(this.groupsOf(id)));
    const all: Segment[] = [];
    for (let i = 0; i <= sound.length; i++) {
      const before = sound[i - 1];
      const after = sound[i];
      const first = before === undefined ? 0 : before.index + 1;
      const from = before === undefined ? extent.from : before.directory.to;
      const to = after === undefined ? extent.to : after.directory.from;
      if ((after?.index ?? count) > first && to > from) all.push(lostSegment(first, from, to, states));
      if (after !== undefined) all.push(after);
    }
    return all;
  }
}

/** Reads the blocks of a segment back. @internal */
export function blockLoader(
  records: HistoryRecords,
  prefix: string,
): (segment: number) => Promise<Uint8Array | undefined> {
  return async (segment) => {
    const bytes = await records.read(`${prefix}blocks/${segment}`);
    return bytes instanceof Uint8Array ? bytes : undefined;
  };
}

/** Segments from their directories, patched; those that cannot be read are left out, with a fault. */
function parseSegments(directories: readonly unknown[], name: string, options: StoredOptions): Segment[] {
  const segments: Segment[] = [];
  for (const [index, bytes] of directories.entries()) {
    const parsed = parseDirectory(bytes instanceof Uint8Array ? bytes : new Uint8Array(0));
    if (parsed.ok) segments.push({ index, directory: parsed.value, blocks: undefined });
    else options.onFault?.({ ...parsed.fault, place: { file: `${name}/${index}` } });
  }
  for (const { directory } of segments)
    for (const patch of directory.patches) patchSegments(segments, patch, directory.from);
  return segments;
}

function damage(file: string, found: string): Fault {
  return { code: 'store-damaged', place: { file }, found };
}

function damaged(file: string, found: string): { readonly ok: false; readonly fault: Fault } {
  return fail(damage(file, found));
}

/** A history that is stored while it grows, and answers meanwhile; `stored-history.ts` opens it again. */
export interface KeptHistory {
  readonly builder: HistoryBuilder;
  readonly writer: HistoryWriter;
  readonly query: HistoryQuery;
}

interface KeptOptions
  extends
    Pick<BuilderOptions, 'schemeOf' | 'seal' | 'keepRows'>,
    Pick<QueryOptions, 'resolve' | 'apart' | 'overrules'> {
  readonly records: HistoryRecords;
  readonly prefix: string;
  /** Expected length, ns, as far as packets tell; 0: they do not. */
  readonly lengthNs: number;
  /** Called with the fault because of which something was not written. */
  readonly onFault: (fault: Fault) => void;
  /** Called with the fault of what was written and cannot be read back. */
  readonly onDamage: (fault: Fault) => void;
}

export function keepHistory(options: KeptOptions): KeptHistory {
  const { records, prefix, lengthNs, onFault, onDamage, resolve, apart, overrules, ...rest } = options;
  const writer = new HistoryWriter(records, { prefix, onFault });
  const builder = new HistoryBuilder({
    ...rest,
    outlineLevel: outlineLevel(lengthNs),
    onSealed: (segment) => writer.add(segment),
  });
  return {
    builder,
    writer,
    query: createQuery(builder, {
      resolve,
      apart,
      overrules,
      load: blockLoader(records, prefix),
      onFault: onDamage,
    }),
  };
}
