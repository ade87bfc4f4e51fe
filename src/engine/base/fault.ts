/**
 * A fault of the input, with its place. Faults are plain data, so that they cross workers unchanged.
 * `docs/errors.md` says for every code what it means and what to do; `faultText` in `fault-text.ts` prints one.
 */
export type FaultCode =
  // opening
  | 'not-a-trace'
  | 'empty-folder'
  | 'metadata-missing'
  | 'file-unreadable'
  | 'link-not-followed'
  | 'duplicate-trace'
  | 'unsupported'
  // archives and addresses
  | 'archive-damaged'
  | 'archive-truncated'
  | 'archive-unsupported'
  | 'archive-too-large'
  | 'spill-full'
  | 'address-unreadable'
  // files of other recorders
  | 'recording-damaged'
  | 'records-left-out'
  | 'events-sampled'
  | 'switches-missing'
  // metadata
  | 'metadata-empty'
  | 'metadata-packet'
  | 'metadata-truncated'
  | 'metadata-incomplete'
  | 'metadata-version'
  | 'metadata-syntax'
  | 'metadata-semantic'
  | 'metadata-unknown-attribute'
  // packets
  | 'bad-magic'
  | 'bad-uuid'
  | 'packet-size'
  | 'truncated'
  | 'unknown-stream-id'
  | 'index-disagrees'
  // events
  | 'unknown-event-id'
  | 'event-beyond-packet'
  | 'array-too-long'
  | 'unterminated-string'
  | 'integer-too-long'
  | 'no-variant-option'
  | 'no-progress'
  | 'time-backwards'
  | 'event-after-packet'
  | 'events-discarded'
  | 'packets-discarded'
  | 'cpu-missing'
  | 'cpu-unknown'
  | 'calls-half-recorded'
  | 'recordings-overlap'
  | 'clocks-by-switches'
  | 'clocks-apart'
  // clocks of hosts
  | 'sync-no-packets'
  | 'sync-no-match'
  | 'sync-peer-missing'
  | 'sync-failed'
  | 'sync-unclear'
  | 'sync-offset-wrong'
  // programs and libraries
  | 'symbols-unreadable'
  | 'symbols-other-build'
  | 'symbols-split'
  | 'symbols-packed'
  | 'symbols-shared'
  // files of executions
  | 'database-damaged'
  // examples and lessons
  | 'example-missing'
  | 'lesson-missing'
  | 'lesson-unreadable'
  // running
  | 'worker-failed'
  | 'workers-unavailable'
  | 'no-webassembly'
  | 'store-unavailable'
  | 'store-full'
  | 'store-damaged'
  | 'over-limit'
  | 'output-unwritable'
  | 'cancelled';

/** Place in the input. All parts are optional; `byte` counts from the file's begin, line and column from 1. */
export interface Place {
  readonly file?: string;
  readonly byte?: number;
  readonly line?: number;
  readonly column?: number;
  /** The metadata line of `line`, for an excerpt with a caret. */
  readonly excerpt?: string;
  /** Index of the packet in its file, from 0. */
  readonly packet?: number;
  readonly event?: string;
  readonly field?: string;
}

export interface Fault {
  readonly code: FaultCode;
  readonly place: Place;
  readonly expected?: string;
  readonly found?: string;
  /** Amount read until then, for people: "3 of 12 packets, 4 211 events". */
  readonly readSoFar?: string;
}

/** @internal */
export const WARNINGS: ReadonlySet<FaultCode> = new Set([
  'link-not-followed',
  'duplicate-trace',
  'records-left-out',
  'events-sampled',
  'switches-missing',
  'metadata-incomplete',
  'metadata-unknown-attribute',
  'bad-uuid',
  'index-disagrees',
  'time-backwards',
  'event-after-packet',
  'events-discarded',
  'packets-discarded',
  'cpu-missing',
  'cpu-unknown',
  'calls-half-recorded',
  'recordings-overlap',
  'clocks-by-switches',
  'clocks-apart',
  'sync-no-packets',
  'sync-no-match',
  'sync-peer-missing',
  'sync-unclear',
  'sync-offset-wrong',
  'sync-failed',
  'symbols-unreadable',
  'symbols-other-build',
  'symbols-split',
  'symbols-packed',
  'symbols-shared',
]);

/** Tells whether a fault is a warning; any other one stops reading something. */
export function isWarning({ code }: Fault): boolean {
  return WARNINGS.has(code);
}
