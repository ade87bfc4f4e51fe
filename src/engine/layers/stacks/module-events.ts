/** Program events about the places of programs and libraries in memory: requests, map and reduction. */
import type { KindRequest } from '../../analysis/contract.ts';
import { hexText } from '../../base/byte-arrays.ts';
import { wideOf } from '../../base/wide-integer.ts';
import {
  E_OWN,
  type EventChunk,
  type EventMapper,
  PROGRAM_THREAD,
  type ReadRow,
} from '../contract/event-mapper.ts';
import { type EventThreads, NO_THREAD } from '../contract/event-threads.ts';
import type { FieldPlace, RowReader } from '../../linux/events/row-reader.ts';
import type { ModuleChange, ModuleLog } from './module-log.ts';

const THERE = ['lttng_ust_statedump:bin_info'];
const OPENED = ['lttng_ust_dl:dlopen', 'lttng_ust_dl:dlmopen'];
const CLOSED = ['lttng_ust_dl:dlclose'];
const LOADED = ['lttng_ust_lib:load'];
const UNLOADED = ['lttng_ust_lib:unload'];
const BUILD_IDS = ['lttng_ust_statedump:build_id', 'lttng_ust_dl:build_id'];
const LOADED_IDS = ['lttng_ust_lib:build_id'];
export const MODULE_EVENTS: readonly string[] = [
  ...[THERE, OPENED, CLOSED, LOADED, UNLOADED, BUILD_IDS, LOADED_IDS].flat(),
];

const own = (kind: 'int' | 'wide' | 'string' | 'sequence', name: string) =>
  ({ names: [name], kind, only: 'payload' }) as const;

const BASE = { ...PROGRAM_THREAD, base: own('wide', 'baddr') };
const PLACE = { ...BASE, size: own('wide', 'memsz'), path: own('string', 'path') };

export const MODULE_KINDS: readonly KindRequest[] = [
  { kind: 'module-there', events: THERE, fields: { ...PLACE, isPic: own('int', 'is_pic') } },
  { kind: 'module-opened', events: OPENED, fields: PLACE },
  { kind: 'module-closed', events: CLOSED, fields: BASE },
  { kind: 'module-loaded', events: LOADED, fields: PLACE },
  { kind: 'module-unloaded', events: UNLOADED, fields: BASE },
  { kind: 'build-id', events: BUILD_IDS, fields: { ...BASE, id: own('sequence', 'build_id') } },
  { kind: 'loaded-build-id', events: LOADED_IDS, fields: { ...BASE, id: own('sequence', 'build_id') } },
];

/** Changes that events state, and whether the program's loader states them, by kind of `MODULE_KINDS`. */
const SAYS: Readonly<Record<string, readonly [change: ModuleChange, isOfLoader: boolean] | undefined>> = {
  'module-there': ['there', false],
  'module-opened': ['opened', false],
  'module-closed': ['closed', false],
  'module-loaded': ['loaded', true],
  'module-unloaded': ['unloaded', true],
  'build-id': ['build id', false],
  'loaded-build-id': ['build id', true],
};

// The first argument of these kinds is a row of `contexts`. Layers that read them use other numbers for their own
// kinds.
/** First of the kinds, one for each of `MODULE_KINDS`: base (low, high), size (low, high), text of the path or build id. */
const M_FIRST = E_OWN + 20;
/** The first of `MODULE_KINDS`, for a program with a fixed address. */
const M_THERE_FIXED = M_FIRST + MODULE_KINDS.length;

/** Longest build id, bytes. */
const MOST_ID = 64;

/** Reader of the events of one of `MODULE_KINDS`; undefined: it is another kind. */
export function moduleReader(
  events: EventMapper,
  eventKind: string,
  places: Readonly<Record<string, FieldPlace | undefined>>,
): ReadRow | undefined {
  const { rows, writer } = events;
  const number = MODULE_KINDS.findIndex(({ kind }) => kind === eventKind);
  const { vtid, vpid, pid_ns, procname, base, size, path, id, isPic } = places;
  if (number < 0 || !vtid || !vpid || !pid_ns || !procname || !base) return undefined;
  const thread = { vtid, vpid, pid_ns, procname };
  return (row, time, cpu) => {
    if (id !== undefined && !rows.has(row, id)) return;
    const isFixed = isPic !== undefined && rows.int(row, isPic) === 0;
    const at = writer.append(time, isFixed ? M_THERE_FIXED : M_FIRST + number, cpu);
    writer.args[at] = events.contextOf(row, thread);
    events.wide(row, base, at + 1);
    if (size !== undefined) events.wide(row, size, at + 3);
    writer.args[at + 5] = path === undefined ? -1 : rows.text(row, path, events.texts);
    if (id !== undefined) writer.args[at + 5] = events.texts.ofText(idText(rows, row, id));
  };
}

function idText({ words, at, bytes }: RowReader, row: number, { offset }: FieldPlace): string {
  const [from, length] = [words[at[row] + offset], words[at[row] + offset + 1]];
  return hexText(bytes.subarray(from, from + Math.min(length, MOST_ID)));
}

/** Handles an event of these kinds, and ignores others. */
export function readModule(chunk: EventChunk, i: number, threads: EventThreads, modules: ModuleLog): void {
  const { kind, cpu, time, args, place, texts } = chunk;
  const at = place[i];
  const isPic = kind[i] !== M_THERE_FIXED;
  const says = SAYS[MODULE_KINDS.at(isPic ? kind[i] - M_FIRST : 0)?.kind ?? ''];
  const thread = threads.ofContext(chunk, args[at], cpu[i], time[i]);
  if (thread === NO_THREAD || says === undefined) return;
  const [change, isOfLoader] = says;
  const event = {
    ...{ change, time: time[i], base: wideOf(args[at + 1], args[at + 2]) },
    ...{ size: Number(wideOf(args[at + 3], args[at + 4])), text: texts[args[at + 5]] ?? '' },
    isPic,
  };
  modules.tell(threads.processOf(thread), event, isOfLoader);
}
