/**
 * Numbers of fields of Perfetto's messages that are read and never written (`protos/perfetto/trace` of its sources:
 * `ps/process_tree.proto`, `profiling/profile_packet.proto`, `profiling/profile_common.proto`, `track_event/*.proto`).
 */

export const PROCESS_TREE = { process: 1, thread: 2 } as const;
export const TREE_PROCESS = { pid: 1, parent: 2, cmdline: 3 } as const;
export const TREE_THREAD = { tid: 1, name: 2, pid: 3 } as const;

export const SYSTEM_INFO = { utsname: 1, version: 4 } as const;
export const UTSNAME = { sysname: 1, version: 2, release: 3, machine: 4 } as const;

export const PERF_SAMPLE = { cpu: 1, pid: 2, tid: 3, callstack: 4, lost: 17, skipped: 18 } as const;
/** Frames of a stack, the outermost first. */
export const CALLSTACK = { frame: 2 } as const;
export const FRAME = { functionName: 2, mapping: 3, address: 4 } as const;
export const MAPPING = { path: 7 } as const;

/** `TracePacketDefaults` and `TrackEventDefaults`; their other fields are numbered as those they stand for. */
export const PACKET_DEFAULTS = { trackEvent: 11 } as const;

export const LEGACY_EVENT = {
  nameId: 1,
  phase: 2,
  durationUs: 3,
  unscopedId: 6,
  localId: 10,
  globalId: 11,
  pid: 18,
  tid: 19,
} as const;

export const COUNTER_DESCRIPTOR = { factor: 4, isIncremental: 5 } as const;

export const ANNOTATION = {
  nameId: 1,
  boolean: 2,
  unsigned: 3,
  signed: 4,
  double: 5,
  text: 6,
  pointer: 7,
  json: 9,
  name: 10,
  textId: 17,
} as const;
