/** One chunk → its i/o calls and the facts that tell what their descriptors and requests mean (`io-leaf.ts`). */
import type { CpuContext, EventBatch, MeaningRequest } from '../analysis/contract.ts';
import { CALL_UNNAMED, ioCallOf } from './io-calls.ts';
import * as io from './io-leaf.ts';
import type { IoLeaf, IoPart } from './io-leaf.ts';
import { createStay } from './io-stay.ts';
import type { Stay } from './io-stay.ts';
import { createIoWriter } from './io-writer.ts';
import type { IoWriter } from './io-writer.ts';
import { callOf, kernelMeaning } from './meanings.ts';
import { intAt, textAt, wideAt } from './row-fields.ts';
import { createTextTable } from './text-table.ts';
import type { TextTable } from './text-table.ts';

export const IO_MEANINGS: readonly MeaningRequest[] = [
  kernelMeaning('switch', 'prev_tid', 'next_tid', 'next_comm'),
  kernelMeaning('syscall-entry', 'fd', 'fd_in', 'flags', 'cmd', 'filename'),
  kernelMeaning('syscall-exit', 'ret'),
  kernelMeaning('fork', 'child_tid', 'child_pid', 'parent_pid', 'child_comm'),
  kernelMeaning('process-dump', 'tid', 'pid', 'name', 'files'),
  kernelMeaning('file-dump', 'pid', 'fd', 'filename', 'files'),
  kernelMeaning('disk-dump', 'dev', 'diskname'),
  kernelMeaning('request-insert', 'dev', 'sector', 'nr_sector', 'tid', 'rwbs'),
  kernelMeaning('request-issue', 'dev', 'sector', 'nr_sector', 'tid', 'rwbs'),
  kernelMeaning('request-complete', 'dev', 'sector', 'nr_sector', 'tid', 'rwbs'),
];

export function mapIo(batch: EventBatch, context: CpuContext): IoLeaf {
  if (batch.domain !== 'kernel') return [];
  const { chunk, streamRank } = batch;
  const { sequence } = chunk;
  return [
    { rank: streamRank, first: sequence, last: sequence, host: chunk.host, parts: [partOf(batch, context)] },
  ];
}

function partOf(batch: EventBatch, context: CpuContext): IoPart {
  const { rows, packets } = batch;
  const texts = createTextTable();
  const writer = createIoWriter();
  const stay = createStay(writer);
  const fields = fieldReader(batch, texts);
  const addFact: AddFact = (row, kind, ints, wide = 0, text = -1) =>
    writer.addFact(rows.time[row], kind, ints, wide, text);
  const nameThread: NameThread = (row, tid, text) => writer.nameThread(rows.time[row], tid, text);
  const handlers = handlersByMeaning(batch, {
    ...threadHandlers(fields, stay, addFact, nameThread),
    ...callHandlers(batch, context, fields, stay, writer.calls),
    ...diskHandlers(fields, addFact),
  });
  for (let packet = 0; packet < packets.length; packet++) {
    const lost = packets.discardedEvents[packet] > 0;
    if (lost || packets.lostPackets[packet] > 0) stay.lose();
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      handlers[rows.meaning[row]]?.(row);
    }
    if (lost) stay.lose();
  }
  return { ...writer.finish(), texts: texts.texts, ...stay.summary() };
}

type Handler = (row: number) => void;
type Handlers = Readonly<Record<string, Handler>>;
type AddFact = (row: number, kind: number, ints: readonly number[], wide?: number, text?: number) => void;

type NameThread = (row: number, tid: number, text: number) => void;

/** Index = number of the meaning in rows. */
function handlersByMeaning({ plan }: EventBatch, byName: Handlers): (Handler | undefined)[] {
  const handlers = new Array<Handler | undefined>(plan.request.meanings.length).fill(undefined);
  for (const [meaning, handler] of Object.entries(byName)) handlers[plan.meaning(meaning)] = handler;
  return handlers;
}

type Getter = (row: number) => number;

/** Gives getters of fields: -1 (0 for wide ones) where an event does not have them. */
interface FieldReader {
  int(meaning: string, field: string): Getter;
  wide(meaning: string, field: string, absent?: number): Getter;
  text(meaning: string, field: string): Getter;
}

