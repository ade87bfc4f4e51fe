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
import type { FieldPlace } from './row-fields.ts';
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

/** Fields of a row by name: -1 (0 for wide ones) where they are not told. */
interface FieldReader {
  int(row: number, meaning: string, field: string): number;
  wide(row: number, meaning: string, field: string, absent?: number): number;
  text(row: number, meaning: string, field: string): number;
}

function fieldReader({ rows, plan }: EventBatch, texts: TextTable): FieldReader {
  const places = new Map<string, FieldPlace>();
  const placeOf = (meaning: string, field: string): FieldPlace => {
    const key = `${meaning} ${field}`;
    const place = places.get(key) ?? plan.field(meaning, field);
    places.set(key, place);
    return place;
  };
  return {
    int: (row, meaning, field) => intAt(rows, rows.at[row], placeOf(meaning, field), -1),
    wide: (row, meaning, field, absent = 0) => wideAt(rows, rows.at[row], placeOf(meaning, field), absent),
    text: (row, meaning, field) => textAt(rows, rows.at[row], placeOf(meaning, field), texts),
  };
}

/** Who runs; names, processes and their descriptors. */
function threadHandlers(fields: FieldReader, stay: Stay, addFact: AddFact, nameThread: NameThread): Handlers {
  return {
    switch(row) {
      const next = fields.int(row, 'switch', 'next_tid');
      stay.change(fields.int(row, 'switch', 'prev_tid'), next);
      nameThread(row, next, fields.text(row, 'switch', 'next_comm'));
    },
    fork(row) {
      const ints = ['child_tid', 'child_pid', 'parent_pid'].map((field) => fields.int(row, 'fork', field));
      addFact(row, io.FACT_FORK, ints);
      nameThread(row, ints[0], fields.text(row, 'fork', 'child_comm'));
    },
    'process-dump'(row) {
      const ints = ['tid', 'pid'].map((field) => fields.int(row, 'process-dump', field));
      addFact(row, io.FACT_PROCESS, ints, fields.wide(row, 'process-dump', 'files'));
      nameThread(row, ints[0], fields.text(row, 'process-dump', 'name'));
    },
    'file-dump'(row) {
      const ints = ['pid', 'fd'].map((field) => fields.int(row, 'file-dump', field));
      const path = fields.text(row, 'file-dump', 'filename');
      addFact(row, io.FACT_FILE, ints, fields.wide(row, 'file-dump', 'files'), path);
    },
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
  return {
    'syscall-entry'(row) {
      const call = stay.begin(rows.time[row], callOfRow(row), context.thread[row]);
      if (call < 0) return;
      const command = fields.int(row, 'syscall-entry', 'cmd');
      calls.fd[call] = fields.int(row, 'syscall-entry', 'fd');
      calls.fd2[call] = fields.int(row, 'syscall-entry', 'fd_in');
      calls.flags[call] = command < 0 ? fields.int(row, 'syscall-entry', 'flags') : command;
      calls.path[call] = fields.text(row, 'syscall-entry', 'filename');
    },
    'syscall-exit'(row) {
      const call = callOfRow(row);
      if (call < 0) stay.end(rows.time[row], call, NaN, -1);
      else stay.end(rows.time[row], call, fields.wide(row, 'syscall-exit', 'ret', NaN), context.thread[row]);
    },
  };
}

function diskHandlers(fields: FieldReader, addFact: AddFact): Handlers {
  const request = (kind: number, meaning: string) => (row: number) => {
    const [dev, sectors, tid, rwbs] = ['dev', 'nr_sector', 'tid', 'rwbs'].map((f) =>
      fields.int(row, meaning, f),
    );
    addFact(row, kind, [dev, sectors, tid, rwbs & 1], fields.wide(row, meaning, 'sector'));
  };
  return {
    'disk-dump': (row) =>
      addFact(
        row,
        io.FACT_DISK,
        [fields.int(row, 'disk-dump', 'dev')],
        0,
        fields.text(row, 'disk-dump', 'diskname'),
      ),
    'request-insert': request(io.FACT_INSERT, 'request-insert'),
    'request-issue': request(io.FACT_ISSUE, 'request-issue'),
    'request-complete': request(io.FACT_COMPLETE, 'request-complete'),
  };
}
