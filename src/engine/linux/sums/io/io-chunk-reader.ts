/**
 * One chunk → its i/o calls and facts (`io-chunk.ts`): actions of rows, places of their fields, and the compiled code
 * that reads them.
 */
import { aggregatesModule, type RowChunkReader } from '../../../analysis/compiled/chunk-reader.ts';
import { INDEX } from '../../../analysis/compiled/int-index.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import type { EventBatch, KindRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { streamPart } from '../../../analysis/stream-merge.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { trimmed } from '../../../base/columns.ts';
import { noRows } from '../../../base/tables.ts';
import type { EventClass } from '../../../ctf/model.ts';
import type { EventKind } from '../../../trace/event-kinds.ts';
import { kernelKind, subjectsOf, toldBy } from '../../events/kernel-events.ts';
import { type FieldPlace, placesOf } from '../../events/row-reader.ts';
import { CALL_UNNAMED, ioCallOf } from './io-calls.ts';
import * as ioChunk from './io-chunk.ts';
import type { IoPart, IoStreamPart } from './io-chunk.ts';

const REQUEST = ['dev', 'sector', 'nr_sector', 'tid', 'rwbs', 'letters'] as const;

export const IO_KINDS: readonly KindRequest[] = [
  kernelKind('switch', 'prev_tid', 'next_tid', 'next_comm'),
  kernelKind('syscall-entry', 'fd', 'fd_in', 'flags', 'cmd', 'filename'),
  kernelKind('syscall-exit', 'ret', 'pair'),
  kernelKind('fork', 'child_tid', 'child_pid', 'parent_pid', 'child_comm'),
  kernelKind('process-dump', 'tid', 'pid', 'name', 'files'),
  kernelKind('file-dump', 'pid', 'fd', 'filename', 'files'),
  kernelKind('disk-dump', 'dev', 'diskname'),
  kernelKind('request-insert', ...REQUEST),
  kernelKind('request-issue', ...REQUEST),
  kernelKind('request-complete', ...REQUEST),
  kernelKind('request-requeue', ...REQUEST),
  kernelKind('request-merge', ...REQUEST),
];

/** Actions of rows; FACT + n: a fact by rule n of `FACT_RULES`. */
const NOTHING = 0;
export const SWITCH = 1;
export const ENTRY = 2;
export const EXIT = 3;
export const FACT = 4;

/** Fields of a row that is a fact. */
export interface FactRule<Field = FieldPlace> {
  readonly kind: number;
  readonly a: Field;
  readonly b?: Field;
  readonly c?: Field;
  readonly d?: Field;
  readonly wide?: Field;
  readonly text?: Field;
  /** The name of thread `a`. */
  readonly name?: Field;
}

const REQUEST_FACT = {
  ...{ a: 'dev', b: 'nr_sector', c: 'tid', d: 'rwbs', wide: 'sector' },
  text: 'letters',
} as const;

const FACT_RULES: readonly (FactRule<string> & { readonly event: EventKind })[] = [
  {
    event: 'fork',
    kind: ioChunk.FACT_FORK,
    a: 'child_tid',
    b: 'child_pid',
    c: 'parent_pid',
    name: 'child_comm',
  },
  { event: 'process-dump', kind: ioChunk.FACT_PROCESS, a: 'tid', b: 'pid', wide: 'files', name: 'name' },
  { event: 'file-dump', kind: ioChunk.FACT_FILE, a: 'pid', b: 'fd', wide: 'files', text: 'filename' },
  { event: 'disk-dump', kind: ioChunk.FACT_DISK, a: 'dev', text: 'diskname' },
  { event: 'request-insert', kind: ioChunk.FACT_INSERT, ...REQUEST_FACT },
  { event: 'request-issue', kind: ioChunk.FACT_ISSUE, ...REQUEST_FACT },
  { event: 'request-complete', kind: ioChunk.FACT_COMPLETE, ...REQUEST_FACT },
  { event: 'request-requeue', kind: ioChunk.FACT_REQUEUE, ...REQUEST_FACT },
  { event: 'request-merge', kind: ioChunk.FACT_MERGE, ...REQUEST_FACT },
];

