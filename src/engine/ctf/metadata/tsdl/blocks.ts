/** The blocks `trace`, `env`, `clock`, `stream` and `event`, each read alone: attributes checked, types drafted. */
import type { ByteOrder, ClockClass, EnvironmentEntry } from '../../model.ts';
import type { Attribute, Block, TypedAttribute, Value } from './ast.ts';
import {
  attributesByName,
  booleanOf,
  byteOrderOf,
  describeValue,
  integerOf,
  optional,
  refuseValue,
  stringOf,
  textOf,
  unsignedOf,
  uuidOf,
  type Attributes,
} from './attributes.ts';
import type { StructDraft } from './draft.ts';
import { refuse, reject, warn, type Reading } from '../source.ts';
import { buildType, declare, innerScope, type Scope, type TypeContext } from './types.ts';

/** Names allowed in a block on the left of `=` and of `:=`. */
interface Vocabulary {
  readonly attributes: readonly string[];
  readonly types: readonly string[];
}

const TRACE: Vocabulary = { attributes: ['major', 'minor', 'uuid', 'byte_order'], types: ['packet.header'] };
const STREAM: Vocabulary = { attributes: ['id'], types: ['packet.context', 'event.header', 'event.context'] };
const EVENT: Vocabulary = {
  attributes: ['name', 'id', 'stream_id', 'loglevel', 'log_level', 'model.emf.uri'],
  types: ['context', 'fields'],
};
const CLOCK = ['name', 'uuid', 'description', 'freq', 'precision', 'offset_s', 'offset', 'absolute'];

export interface TraceBlock {
  readonly uuid?: string;
  readonly packetHeader?: StructDraft;
}

export interface StreamBlock {
  readonly block: Block;
  readonly id?: bigint;
  readonly packetContext?: StructDraft;
  readonly eventHeader?: StructDraft;
  readonly eventContext?: StructDraft;
}

export interface EventBlock {
  readonly block: Block;
  readonly id?: bigint;
  readonly name: string;
  readonly streamId?: bigint;
  readonly logLevel?: number | string;
  readonly context?: StructDraft;
  readonly payload?: StructDraft;
}

/** Reads the byte order first, as all integers depend on it. */
export function readByteOrder(reading: Reading, block: Block): ByteOrder {
  const { value } = attributeOf(block, 'byte_order') ?? missing(reading, block, 'byte_order');
  return byteOrderOf(reading, value) ?? refuseValue(reading, value, 'byte_order: le or be');
}

export function readEnvironment(blocks: readonly Block[]): EnvironmentEntry[] {
  const entries = new Map<string, EnvironmentEntry>();
  for (const { items } of blocks) {
    for (const item of items) {
      if (item.kind !== 'attribute') continue;
      const { name, value } = item;
      const content = value.kind === 'integer' ? BigInt(value.value) : (textOf(value) ?? '');
      entries.set(name, { name, value: content });
    }
  }
  return [...entries.values()];
}

export function readClock(reading: Reading, block: Block): ClockClass {
  const attributes = attributesByName(reading, plainAttributes(block), CLOCK, 'clock');
  return {
    name: stringOf(reading, attributes.get('name') ?? missing(reading, block, 'name'), 'name'),
    uuid: optional(reading, attributes, 'uuid', uuidOf),
    description: optional(reading, attributes, 'description', stringOf),
    frequency: optional(reading, attributes, 'freq', frequencyOf) ?? 1_000_000_000n,
    precision: optional(reading, attributes, 'precision', unsignedOf),
    offsetSeconds: optional(reading, attributes, 'offset_s', integerOf) ?? 0n,
    offsetCycles: optional(reading, attributes, 'offset', unsignedOf) ?? 0n,
    absolute: optional(reading, attributes, 'absolute', booleanOf) ?? false,
  };
}

function frequencyOf(reading: Reading, value: Value): bigint {
  const frequency = unsignedOf(reading, value, 'freq');
  return frequency > 0n ? frequency : refuseValue(reading, value, 'freq: more than 0 Hz');
}

