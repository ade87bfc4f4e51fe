/** Values of attributes, labels and lengths: integers, strings and paths. Also declared names with lengths. */
import type { Path, Value, Declarator } from './ast.ts';
import { type Cursor, RESERVED } from './scanner.ts';

export function parseValue(cursor: Cursor): Value {
  const { kind, at, text, value } = cursor.token;
  switch (kind) {
    case 'number':
      cursor.next();
      return { kind: 'integer', value, signed: false, at };
    case 'string':
      cursor.next();
      return { kind: 'string', text, at };
    case 'name':
      return parsePath(cursor);
    case '+':
    case '-':
      return parseSigned(cursor, kind);
    case '(': {
      cursor.next();
      const inner = cursor.nested(() => parseValue(cursor));
      cursor.expect(')');
      return inner;
    }
    default:
      return cursor.fault('a value');
  }
}

function parseSigned(cursor: Cursor, sign: '+' | '-'): Value {
  const { at } = cursor.token;
  cursor.next();
  const { value } = cursor.token;
  cursor.expect('number', 'an integer');
  const isNegative = sign === '-';
  return { kind: 'integer', value: isNegative ? -value : value, signed: isNegative, at };
}

/** Names joined by `.` or `->`. */
export function parsePath(cursor: Cursor): Path {
  const { at } = cursor.token;
  const names = [cursor.expect('name', 'the path of a tag')];
  while (cursor.accept('.') || cursor.accept('->')) names.push(cursor.expect('name', 'a name'));
  return { kind: 'path', names, at };
}

/** A declared name and its place. */
export interface Name {
  readonly text: string;
  readonly at: number;
}

/** Parses declared names with commas between and a semicolon at the end. @param held see `parseDeclarator` */
export function parseDeclarators(cursor: Cursor, held?: Name): Declarator[] {
  const list = [parseDeclarator(cursor, held)];
  while (cursor.accept(',')) list.push(parseDeclarator(cursor));
  cursor.expect(';');
  return list;
}

/** @param held the name, if it was already parsed to find the end of the type */
function parseDeclarator(cursor: Cursor, held?: Name): Declarator {
  let pointers = 0;
  if (held === undefined) {
    for (; cursor.accept('*'); pointers++) while (cursor.isWord('const')) cursor.next();
    if (cursor.accept('(')) {
      const inner = cursor.nested(() => parseDeclarator(cursor));
      cursor.expect(')');
      const lengths = [...inner.lengths, ...parseDimensions(cursor)];
      return { ...inner, pointers: pointers + inner.pointers, lengths };
    }
  }
  const { text, at } = held ?? parseName(cursor);
  return { name: text, pointers, lengths: parseDimensions(cursor), at };
}

export function parseName(cursor: Cursor): Name {
  const { text, at } = cursor.token;
  if (!cursor.is('name') || RESERVED.has(text)) cursor.fault('a name');
  cursor.next();
  return { text, at };
}

const NONE: readonly Value[] = [];

/** Lengths in brackets, outermost first; there may be none. */
export function parseDimensions(cursor: Cursor): readonly Value[] {
  if (!cursor.is('[')) return NONE;
  const lengths: Value[] = [];
  while (cursor.accept('[')) {
    lengths.push(parseValue(cursor));
    cursor.expect(']');
  }
  return lengths;
}
