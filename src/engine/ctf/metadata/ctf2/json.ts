/**
 * A JSON text (RFC 8259) as a tree of values with their offsets. Integers keep all their digits: those of CTF 2 have
 * up to 64 bits, a number has 53.
 */
import { printParseErrorCode, visit, type JSONVisitor } from 'jsonc-parser';
import { assert } from '../../../base/assert.ts';
import { refuse, type Source } from '../source.ts';

interface Placed {
  /** Offset in the metadata text. */
  readonly at: number;
}

export interface JsonObject extends Placed {
  readonly kind: 'object';
  readonly properties: ReadonlyMap<string, JsonProperty>;
}

/** `at` is the place of the name. */
interface JsonProperty extends Placed {
  readonly name: string;
  readonly value: JsonValue;
}

export interface JsonArray extends Placed {
  readonly kind: 'array';
  readonly items: readonly JsonValue[];
}

export interface JsonString extends Placed {
  readonly kind: 'string';
  readonly text: string;
}

/** A number without fraction and exponent that may fit 64 bits. */
interface JsonInteger extends Placed {
  readonly kind: 'integer';
  readonly value: bigint;
}

interface JsonOther extends Placed {
  readonly kind: 'number' | 'boolean' | 'null';
  readonly text: string;
}

export type JsonValue = JsonObject | JsonArray | JsonString | JsonInteger | JsonOther;

/** Greatest depth, as the parser is recursive; metadata nest three levels of JSON for a level of types. */
const MAX_DEPTH = 512;
const INTEGER = /^-?\d{1,20}$/;

/** Texts of what was expected, by error of the parser. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['PropertyNameExpected', 'the name of a property'],
  ['ValueExpected', 'a value'],
  ['ColonExpected', '`:`'],
  ['CommaExpected', '`,`'],
  ['CloseBraceExpected', '`}`'],
  ['CloseBracketExpected', '`]`'],
  ['EndOfFileExpected', 'the end of the JSON text'],
  ['UnexpectedEndOfString', 'a string that ends'],
  ['InvalidEscapeCharacter', 'a known escape sequence'],
]);
/** Characters shown of what was found instead. */
const MOST_FOUND = 60;

/** Objects and arrays whose end is still to come; `name`: the property whose value comes next. */
interface OpenObject extends JsonObject {
  readonly properties: Map<string, JsonProperty>;
  name: string;
  nameAt: number;
}

interface OpenArray extends JsonArray {
  readonly items: JsonValue[];
}

/** Reads one JSON text of the metadata. @param begin its offset in them */
export function readJson(source: Source, text: string, begin: number): JsonValue {
  const open: (OpenObject | OpenArray)[] = [];
  const roots: JsonValue[] = [];
  const fail = (offset: number, expected: string, found: string): never =>
    refuse(source, begin + offset, 'metadata-syntax', expected, found);
  const append = (value: JsonValue): void => {
    const parent = open.at(-1);
    if (parent === undefined) roots.push(value);
    else if (parent.kind === 'array') parent.items.push(value);
    else parent.properties.set(parent.name, { name: parent.name, at: parent.nameAt, value });
  };
  const enter = (value: OpenObject | OpenArray): void => {
    if (open.length === MAX_DEPTH)
      refuse(source, value.at, 'over-limit', `JSON nested at most ${MAX_DEPTH} deep`);
    append(value);
    open.push(value);
  };
  const leave = (): void => void open.pop();
  const visitor: JSONVisitor = {
    onObjectBegin(offset) {
      const at = begin + offset;
      enter({ kind: 'object', at, properties: new Map(), name: '', nameAt: at });
    },
    onObjectProperty(name, offset) {
      const object = open.at(-1);
      assert(object?.kind === 'object', 'only objects have properties');
      if (object.properties.has(name)) fail(offset, 'one property of a name', `\`${name}\` again`);
      object.name = name;
      object.nameAt = begin + offset;
    },
    onObjectEnd: leave,
    onArrayBegin: (offset) => enter({ kind: 'array', at: begin + offset, items: [] }),
    onArrayEnd: leave,
    onLiteralValue(value, offset, length) {
      append(literalOf(value, text.slice(offset, offset + length), begin + offset));
    },
    onError(code, offset, length) {
      const found = text.slice(offset, offset + Math.min(length, MOST_FOUND));
      const expected = EXPECTED.get(printParseErrorCode(code)) ?? 'a token of JSON';
      fail(offset, expected, found === '' ? 'the end of the JSON text' : `\`${found}\``);
    },
  };
  visit(text, visitor, { disallowComments: true });
  return roots.at(0) ?? fail(0, 'JSON', 'nothing');
}

function literalOf(value: unknown, text: string, at: number): JsonValue {
  if (typeof value === 'string') return { kind: 'string', at, text: value };
  if (INTEGER.test(text)) return { kind: 'integer', at, value: BigInt(text) };
  if (typeof value === 'number') return { kind: 'number', at, text };
  return { kind: value === null ? 'null' : 'boolean', at, text };
}
