/**
 * The rules as compiled WebAssembly (`src/kernels/transitions`), over rows that lie in a decoder's memory: the same
 * transitions as `RuleRunner` writes, which takes its place everywhere else. Compiled code is fast from the first chunk
 * on; V8 would compile the other one in every worker while a trace is opened.
 */
import transitionsKernel from 'kernel:transitions';
import type { EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { assert } from '../base/assert.ts';
import { kernelModule } from '../base/kernel-module.ts';
import { oncePer } from '../base/once-per.ts';
import type { EventClass } from '../ctf/model.ts';
import { subjectsOf } from './meanings.ts';
import type { PacketMapper } from './packet-map.ts';
import { MORE_A_PACKET, type RowMapper } from './rule-runner.ts';
import * as rules from './state-rules.ts';
import { bytesOfText, textOfBytes, type TextIndex } from './text-table.ts';
import { LeafWriter } from './transitions.ts';

/** What the kernel exports: where all lies, the work, the texts that it met. */
interface TransitionsKernel {
  openRows(time: number, meaning: number, eventClass: number, place: number, words: number): void;
  openRules(rules: number, classes: number): void;
  openTransitions(time: number, kind: number, cpu: number, args: number): void;
  openTexts(slots: number, entries: number, most: number): void;
  run(from: number, to: number, cpu: number, textBase: number, length: number, now: number): number;
  readonly now: WebAssembly.Global;
  textAt(address: number, length: number): number;
  textCount(): number;
  /** Address of what is known of the texts: address and bytes of the first, … */
  textEntries(): number;
}

/** Texts of a chunk for which the kernel has room, and the bytes that one takes. */
const MOST_TEXTS = 2 ** 14;
const SLOT_BYTES = 2 * 4;
const ENTRY_BYTES = 24;
/** The kernel reads whole words of texts. */
const WORD_BYTES = 8;
/** Numbers by event class: kind or -1, place of the subject's text, its bytes, its index or -1. */
const CLASS_NUMBERS = 4;

/** undefined where there is no WebAssembly. */
export function createWasmRuleRunner(
  plan: ProjectionPlan,
  packets: PacketMapper,
): WasmRuleRunner | undefined {
  try {
    return new WasmRuleRunner(plan, packets);
  } catch {
    return undefined;
  }
}

export class WasmRuleRunner implements RowMapper, TextIndex {
  /** Its columns lie in the memory of the rows. */
  readonly writer = new LeafWriter();
  readonly texts: TextIndex = this;
  readonly #module = kernelModule(transitionsKernel);
  readonly #imports: WebAssembly.ModuleImports;
  readonly #imageOf: (eventClasses: readonly EventClass[]) => RuleImage;
  /** The instance for the memory in use. */
  #memory: WebAssembly.Memory | undefined;
  #kernel: TransitionsKernel | undefined;
  /** Of the chunk at hand. */
  #bytes = new Uint8Array(0);
  #textBase: Int32Array = new Int32Array(0);
  /** Addresses: where bytes of texts that the rows do not have may lie. */
  #free = 0;
  #end = 0;
  /** There was no room for such a text. */
  #isFull = false;

  /** Throws where there is no WebAssembly. */
  constructor(plan: ProjectionPlan, packets: PacketMapper) {
    const program = rules.compileRules(plan);
    this.#imports = { packet: (row: number) => packets.add(row) };
    this.#imageOf = oncePer((eventClasses: readonly EventClass[]) => imageOf(program, eventClasses));
  }

  /** False where rows do not lie in a memory, or there is not enough room behind them. */
  start({ rows, packets, eventClasses }: EventBatch): boolean {
    const { writer } = this;
    if (rows.place === undefined) return false;
    const { memory, textBase, room, roomEnd } = rows.place;
    const image = this.#imageOf(eventClasses);
    const columns = room + image.bytes.length;
    const capacity = rows.length + MORE_A_PACKET * packets.length;
    const slots = alignUp(columns + LeafWriter.bytesOf(capacity));
    const entries = slots + SLOT_BYTES * MOST_TEXTS;
    this.#free = entries + ENTRY_BYTES * MOST_TEXTS;
    this.#end = roomEnd - WORD_BYTES;
    if (this.#free > this.#end) return false;
    this.#isFull = false;
    this.#textBase = textBase;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#bytes.set(image.bytes, room);
    writer.clearIn(memory.buffer, columns, capacity);
    const kernel = this.#kernelIn(memory);
    const { time, kind, cpu, args } = writer;
    kernel.openTransitions(time.byteOffset, kind.byteOffset, cpu.byteOffset, args.byteOffset);
    kernel.openRules(room, room + image.classes);
    kernel.openTexts(slots, entries, MOST_TEXTS);
    const { meaning, eventClass, at, words } = rows;
    kernel.openRows(
      rows.time.byteOffset,
      meaning.byteOffset,
      eventClass.byteOffset,
      at.byteOffset,
      words.byteOffset,
    );
    return true;
  }

  run(packet: number, from: number, to: number, cpu: number): boolean {
    const { writer } = this;
    const kernel = this.#kernelOfChunk();
    const length = kernel.run(from, to, cpu, this.#textBase[packet], writer.length, writer.now);
    if (length < 0 || this.#isFull) return false;
    writer.length = length;
    writer.now = kernel.now.value as number;
    return true;
  }

  ofText(text: string): number {
    const bytes = bytesOfText(text);
    const at = this.#free;
    this.#isFull ||= at + bytes.length > this.#end;
    if (this.#isFull) return -1;
    this.#bytes.set(bytes, at);
    this.#free += bytes.length;
    return this.#kernelOfChunk().textAt(at, bytes.length);
  }

  textsOfLeaf(): readonly string[] {
    const kernel = this.#kernelOfChunk();
    const count = kernel.textCount();
    const entries = new Int32Array(this.#bytes.buffer, kernel.textEntries(), (count * ENTRY_BYTES) / 4);
    return Array.from({ length: count }, (_, text) => {
      const at = entries[(text * ENTRY_BYTES) / 4];
      return textOfBytes(this.#bytes.subarray(at, at + entries[(text * ENTRY_BYTES) / 4 + 1]));
    });
  }

  #kernelIn(memory: WebAssembly.Memory): TransitionsKernel {
    if (this.#kernel === undefined || this.#memory !== memory) {
      const { exports } = new WebAssembly.Instance(this.#module, { env: { memory }, rows: this.#imports });
      this.#kernel = exports as unknown as TransitionsKernel;
      this.#memory = memory;
    }
    return this.#kernel;
  }

  #kernelOfChunk(): TransitionsKernel {
    assert(this.#kernel !== undefined, 'a chunk was begun');
    return this.#kernel;
  }
}

/** What the kernel reads beside rows; copied behind them for each chunk. */
interface RuleImage {
  /** A multiple of 8 long. */
  readonly bytes: Uint8Array;
  /** Where in it the classes begin; before them programs by meaning, behind them the texts of subjects. */
  readonly classes: number;
}

function imageOf(program: rules.StateProgram, eventClasses: readonly EventClass[]): RuleImage {
  const programs = programsOf(program);
  const subjects = subjectsOf(eventClasses).map(bytesOfText);
  const kinds = rules.kindsOfClasses(eventClasses);
  const classes = 4 * programs.length;
  let at = classes + 4 * CLASS_NUMBERS * eventClasses.length;
  const numbers = [...programs];
  const texts = subjects.map((subject, index) => {
    const place = at;
    at += subject.length;
    numbers.push(kinds[index], place, subject.length, -1);
    return { subject, place };
  });
  const bytes = new Uint8Array(alignUp(at));
  bytes.set(new Uint8Array(Int32Array.from(numbers).buffer));
  for (const { subject, place } of texts) bytes.set(subject, place);
  return { bytes, classes };
}

/** By meaning: bytes to its kind and operations, 0 none; then these. */
function programsOf({ kind, start, ops }: rules.StateProgram): readonly number[] {
  const heads: number[] = [];
  const bodies: number[] = [];
  kind.forEach((own, meaning) => {
    heads.push(own === -1 ? 0 : 4 * (kind.length + bodies.length));
    if (own === -1) return;
    bodies.push(own);
    let end = start[meaning];
    while (ops[end] !== rules.OP_END) end += rules.OP_WORDS;
    bodies.push(...ops.subarray(start[meaning], end + rules.OP_WORDS));
  });
  return [...heads, ...bodies];
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