/** Layout of a plan: actions by kind, and places of their fields. */
export function layoutOf(plan: ProjectionPlan) {
  const actions = new Uint8Array(plan.request.kinds.length).fill(NOTHING);
  actions[plan.kind('switch')] = SWITCH;
  actions[plan.kind('syscall-entry')] = ENTRY;
  actions[plan.kind('syscall-exit')] = EXIT;
  FACT_RULES.forEach(({ event: eventKind }, fact) => (actions[plan.kind(eventKind)] = FACT + fact));
  return {
    actions,
    switch: placesOf(plan, 'switch', ['prev_tid', 'next_tid', 'next_comm']),
    entry: placesOf(plan, 'syscall-entry', ['fd', 'fd_in', 'flags', 'cmd', 'filename']),
    exit: placesOf(plan, 'syscall-exit', ['ret', 'pair']),
    facts: FACT_RULES.map(({ event, kind, ...fields }): FactRule => {
      const places = Object.entries(fields).map(([name, field]) => [name, plan.field(event, field)]);
      return { kind, ...(Object.fromEntries(places) as Omit<FactRule, 'kind'>) };
    }),
  };
}

export type IoLayout = ReturnType<typeof layoutOf>;

/** Numbers of the calls that events are about, by event class; -1: irrelevant. @internal */
export const callsOf = cachedByKey((eventClasses: readonly EventClass[]) =>
  Int32Array.from(subjectsOf(eventClasses), (name) => (name === '' ? CALL_UNNAMED : ioCallOf(name))),
);

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
  readonly pending: WebAssembly.Global;
  readonly closing: WebAssembly.Global;
  readonly endsPending: WebAssembly.Global;
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

export function ioStreamPart(batch: EventBatch, part: IoPart): IoStreamPart {
  const { cpu, eventClasses } = batch;
  const { switches, unnamedExits } = toldBy(eventClasses);
  // An unnamed return was attributed to the entry before it, which may be another thread's.
  const switchesElsewhere = cpu >= 0 && !switches && !unnamedExits;
  return streamPart(batch, { switchesElsewhere, parts: [part] });
}

/** Reads one chunk by compiled code (`src/wasm/aggregates/io.ts`). */
export class IoChunkReader implements RowChunkReader<IoPart> {
  readonly #kernel: RowKernel<IoExports>;
  readonly #actions: Uint8Array;
  readonly #rules: Int32Array;
  readonly #fields: Int32Array;
  // Data of the present chunk.
  #calls = noRows(ioChunk.CALLS);
  #facts = noRows(ioChunk.FACTS);

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
    const names = kernel.table(ioChunk.NAMES, threads);
    const index = kernel.table(INDEX, 2 * threads);
    const calls = kernel.table(ioChunk.CALLS, kernel.capacity + cutCalls(packets.length));
    // A row may be a fact, and each name of a thread becomes one.
    const facts = kernel.table(ioChunk.FACTS, kernel.capacity + threads);
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
      pending: exports.pending.value as number,
      closing: exports.closing.value as number,
      endsPending: exports.endsPending.value === 1,
    };
  }
}

/** Packets with room at least, so that tables of chunks of similar length are in the same place. */
const PACKET_STEP = 256;

/** Calls that no row begins: a loss before or within a packet ends two, the end of the chunk one. */
function cutCalls(packets: number): number {
  return 4 * PACKET_STEP * Math.ceil((packets + 1) / PACKET_STEP);
}

/** A rule in the kernel's form. */
function numbersOf(rule: FactRule): readonly number[] {
  const [, ...fields] = IO_RULE;
  return [rule.kind, ...packed(fields.map((field) => rule[field]))];
}
