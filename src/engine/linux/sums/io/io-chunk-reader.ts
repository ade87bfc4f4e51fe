/** One chunk → its i/o calls and facts (`io-chunk.ts`), by compiled code (`src/wasm/aggregates/io.ts`). */
import type { EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { noRows } from '../../../base/tables.ts';
import {
  aggregatesModule,
  type RowChunkReader,
  tallyReaders,
} from '../../../analysis/compiled/chunk-reader.ts';
import { trimmed } from '../../../base/columns.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { streamPartOf } from '../../../analysis/stream-merge.ts';
import { toldBy } from '../../events/kernel-events.ts';
import { INDEX } from '../../../analysis/compiled/int-index.ts';
import type { FieldPlace } from '../../events/row-reader.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import { CALLS, FACTS, type IoPart, type IoStreamPart, NAMES } from './io-chunk.ts';
import { callsOf, type FactRule, type IoLayout, layoutOf } from './io-rules.ts';

interface IoExports extends RowExports {
  beginIo(unnamed: boolean, fields: number, ...tables: number[]): void;
  readIo(from: number, to: number, textBase: number): number;
  loseIo(since: number): void;
  cutCall(): void;
  addNames(): void;
  readonly calls: WebAssembly.Global;
  readonly facts: WebAssembly.Global;
  readonly changed: WebAssembly.Global;
  readonly beginThread: WebAssembly.Global;
  readonly endThread: WebAssembly.Global;
}

/** Threads of a chunk for which there is room, and texts. */
const MOST_THREADS = 2 ** 12;
const MOST_TEXTS = 2 ** 14;

/** Fields that the kernel reads. */
export const IO_FIELDS = [
  'prev_tid',
  'next_tid',
  'next_comm',
  'fd',
  'fd_in',
  'flags',
  'cmd',
  'filename',
  'ret',
  'pair',
] as const;

/** Numbers of a `FactRule`: its kind, then fields. */
export const IO_RULE = ['kind', 'a', 'b', 'c', 'd', 'wide', 'text', 'name'] as const;

export const ioReader = cachedByKey((plan: ProjectionPlan) =>
  tallyReaders(new IoChunkReader(layoutOf(plan)), ioStreamPart),
);

/** @internal */
export function ioStreamPart(batch: EventBatch, part: IoPart): IoStreamPart {
  const { cpu, eventClasses } = batch;
  const { switches, unnamedExits } = toldBy(eventClasses);
  // A return without a name was taken for that of the entry before it, which may be another thread's.
  const switchesElsewhere = cpu >= 0 && !switches && !unnamedExits;
  return { ...streamPartOf(batch), cpu, switchesElsewhere, parts: [part] };
}

class IoChunkReader implements RowChunkReader<IoPart> {
  readonly #kernel: RowKernel<IoExports>;
  readonly #actions: Uint8Array;
  readonly #rules: Int32Array;
  readonly #fields: Int32Array;
  // Of the chunk at hand.
  #calls = noRows(CALLS);
  #facts = noRows(FACTS);

  constructor(layout: IoLayout) {
    this.#kernel = new RowKernel(aggregatesModule());
    this.#actions = layout.actions;
    this.#rules = Int32Array.from(layout.facts.flatMap(numbersOf));
    const places: Readonly<Record<(typeof IO_FIELDS)[number], FieldPlace>> = {
      ...layout.switch,
      ...layout.entry,
      ...layout.exit,
    };
    this.#fields = packed(IO_FIELDS.map((field) => places[field]));
  }

  start({ rows, packets, eventClasses }: EventBatch, scale: number): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    const threads = MOST_THREADS * scale;
    kernel.openTexts(MOST_TEXTS * scale);
    const names = kernel.table(NAMES, threads);
    const index = kernel.table(INDEX, 2 * threads);
    const calls = kernel.table(CALLS, kernel.capacity + cutCalls(packets.length));
    // A row may be a fact, and each name of a thread becomes one.
    const facts = kernel.table(FACTS, kernel.capacity + threads);
    const fields = kernel.copy(this.#fields);
    const actions = kernel.copy(this.#actions);
    const callOfClass = kernel.copy(callsOf(eventClasses));
    const rules = kernel.copy(this.#rules);
    if (kernel.isFull) return false;
    index.rows.values.fill(-1);
    this.#calls = calls.rows;
    this.#facts = facts.rows;
    const tables = [calls, facts, names, index].map(({ directory }) => directory);
    const { unnamedExits } = toldBy(eventClasses);
    kernel.exports.beginIo(unnamedExits, fields, ...tables, actions, callOfClass, rules);
    return true;
  }

  read(from: number, to: number, packet: number): boolean {
    const kernel = this.#kernel;
    return kernel.exports.readIo(from, to, kernel.textBase(packet)) === 1;
  }

  lose(since: number): void {
    this.#kernel.exports.loseIo(since);
  }

  finish(): IoPart {
    const { exports } = this.#kernel;
    exports.cutCall();
    exports.addNames();
    const calls = exports.calls.value as number;
    const facts = exports.facts.value as number;
    return {
      calls: { length: calls, ...trimmed(this.#calls, calls) },
      facts: { length: facts, ...trimmed(this.#facts, facts) },
      texts: this.#kernel.texts(),
      changed: exports.changed.value === 1,
      beginThread: exports.beginThread.value as number,
      endThread: exports.endThread.value as number,
    };
  }
}

/** Packets for which there is room at least: tables of chunks about as long lie in the same place. */
const PACKET_STEP = 256;

/** Calls that no row begins: a loss before or within a packet ends two, the end of the chunk one. */
function cutCalls(packets: number): number {
  return 4 * PACKET_STEP * Math.ceil((packets + 1) / PACKET_STEP);
}

/** A rule as the kernel has it. */
function numbersOf(rule: FactRule): readonly number[] {
  const [, ...fields] = IO_RULE;
  return [rule.kind, ...packed(fields.map((field) => rule[field]))];
}
