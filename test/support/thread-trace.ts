/** User-space traces whose events tell their thread, or do not; and what their threads have, counted in the plainest way. */
import { fixedText, integer, signed, struct } from './ctf-writer/model-builder.ts';
import { type TraceFiles } from './ctf-writer/trace-writer.ts';
import { lttngTrace } from './ctf-writer/lttng-trace.ts';

export interface ThreadEvent {
  /** ns of the trace's clock. */
  readonly time: number;
  readonly cpu: number;
  /** undefined: an event without a context. */
  readonly thread?: {
    readonly pid: number;
    readonly tid: number;
    readonly name: string;
    /** Inode number of the pid namespace; default: the host's own. */
    readonly ns?: number;
  };
  /** The event dumps this name of its thread's process. */
  readonly dumped?: string;
}

export interface ThreadTraceOptions {
  readonly packetEvents: number;
  readonly environment?: Readonly<Record<string, string | number>>;
  /** Whether contexts have a `vpid`, and a `procname`. */
  readonly hasPid?: boolean;
  readonly hasName?: boolean;
  /** One digit each: traces that differ are other traces, and hosts that differ have clocks of their own. */
  readonly trace?: number;
  readonly host?: number;
}

const BYTES_OF_NAME = 17;
const WORK = 'app:work';
const PLAIN = 'app:plain';
const DUMP = 'lttng_ust_statedump:procname';

/** One stream for each CPU; events in order of time. */
export function threadTrace(events: readonly ThreadEvent[], options: ThreadTraceOptions): TraceFiles {
  const { packetEvents, environment = {}, hasPid = true, hasName = true, trace = 0, host = 0 } = options;
  const context = struct({
    ...(hasPid && { vpid: signed(32) }),
    vtid: signed(32),
    pid_ns: integer(64),
    ...(hasName && { procname: fixedText(BYTES_OF_NAME) }),
  });
  const cpus = [...new Set(events.map(({ cpu }) => cpu))].sort((a, b) => a - b);
  const packets = cpus.map((cpu) => {
    const own = events.filter((event) => event.cpu === cpu);
    return Array.from({ length: Math.ceil(own.length / packetEvents) }, (_, sequence) => {
      const part = own.slice(sequence * packetEvents, (sequence + 1) * packetEvents);
      return {
        events: part.map(({ time, thread, dumped }) => ({
          name: thread === undefined ? PLAIN : dumped === undefined ? WORK : DUMP,
          time,
          payload: { vtid: 99, procname: dumped ?? 'another' },
          ...(thread && {
            specific: {
              ...(hasPid && { vpid: thread.pid }),
              vtid: thread.tid,
              pid_ns: thread.ns ?? 4026531836,
              ...(hasName && { procname: thread.name }),
            },
          }),
        })),
      };
    });
  });
  return lttngTrace(
    {
      domain: 'ust',
      uuid: `5151c0de-0000-4000-8000-00000000007${trace}`,
      clockUuid: `5151c0de-0000-4000-8000-00000000008${host}`,
      environment: { hostname: `simulated-${host}`, ...environment },
      // What payloads call so is no thread's.
      events: {
        [WORK]: struct({ vtid: signed(32), procname: fixedText(BYTES_OF_NAME) }),
        [PLAIN]: struct({ vtid: signed(32) }),
        [DUMP]: struct({ procname: fixedText(BYTES_OF_NAME) }),
      },
      contexts: { [WORK]: context, [DUMP]: context },
    },
    packets,
  );
}
