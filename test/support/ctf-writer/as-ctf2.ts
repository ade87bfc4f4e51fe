/** Models of CTF 1.8 as CTF 2 has them, so that the same data streams are described by either. */
import type { ClockClass, FieldClass, StructClass, TraceModel } from '../../../src/engine/ctf/model.ts';

/**
 * The same model in CTF 2: no clocks of fields, the uuid as a BLOB, an identity of its own, less than a second of cycles
 * in the offsets of clocks.
 */
export function asCtf2(model: TraceModel): TraceModel {
  const hasUuid = model.uuid !== undefined;
  const root = (type: StructClass | undefined) => type && (translate(type, hasUuid) as StructClass);
  return {
    ...model,
    version: '2.0',
    byteOrder: 'le',
    namespace: 'example.org',
    name: 'a trace',
    uid: model.uuid,
    clocks: model.clocks.map(withWholeSeconds),
    packetHeader: root(model.packetHeader),
    streams: model.streams.map((stream) => ({
      ...stream,
      packetContext: root(stream.packetContext),
      eventHeader: root(stream.eventHeader),
      eventContext: root(stream.eventContext),
      events: stream.events.map((event) => {
        return { ...event, context: root(event.context), payload: root(event.payload) };
      }),
    })),
  };
}

function withWholeSeconds(clock: ClockClass): ClockClass {
  const { frequency, offsetSeconds, offsetCycles } = clock;
  return {
    ...clock,
    offsetSeconds: offsetSeconds + offsetCycles / frequency,
    offsetCycles: offsetCycles % frequency,
  };
}

/** @param hasUuid whether the field for it has its role */
function translate(type: FieldClass, hasUuid: boolean): FieldClass {
  switch (type.kind) {
    case 'integer':
      return { ...type, clock: undefined };
    case 'array':
      if (type.roles !== undefined) {
        return { kind: 'blob', length: 16, align: 8, roles: hasUuid ? type.roles : undefined };
      }
      return { ...type, element: translate(type.element, hasUuid) };
    case 'struct':
      return {
        ...type,
        members: type.members.map(({ name, type: member }) => ({ name, type: translate(member, hasUuid) })),
      };
    case 'variant':
      return {
        ...type,
        options: type.options.map((option) => ({ ...option, type: translate(option.type, hasUuid) })),
      };
    default:
      return type;
  }
}
