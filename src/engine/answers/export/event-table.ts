/** Events as a table of a file: all of them, or those that a filter accepts, in order of time. */
import { ByteText } from '../../base/byte-text.ts';
import type { Tape } from '../../ctf/decode/rows/values.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { EventClass, FieldClass, StreamClass, StructClass } from '../../ctf/model.ts';
import { ValueWriter } from '../../export/canonical.ts';
import { JSON_TEXTS } from '../../export/event-list.ts';
import {
  type Cells,
  columnsOf,
  type ExportColumn,
  type ExportTable,
  RowGroup,
} from '../../export/tables/table.ts';
import { isKernelHost } from '../context/host.ts';
import { eventBatches, tapeAt } from '../events/event-batches.ts';
import type { EventTable } from '../events/event-tables.ts';
import { type ExportSource, hostName, timeColumns } from './export-source.ts';

/** Maximum number of field columns. With more, which no spreadsheet shows, there is a JSON column for each scope. */
const MOST_FIELDS = 64;
/** Events read at once when collecting the field names. */
const PIECE = 16_384;
const SCOPES = ['payload', 'context', 'common'] as const;
/** The scopes in order of a tape. */
const TAPE_SCOPES = ['common', 'context', 'payload'] as const;

/** @param table whose events were counted */
export function eventTable(source: ExportSource, table: EventTable): ExportTable {
  return tableOf(source, table, columnsOf('json', ...SCOPES));
}

/** The table with a column for each field, "payload.prev_comm", unless there are too many. */
export async function eventFieldTable(source: ExportSource, table: EventTable): Promise<ExportTable> {
  const names = await fieldsIn(source, table);
  if (names.length > MOST_FIELDS) return eventTable(source, table);
  return tableOf(source, table, columnsOf('value', ...names));
}

/** Field names of the table's events, in order of first use, scope by scope. */
async function fieldsIn({ trace, range, hosts, signal }: ExportSource, table: EventTable): Promise<string[]> {
  const { matches, packets } = table;
  const { traces = [] } = trace.events?.experiment ?? {};
  const isWanted = (of: { readonly trace: number }) => hosts.includes(traces[of.trace].host);
  const read = (...place: Parameters<typeof packets.matches>) => packets.matches(...place);
  const seen = new Set<EventClass>();
  const found = SCOPES.map(() => new Set<string>());
  for await (const batch of matches.batches(read, PIECE, { ...range, isWanted })) {
    signal?.throwIfAborted();
    const streams = batch.packets.map(({ stream: of }) => {
      const { model, streams: ofTrace } = traces[of.trace];
      return model.streams[ofTrace[of.stream].streamClass];
    });
    for (let i = 0; i < batch.length; i++) {
      const stream = streams[batch.packet[i]];
      const event = stream.events[batch.packets[batch.packet[i]].matches.classes[batch.at[i]]];
      if (seen.has(event)) continue;
      seen.add(event);
      for (const [s, scope] of SCOPES.entries())
        for (const { name } of scopesOf(stream, event)[scope]?.members ?? [])
          found[s].add(`${scope}.${name}`);
    }
  }
  return found.flatMap((names) => [...names]);
}

function scopesOf({ eventContext }: StreamClass, { context, payload }: EventClass) {
  return { common: eventContext, context, payload } satisfies Record<string, StructClass | undefined>;
}

type WriteFields = (tape: Tape, row: number) => void;

function tableOf(source: ExportSource, table: EventTable, fields: readonly ExportColumn[]): ExportTable {
  const columns: readonly ExportColumn[] = [
    ...timeColumns(source),
    ...columnsOf('text', 'host'),
    ...columnsOf('integer', 'cpu', 'tid'),
    ...columnsOf('text', 'thread', 'name'),
    ...fields,
  ];
  return { columns, groups: groupsOf(source, table, new RowGroup(columns), fields) };
}