function fieldReader({ rows, plan }: EventBatch, texts: TextTable): FieldReader {
  return {
    int(meaning, field) {
      const place = plan.field(meaning, field);
      return (row) => intAt(rows, rows.at[row], place, -1);
    },
    wide(meaning, field, absent = 0) {
      const place = plan.field(meaning, field);
      return (row) => wideAt(rows, rows.at[row], place, absent);
    },
    text(meaning, field) {
      const place = plan.field(meaning, field);
      return (row) => textAt(rows, rows.at[row], place, texts);
    },
  };
}

/** Who runs; names, processes and their descriptors. */
function threadHandlers(fields: FieldReader, stay: Stay, addFact: AddFact, nameThread: NameThread): Handlers {
  const prevTid = fields.int('switch', 'prev_tid');
  const nextTid = fields.int('switch', 'next_tid');
  const nextComm = fields.text('switch', 'next_comm');
  const forked = ['child_tid', 'child_pid', 'parent_pid'].map((field) => fields.int('fork', field));
  const childComm = fields.text('fork', 'child_comm');
  const process = ['tid', 'pid'].map((field) => fields.int('process-dump', field));
  const processName = fields.text('process-dump', 'name');
  const processFiles = fields.wide('process-dump', 'files');
  const file = ['pid', 'fd'].map((field) => fields.int('file-dump', field));
  const filePath = fields.text('file-dump', 'filename');
  const fileFiles = fields.wide('file-dump', 'files');
  const read = (getters: readonly Getter[], row: number) => getters.map((get) => get(row));
  return {
    switch(row) {
      const next = nextTid(row);
      stay.change(prevTid(row), next);
      nameThread(row, next, nextComm(row));
    },
    fork(row) {
      const ints = read(forked, row);
      addFact(row, io.FACT_FORK, ints);
      nameThread(row, ints[0], childComm(row));
    },
    'process-dump'(row) {
      const ints = read(process, row);
      addFact(row, io.FACT_PROCESS, ints, processFiles(row));
      nameThread(row, ints[0], processName(row));
    },
    'file-dump': (row) => addFact(row, io.FACT_FILE, read(file, row), fileFiles(row), filePath(row)),
  };
}

function callHandlers(
  { rows, eventClasses }: EventBatch,
  context: CpuContext,
  fields: FieldReader,
  stay: Stay,
  calls: IoWriter['calls'],
): Handlers {
  /** By event class: number of the call, -1 of no interest, -2 not looked up yet. */
  const callOfClass = new Int16Array(eventClasses.length).fill(-2);
  const callOfRow = (row: number): number => {
    const eventClass = rows.eventClass[row];
    if (callOfClass[eventClass] === -2) {
      const name = callOf(eventClasses[eventClass].name ?? '');
      callOfClass[eventClass] = name === '' ? CALL_UNNAMED : ioCallOf(name);
    }
    return callOfClass[eventClass];
  };
  const [fd, fdIn, command, flags] = ['fd', 'fd_in', 'cmd', 'flags'].map((f) =>
    fields.int('syscall-entry', f),
  );
  const path = fields.text('syscall-entry', 'filename');
  const ret = fields.wide('syscall-exit', 'ret', NaN);
  return {
    'syscall-entry'(row) {
      const call = stay.begin(rows.time[row], callOfRow(row), context.thread[row]);
      if (call < 0) return;
      calls.fd[call] = fd(row);
      calls.fd2[call] = fdIn(row);
      calls.flags[call] = command(row) < 0 ? flags(row) : command(row);
      calls.path[call] = path(row);
    },
    'syscall-exit'(row) {
      const call = callOfRow(row);
      if (call < 0) stay.end(rows.time[row], call, NaN, -1);
      else stay.end(rows.time[row], call, ret(row), context.thread[row]);
    },
  };
}

function diskHandlers(fields: FieldReader, addFact: AddFact): Handlers {
  const request = (kind: number, meaning: string): Handler => {
    const ints = ['dev', 'nr_sector', 'tid'].map((field) => fields.int(meaning, field));
    const rwbs = fields.int(meaning, 'rwbs');
    const sector = fields.wide(meaning, 'sector');
    return (row) => addFact(row, kind, [...ints.map((get) => get(row)), rwbs(row) & 1], sector(row));
  };
  const dev = fields.int('disk-dump', 'dev');
  const name = fields.text('disk-dump', 'diskname');
  return {
    'disk-dump': (row) => addFact(row, io.FACT_DISK, [dev(row)], 0, name(row)),
    'request-insert': request(io.FACT_INSERT, 'request-insert'),
    'request-issue': request(io.FACT_ISSUE, 'request-issue'),
    'request-complete': request(io.FACT_COMPLETE, 'request-complete'),
  };
}
