/**
 * The rules as compiled WebAssembly (`src/kernels/transitions`), over rows that lie in a decoder's memory: the same
 * transitions as `RuleRunner` writes, which takes its place everywhere else. Compiled code is fast from the first chunk
 * on; V8 would compile the other one in every worker while a trace is opened.
 */
import transitionsKernel from 'kernel:transitions';
import type { EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { kernelModule } from '../base/kernel-module.ts';
import { oncePer } from '../base/once-per.ts';
import { aligned } from '../base/tables.ts';
import type { EventClass } from '../ctf/model.ts';
import { subjectsOf } from './meanings.ts';
import type { PacketMapper } from './packet-map.ts';
import { RowKernel, type RowExports } from './row-kernel.ts';
import { MORE_A_PACKET, type RowMapper } from './rule-runner.ts';
import * as rules from './state-rules.ts';
import { bytesOfText, type TextIndex } from './text-table.ts';
import { LeafWriter } from './transitions.ts';

/** What the kernel exports beside. */
interface TransitionsExports extends RowExports {
  openRules(rules: number, classes: number): void;
  openTransitions(time: number, kind: number, cpu: number, args: number): void;
  run(from: number, to: number, cpu: number, textBase: number, length: number, now: number): number;
  readonly now: WebAssembly.Global;
}

/** Texts of a chunk for which the kernel has room. */
const MOST_TEXTS = 2 ** 14;
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
  readonly #kernel: RowKernel<TransitionsExports>;
  readonly #imageOf: (eventClasses: readonly EventClass[]) => RuleImage;
  /** Of the chunk at hand. */
  #textBase: Int32Array = new Int32Array(0);

  /** Throws where there is no WebAssembly. */
  constructor(plan: ProjectionPlan, packets: PacketMapper) {
    const program = rules.compileRules(plan);
    const imports = { rows: { packet: (row: number) => packets.add(row) } };
    this.#kernel = new RowKernel(kernelModule(transitionsKernel), imports);
    this.#imageOf = oncePer((eventClasses: readonly EventClass[]) => imageOf(program, eventClasses));
  }

  /** False where rows do not lie in a memory, or there is not enough room behind them. */
  start({ rows, packets, eventClasses }: EventBatch): boolean {
    const kernel = this.#kernel;
    if (rows.place === undefined || !kernel.open(rows)) return false;
    const { memory, textBase } = rows.place;
    const image = this.#imageOf(eventClasses);
    const capacity = rows.length + MORE_A_PACKET * packets.length;
    kernel.openTexts(MOST_TEXTS);
    const programs = kernel.copy(image.bytes);
    const columns = kernel.take(LeafWriter.bytesOf(capacity));
    if (kernel.isFull) return false;
    this.#textBase = textBase;
    this.writer.clearIn(memory.buffer, columns, capacity);
    const { time, kind, cpu, args } = this.writer;
    const { exports } = kernel;
    exports.openTransitions(time.byteOffset, kind.byteOffset, cpu.byteOffset, args.byteOffset);
    exports.openRules(programs, programs + image.classes);
    return true;
  }

  run(packet: number, from: number, to: number, cpu: number): boolean {
    const { writer } = this;
    const { exports } = this.#kernel;
    const length = exports.run(from, to, cpu, this.#textBase[packet], writer.length, writer.now);
    if (length < 0 || this.#kernel.isFull) return false;
    writer.length = length;
    writer.now = exports.now.value as number;
    return true;
  }

  /** -1: there is no room for it. */
  ofText(text: string): number {
    const bytes = bytesOfText(text);
    const at = this.#kernel.copy(bytes);
    return this.#kernel.isFull ? -1 : this.#kernel.exports.textAt(at, bytes.length);
  }

  textsOfLeaf(): readonly string[] {
    return this.#kernel.texts();
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
  const bytes = new Uint8Array(aligned(at));
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
