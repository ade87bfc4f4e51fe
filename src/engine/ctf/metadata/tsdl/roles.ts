/** Roles of CTF 1.8 fields by their name and place (CTF 1.8.3 sections 5 and 6). */
import {
  partsOf,
  type ArrayClass,
  type ClockClass,
  type FieldClass,
  type IntegerClass,
  type Role,
  type StructClass,
} from '../../model.ts';

type RolesByName = ReadonlyMap<string, Role>;

const PACKET_HEADER: RolesByName = new Map([
  ['magic', 'packet-magic'],
  ['stream_id', 'stream-class-id'],
  ['stream_instance_id', 'stream-id'],
]);

const PACKET_CONTEXT: RolesByName = new Map([
  ['packet_size', 'packet-total-size'],
  ['content_size', 'packet-content-size'],
  ['timestamp_begin', 'packet-begin'],
  ['timestamp_end', 'packet-end'],
  ['events_discarded', 'discarded-events'],
  ['packet_seq_num', 'packet-sequence'],
  ['cpu_id', 'cpu-id'],
]);

type Change = (type: IntegerClass, name: string | undefined) => IntegerClass;

export function packetHeaderRoles(header: StructClass): StructClass {
  const struct = withRoles(header, PACKET_HEADER);
  const members = struct.members.map(({ name, type }) => ({
    name,
    type: name === 'uuid' && isUuid(type) ? { ...type, roles: UUID_ROLES } : type,
  }));
  return { ...struct, members };
}

export function packetContextRoles(context: StructClass): StructClass {
  return withRoles(context, PACKET_CONTEXT);
}

function withRoles(struct: StructClass, roles: RolesByName): StructClass {
  const members = struct.members.map(({ name, type }) => ({ name, type: withRole(type, roles.get(name)) }));
  return { ...struct, members };
}

/** Sets the role of `id`; a variant after it may have an option with another `id`, which then counts. */
export function eventHeaderRoles(header: StructClass, clock: number | undefined): StructClass {
  const members = header.members.map(({ name, type }) => {
    if (name === 'id') return { name, type: withRole(type, 'event-class-id') };
    return { name, type: type.kind === 'variant' ? withOptionIds(type) : type };
  });
  const mark: Change = (type) => (type.clock === clock ? addRole(type, 'timestamp') : type);
  return clock === undefined ? { ...header, members } : changeIntegers({ ...header, members }, mark);
}

function withOptionIds<T extends FieldClass & { kind: 'variant' }>(variant: T): T {
  const options = variant.options.map((option) => {
    const { type } = option;
    if (type.kind !== 'struct') return option;
    const members = type.members.map((m) =>
      m.name === 'id' ? { ...m, type: withRole(m.type, 'event-class-id') } : m,
    );
    return { ...option, type: { ...type, members } };
  });
  return { ...variant, options };
}

const UUID_ROLES: readonly Role[] = ['trace-uuid'];

function isUuid(type: FieldClass): type is ArrayClass {
  if (type.kind !== 'array' || type.length !== 16) return false;
  return type.element.kind === 'integer' && type.element.size === 8;
}

/** Adds a role to unsigned integers; other fields of the name have none. */
function withRole(type: FieldClass, role: Role | undefined): FieldClass {
  return role !== undefined && type.kind === 'integer' && !type.signed ? addRole(type, role) : type;
}

function addRole(type: IntegerClass, role: Role): IntegerClass {
  return { ...type, roles: [...(type.roles ?? []), role] };
}

/** The same class with its integers changed; `name` is that of the nearest member or option. */
function changeIntegers<T extends FieldClass>(type: T, change: Change, name?: string): T;
function changeIntegers(type: FieldClass, change: Change, name?: string): FieldClass {
  switch (type.kind) {
    case 'integer':
      return change(type, name);
    case 'struct':
      return {
        ...type,
        members: type.members.map((m) => ({ ...m, type: changeIntegers(m.type, change, m.name) })),
      };
    case 'variant':
      return {
        ...type,
        options: type.options.map((o) => ({ ...o, type: changeIntegers(o.type, change, o.name) })),
      };
    default:
      return type;
  }
}

/**
 * Maps timestamps without a clock to the trace's only one; in a trace without clocks to one of 1 GHz that is added to
 * `clocks`. With several clocks they stay numbers. babeltrace2 reads early and minimal metadata the same way.
 */
export function mapTimestamps(
  root: StructClass,
  names: readonly string[],
  clocks: ClockClass[],
): StructClass {
  return changeIntegers(root, (type, name) => {
    if (name === undefined || !names.includes(name) || type.clock !== undefined || clocks.length > 1)
      return type;
    if (clocks.length === 0) clocks.push(IMPLICIT_CLOCK);
    return { ...type, clock: 0 };
  });
}

const IMPLICIT_CLOCK: ClockClass = {
  name: 'default',
  frequency: 1_000_000_000n,
  offsetSeconds: 0n,
  offsetCycles: 0n,
  absolute: false,
};

/** Clocks that integers in `type` are mapped to, in their order. */
export function clocksIn(type: FieldClass | undefined): readonly number[] {
  if (type?.kind === 'integer') return type.clock === undefined ? [] : [type.clock];
  return type === undefined ? [] : partsOf(type).flatMap(clocksIn);
}
