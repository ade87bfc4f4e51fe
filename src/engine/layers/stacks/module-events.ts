/** Events of programs that say where programs and libraries are in their memory: how they are read, mapped and reduced. */
import type { KindRequest } from '../../analysis/contract.ts';
import { hexText } from '../../base/hex-text.ts';
import { E_OWN, type EventChunk } from '../contract/event-chunk.ts';
import { type EventMapper, PROGRAM_THREAD, type ReadRow } from '../contract/event-mapper.ts';
import { type EventThreads, NO_THREAD } from '../contract/event-threads.ts';
import type { FieldPlace } from '../../linux/events/row-reader.ts';
import type { ModuleLog } from './module-log.ts';
import { wideOf } from './stack-tables.ts';

const THERE = ['lttng_ust_statedump:bin_info'];
const LOADED = ['lttng_ust_dl:dlopen', 'lttng_ust_dl:dlmopen', 'lttng_ust_lib:load'];
const BUILD_IDS = ['lttng_ust_statedump:build_id', 'lttng_ust_dl:build_id', 'lttng_ust_lib:build_id'];
export const MODULE_EVENTS: readonly string[] = [...THERE, ...LOADED, ...BUILD_IDS];

const own = (kind: 'int' | 'wide' | 'string' | 'sequence', name: string) =>
  ({ names: [name], kind, only: 'payload' }) as const;

const BASE = { ...PROGRAM_THREAD, base: own('wide', 'baddr') };
const PLACE = { ...BASE, size: own('wide', 'memsz'), path: own('string', 'path') };

export const MODULE_KINDS: readonly KindRequest[] = [
  { kind: 'module-there', events: THERE, fields: { ...PLACE, isPic: own('int', 'is_pic') } },
  { kind: 'module-loaded', events: LOADED, fields: PLACE },
  { kind: 'build-id', events: BUILD_IDS, fields: { ...BASE, id: own('sequence', 'build_id') } },
];

/** Request for closes, read only where it is asked for: a library open more than once need not go. */
export const CLOSE_KIND: KindRequest = {
  kind: 'module-closed',
  events: ['lttng_ust_dl:dlclose', 'lttng_ust_lib:unload'],
  fields: BASE,
};

// The first argument of these kinds is a row of `contexts`. Layers that read them have no kinds of these numbers.
/** A program or library is where it was when its process began: base (low, high), size (low, high), text of its path. */
const M_THERE = E_OWN + 20;
/** The same of one that is fixed to its place. */
const M_THERE_FIXED = E_OWN + 21;
/** A program or library is loaded. */
const M_LOADED = E_OWN + 22;
/** Base (low, high), text of the build id in hexadecimal digits. */
const M_BUILD_ID = E_OWN + 23;
/** Base (low, high). */
const M_CLOSED = E_OWN + 24;

/** Build ids are shorter. Bytes. */
const MOST_ID = 64;

/** Reader of the events of one of `MODULE_KINDS`, or of `CLOSE_KIND`. */
export function moduleReader(
  events: EventMapper,
  eventKind: string,
  places: Readonly<Record<string, FieldPlace>>,
): ReadRow {
  const { rows, writer } = events;
  const { vtid, vpid, pid_ns, procname } = places;
  const thread = { vtid, vpid, pid_ns, procname };
  if (eventKind === 'build-id')
    return (row, time, cpu) => {
      if (!rows.has(row, places.id)) return;
      const word = rows.at[row] + places.id.offset;
      const [offset, length] = [rows.words[word], rows.words[word + 1]];
      const id = hexText(rows.bytes.subarray(offset, offset + Math.min(length, MOST_ID)));
      const at = writer.append(time, M_BUILD_ID, cpu);
      writer.args[at] = events.contextOf(row, thread);
      events.wide(row, places.base, at + 1);
      writer.args[at + 3] = events.texts.ofText(id);
    };
  if (eventKind === CLOSE_KIND.kind)
    return (row, time, cpu) => {
      const at = writer.append(time, M_CLOSED, cpu);
      writer.args[at] = events.contextOf(row, thread);
      events.wide(row, places.base, at + 1);
    };
  return (row, time, cpu) => {
    const isFixed = eventKind === 'module-there' && rows.int(row, places.isPic) === 0;
    const kind = eventKind === 'module-loaded' ? M_LOADED : isFixed ? M_THERE_FIXED : M_THERE;
    const at = writer.append(time, kind, cpu);
    writer.args[at] = events.contextOf(row, thread);
    events.wide(row, places.base, at + 1);
    events.wide(row, places.size, at + 3);
    writer.args[at + 5] = rows.text(row, places.path, events.texts);
  };
}

/** Takes what such an event says, and no other one. */
export function readModule(chunk: EventChunk, i: number, threads: EventThreads, modules: ModuleLog): void {
  const { kind, cpu, time, args, place, texts } = chunk;
  const at = place[i];
  const thread = threads.ofContext(chunk, args[at], cpu[i], time[i]);
  if (thread === NO_THREAD) return;
  const process = threads.processOf(thread);
  const base = wideOf(args[at + 1], args[at + 2]);
  if (kind[i] === M_BUILD_ID) {
    modules.tellBuildId(process, base, texts[args[at + 3]]);
    return;
  }
  if (kind[i] === M_CLOSED) {
    modules.close(process, base, time[i]);
    return;
  }
  modules.tell({
    process,
    base,
    size: Number(wideOf(args[at + 3], args[at + 4])),
    path: texts[args[at + 5]] ?? '',
    buildId: undefined,
    isPic: kind[i] !== M_THERE_FIXED,
    since: kind[i] === M_LOADED ? time[i] : -Infinity,
  });
}
