/** Roles by scope (CTF2-SPEC-2.0, "Roles"); a role in another scope, or of another class, is refused. */
import type { BlobClass, FieldClass, IntegerClass, Role, Scope, StructClass } from '../../model.ts';
import { reject, type Reading } from '../source.ts';
import type { JsonString } from './json.ts';

type RolesByName = ReadonlyMap<string, Role>;

/** Roles of unsigned integers, by scope and name. */
const ROLES: Readonly<Partial<Record<Scope, RolesByName>>> = {
  'packet-header': new Map([
    ['packet-magic-number', 'packet-magic'],
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

const OF_CLOCK: readonly Role[] = ['packet-begin', 'packet-end', 'timestamp'];
const MAGIC_BITS = 32;

/** The role of static-length BLOBs. */
const UUID_ROLE = 'metadata-stream-uuid';
const UUID_BYTES = 16;

/** Place of a class with roles. */
export interface RoleSite {
  readonly scope: Scope;
  /** Whether it is the class of the first member of its scope. */
  readonly isFirst: boolean;
  /** Whether the data stream has a default clock. */
  readonly hasClock: boolean;
  /** Whether the preamble has the uuid of the metadata stream. */
  readonly hasUuid: boolean;
}

export function integerRoles(
  reading: Reading,
  { scope, isFirst, hasClock }: RoleSite,
  type: IntegerClass,
  names: readonly JsonString[],
): readonly Role[] {
  return names.map(({ at, text }) => {
    const role = ROLES[scope]?.get(text);
    const refuse = (expected: string): never => reject(reading.source, at, expected, `\`${text}\``);
    if (role === undefined) return refuse(`a role of integers in the ${scope}`);
    if (OF_CLOCK.includes(role) && !hasClock) refuse('a data stream class with a default clock for the role');
    const canBeMagic = isFirst && type.size === MAGIC_BITS && type.variable !== true;
    if (role === 'packet-magic' && !canBeMagic)
      refuse(`a fixed length of ${MAGIC_BITS} bits, first in the packet header, for the role`);
    return role;
  });
}

export function blobRoles(
  reading: Reading,
  { scope, hasUuid }: RoleSite,
  { length }: Pick<BlobClass, 'length'>,
  names: readonly JsonString[],
): readonly Role[] {
  return names.map(({ at, text }) => {
    const refuse = (expected: string): never => reject(reading.source, at, expected, `\`${text}\``);
    if (text !== UUID_ROLE || scope !== 'packet-header') refuse(`a role of BLOBs in the ${scope}`);
    if (length !== UUID_BYTES) refuse(`a length of ${UUID_BYTES} bytes for the role`);
    if (!hasUuid) refuse('a preamble with a uuid for the role');
    return 'trace-uuid';
  });
}

/** Greatest number of fields with the packet's begin in one packet; elements of a dynamic array count as 2. */
export function mostBegins(type: FieldClass): number {
  switch (type.kind) {
    case 'integer':
      return type.roles?.includes('packet-begin') === true ? 1 : 0;
    case 'struct':
      return type.members.reduce((sum, member) => sum + mostBegins(member.type), 0);
    case 'variant':
      return type.options.reduce((most, option) => Math.max(most, mostBegins(option.type)), 0);
    case 'optional':
      return mostBegins(type.content);
    case 'array':
      return mostBegins(type.element) * (typeof type.length === 'number' ? type.length : 2);
    default:
      return 0;
  }
}

/** Adds the role of the CPU, which CTF does not have: all readers know it by LTTng's name of the field. */
export function withCpu(context: StructClass): StructClass {
  const members = context.members.map((member) => {
    const { name, type } = member;
    const isCpu = name === 'cpu_id' && type.kind === 'integer' && !type.signed;
    return isCpu ? { name, type: { ...type, roles: [...(type.roles ?? []), 'cpu-id' as const] } } : member;
  });
  return { ...context, members };
}
