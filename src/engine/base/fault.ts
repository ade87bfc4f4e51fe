/**
 * Faults of the input, with their places, and results of operations on a trace: faults that the input can cause are
 * values (ARCHITECTURE.md, Errors). They are plain data, so that they cross workers unchanged.
 */
import type { FAULT_MEANINGS } from './fault-meanings.ts';

export type FaultCode = keyof typeof FAULT_MEANINGS;

/** Place in the input. All parts are optional; `byte` counts from the file's begin, line and column from 1. */
export interface Place {
  readonly file?: string;
  readonly byte?: number;
  readonly line?: number;
  readonly column?: number;
  /** Text of the metadata line `line`, for an excerpt with a caret. */
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
  /** Amount read until then, as text: "3 of 12 packets, 4 211 events". */
  readonly readSoFar?: string;
}

export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
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

/** Whether a fault is a warning; any other fault stops the reading of something. */
export function isWarning({ code }: Fault): boolean {
  return WARNINGS.has(code);
}
