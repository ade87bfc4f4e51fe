/** Faults that are warnings: reading goes on as if nothing had happened (docs/errors.md has the same list). */
import type { Fault, FaultCode } from './fault.ts';

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
