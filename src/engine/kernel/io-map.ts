/** One chunk → its i/o calls and the facts that tell what their descriptors and requests mean (`io-leaf.ts`). */
import { NO_CONTEXT } from '../analysis/contract.ts';
import type { CpuContext, EventBatch, MeaningRequest, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import { losesBefore, losesWithin } from '../ctf/decode/rows.ts';
import type { EventClass } from '../ctf/model.ts';
import { CALL_UNNAMED, ioCallOf } from './io-calls.ts';
import * as io from './io-leaf.ts';
import type { IoLeaf, IoPart } from './io-leaf.ts';
import { Stay } from './io-stay.ts';
import { CallWriter, FactWriter, ThreadNames } from './io-writer.ts';
import { kernelMeaning, subjectsOf } from './meanings.ts';
import type { MeaningName } from './meanings.ts';
import { placesOf, RowReader, ROWS_A_CALL } from './row-reader.ts';
import type { FieldPlace } from './row-reader.ts';
import { TextTable } from './text-table.ts';

const REQUEST = ['dev', 'sector', 'nr_sector', 'tid', 'rwbs'] as const;

export const IO_MEANINGS: readonly MeaningRequest[] = [
  kernelMeaning('switch', 'prev_tid', 'next_tid', 'next_comm'),
  kernelMeaning('syscall-entry', 'fd', 'fd_in', 'flags', 'cmd', 'filename'),
  kernelMeaning('syscall-exit', 'ret'),
  kernelMeaning('fork', 'child_tid', 'child_pid', 'parent_pid', 'child_comm'),
  kernelMeaning('process-dump', 'tid', 'pid', 'name', 'files'),
  kernelMeaning('file-dump', 'pid', 'fd', 'filename', 'files'),
  kernelMeaning('disk-dump', 'dev', 'diskname'),
  kernelMeaning('request-insert', ...REQUEST),
  kernelMeaning('request-issue', ...REQUEST),
  kernelMeaning('request-complete', ...REQUEST),
];

export function mapIo(batch: EventBatch, context: CpuContext): IoLeaf {
  if (batch.domain !== 'kernel') return [];
  const { chunk, streamRank } = batch;
  const { sequence } = chunk;
  const part = mapperOf(batch.plan).map(batch, context);
  return [{ rank: streamRank, first: sequence, last: sequence, host: chunk.host, parts: [part] }];
}

const mapperOf = oncePer((plan: ProjectionPlan) => new PartMapper(plan));

/** What a row is to i/o. */
const NOTHING = 0;
const SWITCH = 1;
const ENTRY = 2;
const EXIT = 3;
const FORK = 4;
const PROCESS = 5;
const FILE = 6;
const DISK = 7;
const INSERT = 8;
const ISSUE = 9;
const COMPLETE = 10;

const ACTIONS: readonly (readonly [meaning: MeaningName, action: number])[] = [
  ['switch', SWITCH],
  ['syscall-entry', ENTRY],
  ['syscall-exit', EXIT],
  ['fork', FORK],
  ['process-dump', PROCESS],
  ['file-dump', FILE],
  ['disk-dump', DISK],
  ['request-insert', INSERT],
  ['request-issue', ISSUE],
  ['request-complete', COMPLETE],
];

/** What a plan gives: actions by meaning, and where their fields are. */
function layoutOf(plan: ProjectionPlan) {
  const actions = new Uint8Array(plan.request.meanings.length).fill(NOTHING);
  for (const [meaning, action] of ACTIONS) actions[plan.meaning(meaning)] = action;
  return {
    actions,
    switch: placesOf(plan, 'switch', ['prev_tid', 'next_tid', 'next_comm']),
    entry: placesOf(plan, 'syscall-entry', ['fd', 'fd_in', 'flags', 'cmd', 'filename']),
    exit: placesOf(plan, 'syscall-exit', ['ret']),
    fork: placesOf(plan, 'fork', ['child_tid', 'child_pid', 'parent_pid', 'child_comm']),
    process: placesOf(plan, 'process-dump', ['tid', 'pid', 'name', 'files']),
    file: placesOf(plan, 'file-dump', ['pid', 'fd', 'filename', 'files']),
    disk: placesOf(plan, 'disk-dump', ['dev', 'diskname']),
    insert: placesOf(plan, 'request-insert', REQUEST),
    issue: placesOf(plan, 'request-issue', REQUEST),
    complete: placesOf(plan, 'request-complete', REQUEST),
  };
}

type Layout = ReturnType<typeof layoutOf>;

/** By event class: number of the call that its events are about, -1 of no interest. */
const callsOf = oncePer((eventClasses: readonly EventClass[]) =>
  Int16Array.from(subjectsOf(eventClasses), (name) => (name === '' ? CALL_UNNAMED : ioCallOf(name))),
);

/** Goes through the rows of one chunk after the other. */
class PartMapper {
  readonly #layout: Layout;
  readonly #rows = new RowReader();
  #context = NO_CONTEXT;
  #callOfClass = new Int16Array(0);
  #texts = new TextTable();
  readonly #calls = new CallWriter();
  readonly #facts = new FactWriter();
  #names = new ThreadNames();
  #stay = new Stay(this.#calls);

  constructor(plan: ProjectionPlan) {
    this.#layout = layoutOf(plan);
  }

  map(batch: EventBatch, context: CpuContext): IoPart {
    const { packets } = batch;
    this.#start(batch, context);
    for (let packet = 0; packet < packets.length; packet++) {
      if (losesBefore(packets, packet)) this.#stay.lose();
      const end = packets.firstRow[packet + 1];
      for (let row = packets.firstRow[packet]; row < end; row += ROWS_A_CALL)
        this.#readRows(row, Math.min(row + ROWS_A_CALL, end));
      if (losesWithin(packets, packet)) this.#stay.lose();
    }
    return this.#finish();
  }

  #start({ rows, eventClasses }: EventBatch, context: CpuContext): void {
    this.#rows.open(rows);
    this.#context = context;
    this.#callOfClass = callsOf(eventClasses);
    this.#texts = new TextTable();
    this.#calls.clear();
    this.#facts.clear();
    this.#names = new ThreadNames();
    this.#stay = new Stay(this.#calls);
  }

  #finish(): IoPart {
    this.#rows.close();
    this.#names.addTo(this.#facts);
    return {
      calls: this.#calls.finish(),
      facts: this.#facts.finish(),
      texts: this.#texts.texts,
      ...this.#stay.summary(),
    };
  }

  /** Rows [from, to). */
  #readRows(from: number, to: number): void {
    const { meaning } = this.#rows;
    const { actions } = this.#layout;
    for (let row = from; row < to; row++) {
      const action = actions[meaning[row]];
      if (action === SWITCH) this.#switch(row);
      else if (action === ENTRY) this.#entry(row);
      else if (action === EXIT) this.#exit(row);
      else if (action !== NOTHING) this.#fact(action, row);
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
    const index = this.#stay.begin(this.#rows.time[row], call, this.#context.thread[row]);
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
    const ret = call < 0 ? NaN : this.#rows.wide(row, this.#layout.exit.ret, NaN);
    this.#stay.end(this.#rows.time[row], call, ret, this.#context.thread[row]);
  }

  /** The rare ones: what exists, and requests of disks. */
  #fact(action: number, row: number): void {
    switch (action) {
      case FORK:
        return this.#fork(row);
      case PROCESS:
        return this.#process(row);
      case FILE:
        return this.#file(row);
      case DISK:
        return this.#disk(row);
      case INSERT:
        return this.#request(row, io.FACT_INSERT, this.#layout.insert);
      case ISSUE:
        return this.#request(row, io.FACT_ISSUE, this.#layout.issue);
      case COMPLETE:
        return this.#request(row, io.FACT_COMPLETE, this.#layout.complete);
    }
  }

  #fork(row: number): void {
    const { child_tid, child_pid, parent_pid, child_comm } = this.#layout.fork;
    const tid = this.#rows.int(row, child_tid);
    const time = this.#rows.time[row];
    this.#facts.add(time, io.FACT_FORK, tid, this.#rows.int(row, child_pid), this.#rows.int(row, parent_pid));
    this.#nameThread(row, tid, child_comm);
  }

  #process(row: number): void {
    const { tid, pid, name, files } = this.#layout.process;
    const thread = this.#rows.int(row, tid);
    const time = this.#rows.time[row];
    this.#facts.add(
      time,
      io.FACT_PROCESS,
      thread,
      this.#rows.int(row, pid),
      -1,
      -1,
      this.#rows.wide(row, files, 0),
    );
    this.#nameThread(row, thread, name);
  }

  #file(row: number): void {
    const { pid, fd, filename, files } = this.#layout.file;
    const [process, open] = [this.#rows.int(row, pid), this.#rows.int(row, fd)];
    const path = this.#rows.text(row, filename, this.#texts);
    this.#facts.add(
      this.#rows.time[row],
      io.FACT_FILE,
      process,
      open,
      -1,
      -1,
      this.#rows.wide(row, files, 0),
      path,
    );
  }

  #disk(row: number): void {
    const { dev, diskname } = this.#layout.disk;
    const name = this.#rows.text(row, diskname, this.#texts);
    this.#facts.add(this.#rows.time[row], io.FACT_DISK, this.#rows.int(row, dev), -1, -1, -1, 0, name);
  }

  #request(row: number, kind: number, places: Layout['insert']): void {
    this.#facts.add(
      this.#rows.time[row],
      kind,
      this.#rows.int(row, places.dev),
      this.#rows.int(row, places.nr_sector),
      this.#rows.int(row, places.tid),
      this.#rows.int(row, places.rwbs) & 1,
      this.#rows.wide(row, places.sector, 0),
    );
  }

  #nameThread(row: number, tid: number, place: FieldPlace): void {
    const text = this.#rows.text(row, place, this.#texts, this.#names.textOf(tid));
    this.#names.put(this.#rows.time[row], tid, text);
  }
}
