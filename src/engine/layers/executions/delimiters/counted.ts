/** Counts in threads, by which executions can be compared. */
import type { MeaningRequest } from '../../../analysis/contract.ts';
import type { EventShape } from '../../contract/event-shapes.ts';
import { KERNEL_THREAD } from '../../contract/event-mapper.ts';
import { kernelMeaning, MEANINGS } from '../../../linux/meanings.ts';

/** Counts in the order in which metrics are listed. */
export const COUNTED = ['systemCalls', 'diskBytes', 'networkBytes', 'pageFaults'] as const;

export type Counted = (typeof COUNTED)[number];

const SENT = ['net_dev_queue', 'net:net_dev_queue'];
const PAGE_FAULTS = ['user', 'kernel'].flatMap((where) => [
  `x86_exceptions_page_fault_${where}`,
  `exceptions_page_fault_${where}`,
  `exceptions:page_fault_${where}`,
  `page_fault_${where}`,
]);

/** A name that ends with `*` is a prefix. */
export const COUNTED_EVENTS: Readonly<Record<Counted, readonly string[]>> = {
  systemCalls: MEANINGS['syscall-entry'].events,
  diskBytes: MEANINGS['request-issue'].events,
  networkBytes: SENT,
  pageFaults: PAGE_FAULTS,
};

/** Names of the recorded events that are counted. */
export function countedEvents(
  kind: Counted,
  events: readonly EventShape[],
  countOf: (event: string) => number,
): string[] {
  const isCounted = (name: string) =>
    COUNTED_EVENTS[kind].some((event) =>
      event.endsWith('*') ? name.startsWith(event.slice(0, -1)) : name === event,
    );
  return events.map(({ name }) => name).filter((name) => isCounted(name) && countOf(name) > 0);
}

/** Amount that an event of a meaning counts. */
export interface CountRule {
  readonly request: MeaningRequest;
  readonly counted: Counted;
  /** Field with the amount; undefined: 1. */
  readonly amount?: string;
  /** Units of the amount. */
  readonly unit?: number;
  /** Field with the thread; undefined: the one that it happens in. */
  readonly thread?: string;
  /** Field with the number of a system call, which does not count if it is the way back from a signal handler. */
  readonly number?: string;
  readonly isCompat?: boolean;
}

/** Bytes. */
const SECTOR = 512;

/**
 * Ways back from signal handlers are no system calls. Their meaning is asked for, so that they are not taken for others,
 * and has no rule.
 */
export const SIGNAL_RETURN_REQUEST = kernelMeaning('signal-return');

export const COUNT_RULES: readonly CountRule[] = [
  { request: inThread(kernelMeaning('syscall-entry')), counted: 'systemCalls' },
  { request: inThread(kernelMeaning('numbered-call', 'id')), counted: 'systemCalls', number: 'id' },
  {
    request: inThread(kernelMeaning('numbered-compat-call', 'id')),
    counted: 'systemCalls',
    number: 'id',
    isCompat: true,
  },
  {
    request: kernelMeaning('request-issue', 'nr_sector', 'tid'),
    counted: 'diskBytes',
    amount: 'nr_sector',
    unit: SECTOR,
    thread: 'tid',
  },
  {
    request: inThread({
      meaning: 'bytes-sent',
      events: SENT,
      fields: { len: { names: ['len'], kind: 'int' } },
    }),
    counted: 'networkBytes',
    amount: 'len',
  },
  { request: inThread({ meaning: 'page-fault', events: PAGE_FAULTS, fields: {} }), counted: 'pageFaults' },
];

/** Request with the context that tells the thread. */
function inThread(request: MeaningRequest): MeaningRequest {
  return { ...request, fields: { ...request.fields, ...KERNEL_THREAD } };
}
