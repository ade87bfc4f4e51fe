/**
 * Interrupts by device, softirq, timer function and vector: how often, how long from entry to exit, and for softirqs
 * how long from raise to entry. An aggregate: entry and exit happen on one CPU, so its streams can be mapped
 * separately; `irq-stats.ts` asks the state history for the length of those that were switched out meanwhile. A time
 * range counts those that began and ended in it.
 */
import {
  aggregatesModule,
  type RowChunkReader,
  rowReaders,
} from '../../../analysis/compiled/chunk-reader.ts';
import { INDEX } from '../../../analysis/compiled/int-index.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import type { Analysis, EventBatch } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { mergeStreamParts, streamPart } from '../../../analysis/stream-merge.ts';
import { append } from '../../../base/append.ts';
import { f64, i32, noRows } from '../../../base/tables.ts';
import { subjectsOf, vectorStepsOf } from '../../events/kernel-events.ts';
import { DURATIONS, PAGE } from '../duration-sums.ts';
import * as chunkResult from './interrupt-chunk.ts';
import type { CutRun, InterruptChunk, InterruptKey, InterruptStreamPart } from './interrupt-chunk.ts';
import * as ends from './interrupt-ends.ts';
import { INTERRUPT_KINDS, type InterruptLayout, interruptLayout } from './interrupt-rules.ts';

export type CpuInterrupts = Pick<InterruptStreamPart, 'host' | 'cpu' | 'keys' | 'sums' | 'cutRuns'>;

export const interrupts: Analysis<InterruptChunk, readonly CpuInterrupts[]> = {
  id: 'interrupts',
  version: 4,
  reads: { kinds: INTERRUPT_KINDS },
  ...readBy((plan) => rowReaders(new InterruptChunkReader(interruptLayout(plan)), streamPart)),
  merge: (chunkResults) => mergeStreamParts(chunkResults, chunkResult.joinInterrupts),
  empty: [],
  finish: finishInterrupts,
};

/** Interrupts of the CPUs, in order of host and CPU. */
function finishInterrupts(parts: InterruptChunk): readonly CpuInterrupts[] {
  const cpus = new Map<
    string,
    { host: number; cpu: number; sums: chunkResult.InterruptSums; cutRuns: CutRun[] }
  >();
  for (const { host, cpu, keys, sums, cutRuns, raises } of parts) {
    const key = `${host} ${cpu}`;
    const known = cpus.get(key) ?? { host, cpu, sums: new chunkResult.InterruptSums(), cutRuns: [] };
    cpus.set(key, known);
    append(known.cutRuns, cutRuns);
    known.sums.addTable(keys, sums);
    raises.forEach(({ raise, entry }, vec) => chunkResult.addRaise(raise, entry, vec, cpu, known.sums));
  }
  return [...cpus.values()]
    .map(({ host, cpu, sums, cutRuns }) => ({ host, cpu, ...sums.finish(), cutRuns }))
    .sort((a, b) => a.host - b.host || a.cpu - b.cpu);
}

interface InterruptExports extends RowExports {
  beginInterrupts(fields: number, ...tables: number[]): void;
  readInterrupts(from: number, to: number, textBase: number): number;
  loseInterrupts(): void;
  readonly groups: WebAssembly.Global;
  readonly cutRuns: WebAssembly.Global;
}

/** Room for a chunk's interrupts, pages of bins, texts, and interrupts that were switched out meanwhile. */
const MOST_GROUPS = 2 ** 8;
const MOST_PAGES = 2 ** 10;
const MOST_TEXTS = 2 ** 9;
const MOST_CUT_RUNS = 2 ** 7;

/** Fields that the kernel reads. */
export const INTERRUPT_FIELDS = [
  'irqOfEntry',
  'irqName',
  'irqOfExit',
  'vecOfRaise',
  'vecOfEntry',
  'vecOfExit',
  'timerOfEntry',
  'timerFunction',
  'timerOfExit',
] as const;

/** Keys of the groups; the name is the index of a text, for vectors an event class; -1: none. */
export const GROUPS = { kind: i32(), id: i32(), name: i32() };

