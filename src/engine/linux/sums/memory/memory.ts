/**
 * The kernel's memory by thread: allocated and freed pages and objects, and page faults. An aggregate. Events in an
 * interrupt count for the interrupted thread. The thread follows from the switches of the CPU; the first switch of a
 * CPU, and the first one after a loss, also tell who ran before. If no switch tells, as in streams without any, this
 * analysis gives the CPU and the time, and the history tells who ran there.
 */
import { type RowChunkReader, rowReaders } from '../../../analysis/compiled/chunk-reader.ts';
import { createIntIndex, findInt, putInt } from '../../../analysis/compiled/int-index.ts';
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { inPairs, mergeStreamParts, streamPart } from '../../../analysis/stream-merge.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { GrowingTable } from '../../../base/columns.ts';
import { noRows } from '../../../base/tables.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { isKind } from '../../../trace/event-kinds.ts';
import { kernelKind, toldBy } from '../../events/kernel-events.ts';
import { type FieldPlace, placesOf, RowReader } from '../../events/row-reader.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_NEXT, THREAD_OPEN } from '../../events/values.ts';
import * as chunk from './memory-chunk.ts';
import type { MemoryChunk, MemoryOfChunk, MemoryStreamPart, MemorySum } from './memory-chunk.ts';

export type MemorySums = Readonly<Record<MemorySum, number>>;

export interface MemoryUse {
  readonly host: number;
  /** THREAD_ELSEWHERE: who ran on `cpu` at `time`, THREAD_LOST: not known. */
  readonly tid: number;
  /** -1: events of the stream differ. */
  readonly cpu: number;
  /** HostNs; undefined: the thread is known. */
  readonly time?: number;
  readonly sums: MemorySums;
}

export const memory: Analysis<MemoryChunk, readonly MemoryUse[]> = {
  id: 'memory',
  version: 2,
  reads: {
    kinds: [
      kernelKind('switch', 'prev_tid', 'next_tid'),
      kernelKind('page-alloc', 'order', 'pfn'),
      kernelKind('page-free', 'order'),
      kernelKind('object-alloc', 'ptr', 'bytes'),
      kernelKind('object-free', 'ptr'),
      kernelKind('user-fault'),
      kernelKind('kernel-fault'),
    ],
  },
  ...readBy((plan) => rowReaders(new MemoryChunkReader(plan), streamPart)),
  merge: (chunkResults) => mergeStreamParts(chunkResults, inPairs(chunk.joinMemory)),
  empty: [],
  finish: (chunkResult) => chunkResult.flatMap(usesOf),
};

function usesOf({ host, cpu, beginThread, rows }: MemoryStreamPart): MemoryUse[] {
  return Array.from({ length: rows.length }, (_, row) => {
    const own = rows.tid[row] === THREAD_OPEN && beginThread >= 0 ? beginThread : rows.tid[row];
    const isKnown = own >= 0 || own === THREAD_LOST;
    const tid = isKnown ? own : THREAD_ELSEWHERE;
    const time = isKnown ? undefined : rows.time[row];
    return { host, tid, cpu, time, sums: sumsBy((name) => rows[name][row]) };
  });
}

export const NO_MEMORY = sumsBy(() => 0);

export function addMemory(a: MemorySums, b: MemorySums): MemorySums {
  return sumsBy((name) => a[name] + b[name]);
}

function sumsBy(value: (name: MemorySum) => number): MemorySums {
  return Object.fromEntries(chunk.MEMORY_SUM_NAMES.map((name) => [name, value(name)])) as Record<
    MemorySum,
    number
  >;
}

/** Kinds that are counted, besides switches. */
const COUNTED = [
  'page-alloc',
  'page-free',
  'object-alloc',
  'object-free',
  'user-fault',
  'kernel-fault',
] as const;

/** Limit of an allocation's order (2 to its power pages); greater values are invalid. */
const MOST_ORDER = 32;
const FIRST_THREADS = 64;
const NOT_COUNTED = -1;
/** Page and object in events of failed allocations. */
const NO_PAGE = -1;
const NO_OBJECT = 0;
const SOME_OBJECT = 1;

class MemoryChunkReader implements RowChunkReader<MemoryOfChunk> {
  readonly #switch: number;
  /** Indices in `COUNTED`, by kind; NOT_COUNTED: none. */
  readonly #kinds: Int8Array;
  readonly #switchPlaces;
  readonly #pageAlloc;
  readonly #pageFree;
  readonly #objectAlloc;
  readonly #objectFree;
  readonly #rows = new RowReader();
  // Data of the present chunk.
  #isRead = false;
  /** Present thread, as in `MEMORY`. */
  #thread = THREAD_OPEN;
  /** Row of the present thread, -1 none yet. */
  #at = -1;
  #beginThread = THREAD_OPEN;
  #index = createIntIndex(FIRST_THREADS);
  #sums = new GrowingTable(noRows(chunk.MEMORY), FIRST_THREADS);

