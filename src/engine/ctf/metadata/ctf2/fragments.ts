/** The fragments that describe a trace, each read alone (CTF2-SPEC-2.0, "Metadata stream"). */
import { uuidText } from '../../../base/byte-arrays.ts';
import type { ClockClass, EnvironmentEntry } from '../../model.ts';
import { refuse, type Reading } from '../source.ts';
import type { StructDraft } from './draft.ts';
import { readRootClass, type ClassReading } from './field-classes.ts';
import type { JsonObject, JsonValue } from './json.ts';
import {
  arrayOf,
  checkProperties,
  objectOf,
  optionalString,
  optionalUnsigned,
  property,
  refuseValue,
  required,
  signedOf,
  stringOf,
  unsignedOf,
} from './properties.ts';

/** Identity of a trace, a clock or a class ("Identity"). */
interface Identity {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface TraceFragment extends Identity {
  readonly environment: readonly EnvironmentEntry[];
  readonly packetHeader?: StructDraft;
}

export interface StreamFragment extends Identity {
  readonly id: bigint;
  /** `clockAt` is the offset of the string. */
  readonly clockId?: string;
  readonly clockAt: number;
  readonly packetContext?: StructDraft;
  readonly eventHeader?: StructDraft;
  readonly eventContext?: StructDraft;
}

export interface EventFragment extends Identity {
  readonly id: bigint;
  readonly streamId: bigint;
  readonly logLevel?: number | string;
  readonly context?: StructDraft;
  readonly payload?: StructDraft;
}

const IDENTITY = ['namespace', 'name', 'uid'];
/** Name of the identity of traces and clocks in release candidates. */
const CANDIDATE_IDENTITY = 'uuid';

function readIdentity(reading: Reading, object: JsonObject): Identity {
  return {
    namespace: optionalString(reading, object, 'namespace'),
    name: optionalString(reading, object, 'name'),
    uid: optionalString(reading, object, 'uid'),
  };
}

/** Refuses a property that only release candidates had, which tells the version. */
function refuseCandidate(reading: Reading, object: JsonObject): void {
  const old = object.properties.get(CANDIDATE_IDENTITY);
  if (old !== undefined)
    refuse(
      reading.source,
      old.at,
      'metadata-version',
      'CTF 2.0 (`uid`)',
      `\`${old.name}\` of a release candidate`,
    );
}

/** @returns the uuid of the metadata stream, if it has one, in canonical form */
export function readPreamble(reading: Reading, object: JsonObject): string | undefined {
  checkProperties(reading, object, ['type', 'version', 'uuid']);
  const version = required(reading, object, 'version');
  if (unsignedOf(reading, version) !== 2n)
    refuse(reading.source, version.at, 'metadata-version', 'version 2', String(unsignedOf(reading, version)));
  const uuid = property(object, 'uuid');
  return uuid && uuidOf(reading, uuid);
}

/** 16 bytes. */
function uuidOf(reading: Reading, value: JsonValue): string {
  const { items } = arrayOf(reading, value);
  if (items.length !== 16) refuseValue(reading, value, 'an array of 16 bytes');
  const bytes = items.map((item) => {
    const byte = unsignedOf(reading, item);
    return byte < 256n ? byte.toString(16).padStart(2, '0') : refuseValue(reading, item, 'a byte');
  });
  return uuidText(bytes.join(''));
}

export function readTraceClass(reading: ClassReading, object: JsonObject): TraceFragment {
  refuseCandidate(reading, object);
  checkProperties(reading, object, ['type', ...IDENTITY, 'environment', 'packet-header-field-class']);
  return {
    ...readIdentity(reading, object),
    environment: readEnvironment(reading, property(object, 'environment')),
    packetHeader: readRootClass(reading, object, 'packet-header-field-class'),
  };
}

function readEnvironment(reading: Reading, value: JsonValue | undefined): EnvironmentEntry[] {
  if (value === undefined) return [];
  return [...objectOf(reading, value).properties.values()].map(({ name, value: entry }) => ({
    name,
    value: entry.kind === 'integer' ? signedOf(reading, entry) : stringOf(reading, entry),
  }));
}

export function readClockClass(reading: Reading, object: JsonObject): { id: string; clock: ClockClass } {
  refuseCandidate(reading, object);
  checkProperties(reading, object, [
    'type',
    'id',
    ...IDENTITY,
    'description',
    'frequency',
    'precision',
    'accuracy',
    'origin',
    'offset-from-origin',
  ]);
  const id = stringOf(reading, required(reading, object, 'id'));
  const frequency = required(reading, object, 'frequency');
  const { name, uid } = readIdentity(reading, object);
  const offset = property(object, 'offset-from-origin');
  optionalUnsigned(reading, object, 'accuracy');
  const hertz = unsignedOf(reading, frequency) || refuseValue(reading, frequency, 'more than 0 Hz');
  const clock: ClockClass = {
    name: name ?? id,
    uuid: uid,
    description: optionalString(reading, object, 'description'),
    frequency: hertz,
    precision: optionalUnsigned(reading, object, 'precision'),
    ...readOffset(reading, offset, hertz),
    absolute: isUnixEpoch(reading, property(object, 'origin')),
  };
  return { id, clock };
}

function readOffset(
  reading: Reading,
  value: JsonValue | undefined,
  hertz: bigint,
): Pick<ClockClass, 'offsetSeconds' | 'offsetCycles'> {
  if (value === undefined) return { offsetSeconds: 0n, offsetCycles: 0n };
  const object = objectOf(reading, value);
  checkProperties(reading, object, ['seconds', 'cycles']);
  const seconds = property(object, 'seconds');
  const cycles = property(object, 'cycles');
  const offsetCycles = cycles === undefined ? 0n : unsignedOf(reading, cycles);
  if (cycles !== undefined && offsetCycles >= hertz)
    refuseValue(reading, cycles, 'less than a second of cycles');
  return { offsetSeconds: seconds === undefined ? 0n : signedOf(reading, seconds), offsetCycles };
}

/** Whether an origin is the Unix epoch; others have an identity, which only says that clocks of equal origin can be compared. */
function isUnixEpoch(reading: Reading, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  if (value.kind === 'string') {
    return value.text === 'unix-epoch' || refuseValue(reading, value, '"unix-epoch", or an object');
  }
  const object = objectOf(reading, value);
  checkProperties(reading, object, IDENTITY);
  readIdentity(reading, object);
  required(reading, object, 'name');
  required(reading, object, 'uid');
  return false;
}

export function readStreamClass(reading: ClassReading, object: JsonObject): StreamFragment {
  checkProperties(reading, object, [
    'type',
    'id',
    ...IDENTITY,
    'default-clock-class-id',
    'packet-context-field-class',
    'event-record-header-field-class',
    'event-record-common-context-field-class',
  ]);
  return {
    ...readIdentity(reading, object),
    id: optionalUnsigned(reading, object, 'id') ?? 0n,
    clockId: optionalString(reading, object, 'default-clock-class-id'),
    clockAt: property(object, 'default-clock-class-id')?.at ?? object.at,
    packetContext: readRootClass(reading, object, 'packet-context-field-class'),
    eventHeader: readRootClass(reading, object, 'event-record-header-field-class'),
    eventContext: readRootClass(reading, object, 'event-record-common-context-field-class'),
  };
}

export function readEventClass(reading: ClassReading, object: JsonObject): EventFragment {
  checkProperties(reading, object, [
    'type',
    'id',
    ...IDENTITY,
    'data-stream-class-id',
    'specific-context-field-class',
    'payload-field-class',
  ]);
  return {
    ...readIdentity(reading, object),
    id: optionalUnsigned(reading, object, 'id') ?? 0n,
    streamId: optionalUnsigned(reading, object, 'data-stream-class-id') ?? 0n,
    logLevel: logLevelOf(property(object, 'attributes')),
    context: readRootClass(reading, object, 'specific-context-field-class'),
    payload: readRootClass(reading, object, 'payload-field-class'),
  };
}

/** Namespaces of writers whose attributes have a log level of the same name. */
const LOG_LEVEL_WRITERS = ['lttng.org,2009', 'babeltrace.org,2020'];

function logLevelOf(attributes: JsonValue | undefined): number | string | undefined {
  if (attributes?.kind !== 'object') return undefined;
  for (const namespace of LOG_LEVEL_WRITERS) {
    const own = property(attributes, namespace);
    const level = own?.kind === 'object' ? property(own, 'log-level') : undefined;
    if (level?.kind === 'string') return level.text;
    if (level?.kind === 'integer') return Number(level.value);
  }
  return undefined;
}
