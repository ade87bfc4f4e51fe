/**
 * A JSON text (RFC 8259) as a tree of values that know where they stand. Integers keep all their digits: those of
 * CTF 2 have up to 64 bits, and a number has 53.
 */
import { printParseErrorCode, visit } from 'jsonc-parser';
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

/** A number without fraction and exponent that 64 bits may hold. */
interface JsonInteger extends Placed {
  readonly kind: 'integer';
  readonly value: bigint;
}

interface JsonOther extends Placed {
  readonly kind: 'number' | 'boolean' | 'null';
  readonly text: string;
}

export type JsonValue = JsonObject | JsonArray | JsonString | JsonInteger | JsonOther;

/** The parser is recursive; metadata nest three levels of JSON for a level of types. */
const MAX_DEPTH = 512;
const INTEGER = /^-?\d{1,20}$/;

/** Texts of what should be there, by the error of the parser. */
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
/** Characters that are shown of what was found instead. */
const MOST_FOUND = 60;

/** Objects and arrays whose end was not met yet; `name` is that of the property whose value comes next. */
interface OpenObject extends JsonObject {
  readonly properties: Map<string, JsonProperty>;
  name: string;
  nameAt: number;
}

interface OpenArray extends JsonArray {
  readonly items: JsonValue[];
}

/**
 * Reads one JSON text of the metadata.
 * @param begin where it begins in them
 */
export function readJson(source: Source, text: string, begin: number): JsonValue {
  const builder = new TreeBuilder(source, begin);
  visit(
    text,
    {
      onObjectBegin: (offset) => builder.beginObject(offset),
      onObjectProperty: (name, offset) => builder.nameNext(name, offset),
      onObjectEnd: () => builder.end(),
      onArrayBegin: (offset) => builder.beginArray(offset),
      onArrayEnd: () => builder.end(),
      onLiteralValue: (value, offset, length) =>
        builder.add(value, text.slice(offset, offset + length), offset),
      onError: (code, offset, length) => {
        const found = text.slice(offset, offset + Math.min(length, MOST_FOUND));
        const expected = EXPECTED.get(printParseErrorCode(code)) ?? 'a token of JSON';
        builder.fail(offset, expected, found === '' ? 'the end of the JSON text' : `\`${found}\``);
      },
    },
    { disallowComments: true },
  );
  return builder.finish();
}

class TreeBuilder {
  readonly #source: Source;
  readonly #begin: number;
  readonly #open: (OpenObject | OpenArray)[] = [];
  #root: JsonValue | undefined;

  constructor(source: Source, begin: number) {
    this.#source = source;
    this.#begin = begin;
  }

  beginObject(offset: number): void {
    const at = this.#begin + offset;
    this.#enter({ kind: 'object', at, properties: new Map(), name: '', nameAt: at });
  }

  beginArray(offset: number): void {
    this.#enter({ kind: 'array', at: this.#begin + offset, items: [] });
  }

  end(): void {
    this.#open.pop();
  }

  nameNext(name: string, offset: number): void {
    const object = this.#open.at(-1);
    assert(object?.kind === 'object', 'only objects have properties');
    if (object.properties.has(name)) this.fail(offset, 'one property of a name', `\`${name}\` again`);
    object.name = name;
    object.nameAt = this.#begin + offset;
  }

  add(value: unknown, text: string, offset: number): void {
    const at = this.#begin + offset;
    if (typeof value === 'string') this.#append({ kind: 'string', at, text: value });
    else if (INTEGER.test(text)) this.#append({ kind: 'integer', at, value: BigInt(text) });
    else if (typeof value === 'number') this.#append({ kind: 'number', at, text });
    else this.#append({ kind: value === null ? 'null' : 'boolean', at, text });
  }

  fail(offset: number, expected: string, found: string): never {
    refuse(this.#source, this.#begin + offset, 'metadata-syntax', expected, found);
  }

  finish(): JsonValue {
    return this.#root ?? this.fail(0, 'JSON', 'nothing');
  }

  #enter(value: OpenObject | OpenArray): void {
    if (this.#open.length === MAX_DEPTH)
      refuse(this.#source, value.at, 'over-limit', `JSON nested at most ${MAX_DEPTH} deep`);
    this.#append(value);
    this.#open.push(value);
  }

  #append(value: JsonValue): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = value;
    else if (parent.kind === 'array') parent.items.push(value);
    else parent.properties.set(parent.name, { name: parent.name, at: parent.nameAt, value });
  }
}