  constructor(plan: ProjectionPlan) {
    this.#switch = plan.kind('switch');
    this.#kinds = new Int8Array(plan.request.kinds.length).fill(NOT_COUNTED);
    COUNTED.forEach((eventKind, kind) => (this.#kinds[plan.kind(eventKind)] = kind));
    this.#switchPlaces = placesOf(plan, 'switch', ['prev_tid', 'next_tid']);
    this.#pageAlloc = placesOf(plan, 'page-alloc', ['order', 'pfn']);
    this.#pageFree = plan.field('page-free', 'order');
    this.#objectAlloc = placesOf(plan, 'object-alloc', ['ptr', 'bytes']);
    this.#objectFree = plan.field('object-free', 'ptr');
  }

  start({ rows, eventClasses }: EventBatch): boolean {
    this.#isRead = countedIn(eventClasses).isAny;
    this.#rows.open(rows);
    this.#beginThread = THREAD_OPEN;
    this.#run(toldBy(eventClasses).switches ? THREAD_OPEN : THREAD_ELSEWHERE);
    this.#index = createIntIndex(FIRST_THREADS);
    this.#sums = new GrowingTable(noRows(chunk.MEMORY), FIRST_THREADS);
    return true;
  }

  read(from: number, to: number): boolean {
    if (!this.#isRead) return true;
    const { kind: kinds } = this.#rows;
    for (let row = from; row < to; row++) {
      const eventKind = kinds[row];
      const kind = this.#kinds[eventKind];
      if (kind !== NOT_COUNTED) this.#count(row, kind);
      else if (eventKind === this.#switch) this.#switched(row);
    }
    return true;
  }

  lose(): void {
    if (this.#thread === THREAD_ELSEWHERE) return;
    this.#told(THREAD_LOST);
    this.#run(THREAD_NEXT);
  }

  finish(): MemoryOfChunk {
    this.#rows.close();
    const rows = chunk.addUpMemory(this.#sums.rows, this.#sums.length);
    return { beginThread: this.#beginThread, endThread: this.#thread, rows };
  }

  #switched(row: number): void {
    const { prev_tid, next_tid } = this.#switchPlaces;
    this.#told(this.#tidOf(row, prev_tid));
    this.#run(this.#tidOf(row, next_tid));
  }

  /** Tid in a field of a row; THREAD_LOST: negative, which is no tid. */
  #tidOf(row: number, place: FieldPlace): number {
    const tid = this.#rows.int(row, place);
    return tid < 0 ? THREAD_LOST : tid;
  }

  /** Sets the thread that ran until now, if it was not known. */
  #told(thread: number): void {
    if (this.#thread === THREAD_OPEN) this.#beginThread = thread;
    else if (this.#thread === THREAD_NEXT && this.#at >= 0)
      chunk.setThread(this.#sums.rows, this.#at, thread);
  }

  #run(thread: number): void {
    this.#thread = thread;
    this.#at = -1;
  }

  #count(row: number, kind: number): void {
    const rows = this.#rows;
    switch (COUNTED[kind]) {
      case 'page-alloc': {
        const { order, pfn } = this.#pageAlloc;
        if (rows.wide(row, pfn, 0) !== NO_PAGE) this.#add(row, 'allocatedPages', this.#pages(row, order));
        break;
      }
      case 'page-free':
        this.#add(row, 'freedPages', this.#pages(row, this.#pageFree));
        break;
      case 'object-alloc': {
        const { ptr, bytes } = this.#objectAlloc;
        if (rows.wide(row, ptr, SOME_OBJECT) === NO_OBJECT) break;
        const at = this.#add(row, 'allocatedObjects', 1);
        this.#sums.rows.objectBytes[at] += Math.max(0, rows.wide(row, bytes, 0));
        break;
      }
      case 'object-free':
        if (rows.wide(row, this.#objectFree, SOME_OBJECT) !== NO_OBJECT) this.#add(row, 'freedObjects', 1);
        break;
      case 'user-fault':
        this.#add(row, 'userFaults', 1);
        break;
      case 'kernel-fault':
        this.#add(row, 'kernelFaults', 1);
        break;
    }
  }

  #pages(row: number, place: FieldPlace): number {
    const order = this.#rows.int(row, place);
    return order >= 0 && order <= MOST_ORDER ? 2 ** order : 0;
  }

  /** @returns the row of the sum */
  #add(row: number, sum: MemorySum, value: number): number {
    const at = this.#rowOfThread(row);
    this.#sums.rows[sum][at] += value;
    return at;
  }

  #rowOfThread(row: number): number {
    const thread = this.#thread;
    if (thread === THREAD_ELSEWHERE) return this.#addRow(this.#rows.time[row]);
    if (this.#at >= 0) return this.#at;
    if (thread === THREAD_OPEN || thread === THREAD_NEXT)
      return (this.#at = this.#addRow(this.#rows.time[row]));
    this.#at = findInt(this.#index, thread);
    if (this.#at < 0) {
      this.#at = this.#addRow(0);
      putInt(this.#index, thread, this.#at);
    }
    return this.#at;
  }

  #addRow(time: number): number {
    const row = this.#sums.addRow();
    this.#sums.rows.tid[row] = this.#thread;
    this.#sums.rows.time[row] = time;
    return row;
  }
}

const countedIn = cachedByKey((eventClasses: readonly EventClass[]) => {
  const isCounted = (name: string) => COUNTED.some((eventKind) => isKind(eventKind, name));
  return { isAny: eventClasses.some(({ name = '' }) => isCounted(name)) };
});
