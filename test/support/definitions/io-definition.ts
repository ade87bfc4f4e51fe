/**
 * One chunk → its i/o calls and the facts that tell what their descriptors and requests mean (`io-chunk.ts`): the definition of
 * what `io-chunk-reader.ts` has compiled code for.
 */
import type { EventBatch } from '../../../src/engine/analysis/contract.ts';
import type { RowChunkReader } from '../../../src/engine/analysis/compiled/chunk-reader.ts';
import { toldBy } from '../../../src/engine/linux/events/kernel-events.ts';
import { RowReader, type FieldPlace } from '../../../src/engine/linux/events/row-reader.ts';
import { TextTable } from '../../../src/engine/linux/events/text-table.ts';
import type { IoPart } from '../../../src/engine/linux/sums/io/io-chunk.ts';
import * as rules from '../../../src/engine/linux/sums/io/io-chunk-reader.ts';
import { Stay } from './io-stay.ts';
import { CallWriter, FactWriter, ThreadNames } from './io-writer.ts';

export class IoDefinition implements RowChunkReader<IoPart> {
  readonly #layout: rules.IoLayout;
  readonly #rows = new RowReader();
  #callOfClass = new Int32Array(0);
  #texts = new TextTable();
  readonly #calls = new CallWriter();
  readonly #facts = new FactWriter();
  #names = new ThreadNames();
  #stay = new Stay(this.#calls, false);

  constructor(layout: rules.IoLayout) {
    this.#layout = layout;
  }

  start({ rows, eventClasses }: EventBatch): boolean {
    this.#rows.open(rows);
    this.#callOfClass = rules.callsOf(eventClasses);
    this.#texts = new TextTable();
    this.#calls.clear();
    this.#facts.clear();
    this.#names = new ThreadNames();
    this.#stay = new Stay(this.#calls, toldBy(eventClasses).unnamedExits);
    return true;
  }

  lose(since: number): void {
    this.#stay.lose(since);
  }

  read(from: number, to: number): boolean {
    this.#readRows(from, to);
    return true;
  }

  finish(): IoPart {
    this.#rows.close();
    this.#stay.cut();
    this.#names.addTo(this.#facts);
    return {
      calls: this.#calls.finish(),
      facts: this.#facts.finish(),
      texts: this.#texts.texts,
      ...this.#stay.summary(),
    };
  }

  #readRows(from: number, to: number): void {
    const { kind: eventKind } = this.#rows;
    const { actions } = this.#layout;
    for (let row = from; row < to; row++) {
      const action = actions[eventKind[row]];
      if (action === rules.SWITCH) this.#switch(row);
      else if (action === rules.ENTRY) this.#entry(row);
      else if (action === rules.EXIT) this.#exit(row);
      else if (action >= rules.FACT) this.#fact(this.#layout.facts[action - rules.FACT], row);
    }
  }

  #switch(row: number): void {
    const { prev_tid, next_tid, next_comm } = this.#layout.switch;
    const next = this.#rows.int(row, next_tid);
    this.#stay.change(this.#rows.int(row, prev_tid), next);
    this.#nameThread(row, next, next_comm);
  }

  #entry(row: number): void {
    const call = this.#callOfClass[this.#rows.eventClass[row]];
    const index = this.#stay.begin(this.#rows.time[row], call);
    if (index < 0) return;
    const { fd, fd_in, flags, cmd, filename } = this.#layout.entry;
    const { columns } = this.#calls;
    const command = this.#rows.int(row, cmd);
    columns.fd[index] = this.#rows.int(row, fd);
    columns.fd2[index] = this.#rows.int(row, fd_in);
    columns.flags[index] = command < 0 ? this.#rows.int(row, flags) : command;
    columns.path[index] = this.#rows.text(row, filename, this.#texts);
  }

  #exit(row: number): void {
    const call = this.#callOfClass[this.#rows.eventClass[row]];
    const { ret, pair } = this.#layout.exit;
    const index = this.#stay.end(this.#rows.time[row], call, call < 0 ? NaN : this.#rows.wide(row, ret, NaN));
    if (index < 0 || !hasPair(this.#rows, row, pair)) return;
    this.#calls.columns.fd[index] = descriptorOf(this.#rows, row, pair, 0);
    this.#calls.columns.fd2[index] = descriptorOf(this.#rows, row, pair, 1);
  }

  /** The rare ones: what exists, and requests of disks. */
  #fact({ kind, a, b, c, d, wide, text, name }: rules.FactRule, row: number): void {
    const rows = this.#rows;
    const tid = rows.int(row, a);
    this.#facts.add(
      rows.time[row],
      kind,
      tid,
      b === undefined ? -1 : rows.int(row, b),
      c === undefined ? -1 : rows.int(row, c),
      d === undefined ? -1 : rows.int(row, d),
      wide === undefined ? 0 : rows.wide(row, wide, 0),
      text === undefined ? -1 : rows.text(row, text, this.#texts),
    );
    if (name !== undefined) this.#nameThread(row, tid, name);
  }

  #nameThread(row: number, tid: number, place: FieldPlace): void {
    const text = this.#rows.text(row, place, this.#texts, this.#names.textOf(tid));
    this.#names.put(this.#rows.time[row], tid, text);
  }
}

/** Whether the event has an array of two 32-bit integers. */
function hasPair(rows: RowReader, row: number, place: FieldPlace): boolean {
  return rows.has(row, place) && rows.words[rows.at[row] + place.offset + 1] === 8;
}

/**
 * One of a pair of descriptors. Bytes are as the trace has them, which does not tell their order here: descriptors are
 * small, so the smaller number is meant.
 */
function descriptorOf(rows: RowReader, row: number, place: FieldPlace, index: number): number {
  const at = rows.words[rows.at[row] + place.offset] + 4 * index;
  const [a, b, c, d] = rows.bytes.subarray(at, at + 4);
  const little = (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  const big = (d | (c << 8) | (b << 16) | (a << 24)) >>> 0;
  return Math.min(little, big) | 0;
}
