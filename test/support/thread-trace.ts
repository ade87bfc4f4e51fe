/** User-space traces whose events tell their thread, or do not; and what their threads have, counted in the plainest way. */
import {
  fixedText,
  integer,
  lttngModel,
  monotonicClock,
  signed,
  struct,
} from './ctf-writer/model-builder.ts';
import { writeTrace, type TraceFiles } from './ctf-writer/trace-writer.ts';

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

/** One stream for each CPU; events in order of time. */
export function threadTrace(events: readonly ThreadEvent[], options: ThreadTraceOptions): TraceFiles {
  const { packetEvents, environment = {}, hasPid = true, hasName = true, trace = 0, host = 0 } = options;
  const model = lttngModel({
    uuid: `5151c0de-0000-4000-8000-00000000007${trace}`,
    clock: monotonicClock(`5151c0de-0000-4000-8000-00000000008${host}`),
    environment: { domain: 'ust', hostname: `simulated-${host}`, ...environment },
    header: 'large',
    // What payloads call so is no thread's.
    events: {
      'app:work': struct({ vtid: signed(32), procname: fixedText(BYTES_OF_NAME) }),
      'app:plain': struct({ vtid: signed(32) }),
      'lttng_ust_statedump:procname': struct({ procname: fixedText(BYTES_OF_NAME) }),
    },
  });
  const context = struct({
    ...(hasPid && { vpid: signed(32) }),
    vtid: signed(32),
    pid_ns: integer(64),
    ...(hasName && { procname: fixedText(BYTES_OF_NAME) }),
  });
  const [stream] = model.streams;
  const [work, plain, dump] = stream.events;
  const classes = [{ ...work, context }, plain, { ...dump, context }];
  const withContext = { ...model, streams: [{ ...stream, events: classes }] };
  const cpus = [...new Set(events.map(({ cpu }) => cpu))].sort((a, b) => a - b);
  const streams = cpus.map((cpu) => {
    const own = events.filter((event) => event.cpu === cpu);
    const packets = Array.from({ length: Math.ceil(own.length / packetEvents) }, (_, sequence) => {
      const part = own.slice(sequence * packetEvents, (sequence + 1) * packetEvents);
      return {
        begin: BigInt(part[0].time),
        end: BigInt(part[part.length - 1].time),
        sequence: BigInt(sequence),
        streamId: BigInt(cpu),
        cpu,
        events: part.map(({ time, thread, dumped }) => ({
          eventClass: thread === undefined ? 1 : dumped === undefined ? 0 : 2,
          time: BigInt(time),
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
    return { file: `ust_${cpu}`, streamClass: 0, packets };
  });
  return writeTrace(withContext, streams);
}
