/**
 * Numbers of the fields of Perfetto's messages, by the names that its published schemas have for them
 * (`protos/perfetto/trace` of its sources: `trace_packet.proto`, `clock_snapshot.proto`, `track_event/*.proto` …). What
 * reads traces and what writes them has its numbers from here.
 */

/** Field of the whole file: its packets. */
export const TRACE = { packet: 1 } as const;

export const TRACE_PACKET = {
  ftraceEvents: 1,
  processTree: 2,
  clockSnapshot: 6,
  timestamp: 8,
  sequence: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  stateCleared: 41,
  previousDropped: 42,
  systemInfo: 45,
  compressed: 50,
  clock: 58,
  defaults: 59,
  trackDescriptor: 60,
  perfSample: 66,
  processDescriptor: 43,
  threadDescriptor: 44,
  zstdCompressed: 133,
} as const;

/** Fields of packets beside what they hold: who wrote them, when, and what was lost before them. */
export const ENVELOPE: ReadonlySet<number> = new Set([3, 8, 10, 12, 13, 41, 42, 58, 59, 79, 87, 98]);

/** `SequenceFlags`: names given by number are valid from a packet that clears them on. */
export const SEQUENCE_FLAGS = { cleared: 1, needsNames: 2 } as const;

export const CLOCK_SNAPSHOT = { clocks: 1, primary: 2 } as const;
export const CLOCK = { id: 1, timestamp: 2, isIncremental: 3, unitNs: 4 } as const;
/** `BuiltinClock`. */
export const CLOCKS = { realtime: 1, monotonic: 3, monotonicRaw: 5, boottime: 6 } as const;

/** Tables of names and stacks that packets of the same sequence refer to by number. */
export const INTERNED_DATA = {
  categories: 1,
  eventNames: 2,
  annotationNames: 3,
  functionNames: 5,
  frames: 6,
  callstacks: 7,
  mappingPaths: 17,
  mappings: 19,
  annotationTexts: 29,
} as const;
/** Fields of each name in them. */
export const INTERNED_NAME = { id: 1, name: 2 } as const;

/** Fields that are written, too, or stand in several messages. */
export const TRACK_EVENT = { type: 9, nameId: 10, track: 11, name: 23, extraTracks: 31 } as const;
/** `TrackEvent.Type`. */
export const TRACK_EVENT_TYPE = { begin: 1, end: 2, instant: 3, counter: 4 } as const;

export const TRACK_DESCRIPTOR = { uuid: 1, name: 2, process: 3, thread: 4, parent: 5 } as const;
export const PROCESS_DESCRIPTOR = { pid: 1, cmdline: 2, name: 6 } as const;
export const THREAD_DESCRIPTOR = { pid: 1, tid: 2, name: 5 } as const;
