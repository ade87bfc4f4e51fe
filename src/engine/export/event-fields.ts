/** The fields of a scope, each with its type and its value as text and as JSON. */
import { takeCount, type Tape } from '../ctf/decode/rows/values.ts';
import type { FieldClass, StructClass } from '../ctf/model.ts';
import { ByteText } from '../base/byte-text.ts';
import { ValueWriter } from './canonical.ts';
import { JSON_TEXTS, READABLE } from './event-list.ts';

export interface EventField {
  /** Name, with dots for a member of a structure: "network_header.ipv4.ttl". */
  readonly name: string;
  /** "u32", "enum u8", "text", "u8[16]". */
  readonly type: string;
  /** Value as text for people: integers in the base that the trace asks for. */
  readonly text: string;
  /** Value as JSON; integers have all their digits. */
  readonly json: string;
  /** Labels of the value in an enumeration. */
  readonly labels: readonly string[];
  /** Size of an integer, in bits. */
  readonly bits?: number;
}

export interface ScopeFields {
  /** The first fields. */
  readonly fields: readonly EventField[];
  /** Number of all fields. */
  readonly total: number;
}

/** Maximum number of fields returned of a scope. */
const MOST_FIELDS = 500;

/** Reads the fields of scopes, one scope after the other. */
export class FieldReader {
  readonly #text = new ValueWriter({ ...READABLE, hasLabels: false }, new ByteText());
  readonly #json = new ValueWriter(JSON_TEXTS, new ByteText());

  /**
   * @param tape at the scope's begin; afterwards behind the scope
   * @param type undefined: the scope has no fields
   */
  read(tape: Tape, type: StructClass | undefined): ScopeFields {
    const fields: EventField[] = [];
    let total = 0;
    const walk = (name: string, of: FieldClass): void => {
      if (of.kind === 'struct') for (const member of of.members) walk(pathOf(name, member.name), member.type);
      else if (of.kind === 'variant') {
        const option = of.options[takeCount(tape)];
        walk(pathOf(name, option.name ?? ''), option.type);
      } else {
        total++;
        const field = this.#field(tape, name, of);
        if (fields.length < MOST_FIELDS) fields.push(field);
      }
    };
    if (type !== undefined) walk('', type);
    return { fields, total };
  }

  #field(tape: Tape, name: string, type: FieldClass): EventField {
    const { at } = tape;
    const text = this.#text.text(tape, type);
    tape.at = at;
    const json = this.#json.text(tape, type);
    return {
      name,
      type: typeName(type),
      text,
      json,
      labels: labelsOf(type, json),
      ...(type.kind === 'integer' && type.boolean !== true && { bits: type.size }),
    };
  }
}

function pathOf(above: string, name: string): string {
  return above === '' || name === '' ? above + name : `${above}.${name}`;
}

function labelsOf(type: FieldClass, json: string): readonly string[] {
  if (type.kind !== 'integer' || type.labels === undefined || type.boolean === true) return [];
  const value = BigInt(json);
  const names = type.labels.filter(({ from, to }) => from <= value && value <= to).map(({ label }) => label);
  return [...new Set(names)];
}

/** "u32", "i64", "enum u8", "text", "u8[16]". */
export function typeName(type: FieldClass): string {
  switch (type.kind) {
    case 'integer': {
      if (type.boolean === true) return 'bool';
      const sized = `${type.signed ? 'i' : 'u'}${type.size}`;
      return type.labels === undefined ? sized : `enum ${sized}`;
    }
    case 'float':
      return `f${type.size}`;
    case 'bits':
      return `bits${type.size}`;
    case 'string':
    case 'text':
      return 'text';
    case 'array':
      return `${typeName(type.element)}[${typeof type.length === 'number' ? type.length : ''}]`;
    case 'blob':
      return 'bytes';
    case 'optional':
      return `${typeName(type.content)}?`;
    case 'struct':
    case 'variant':
      return type.kind;
  }
}
