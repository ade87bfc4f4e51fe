/** Field classes of any type (CTF2-SPEC-2.0, "Field classes"): JSON → drafts. A string is the name of an alias. */
import { FIELDS, MAX_DEPTH, MAX_SIZE } from '../limits.ts';
import { refuse, reject, type Reading } from '../source.ts';
import {
  measure,
  type ArrayDraft,
  type Draft,
  type OptionalDraft,
  type StructDraft,
  type VariantDraft,
} from './draft.ts';
import { readLocation } from './field-location.ts';
import type { JsonObject, JsonValue } from './json.ts';
import {
  alignmentOf,
  arrayOf,
  checkProperties,
  objectOf,
  optionalString,
  property,
  refuseValue,
  required,
  textOf,
  readRanges,
} from './properties.ts';
import { readLength, SCALAR_CLASSES, type ClassRule } from './scalar-classes.ts';

export interface ClassReading extends Reading {
  /** The aliases declared until now. */
  readonly aliases: ReadonlyMap<string, Draft>;
}

const ARRAY = ['element-field-class', 'minimum-alignment'];

const CLASSES: ReadonlyMap<string, ClassRule<ClassReading>> = new Map([
  ...SCALAR_CLASSES,
  ['static-length-array', { properties: [...ARRAY, 'length'], read: readArray }],
  ['dynamic-length-array', { properties: [...ARRAY, 'length-field-location'], read: readArray }],
  ['structure', { properties: ['member-classes', 'minimum-alignment'], read: readStruct }],
  [
    'optional',
    { properties: ['selector-field-location', 'selector-field-ranges', 'field-class'], read: readOptional },
  ],
  ['variant', { properties: ['selector-field-location', 'options'], read: readVariant }],
]);

function readFieldClass(reading: ClassReading, value: JsonValue): Draft {
  if (value.kind === 'string') {
    const draft = reading.aliases.get(value.text);
    return draft ?? refuseValue(reading, value, 'the name of a field class alias declared before');
  }
  const object = objectOf(reading, value);
  const type = textOf(reading, required(reading, object, 'type'));
  const rule = CLASSES.get(type.text) ?? refuseValue(reading, type, 'a type of field classes');
  checkProperties(reading, object, ['type', ...rule.properties]);
  return bounded(reading, rule.read(reading, object));
}

/** The class of a scope's root. */
export function readRootClass(
  reading: ClassReading,
  object: JsonObject,
  name: string,
): StructDraft | undefined {
  const value = property(object, name);
  if (value === undefined) return undefined;
  const draft = readFieldClass(reading, value);
  return draft.kind === 'struct'
    ? draft
    : reject(reading.source, value.at, 'a structure field class', draft.kind);
}

/** Aliases multiply. */
function bounded(reading: Reading, draft: Draft): Draft {
  const { at, size, depth } = draft;
  if (size > MAX_SIZE)
    refuse(reading.source, at, 'over-limit', `at most ${MAX_SIZE} ${FIELDS} in one class`, String(size));
  if (depth > MAX_DEPTH)
    refuse(reading.source, at, 'over-limit', `classes nested at most ${MAX_DEPTH} deep`, String(depth));
  return draft;
}

function readArray(reading: ClassReading, object: JsonObject): ArrayDraft {
  const length = readLength(reading, object);
  const element = readFieldClass(reading, required(reading, object, 'element-field-class'));
  const measured = measure(object.at, [{ type: element }], alignmentOf(reading, object, 'minimum-alignment'));
  const closed = measured.closed && typeof length === 'number';
  return { kind: 'array', length, element, ...measured, closed };
}

function readStruct(reading: ClassReading, object: JsonObject): StructDraft {
  const list = property(object, 'member-classes');
  const indexes = new Map<string, number>();
  const members = (list === undefined ? [] : arrayOf(reading, list).items).map((item, index) => {
    const member = objectOf(reading, item);
    checkProperties(reading, member, ['name', 'field-class']);
    const name = textOf(reading, required(reading, member, 'name'));
    if (indexes.has(name.text)) refuseValue(reading, name, 'a name that is new in its structure');
    indexes.set(name.text, index);
    return { name: name.text, type: readFieldClass(reading, required(reading, member, 'field-class')) };
  });
  const minimum = alignmentOf(reading, object, 'minimum-alignment');
  return { kind: 'struct', members, indexes, ...measure(object.at, members, minimum) };
}

/**
 * Whether the ranges are of signed integers is known where the selector is; here they may be any. An integer below
 * -2^63 or from 2^64 on is in neither.
 */
function readSelectorRanges(reading: Reading, value: JsonValue) {
  const isNegative = arrayOf(reading, value).items.some(
    (item) => item.kind === 'array' && item.items.some((end) => end.kind === 'integer' && end.value < 0n),
  );
  return readRanges(reading, value, isNegative);
}

function readOptional(reading: ClassReading, object: JsonObject): OptionalDraft {
  const selector = readLocation(reading, object, 'selector-field-location');
  const ranges = property(object, 'selector-field-ranges');
  const content = readFieldClass(reading, required(reading, object, 'field-class'));
  return {
    kind: 'optional',
    selector,
    ranges: ranges && readSelectorRanges(reading, ranges),
    content,
    ...measure(object.at, [{ type: content }], 1),
    ...BY_CONTENT,
  };
}

function readVariant(reading: ClassReading, object: JsonObject): VariantDraft {
  const selector = readLocation(reading, object, 'selector-field-location');
  const names = new Set<string>();
  const options = arrayOf(reading, required(reading, object, 'options'), 1).items.map((item) => {
    const option = objectOf(reading, item);
    checkProperties(reading, option, ['name', 'field-class', 'selector-field-ranges']);
    const name = optionalString(reading, option, 'name');
    if (name !== undefined && names.has(name))
      reject(reading.source, option.at, 'option names that differ', name);
    if (name !== undefined) names.add(name);
    const ranges = readSelectorRanges(reading, required(reading, option, 'selector-field-ranges'));
    return { name, type: readFieldClass(reading, required(reading, option, 'field-class')), ranges };
  });
  return { kind: 'variant', selector, options, ...measure(object.at, options, 1), ...BY_CONTENT };
}

/** Optionals and variants are aligned by what is in them, if anything is. */
const BY_CONTENT = { align: 1, closed: false } as const;

/** The name of an alias that is not taken, with its class ("Field class alias fragment"). */
export function readAlias(reading: ClassReading, object: JsonObject): [name: string, draft: Draft] {
  checkProperties(reading, object, ['type', 'name', 'field-class']);
  const name = textOf(reading, required(reading, object, 'name'));
  if (reading.aliases.has(name.text)) refuseValue(reading, name, 'a name that no other alias has');
  return [name.text, readFieldClass(reading, required(reading, object, 'field-class'))];
}