export function readTrace(context: TypeContext, root: Scope, block: Block): TraceBlock {
  const { attributes, types } = readItems(context, root, block, TRACE);
  expectVersion(context, block, attributes, 'major', 1n);
  expectVersion(context, block, attributes, 'minor', 8n);
  const packetHeader = types.get('packet.header');
  if (packetHeader) expectMagic(context, packetHeader);
  return { uuid: optional(context, attributes, 'uuid', uuidOf), packetHeader };
}

/** Checks that an integer `magic` is where a reader that knows nothing yet can find it. */
function expectMagic(context: Reading, header: StructDraft): void {
  const index = header.indexes.get('magic');
  if (index === undefined) return;
  const { type, at } = header.members[index];
  if (type.kind !== 'leaf' || type.type.kind !== 'integer') return;
  const { size } = type.type;
  if (size !== 32) reject(context.source, at, '32 bits for `magic`', String(size));
  if (index > 0) reject(context.source, at, '`magic` as the first field of the packet header');
}

function expectVersion(
  context: Reading,
  block: Block,
  attributes: Attributes,
  name: string,
  expected: bigint,
): void {
  const value = attributes.get(name) ?? missing(context, block, name);
  if (unsignedOf(context, value, name) !== expected) {
    refuse(context.source, value.at, 'metadata-version', `${name} = ${expected}`, describeValue(value));
  }
}

export function readStream(context: TypeContext, root: Scope, block: Block): StreamBlock {
  const { attributes, types } = readItems(context, root, block, STREAM);
  return {
    block,
    id: optional(context, attributes, 'id', unsignedOf),
    packetContext: types.get('packet.context'),
    eventHeader: types.get('event.header'),
    eventContext: types.get('event.context'),
  };
}

export function readEvent(context: TypeContext, root: Scope, block: Block): EventBlock {
  const name = attributeOf(block, 'name') ?? missing(context, block, 'name');
  const { attributes, types } = readItems(context, root, block, EVENT);
  const logLevel = attributes.get('loglevel') ?? attributes.get('log_level');
  return {
    block,
    name: stringOf(context, name.value, 'name'),
    id: optional(context, attributes, 'id', unsignedOf),
    streamId: optional(context, attributes, 'stream_id', unsignedOf),
    logLevel: logLevel && logLevelOf(logLevel),
    context: types.get('context'),
    payload: types.get('fields'),
  };
}

function logLevelOf(value: Value): number | string {
  return value.kind === 'integer' ? Number(value.value) : (textOf(value) ?? '');
}

function missing(reading: Reading, block: Block, name: string): never {
  reject(reading.source, block.end, `the attribute \`${name}\` of ${block.kind}`, 'none');
}

function attributeOf(block: Block, name: string): Attribute | undefined {
  return plainAttributes(block).find((attribute) => attribute.name === name);
}

function plainAttributes(block: Block): Attribute[] {
  return block.items.filter((item): item is Attribute => item.kind === 'attribute');
}

/** Reads a block's attributes, and in their order its declared types and typed attributes. */
function readItems(context: TypeContext, root: Scope, block: Block, words: Vocabulary) {
  const scope = innerScope(root);
  const types = new Map<string, StructDraft>();
  for (const item of block.items) {
    if (item.kind === 'typed-attribute') {
      const draft = typeOf(context, scope, block, item, words);
      if (draft === undefined) continue;
      if (types.has(item.name))
        reject(context.source, item.type.end - 1, `one \`${item.name}\``, 'a second one');
      types.set(item.name, draft);
    } else if (item.kind !== 'attribute') {
      declare(context, scope, item);
    }
  }
  return {
    attributes: attributesByName(context, plainAttributes(block), words.attributes, block.kind),
    types,
  };
}

function typeOf(
  context: TypeContext,
  scope: Scope,
  block: Block,
  { name, type, at }: TypedAttribute,
  words: Vocabulary,
): StructDraft | undefined {
  if (!words.types.includes(name)) {
    warn(context, at, `an attribute of ${block.kind}: ${words.types.join(', ')}`, `\`${name}\``);
    return undefined;
  }
  const draft = buildType(context, scope, type);
  return draft.kind === 'struct'
    ? draft
    : reject(context.source, type.at, `a structure for \`${name}\``, draft.kind);
}
