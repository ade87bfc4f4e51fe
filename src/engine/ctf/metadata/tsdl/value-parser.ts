/** Values of attributes, of labels and of lengths: integers, strings and paths. */
import type { Path, Value } from './ast.ts';
import type { Cursor } from './cursor.ts';

export interface ValueParser {
  value(): Value;
  /** Names joined by `.` or `->`; the current token is a name. */
  path(): Path;
}

export function createValueParser(cursor: Cursor): ValueParser {
  const { token, is, end, next, expect, fault, nested } = cursor;

  function value(): Value {
    const at = token.at;
    switch (token.kind) {
      case 'number': {
        const number = token.value;
        next();
        return { kind: 'integer', value: number, signed: false, at, end: end() };
      }
      case 'string': {
        const text = token.text;
        next();
        return { kind: 'string', text, at, end: end() };
      }
      case 'name':
        return path();
      case '+':
      case '-':
        return signedValue(token.kind);
      case '(': {
        next();
        const inner = nested(value);
        expect(')');
        return inner;
      }
      default:
        return fault('a value');
    }
  }

  function signedValue(sign: '+' | '-'): Value {
    const at = token.at;
    next();
    if (!is('number')) fault('an integer');
    const number = token.value;
    next();
    return sign === '-'
      ? { kind: 'integer', value: -number, signed: true, at, end: end() }
      : { kind: 'integer', value: number, signed: false, at, end: end() };
  }

  function path(): Path {
    const at = token.at;
    const names = [token.text];
    next();
    while (is('.') || is('->')) {
      next();
      if (!is('name')) fault('a name');
      names.push(token.text);
      next();
    }
    return { kind: 'path', names, at, end: end() };
  }

  return { value, path };
}
