/**
 * Forms of Perfetto's messages that are only read (`protos/perfetto/trace` of its sources: `ps/process_tree.proto`,
 * `profiling/profile_packet.proto`, `profiling/profile_common.proto`, `track_event/*.proto`).
 */
import { TRACE_PACKET, TRACK_EVENT } from '../../trace/perfetto-fields.ts';
import { BIG, FLAG, idOf, IDS, inner, INT, type Message, SIGNED, TEXT, TEXTS, UINT } from './wire.ts';

export const PROCESS_TREE = { process: 1, thread: 2 } as const;
export const TREE_PROCESS = { pid: [1, INT], parent: [2, INT], cmdline: [3, TEXTS] } as const;
export const TREE_THREAD = { tid: [1, INT], name: [2, TEXT], pid: [3, INT] } as const;

export const SYSTEM_INFO = {
  name: [1, inner({ sysname: [1, TEXT], version: [2, TEXT], release: [3, TEXT], machine: [4, TEXT] })],
  version: [4, TEXT],
} as const;

export const PERF_SAMPLE = {
  pid: [2, INT],
  tid: [3, INT],
  callstack: [4, idOf],
  lost: [17, FLAG],
  skipped: [18, FLAG],
} as const;
/** Frames of a stack, the outermost first. */
export const CALLSTACK = { id: [1, idOf], frames: [2, IDS] } as const;
export const FRAME = { id: [1, idOf], name: [2, idOf], mapping: [3, idOf], address: [4, idOf] } as const;
/** The last part of a path is the file. */
export const MAPPING = { id: [1, idOf], path: [7, IDS] } as const;

/**
 * `TracePacketDefaults` and `TrackEventDefaults`; their other fields have the numbers of the fields that they are
 * defaults of.
 */
export const PACKET_DEFAULTS = {
  clock: [TRACE_PACKET.clock, UINT],
  trackEvent: [11, inner({ track: [TRACK_EVENT.track, idOf], extraTracks: [TRACK_EVENT.extraTracks, IDS] })],
} as const;

export const LEGACY_EVENT = {
  nameId: [1, idOf],
  phase: [2, INT],
  durationUs: [3, SIGNED],
  unscopedId: [6, idOf],
  localId: [10, idOf],
  globalId: [11, idOf],
  pid: [18, INT],
  tid: [19, INT],
} as const;

export const COUNTER_DESCRIPTOR = { factor: [4, BIG], isIncremental: [5, FLAG] } as const;

/** Names and values, all as texts. */
export const ANNOTATION = {
  name: [10, TEXT],
  nameId: [1, idOf],
  textId: [17, idOf],
  boolean: [2, ({ low }: Message) => String(low !== 0)],
  unsigned: [3, ({ bigint }: Message) => String(bigint)],
  signed: [4, (message: Message) => String(SIGNED(message))],
  double: [5, ({ double }: Message) => String(double)],
  text: [6, TEXT],
  pointer: [7, ({ bigint }: Message) => `0x${bigint.toString(16)}`],
  json: [9, TEXT],
} as const;
