/** A user-space trace of begin and end events, and what spans they make, paired in the plainest way. */
import type { IntegerClass } from '../../src/engine/ctf/model.ts';
import type { OverlayDefinition } from '../../src/engine/layers/overlays/definition.ts';
import { integer, signed, struct, text } from './ctf-writer/model-builder.ts';
import { type TraceFiles } from './ctf-writer/trace-writer.ts';
import { lttngTrace } from './ctf-writer/lttng-trace.ts';

export interface SpanEvent {
  /** ns of the trace's clock. */
  readonly time: number;
  readonly cpu: number;
  readonly name: string;
  readonly vtid: number;
  /** Inode number of its pid namespace; undefined: 0, not recorded. */
  readonly ns?: number;
  readonly id: number | bigint;
  readonly path: string;
}

export interface PacketOfEvents {
  readonly events: readonly SpanEvent[];
  /** Events lost before this packet's end, since the trace began. */
  readonly lost?: number;
}

/**
 * One stream for each CPU; packets of equal CPU in order.
 * @param idOf the class of an event's `id`
 */
export function overlayTrace(
  names: readonly string[],
  cpus: readonly (readonly PacketOfEvents[])[],
  idOf: (name: string) => IntegerClass = () => signed(64),
): TraceFiles {
  const eventContext = struct({ vpid: signed(32), vtid: signed(32), pid_ns: integer(64), procname: text });
  const classes = names.map((name) => [name, struct({ id: idOf(name), path: text })] as const);
  return lttngTrace(
    { domain: 'ust', eventContext, events: Object.fromEntries(classes) },
    cpus.map((packets) =>
      packets.map(({ lost, events }) => ({
        lost,
        events: events.map(({ name, time, vtid, ns = 0, id, path }) => {
          const common = { vpid: 1, vtid, pid_ns: ns, procname: 'app' };
          return { name, time, common, payload: { id, path } };
        }),
      })),
    ),
  );
}

export interface PlainSpan {
  readonly definition: number;
  readonly tid: number;
  readonly level: number;
  readonly from: number;
  /** NaN: no end. */
  readonly to: number;
  readonly text: string;
}

type KeyField = 'id' | 'path';

/** Spans of events in their total order, in order of begin; how many ends of each definition have no begin. */
export function pairPlainly(
  events: readonly SpanEvent[],
  definitions: readonly OverlayDefinition[],
): { readonly spans: readonly PlainSpan[]; readonly withoutBegin: readonly number[] } {
  const spans: { begin: SpanEvent; span: PlainSpan }[] = [];
  const withoutBegin = definitions.map(() => 0);
  const isOpen = ({ span }: { span: PlainSpan }) => Number.isNaN(span.to);
  for (const event of events) {
    definitions.forEach((definition, index) => {
      if (definition.end !== event.name) return;
      const at = spans.findLastIndex(
        ({ begin, span }) =>
          span.definition === index &&
          Number.isNaN(span.to) &&
          (definition.acrossThreads || begin.vtid === event.vtid) &&
          definition.key.every((field) => begin[field as KeyField] === event[field as KeyField]),
      );
      if (at < 0) withoutBegin[index]++;
      else spans[at].span = { ...spans[at].span, to: event.time };
    });
    definitions.forEach((definition, index) => {
      if (definition.begin !== event.name) return;
      const taken = spans
        .filter((other) => isOpen(other) && other.span.definition === index && other.span.tid === event.vtid)
        .map(({ span }) => span.level);
      let level = 0;
      while (taken.includes(level)) level++;
      const fields = definition.label.filter((field) => event[field as KeyField] !== '');
      const label = fields.map((field) => `${field} ${event[field as KeyField]}`).join(', ');
      const span = {
        definition: index,
        tid: event.vtid,
        level,
        from: event.time,
        to: NaN,
        text: label || definition.name,
      };
      spans.push({ begin: event, span });
    });
  }
  return { spans: spans.map(({ span }) => span), withoutBegin };
}