/** Slots of an index of groups by irq and name, -1 free. */
export const IRQS = { group: i32(-1) };

/** Columns of `CutRun`, with the group for the key. */
export const CUT_RUNS = { group: i32(), begin: f64(), end: f64() };

/** Reads one chunk by compiled code (`src/wasm/aggregates/interrupts.ts`). */
class InterruptChunkReader implements RowChunkReader<ends.InterruptsOfChunk> {
  readonly #kernel: RowKernel<InterruptExports>;
  readonly #actions: Uint8Array;
  readonly #fields: Int32Array;
  // Data of the present chunk.
  #subjects: readonly string[] = [];
  #ends = ends.endTables();
  #groups = noRows(GROUPS);
  #cutRuns = noRows(CUT_RUNS);
  #durations = { ...noRows(DURATIONS), ...noRows(PAGE) };

  constructor(layout: InterruptLayout) {
    this.#kernel = new RowKernel(aggregatesModule());
    this.#actions = layout.actions;
    this.#fields = packed(INTERRUPT_FIELDS.map((field) => layout[field]));
  }

  start({ rows, eventClasses, cpu }: EventBatch, scale: number): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    kernel.openTexts(MOST_TEXTS * scale);
    const runs = kernel.table(ends.RUNS, chunkResult.RUN_KINDS);
    const raises = kernel.table(ends.RAISES, chunkResult.VECS);
    const most = MOST_GROUPS * scale;
    const groups = kernel.table(GROUPS, most);
    const durations = kernel.table(DURATIONS, most);
    const pages = kernel.table(PAGE, MOST_PAGES * scale);
    const cutRuns = kernel.table(CUT_RUNS, MOST_CUT_RUNS * scale);
    // Twice as many slots as groups, for each kind.
    const index = kernel.table(INDEX, chunkResult.RUN_KINDS * 2 * most);
    const irqs = kernel.table(IRQS, 2 * most);
    const fields = kernel.copy(this.#fields);
    const actions = kernel.copy(this.#actions);
    const steps = kernel.copy(vectorStepsOf(eventClasses));
    const marks = kernel.copy(ends.firstOfSubject(eventClasses));
    if (kernel.isFull) return false;
    this.#subjects = subjectsOf(eventClasses);
    this.#ends = { runs: runs.rows, raises: raises.rows };
    this.#groups = groups.rows;
    this.#cutRuns = cutRuns.rows;
    this.#durations = { ...durations.rows, ...pages.rows };
    index.rows.values.fill(-1);
    irqs.rows.group.fill(-1);
    ends.clearEnds(this.#ends);
    const tables = [runs, raises, groups, durations, pages, cutRuns, index, irqs].map(
      ({ directory }) => directory,
    );
    kernel.exports.beginInterrupts(fields, ...tables, actions, steps, marks, cpu);
    return true;
  }

  read(from: number, to: number, packet: number): boolean {
    const kernel = this.#kernel;
    return kernel.exports.readInterrupts(from, to, kernel.textBase(packet)) === 1;
  }

  lose(): void {
    this.#kernel.exports.loseInterrupts();
  }

  finish(): ends.InterruptsOfChunk {
    const length = this.#kernel.exports.groups.value as number;
    const texts = this.#kernel.texts();
    const keys = Array.from({ length }, (_, group) => this.#keyOf(group, texts));
    return ends.interruptsOf(keys, this.#durations, this.#ends, this.#cutRunsOf(keys));
  }

  #cutRunsOf(keys: readonly InterruptKey[]): readonly CutRun[] {
    const { group, begin, end } = this.#cutRuns;
    const length = this.#kernel.exports.cutRuns.value as number;
    return Array.from({ length }, (_, i) => ({ key: keys[group[i]], begin: begin[i], end: end[i] }));
  }

  #keyOf(group: number, texts: readonly string[]): InterruptKey {
    const kind = this.#groups.kind[group];
    const name = this.#groups.name[group];
    const names =
      kind === chunkResult.RUN_IRQ ? texts : kind === chunkResult.RUN_VECTOR ? this.#subjects : [];
    return { kind, id: this.#groups.id[group], name: names[name] ?? '' };
  }
}
