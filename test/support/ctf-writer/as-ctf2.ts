/** Models of CTF 1.8 as CTF 2 has them, so that the same data streams are described by either. */
import type { FieldClass, StructClass, TraceModel } from '../../../src/engine/ctf/model.ts';

/** The same model in CTF 2: no clocks of fields, the uuid as a BLOB, an identity of its own. */
export function asCtf2(model: TraceModel): TraceModel {
  const root = (type: StructClass | undefined) => type && (translate(type) as StructClass);
  return {
    ...model,
    version: '2.0',
    byteOrder: 'le',
    namespace: 'example.org',
    name: 'a trace',
    uid: model.uuid,
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

function translate(type: FieldClass): FieldClass {
  switch (type.kind) {
    case 'integer':
      return { ...type, clock: undefined };
    case 'array':
      if (type.roles !== undefined) return { kind: 'blob', length: 16, align: 8, roles: type.roles };
      return { ...type, element: translate(type.element) };
    case 'struct':
      return {
        ...type,
        members: type.members.map(({ name, type: member }) => ({ name, type: translate(member) })),
      };
    case 'variant':
      return {
        ...type,
        options: type.options.map((option) => ({ ...option, type: translate(option.type) })),
      };
    default:
      return type;
  }
}
