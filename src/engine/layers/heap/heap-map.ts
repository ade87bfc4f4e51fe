/** Maps a chunk: calls of the allocator. */
import type { EventBatch, KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import {
  EventMapper,
  PROGRAM_THREAD,
  type ProgramThread,
  type ReadRow,
  E_OWN,
  type EventChunk,
} from '../contract/event-mapper.ts';
import type { Switches } from '../contract/switches.ts';
import { kernelKind } from '../../linux/events/kernel-events.ts';
import { type FieldPlace, placesOf } from '../../linux/events/row-reader.ts';
import { MODULE_KINDS, moduleReader } from '../stacks/module-events.ts';
import { layerMap } from '../contract/layer.ts';

/** A block was allocated: row of `contexts`, address (low, high), bytes (low, high), row of `sites`. */
export const H_ALLOC = E_OWN;
/** A block was freed: row of `contexts`, address (low, high). */
export const H_FREE = E_OWN + 1;
/** An allocation failed: row of `contexts`. */
export const H_FAILED = E_OWN + 2;
/** An event does not have its address. */
export const H_WITHOUT_ADDRESS = E_OWN + 3;

/** Upper word of an unknown number of bytes. */
export const NOT_KNOWN = -1;

export interface HeapChunk extends EventChunk {
  /** Addresses of the allocator's callers; 0: not recorded. */
  readonly sites: { readonly low: Int32Array; readonly high: Int32Array };
}

/** Id of the layer, and first segment of the paths of its attributes; then process and namespace. */
export const HEAP = 'heap';

export interface HeapSettings {
  /** Switches that tell in which thread an event happened. */
  readonly switches: Switches;
}

/** Contexts that every allocator call may have: its thread, and its caller. */
const CONTEXTS = { ...PROGRAM_THREAD, ip: { names: ['ip'], kind: 'wide', only: 'context' } } as const;

const CALLS = [
  kernelKind('heap-alloc', 'ptr', 'size', 'count'),
  kernelKind('heap-realloc', 'ptr', 'size', 'old'),
  kernelKind('heap-aligned', 'ptr', 'size', 'result'),
  kernelKind('heap-free', 'ptr'),
];

export function heapKinds({ switches }: HeapSettings): KindRequest[] {
  const calls = CALLS.map((call) => ({ ...call, fields: { ...call.fields, ...CONTEXTS } }));
  const switchKinds = switches === 'none' ? [] : [kernelKind('switch', 'next_tid')];
  return [...calls, ...switchKinds, ...MODULE_KINDS];
}

type Places = Readonly<Record<string, FieldPlace>> & ProgramThread;

class HeapMapper {
  readonly #events: EventMapper;
  readonly #readers: ReadRow[] = [];
  readonly #sites = new TupleIndex();

  constructor(plan: ProjectionPlan, settings: HeapSettings) {
    this.#events = new EventMapper(settings.switches === 'all');
    for (const { kind, fields } of heapKinds(settings)) {
      const places = placesOf(plan, kind, Object.keys(fields)) as Places;
      this.#readers[plan.kind(kind)] = this.#readerOf(kind, places);
    }
  }

  map(batch: EventBatch): HeapChunk {
    this.#sites.clear();
    const chunk = this.#events.map(batch, this.#readers);
    return { ...chunk, sites: { low: this.#sites.column(0), high: this.#sites.column(1) } };
  }

  #readerOf(kind: string, places: Places): ReadRow {
    const events = this.#events;
    const { rows } = events;
    switch (kind) {
      case 'switch':
        return (row, time, cpu) => events.switchTo(rows.int(row, places.next_tid), time, cpu);
      case 'heap-alloc':
        return (row, time, cpu) => {
          const size = rows.wide(row, places.size, NaN) * rows.wide(row, places.count, 1);
          this.#allocate(row, time, cpu, places, size);
        };
      case 'heap-aligned':
        return (row, time, cpu) => {
          // The address is undefined if the call failed.
          if (rows.has(row, places.result) && rows.int(row, places.result) !== 0)
            this.#fail(row, time, cpu, places);
          else this.#allocate(row, time, cpu, places, rows.wide(row, places.size, NaN));
        };
      case 'heap-realloc':
        return (row, time, cpu) => this.#reallocate(row, time, cpu, places);
      case 'heap-free':
        return (row, time, cpu) => this.#free(row, time, cpu, places, places.ptr);
      default:
        return moduleReader(events, kind, places) ?? (() => undefined);
    }
  }

  /** Maps a realloc. A failing call leaves the old block, but a call for no bytes frees it. */
  #reallocate(row: number, time: number, cpu: number, places: Places): void {
    const { rows } = this.#events;
    const size = rows.wide(row, places.size, NaN);
    const isMade = !rows.has(row, places.ptr) || !this.#isNull(row, places.ptr);
    if (isMade || size === 0) this.#free(row, time, cpu, places, places.old);
    if (isMade || size !== 0) this.#allocate(row, time, cpu, places, size);
  }

  /** @param size bytes; NaN: not recorded */
  #allocate(row: number, time: number, cpu: number, places: Places, size: number): void {
    const { rows, writer } = this.#events;
    if (!rows.has(row, places.ptr)) {
      writer.append(time, H_WITHOUT_ADDRESS, cpu);
      return;
    }
    if (this.#isNull(row, places.ptr)) {
      this.#fail(row, time, cpu, places);
      return;
    }
    const at = writer.append(time, H_ALLOC, cpu);
    writer.args[at] = this.#events.contextOf(row, places);
    this.#events.wide(row, places.ptr, at + 1);
    // Numbers from 2^63 on are read as negative.
    const isKnown = size >= 0 && size <= Number.MAX_SAFE_INTEGER;
    writer.args[at + 3] = isKnown ? size : 0;
    writer.args[at + 4] = isKnown ? Math.floor(size / 2 ** 32) : NOT_KNOWN;
    writer.args[at + 5] = this.#siteOf(row, places.ip);
  }

  #siteOf(row: number, ip: FieldPlace): number {
    const { rows } = this.#events;
    if (!rows.has(row, ip)) return this.#sites.place(0, 0, 0, 0);
    const at = rows.at[row] + ip.offset;
    return this.#sites.place(rows.words[at], rows.words[at + 1], 0, 0);
  }

  #fail(row: number, time: number, cpu: number, places: Places): void {
    const at = this.#events.writer.append(time, H_FAILED, cpu);
    this.#events.writer.args[at] = this.#events.contextOf(row, places);
  }

  /** Writes the end of a block; freeing address 0 does nothing. */
  #free(row: number, time: number, cpu: number, places: Places, address: FieldPlace): void {
    const { rows, writer } = this.#events;
    const isThere = rows.has(row, address);
    if (isThere && this.#isNull(row, address)) return;
    const at = writer.append(time, isThere ? H_FREE : H_WITHOUT_ADDRESS, cpu);
    if (!isThere) return;
    writer.args[at] = this.#events.contextOf(row, places);
    this.#events.wide(row, address, at + 1);
  }

  #isNull(row: number, address: FieldPlace): boolean {
    const { rows } = this.#events;
    const at = rows.at[row] + address.offset;
    return rows.words[at] === 0 && rows.words[at + 1] === 0;
  }
}

export const heapMap = layerMap(HEAP, heapKinds, (plan, settings) => new HeapMapper(plan, settings));