async function* groupsOf(
  source: ExportSource,
  table: EventTable,
  group: RowGroup,
  fields: readonly ExportColumn[],
): AsyncIterable<RowGroup> {
  const { trace, range, hosts, signal, onProgress } = source;
  const total = range === undefined ? table.matches.length : await countOf(table, range);
  const [time, sinceBegin, host, cpu, tid, thread, name, ...cells] = group.cells;
  const writers = new FieldWriters(fields, cells);
  let done = 0;
  for await (const { length, timeNs, packets, packet, at, thread: threadRows } of eventBatches(
    trace,
    table,
    range,
    hosts,
  )) {
    signal?.throwIfAborted();
    onProgress?.(done / total);
    done += length;
    const of = packets.map(({ matches }) => {
      const found = trace.hosts.find(({ index }) => index === matches.trace.host);
      return {
        matches,
        host: hostName(source, matches.trace.host),
        threads: found !== undefined && isKernelHost(found) ? found.tables.threads : undefined,
        events: writers.of(matches.trace.model.streams[matches.streamClass]),
      };
    });
    for (let i = 0; i < length; i++) {
      const { matches, host: hostOf, threads, events } = of[packet[i]];
      const row = group.length;
      const event = events[matches.classes[at[i]]];
      time.values[row] = timeNs[i];
      sinceBegin.values[row] = timeNs[i] - source.firstNs;
      host.values[row] = host.texts.numberOf(hostOf);
      cpu.values[row] = matches.cpu < 0 ? NaN : matches.cpu;
      const who = threadRows[i];
      const isKnown = threads !== undefined && who >= 0;
      tid.values[row] = isKnown ? threads.tid[who] : NaN;
      thread.values[row] = isKnown ? thread.texts.numberOf(threads.name[who]) : NaN;
      name.values[row] = name.texts.numberOf(event.name);
      event.write(tapeAt(matches, at[i]), row);
      group.length++;
      if (!group.isFull) continue;
      yield group;
      group.clear();
    }
  }
  if (group.length > 0) yield group;
}

async function countOf(
  { matches }: EventTable,
  { from, to }: { readonly from: number; readonly to: number },
) {
  return (await matches.rowAt(to)) - (await matches.rowAt(from));
}

/** Writers of event fields into the columns of a group: a whole scope, or each of its members. */
class FieldWriters {
  /** Name and writer of each event class of a stream class. */
  readonly of = cachedByKey((stream: StreamClass) =>
    stream.events.map((event) => ({ name: event.name ?? '-', write: this.#writerOf(stream, event) })),
  );
  readonly #columns: ReadonlyMap<string, FieldColumn>;
  /** Target of members that a later member of the same name hides. */
  readonly #hidden = new ValueWriter(JSON_TEXTS, new ByteText());

  constructor(fields: readonly ExportColumn[], cells: readonly Cells[]) {
    const columnOf = (of: Cells): FieldColumn => ({
      ...of,
      writer: new ValueWriter(JSON_TEXTS, of.texts.out),
    });
    this.#columns = new Map(fields.map(({ name }, i) => [name, columnOf(cells[i])]));
  }

  #writerOf(stream: StreamClass, event: EventClass): WriteFields {
    const written = new Set<FieldColumn | undefined>();
    const writes = TAPE_SCOPES.flatMap((scope) => {
      const type = scopesOf(stream, event)[scope];
      const whole = this.#columns.get(scope);
      if (type === undefined) return [];
      if (whole !== undefined) return this.#cellWriter(whole, type, written);
      // Backwards: of members with one name the last one counts.
      const members = type.members.toReversed().map(({ name, type: of }) => {
        return this.#cellWriter(this.#columns.get(`${scope}.${name}`), of, written);
      });
      return members.reverse();
    });
    const others = [...this.#columns.values()].filter((column) => !written.has(column));
    return (tape, row) => {
      for (const { values } of others) values[row] = NaN;
      for (const write of writes) write(tape, row);
    };
  }

  #cellWriter(
    column: FieldColumn | undefined,
    type: FieldClass,
    written: Set<FieldColumn | undefined>,
  ): WriteFields {
    if (column === undefined || written.has(column)) return (tape) => void this.#hidden.text(tape, type);
    written.add(column);
    const { values, texts, writer } = column;
    const write = writer.of(type);
    return (tape, row) => {
      texts.begin();
      write(tape);
      values[row] = texts.end();
    };
  }
}

interface FieldColumn extends Cells {
  readonly writer: ValueWriter;
}
