/** Mappers of layers: reading a chunk's packets, and the thread of each event by its contexts or by who runs on the CPU. */
import type { EventBatch, TransitionChunk } from '../../analysis/contract.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import { earliestTime, losesBefore, losesWithin } from '../../ctf/decode/rows/rows.ts';
import { type FieldPlace, RowReader } from '../../linux/events/row-reader.ts';
import { TextTable } from '../../linux/events/text-table.ts';
import { ChunkResultWriter } from '../../linux/states/map/transitions.ts';

/** A thread comes to the CPU: tid. */
export const E_SWITCH = 0;

/** Events were lost before this one: 1 of programs, 0 of the kernel. */
export const E_LOSS = 1;

/** First kind of a layer's own. */
export const E_OWN = 2;

/** Threads as contexts of events identify them. */
interface ContextRows {
  readonly length: number;
  /** -1: not recorded. */
  readonly vtid: Int32Array;
  readonly vpid: Int32Array;
  /** Inode number of the pid namespace of both (low 32 bits), 0: not recorded. */
  readonly namespace: Int32Array;
  /** Index in the chunk's texts, -1 none. */
  readonly process: Int32Array;
}

export interface EventContexts {
  readonly contexts: ContextRows;
  readonly texts: readonly string[];
}

/** Transitions that mappers of layers write (`LeafWriter`), with the texts that arguments refer to by index. */
export interface LayerChunk extends TransitionChunk {
  readonly kind: Uint8Array;
  readonly cpu: Int32Array;
  /** Index of its first argument. */
  readonly place: Uint32Array;
  readonly args: Int32Array;
  readonly texts: readonly string[];
}

export interface EventChunk extends LayerChunk, EventContexts {}

/** Contexts that identify the thread of a program's event. */
export const PROGRAM_THREAD = {
  vtid: { names: ['vtid', 'perf_tid'], kind: 'int', only: 'context' },
  vpid: { names: ['vpid', 'perf_pid'], kind: 'int', only: 'context' },
  pid_ns: { names: ['pid_ns'], kind: 'int', only: 'context' },
  procname: { names: ['procname'], kind: 'string', only: 'context' },
} as const;

export type ProgramThread = Readonly<Record<keyof typeof PROGRAM_THREAD, FieldPlace>>;

/** Context that identifies the thread of a kernel event. */
export const KERNEL_THREAD = { tid: { names: ['tid', 'perf_tid'], kind: 'int', only: 'context' } } as const;

/** Tid where no thread is known to run. */
const NOBODY = -1;
const NONE = -1;

/** Writes a row into the chunk. `time` is its merge key. */
export type ReadRow = (row: number, time: number, cpu: number) => void;

/**
 * Reads the rows of a chunk into a writer that is already cleared. @param loss kind of a loss of events; undefined:
 * losses are not written
 */
export function eachRow(
  { packets, rows }: EventBatch,
  reader: RowReader,
  writer: ChunkResultWriter,
  loss: number | undefined,
  read: ReadRow,
): void {
  reader.open(rows);
  writer.clear();
  for (let packet = 0; packet < packets.length; packet++) {
    writer.keyOf(earliestTime(packets, packet));
    const cpu = packets.cpu[packet];
    const lose = () => {
      if (loss !== undefined && Number.isFinite(writer.now)) writer.append(writer.now, loss, cpu);
    };
    if (losesBefore(packets, packet)) lose();
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++)
      read(row, writer.keyOf(rows.time[row]), cpu);
    if (losesWithin(packets, packet)) lose();
  }
  reader.close();
}

/** Maps one chunk after the other. */
export class EventMapper {
  readonly rows = new RowReader();
  readonly writer = new ChunkResultWriter();
  texts = new TextTable();
  readonly #contexts = new TupleIndex();
  /** Tids that run on the CPU of the present packets: as written to the chunk result so far, and as the switches say. */
  #toldRunning = NOBODY;
  #running = NOBODY;
  #cpu = NONE;

  constructor(
    /** Whether every switch is passed on; else only who runs when a kernel event needs it. */
    private readonly tellsSwitches: boolean,
  ) {}

  /** @param readers by kind */
  map({ packets, rows, domain }: EventBatch, readers: readonly ReadRow[]): EventChunk {
    this.#open();
    this.rows.open(rows);
    for (let packet = 0; packet < packets.length; packet++) {
      this.writer.keyOf(earliestTime(packets, packet));
      const cpu = packets.cpu[packet];
      if (cpu !== this.#cpu) this.#turnTo(cpu);
      if (losesBefore(packets, packet)) this.#lose(cpu, domain === 'kernel');
      for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++)
        readers[rows.kind[row]](row, this.writer.keyOf(rows.time[row]), cpu);
      if (losesWithin(packets, packet)) this.#lose(cpu, domain === 'kernel');
    }
    this.#turnTo(NONE);
    this.rows.close();
    return this.#chunk();
  }

  switchTo(tid: number, time: number, cpu: number): void {
    this.#running = tid;
    if (this.tellsSwitches) this.#tellRunning(time, cpu);
  }

  /** Row of the chunk's contexts for the thread of a row. */
  contextOf(row: number, { vtid, vpid, pid_ns, procname }: ProgramThread): number {
    const { rows } = this;
    return this.#contexts.place(
      rows.int(row, vtid),
      rows.int(row, vpid),
      rows.has(row, pid_ns) ? rows.int(row, pid_ns) : 0,
      rows.text(row, procname, this.texts),
    );
  }

  /** Writes an event of the kernel that happens in a thread: place of its arguments, the first of which is set: tid, or -1. */
  inThread(row: number, time: number, cpu: number, kind: number, tid: FieldPlace): number {
    const named = this.rows.int(row, tid);
    if (named < 0) this.#tellRunning(time, cpu);
    const at = this.writer.append(time, kind, cpu);
    this.writer.args[at] = named;
    return at;
  }

  /** Writes both words of a field as arguments; 0 if the event does not have it. */
  wide(row: number, place: FieldPlace, at: number): void {
    const from = this.rows.at[row] + place.offset;
    this.writer.args[at] = this.rows.words[from];
    this.writer.args[at + 1] = this.rows.words[from + 1];
  }

  #open(): void {
    this.writer.clear();
    this.#contexts.clear();
    this.texts = new TextTable();
    this.#cpu = NONE;
    this.#running = this.#toldRunning = NOBODY;
  }

  #chunk(): EventChunk {
    const contexts = this.#contexts;
    return {
      ...this.writer.columns(),
      contexts: {
        length: contexts.length,
        vtid: contexts.column(0),
        vpid: contexts.column(1),
        namespace: contexts.column(2),
        process: contexts.column(3),
      },
      texts: this.texts.texts,
    };
  }

  /** Turns to the packets of another CPU, or to none. */
  #turnTo(cpu: number): void {
    if (this.#cpu !== NONE) this.#tellRunning(this.writer.now, this.#cpu);
    this.#cpu = cpu;
    this.#running = this.#toldRunning = NOBODY;
  }

  #lose(cpu: number, isKernel: boolean): void {
    const { now } = this.writer;
    if (!Number.isFinite(now)) return;
    const at = this.writer.append(now, E_LOSS, cpu);
    this.writer.args[at] = isKernel ? 0 : 1;
    if (isKernel) this.#running = this.#toldRunning = NOBODY;
  }

  #tellRunning(time: number, cpu: number): void {
    if (this.#running === this.#toldRunning) return;
    this.#toldRunning = this.#running;
    const at = this.writer.append(time, E_SWITCH, cpu);
    this.writer.args[at] = this.#running;
  }
}
