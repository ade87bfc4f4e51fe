/** The CTF 2 metadata (CTF2-SPEC-2.0, "Metadata stream") of a model: the inverse of the reader, in the plainest form. */
import type {
  BitsClass,
  ClockClass,
  EventClass,
  FieldClass,
  FieldRef,
  FloatClass,
  IntegerClass,
  LabelRange,
  Role,
  Scope,
  StreamClass,
  StructClass,
  TraceModel,
} from '../../../src/engine/ctf/model.ts';
import { uuidBytes } from './metadata-file.ts';

type Json =
  string | number | bigint | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

const ORIGINS: Readonly<Record<Scope, string>> = {
  'packet-header': 'packet-header',
  'packet-context': 'packet-context',
  'event-header': 'event-record-header',
  'event-common-context': 'event-record-common-context',
  'event-context': 'event-record-specific-context',
  'event-payload': 'event-record-payload',
};

/** The CPU has none: LTTng's name says it. */
const ROLES: Readonly<Partial<Record<Role, string>>> = {
  'packet-magic': 'packet-magic-number',
  'trace-uuid': 'metadata-stream-uuid',
  'stream-class-id': 'data-stream-class-id',
  'stream-id': 'data-stream-id',
  'packet-total-size': 'packet-total-length',
  'packet-content-size': 'packet-content-length',
  'packet-begin': 'default-clock-timestamp',
  'packet-end': 'packet-end-default-clock-timestamp',
  'discarded-events': 'discarded-event-record-counter-snapshot',
  'packet-sequence': 'packet-sequence-number',
  'event-class-id': 'event-record-class-id',
  timestamp: 'default-clock-timestamp',
};

/** Where a field is declared: what paths are relative to. */
interface Site {
  readonly roots: Partial<Record<Scope, StructClass>>;
  readonly scope: Scope;
  readonly steps: readonly number[];
}

export function ctf2Of(model: TraceModel): string {
  const roots = { 'packet-header': model.packetHeader };
  const fragments: Json[] = [
    { type: 'preamble', version: 2, uuid: model.uuid && [...uuidBytes(model.uuid)] },
    traceFragment(model),
    ...model.clocks.map(clockFragment),
    ...model.streams.flatMap((stream) => streamFragments(roots, stream)),
  ];
  return fragments.map((fragment) => `\u001e${jsonText(fragment)}\n`).join('');
}

/** `JSON.stringify` with integers of any size. */
function jsonText(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value as Readonly<Record<string, Json | undefined>>);
  const properties = entries.flatMap(([name, item]) =>
    item === undefined ? [] : [`${JSON.stringify(name)}:${jsonText(item)}`],
  );
  return `{${properties.join(',')}}`;
}

function traceFragment(model: TraceModel): Json {
  const { namespace, name, uid, environment, packetHeader } = model;
  return {
    type: 'trace-class',
    namespace,
    name,
    uid,
    environment: Object.fromEntries(environment.map((entry) => [entry.name, entry.value])),
    'packet-header-field-class': rootOf({ 'packet-header': packetHeader }, 'packet-header'),
  };
}

function clockFragment(clock: ClockClass, index: number): Json {
  return {
    type: 'clock-class',
    id: clockId(index),
    name: clock.name,
    uid: clock.uuid,
    description: clock.description,
    frequency: clock.frequency,
    precision: clock.precision,
    'offset-from-origin': { seconds: clock.offsetSeconds, cycles: clock.offsetCycles },
    origin: clock.absolute ? 'unix-epoch' : undefined,
  };
}

function clockId(index: number): string {
  return `clock ${index}`;
}

function streamFragments(outer: Site['roots'], stream: StreamClass): Json[] {
  const roots = {
    ...outer,
    'packet-context': stream.packetContext,
    'event-header': stream.eventHeader,
    'event-common-context': stream.eventContext,
  };
  const fragment = {
    type: 'data-stream-class',
    id: stream.id,
    name: stream.name,
    'default-clock-class-id': stream.clock === undefined ? undefined : clockId(stream.clock),
    'packet-context-field-class': rootOf(roots, 'packet-context'),
    'event-record-header-field-class': rootOf(roots, 'event-header'),
    'event-record-common-context-field-class': rootOf(roots, 'event-common-context'),
  };
  return [fragment, ...stream.events.map((event) => eventFragment(roots, stream, event))];
}

function eventFragment(outer: Site['roots'], stream: StreamClass, event: EventClass): Json {
  const roots = { ...outer, 'event-context': event.context, 'event-payload': event.payload };
  return {
    type: 'event-record-class',
    id: event.id,
    'data-stream-class-id': stream.id,
    name: event.name,
    attributes:
      event.logLevel === undefined ? undefined : { 'lttng.org,2009': { 'log-level': event.logLevel } },
    'specific-context-field-class': rootOf(roots, 'event-context'),
    'payload-field-class': rootOf(roots, 'event-payload'),
  };
}

