/** Maps a chunk: begins and ends of interrupts and softirqs, in stream order. */
import type { EventBatch, KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { type LayerChunk, eachRow } from '../contract/event-mapper.ts';
import { kernelKind } from '../../linux/events/kernel-events.ts';
import { type FieldPlace, RowReader } from '../../linux/events/row-reader.ts';
import { TextTable } from '../../linux/events/text-table.ts';
import { ChunkResultWriter } from '../../linux/states/map/transitions.ts';
import { layerMap } from '../contract/layer.ts';

/** Id of the layer, and first segment of the paths of its attributes; then sort, number and level. */
export const INTERRUPTS = 'interrupt-rows';

/** An interrupt begins: number, index of its name (-1 none). */
export const I_IRQ_BEGIN = 0;
/** An interrupt ends: number. */
export const I_IRQ_END = 1;
/** A softirq begins: number. */
export const I_SOFTIRQ_BEGIN = 2;
export const I_SOFTIRQ_END = 3;
/** Events of the CPU were lost before this one. */
export const I_LOSS = 4;

export const INTERRUPT_KINDS: readonly KindRequest[] = [
  kernelKind('irq-entry', 'irq', 'name'),
  kernelKind('irq-exit', 'irq'),
  kernelKind('softirq-entry', 'vec'),
  kernelKind('softirq-exit', 'vec'),
];

interface Reading {
  readonly kind: number;
  readonly number: FieldPlace;
  readonly name?: FieldPlace;
}

class InterruptMapper {
  readonly #readings: readonly (Reading | undefined)[];
  readonly #rows = new RowReader();
  readonly #writer = new ChunkResultWriter();
  #texts = new TextTable();

  constructor(plan: ProjectionPlan) {
    const readings: (Reading | undefined)[] = [];
    const read = (eventKind: string, kind: number, field: string, name?: string) => {
      readings[plan.kind(eventKind)] = {
        kind,
        number: plan.field(eventKind, field),
        name: name === undefined ? undefined : plan.field(eventKind, name),
      };
    };
    read('irq-entry', I_IRQ_BEGIN, 'irq', 'name');
    read('irq-exit', I_IRQ_END, 'irq');
    read('softirq-entry', I_SOFTIRQ_BEGIN, 'vec');
    read('softirq-exit', I_SOFTIRQ_END, 'vec');
    this.#readings = readings;
  }

  map(batch: EventBatch): LayerChunk {
    this.#texts = new TextTable();
    eachRow(batch, this.#rows, this.#writer, I_LOSS, (row, time, cpu) => this.#row(row, time, cpu));
    const { length, time, kind, cpu, place, args } = this.#writer.columns();
    return { length, time, kind, cpu, place, args, texts: this.#texts.texts };
  }

  #row(row: number, time: number, cpu: number): void {
    const rows = this.#rows;
    const reading = this.#readings[rows.kind[row]];
    if (reading === undefined || !rows.has(row, reading.number)) return;
    const at = this.#writer.append(time, reading.kind, cpu);
    this.#writer.args[at] = rows.int(row, reading.number);
    this.#writer.args[at + 1] = reading.name === undefined ? -1 : rows.text(row, reading.name, this.#texts);
  }
}

export const interruptMap = layerMap(
  INTERRUPTS,
  () => INTERRUPT_KINDS,
  (plan) => new InterruptMapper(plan),
);
