/** Values as the writer was given them and as the engine's tapes hold them, in one plain form that can be compared. */
import {
  takeBytes,
  takeCount,
  takeFloat,
  takeInteger,
  type Tape,
} from '../../src/engine/ctf/decode/rows/values.ts';
import { type FieldClass, type TextEncoding, unitOf } from '../../src/engine/ctf/model.ts';
import { encodeText, type Choice, type StructValue, type Value } from '../support/ctf-writer/value.ts';

/** Integers become bigints, texts the bytes before their first null, variants [option, value]. */
export function plainValue(type: FieldClass, value: Value): unknown {
  switch (type.kind) {
    case 'integer':
    case 'bits':
      return BigInt(value as number | bigint);
    case 'float':
      return Number(value);
    case 'string':
    case 'text':
      return untilNull(encodeText(value as string | Uint8Array, type.encoding), type.encoding);
    case 'blob':
      return [...(value as Uint8Array)];
    case 'array':
      return (value as readonly Value[]).map((element) => plainValue(type.element, element));
    case 'struct':
      return type.members.map((member) => plainValue(member.type, (value as StructValue)[member.name]));
    case 'variant': {
      const choice = value as Choice;
      return [choice.option, plainValue(type.options[choice.option].type, choice.value)];
    }
    case 'optional':
      return value === undefined ? undefined : plainValue(type.content, value);
  }
}

/** The next value of a tape, in the same form. */
export function takeValue(tape: Tape, type: FieldClass): unknown {
  switch (type.kind) {
    case 'integer':
    case 'bits':
      return BigInt(takeInteger(tape, type));
    case 'float':
      return takeFloat(tape, type);
    case 'string':
    case 'text':
      return untilNull(takeBytes(tape), type.encoding);
    case 'blob':
      return [...takeBytes(tape)];
    case 'array': {
      const length = typeof type.length === 'number' ? type.length : takeCount(tape);
      return Array.from({ length }, () => takeValue(tape, type.element));
    }
    case 'struct':
      return type.members.map((member) => takeValue(tape, member.type));
    case 'variant': {
      const option = takeCount(tape);
      return [option, takeValue(tape, type.options[option].type)];
    }
    case 'optional':
      return takeCount(tape) === 0 ? undefined : takeValue(tape, type.content);
  }
}

function untilNull(bytes: Uint8Array, encoding: TextEncoding): number[] {
  const unit = unitOf(encoding);
  for (let at = 0; at + unit <= bytes.length; at += unit) {
    if (bytes.subarray(at, at + unit).every((byte) => byte === 0)) return [...bytes.subarray(0, at)];
  }
  return [...bytes];
}
