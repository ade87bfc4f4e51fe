/** Events as a table of a file: all of them, or those that a filter accepts, in order of time. */
import type { ExportCell, ExportRow, ExportTable } from '../../export/tables/table.ts';
import type { EventTable } from '../events/event-tables.ts';
import { rowsOf } from '../events/event-rows.ts';
import type { EventRow } from '../../protocol/events.ts';
import { type ExportSource, hostName, TIME_COLUMNS, timeCells } from './export-source.ts';

/** Rows that are read at once: each packet of theirs is decoded for them. */
const PIECE = 16_384;

/** Fields that have a column each: of more, which no spreadsheet shows, each scope is one column of JSON. */
const MOST_FIELDS = 64;
const SCOPES = ['payload', 'context', 'common'] as const;

const COLUMNS: ExportTable['columns'] = [
  ...TIME_COLUMNS,
  { name: 'host', kind: 'text' },
  { name: 'cpu', kind: 'integer' },
  { name: 'tid', kind: 'integer' },
  { name: 'thread', kind: 'text' },
  { name: 'name', kind: 'text' },
];

/** @param table whose events were counted */
export function eventTable(source: ExportSource, table: EventTable): ExportTable {
  return {
    columns: [...COLUMNS, ...SCOPES.map((name) => ({ name, kind: 'json' as const }))],
    rows: pieces(source, table, ({ fields }) => SCOPES.map((scope) => jsonOf(fields[scope]))),
  };
}

/** The same with a column for each field, "payload.prev_comm", if they are not too many. */
export async function eventFieldTable(source: ExportSource, table: EventTable): Promise<ExportTable> {
  const found = new Set<string>();
  for await (const piece of pieces(source, table, ({ fields }) => [...membersOf(fields).keys()])) {
    for (const name of piece.flatMap((row) => row.slice(COLUMNS.length))) found.add(String(name));
    if (found.size > MOST_FIELDS) return eventTable(source, table);
  }
  const names = [...found].sort((a, b) => scopeOrder(a) - scopeOrder(b));
  return {
    columns: [...COLUMNS, ...names.map((name) => ({ name, kind: 'text' as const }))],
    rows: pieces(source, table, ({ fields }) => {
      const members = membersOf(fields);
      return names.map((name) => members.get(name) ?? null);
    }),
  };
}

function scopeOrder(name: string): number {
  return SCOPES.findIndex((scope) => name.startsWith(`${scope}.`));
}

function jsonOf(text: string): string | null {
  return text === '-' ? null : text;
}

/** Values of all fields by scope and name; what has members of its own is JSON. */
function membersOf(fields: EventRow['fields']): Map<string, ExportCell> {
  const members = new Map<string, ExportCell>();
  for (const scope of SCOPES)
    for (const member of membersIn(jsonOf(fields[scope]) ?? '{}')) {
      const [name = ''] = /^"(?:[^"\\]|\\.)*"/.exec(member) ?? [];
      members.set(`${scope}.${String(JSON.parse(name))}`, cellOf(member.slice(name.length + 1)));
    }
  return members;
}

/** Texts of the members of a JSON object without spaces: `"name":value`. */
function membersIn(object: string): string[] {
  const members: string[] = [];
  let [begin, depth, isText] = [1, 0, false];
  for (let at = 1; at < object.length; at++) {
    const sign = object[at];
    if (isText && sign === '\\') at++;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '{' || sign === '[') depth++;
    else if (depth > 0 && (sign === '}' || sign === ']')) depth--;
    else if (depth === 0 && (sign === ',' || sign === '}')) {
      if (at > begin) members.push(object.slice(begin, at));
      begin = at + 1;
    }
  }
  return members;
}

function cellOf(json: string): ExportCell {
  if (/^-?\d+$/.test(json)) return Number.isSafeInteger(Number(json)) ? Number(json) : BigInt(json);
  return json.startsWith('"') || /^[-\d]/.test(json) ? (JSON.parse(json) as string | number) : json;
}

/** @param cellsOf cells of an event's fields */
async function* pieces(
  source: ExportSource,
  { matches }: EventTable,
  cellsOf: (row: EventRow) => ExportRow,
): AsyncIterable<ExportRow[]> {
  const { trace, range, hosts, signal, onProgress } = source;
  if (trace.events === undefined) return;
  const begin = range === undefined ? 0 : await matches.rowAt(range.from);
  const end = range === undefined ? matches.length : await matches.rowAt(range.to);
  for (let first = begin; first < end; first += PIECE) {
    signal?.throwIfAborted();
    onProgress?.((first - begin) / (end - begin));
    const places = await matches.rows(first, Math.min(PIECE, end - first));
    const rows = await rowsOf(trace.events, trace, places, 'json');
    yield rows
      .filter(({ host }) => hosts.includes(host))
      .map((row) => [...rowOf(source, row), ...cellsOf(row)]);
  }
}

function rowOf(source: ExportSource, row: EventRow): ExportRow {
  const { timeNs, host, cpu, thread, name } = row;
  return [
    ...timeCells(source, timeNs),
    hostName(source, host),
    cpu < 0 ? null : cpu,
    thread?.tid ?? null,
    thread?.name ?? null,
    name,
  ];
}
