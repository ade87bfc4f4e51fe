/** What roles mean in each scope (CTF2-SPEC-2.0, "Roles"). */
import type { Role, Scope, StructClass } from '../../model.ts';
import { warn } from '../source.ts';
import type { Reading } from '../source.ts';
import type { JsonString } from './json.ts';

type RolesByName = ReadonlyMap<string, Role>;

const ROLES: Readonly<Partial<Record<Scope, RolesByName>>> = {
  'packet-header': new Map([
    ['packet-magic-number', 'packet-magic'],
    ['metadata-stream-uuid', 'trace-uuid'],
    ['data-stream-class-id', 'stream-class-id'],
    ['data-stream-id', 'stream-id'],
  ]),
  'packet-context': new Map([
    ['packet-total-length', 'packet-total-size'],
    ['packet-content-length', 'packet-content-size'],
    ['default-clock-timestamp', 'packet-begin'],
    ['packet-end-default-clock-timestamp', 'packet-end'],
    ['discarded-event-record-counter-snapshot', 'discarded-events'],
    ['packet-sequence-number', 'packet-sequence'],
  ]),
  'event-header': new Map([
    ['event-record-class-id', 'event-class-id'],
    ['default-clock-timestamp', 'timestamp'],
  ]),
};

/** They say nothing where a data stream has no default clock. */
const OF_CLOCK: readonly Role[] = ['packet-begin', 'packet-end', 'timestamp'];

/** What a field of a scope is told to be. A role that is unknown there is a warning. */
export function rolesIn(
  reading: Reading,
  scope: Scope,
  hasClock: boolean,
  names: readonly JsonString[],
): readonly Role[] | undefined {
  const known = ROLES[scope];
  const roles = names.flatMap(({ at, text }) => {
    const role = known?.get(text);
    if (role === undefined) warn(reading, at, `a role of the ${scope}`, `\`${text}\``);
    return role === undefined || (!hasClock && OF_CLOCK.includes(role)) ? [] : [role];
  });
  return roles.length === 0 ? undefined : roles;
}

/** CTF has no role for the CPU; LTTng's name of the field is what all readers know it by. */
export function withCpu(context: StructClass): StructClass {
  const members = context.members.map((member) => {
    const { name, type } = member;
    const isCpu = name === 'cpu_id' && type.kind === 'integer' && !type.signed;
    return isCpu ? { name, type: { ...type, roles: [...(type.roles ?? []), 'cpu-id' as const] } } : member;
  });
  return { ...context, members };
}
