/** Traces of a few events by name, written as LTTng writes them: a stream for each CPU. */
import type { StructClass } from '../../../src/engine/ctf/model.ts';
import { lttngModel, type LttngTrace, monotonicClock } from './model-builder.ts';
import type { EventToWrite } from './packet-writer.ts';
import { writeTrace, type TraceFiles } from './trace-writer.ts';

/** An event by its name; its time in ns of the trace's clock. */
interface NamedEvent extends Omit<EventToWrite, 'eventClass' | 'time'> {
  readonly name: string;
  readonly time: number;
}

export interface NamedPacket {
  readonly events: readonly NamedEvent[];
  /** Times of its begin and end, ns; default those of its first and last event. */
  readonly begin?: number;
  readonly end?: number;
  /** Events lost before its end, since the trace began. */
  readonly lost?: number;
}

export interface NamedTrace extends Pick<LttngTrace, 'events' | 'eventContext'> {
  readonly domain: 'kernel' | 'ust';
  readonly environment?: LttngTrace['environment'];
  /** Contexts of their own, by names of events. */
  readonly contexts?: Readonly<Record<string, StructClass>>;
  /** Uuids of the trace and its clock. */
  readonly uuid?: string;
  readonly clockUuid?: string;
}

/** @param cpus packets of each, in order */
export function lttngTrace(
  {
    domain,
    environment = {},
    events,
    eventContext,
    contexts = {},
    uuid = '5151c0de-0000-4000-8000-000000000003',
    clockUuid = '5151c0de-0000-4000-8000-000000000004',
  }: NamedTrace,
  cpus: readonly (readonly NamedPacket[])[],
): TraceFiles {
  const clock = monotonicClock(clockUuid);
  const model = lttngModel({
    ...{ uuid, clock, header: 'large', events, eventContext },
    environment: { domain, hostname: 'simulated', ...environment },
  });
  const [stream] = model.streams;
  const classes = stream.events.map((one) => ({ ...one, context: contexts[one.name ?? ''] ?? one.context }));
  const names = Object.keys(events);
  const streams = cpus.map((packets, cpu) => ({
    file: `${domain}_${cpu}`,
    streamClass: 0,
    packets: packets.map(({ events: own, lost = 0, begin, end }, sequence) => ({
      begin: BigInt(begin ?? own[0].time),
      end: BigInt(end ?? own[own.length - 1].time),
      sequence: BigInt(sequence),
      streamId: BigInt(cpu),
      discarded: BigInt(lost),
      cpu,
      events: own.map(({ name, time, ...fields }) => {
        return { eventClass: names.indexOf(name), time: BigInt(time), ...fields };
      }),
    })),
  }));
  return writeTrace({ ...model, streams: [{ ...stream, events: classes }] }, streams);
}
