/** Subjects that a loss of events hides: those of the events that the stream's class declares, and nothing else. */
import { cachedByKey } from '../base/cached-by-key.ts';
import { losesBetween, packetAfter } from '../ctf/decode/rows/packet-spans.ts';
import type { EventClass } from '../ctf/model.ts';
import { type EventKind, isKind } from './event-kinds.ts';
import type { Trace } from './types.ts';

// Bits. Interrupts are also softirqs, functions of timers and vectors.
export const HIDES_SWITCHES = 1;
export const HIDES_WAKE_UPS = 2;
export const HIDES_INTERRUPTS = 4;
export const HIDES_CALLS = 8;
export const HIDES_REQUESTS = 16;
/** @internal */
export const HIDES_ALL = 31;
/** Each of these may hide who ended a wait. */
export const HIDES_WAKERS = HIDES_SWITCHES | HIDES_WAKE_UPS | HIDES_INTERRUPTS;

const KINDS: readonly (readonly [bit: number, kinds: readonly EventKind[]])[] = [
  [HIDES_SWITCHES, ['switch', 'switched-out', 'switched-in']],
  [HIDES_WAKE_UPS, ['waking', 'wakeup', 'wakeup-new']],
  [
    HIDES_INTERRUPTS,
    ['irq-entry', 'irq-exit', 'softirq-entry', 'softirq-exit', 'hrtimer-entry', 'hrtimer-exit', 'vector'],
  ],
  [HIDES_CALLS, ['syscall-entry', 'raw-call', 'syscall-exit']],
  [HIDES_REQUESTS, ['request-insert', 'request-issue', 'request-requeue', 'request-complete']],
];

/** HIDES_* bits of a loss in a stream of a class with these events. */
export function hiddenBy(eventClasses: readonly EventClass[]): number {
  return hiddenOf(eventClasses).bits;
}

const hiddenOf = cachedByKey((eventClasses: readonly EventClass[]) => {
  const has = (kind: EventKind) => eventClasses.some(({ name = '' }) => isKind(kind, name));
  return { bits: KINDS.reduce((bits, [bit, kinds]) => (kinds.some(has) ? bits | bit : bits), 0) };
});

/** Whether headers of packets say that events were lost in a stream of the trace that records switches. */
export function losesSwitches({ model, streams }: Trace): boolean {
  return streams.some(({ streamClass, files }) => {
    if ((hiddenBy(model.streams[streamClass].events) & HIDES_SWITCHES) === 0) return false;
    let before: ReturnType<typeof packetAfter> | undefined;
    for (const { packets } of files)
      for (let packet = 0; packet < packets.length; packet++) {
        const next = packetAfter(packets, packet);
        if (losesBetween(before, next, packets)) return true;
        before = next;
      }
    return false;
  });
}
