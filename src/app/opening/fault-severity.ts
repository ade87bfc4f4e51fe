/** How grave a fault is. */
import type { Fault, FaultCode } from '../../engine/base/fault.ts';

/** Faults after which everything that matters is still there. */
const MILD: ReadonlySet<FaultCode> = new Set([
  'duplicate-trace',
  'metadata-incomplete',
  'metadata-unknown-attribute',
  'index-disagrees',
  'time-backwards',
  'event-after-packet',
  'events-discarded',
  'packets-discarded',
  'store-unavailable',
  'store-full',
  'cancelled',
]);

export function isMild(fault: Fault): boolean {
  return MILD.has(fault.code);
}
