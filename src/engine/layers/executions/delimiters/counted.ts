/** Counts in threads, by which executions can be compared. */
import type { KindRequest } from '../../../analysis/contract.ts';
import type { EventShape } from '../../contract/event-shapes.ts';
import { KERNEL_THREAD } from '../../contract/event-mapper.ts';
import { kernelKind } from '../../../linux/events/kernel-events.ts';
import { EVENT_KINDS, type EventKind, isKind } from '../../../trace/event-kinds.ts';

/** Counts in the order in which metrics are listed. */
export const COUNTED = ['systemCalls', 'diskBytes', 'networkBytes', 'pageFaults'] as const;

export type Counted = (typeof COUNTED)[number];

/** Kinds of the events that are counted. */
export const COUNTED_KINDS: Readonly<Record<Counted, readonly EventKind[]>> = {
  systemCalls: ['syscall-entry'],
  diskBytes: ['request-issue'],
  networkBytes: ['bytes-queued'],
  pageFaults: ['user-fault', 'kernel-fault'],
};

/** Names of the recorded events that are counted. */
export function countedEvents(
  kind: Counted,
  events: readonly EventShape[],
  countOf: (event: string) => number,
): string[] {
  const isCounted = (name: string) => COUNTED_KINDS[kind].some((one) => isKind(one, name));
  return events.map(({ name }) => name).filter((name) => isCounted(name) && countOf(name) > 0);
}

/** Amount that an event of a kind adds. */
export interface CountRule {
  readonly request: KindRequest;
  readonly counted: Counted;
  /** Field with the amount; undefined: 1. */
  readonly amount?: string;
  readonly unit?: number;
  /** Field with the thread; undefined: the thread in which it happens. */
  readonly thread?: string;
  /** Field with the number of a system call, which does not count if it returns from a signal handler. */
  readonly number?: string;
  readonly isCompat?: boolean;
}

/** Bytes. */
const SECTOR = 512;

/**
 * Request for returns from signal handlers, which are no system calls: they are read without a rule, so that they do
 * not count.
 */
export const SIGNAL_RETURN_REQUEST = kernelKind('signal-return');

export const COUNT_RULES: readonly CountRule[] = [
  { request: inThread(kernelKind('syscall-entry')), counted: 'systemCalls' },
  { request: inThread(kernelKind('numbered-call', 'id')), counted: 'systemCalls', number: 'id' },
  {
    request: inThread(kernelKind('numbered-compat-call', 'id')),
    counted: 'systemCalls',
    number: 'id',
    isCompat: true,
  },
  {
    request: kernelKind('request-issue', 'nr_sector', 'tid'),
    counted: 'diskBytes',
    amount: 'nr_sector',
    unit: SECTOR,
    thread: 'tid',
  },
  {
    request: inThread({
      kind: 'bytes-sent',
      events: EVENT_KINDS['bytes-queued'].events,
      fields: { len: { names: ['len'], kind: 'int' } },
    }),
    counted: 'networkBytes',
    amount: 'len',
  },
  {
    request: inThread({
      kind: 'page-fault',
      events: COUNTED_KINDS.pageFaults.flatMap((one) => EVENT_KINDS[one].events),
      fields: {},
    }),
    counted: 'pageFaults',
  },
];

function inThread(request: KindRequest): KindRequest {
  return { ...request, fields: { ...request.fields, ...KERNEL_THREAD } };
}
