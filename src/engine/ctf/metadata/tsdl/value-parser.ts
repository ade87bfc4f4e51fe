/** Values of attributes, of labels and of lengths: integers, strings and paths. */
import type { Path, Value, Declarator } from './ast.ts';
import { type Cursor, RESERVED } from './cursor.ts';

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

/** A name that is declared, where it is written. */
export interface Name {
  readonly text: string;
  readonly at: number;
}

const NONE: readonly Value[] = [];

export class DeclaratorParser {
  readonly #cursor: Cursor;
  readonly #values: ValueParser;

  constructor(cursor: Cursor, values: ValueParser) {
    this.#cursor = cursor;
    this.#values = values;
  }

  /** One or more, with commas between. `held`: as for one. */
  list(held: Name | undefined): Declarator[] {
    const list = [this.#declarator(held)];
    while (this.#cursor.is(',')) {
      this.#cursor.next();
      list.push(this.#declarator(undefined));
    }
    return list;
  }

  /** `held`: its name, when it was read in order to find the end of the type before it. */
  #declarator(held: Name | undefined): Declarator {
    const cursor = this.#cursor;
    let pointers = 0;
    if (held === undefined) {
      while (cursor.is('*')) {
        pointers++;
        cursor.next();
        while (cursor.isWord('const')) cursor.next();
      }
      if (cursor.is('(')) return this.#parenthesised(pointers);
    }
    const { text, at } = held ?? this.name();
    const lengths = this.dimensions();
    return { name: text, pointers, lengths, at, end: cursor.end() };
  }

  #parenthesised(pointers: number): Declarator {
    const cursor = this.#cursor;
    cursor.next();
    const { name, pointers: own, lengths, at } = cursor.nested(() => this.#declarator(undefined));
    cursor.expect(')');
    const all = [...lengths, ...this.dimensions()];
    return { name, pointers: pointers + own, lengths: all, at, end: cursor.end() };
  }

  name(): Name {
    const { text, at } = this.#cursor.token;
    if (!this.#cursor.is('name') || RESERVED.has(text)) this.#cursor.fault('a name');
    this.#cursor.next();
    return { text, at };
  }

  /** Lengths in brackets, outermost first; there may be none. */
  dimensions(): readonly Value[] {
    if (!this.#cursor.is('[')) return NONE;
    const lengths: Value[] = [];
    while (this.#cursor.is('[')) {
      this.#cursor.next();
      lengths.push(this.#values.value());
      this.#cursor.expect(']');
    }
    return lengths;
  }
}