function rootOf(roots: Site['roots'], scope: Scope): Json | undefined {
  const root = roots[scope];
  return root && classOf({ roots, scope, steps: [] }, root);
}

function within(site: Site, step: number): Site {
  return { ...site, steps: [...site.steps, step] };
}

function classOf(site: Site, type: FieldClass): Json {
  switch (type.kind) {
    case 'integer':
      return integerOf(type);
    case 'float':
      return { type: 'fixed-length-floating-point-number', ...bitsOf(type) };
    case 'bits':
      return type.labels
        ? { type: 'fixed-length-bit-map', ...bitsOf(type), flags: labelsOf(type.labels) }
        : { type: 'fixed-length-bit-array', ...bitsOf(type) };
    case 'string':
      return { type: 'null-terminated-string', encoding: type.encoding };
    case 'text':
      return { ...lengthOf(site, 'string', type.length), encoding: type.encoding };
    case 'blob':
      return {
        ...lengthOf(site, 'blob', type.length),
        'media-type': type.mediaType,
        roles: rolesOf(type.roles),
      };
    case 'array': {
      const element = classOf(within(site, -1), type.element);
      const shape = { 'element-field-class': element, 'minimum-alignment': type.align };
      return { ...lengthOf(site, 'array', type.length), ...shape };
    }
    case 'struct':
      return {
        type: 'structure',
        'minimum-alignment': type.align,
        'member-classes': type.members.map(({ name, type: member }, index) => {
          return { name, 'field-class': classOf(within(site, index), member) };
        }),
      };
    case 'optional':
      return {
        type: 'optional',
        'selector-field-location': locationOf(site, type.selector),
        'selector-field-ranges': type.ranges && rangesOf(type.ranges),
        'field-class': classOf(within(site, -1), type.content),
      };
    case 'variant':
      return {
        type: 'variant',
        'selector-field-location': locationOf(site, type.tag),
        options: type.options.map(({ name, type: option, ranges }, index) => {
          const content = classOf(within(site, index), option);
          return { name, 'field-class': content, 'selector-field-ranges': rangesOf(ranges) };
        }),
      };
  }
}

function integerOf(type: IntegerClass): Json {
  if (type.boolean === true) return { type: 'fixed-length-boolean', ...bitsOf(type) };
  return {
    type: `${type.variable === true ? 'variable' : 'fixed'}-length-${type.signed ? 'signed' : 'unsigned'}-integer`,
    ...(type.variable === true ? {} : bitsOf(type)),
    'preferred-display-base': type.base,
    mappings: type.labels && labelsOf(type.labels),
    roles: rolesOf(type.roles),
  };
}

function bitsOf({ size, byteOrder, reversed, align }: IntegerClass | FloatClass | BitsClass) {
  const isLittle = byteOrder === 'le';
  return {
    length: size,
    'byte-order': isLittle ? 'little-endian' : 'big-endian',
    'bit-order': reversed === undefined ? undefined : isLittle ? 'last-to-first' : 'first-to-last',
    alignment: align,
  };
}

function rolesOf(roles: readonly Role[] | undefined): Json | undefined {
  const names = (roles ?? []).flatMap((role) => ROLES[role] ?? []);
  return names.length === 0 ? undefined : names;
}

function rangesOf(ranges: readonly { readonly from: bigint; readonly to: bigint }[]): Json {
  return ranges.map(({ from, to }) => [from, to]);
}

function labelsOf(labels: readonly LabelRange[]): Json {
  const byName: Record<string, Json[]> = {};
  for (const { label, from, to } of labels) (byName[label] ??= []).push([from, to]);
  return byName;
}

function lengthOf(site: Site, kind: string, length: number | FieldRef) {
  if (typeof length === 'number') return { type: `static-length-${kind}`, length };
  return { type: `dynamic-length-${kind}`, 'length-field-location': locationOf(site, length) };
}

/** In the same scope relative to the structure around the field, else from the other one's root. */
function locationOf(site: Site, ref: FieldRef): Json {
  const names = namesOf(site.roots[ref.scope], ref.steps);
  if (ref.scope !== site.scope) return { origin: ORIGINS[ref.scope], path: names };
  const around = namesOf(site.roots[site.scope], site.steps).slice(0, -1);
  let common = 0;
  while (common < around.length && common < names.length - 1 && around[common] === names[common]) common++;
  return { path: [...around.slice(common).map(() => null), ...names.slice(common)] };
}

/** Names of the members on the way: what lies between structures has none. */
function namesOf(root: StructClass | undefined, steps: readonly number[]): string[] {
  const names: string[] = [];
  let type: FieldClass | undefined = root;
  for (const step of steps) {
    if (type?.kind === 'struct') {
      names.push(type.members[step].name);
      type = type.members[step].type;
    } else if (type?.kind === 'variant') type = type.options[step].type;
    else if (type?.kind === 'array') type = type.element;
    else if (type?.kind === 'optional') type = type.content;
  }
  return names;
}
