/** One event with all of its fields, as it is copied. Pure. */
import type { EventDetails, EventRow, EventScope } from '../../engine/protocol/events.ts';
import type { ScopeFields } from '../../engine/export/event-fields.ts';

const SCOPES: readonly EventScope[] = ['payload', 'context', 'common', 'header', 'packet', 'packetHeader'];

/** A line with time (ns since the first event), CPU and name, then one for each field. */
export function eventText({ timeNs, cpu, name }: EventRow, details: EventDetails): string {
  const lines = SCOPES.flatMap((scope) =>
    details[scope].fields.map((field) => {
      const labels = field.labels.length === 0 ? '' : ` (${field.labels.join(', ')})`;
      return `${field.name} = ${field.text}${labels}`;
    }),
  );
  return [`${timeNs} ns${cpu < 0 ? '' : `, CPU ${cpu}`}: ${name}`, ...lines].join('\n');
}

/** An object; `time` is ns since the first event. Numbers have all of their digits. */
export function eventJson({ timeNs, cpu, name }: EventRow, details: EventDetails): string {
  const objectOf = ({ fields }: ScopeFields) =>
    `{${fields.map((field) => `${JSON.stringify(field.name)}:${field.json}`).join(',')}}`;
  const scopes = SCOPES.filter((scope) => details[scope].fields.length > 0);
  const parts = [
    `"time":${timeNs}`,
    ...(cpu < 0 ? [] : [`"cpu":${cpu}`]),
    `"name":${JSON.stringify(name)}`,
    ...scopes.map((scope) => `"${scope}":${objectOf(details[scope])}`),
  ];
  return `{${parts.join(',')}}`;
}
