/** Values of attributes, of labels and of lengths: integers, strings and paths. */
import type { Path, Value } from './ast.ts';
import type { Cursor } from './cursor.ts';

export class ValueParser {
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  value(): Value {
    const cursor = this.#cursor;
    const { kind, at, text, value } = cursor.token;
    switch (kind) {
      case 'number':
        cursor.next();
        return { kind: 'integer', value, signed: false, at, end: cursor.end() };
      case 'string':
        cursor.next();
        return { kind: 'string', text, at, end: cursor.end() };
      case 'name':
        return this.path();
      case '+':
      case '-':
        return this.#signed(kind);
      case '(': {
        cursor.next();
        const inner = cursor.nested(() => this.value());
        cursor.expect(')');
        return inner;
      }
      default:
        return cursor.fault('a value');
    }
  }

  #signed(sign: '+' | '-'): Value {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    if (!cursor.is('number')) cursor.fault('an integer');
    const { value } = cursor.token;
    cursor.next();
    const isNegative = sign === '-';
    return { kind: 'integer', value: isNegative ? -value : value, signed: isNegative, at, end: cursor.end() };
  }

  /** Names joined by `.` or `->`; the current token is a name. */
  path(): Path {
    const cursor = this.#cursor;
    const { at, text } = cursor.token;
    const names = [text];
    cursor.next();
    while (cursor.is('.') || cursor.is('->')) {
      cursor.next();
      if (!cursor.is('name')) cursor.fault('a name');
      names.push(cursor.token.text);
      cursor.next();
    }
    return { kind: 'path', names, at, end: cursor.end() };
  }
}
