/**
 * Recursive descent over the grammar of CTF 1.8.3 appendix C, one token ahead. No name is looked up here: in `a b c;`
 * the last word is the declared name and those before it name the type. Each rule begins at its first token and ends
 * after its last; it throws `Refusal` at a token that does not fit.
 */
import { Cursor, isTypeWord, RESERVED } from './scanner.ts';
import {
  parseDeclarators,
  parseDimensions,
  parseName,
  parsePath,
  parseValue,
  type Name,
} from './value-parser.ts';
import { refuse, type Source } from '../source.ts';
import type {
  AliasNode,
  Attribute,
  Block,
  BlockItem,
  BlockKind,
  Declaration,
  EnumNode,
  LabelNode,
  LeafNode,
  MemberNode,
  RootItem,
  StructNode,
  TypedAttribute,
  TypeDeclaration,
  TypedefNode,
  TypeNode,
  VariantNode,
} from './ast.ts';

const BLOCKS: readonly string[] = [
  'trace',
  'env',
  'clock',
  'callsite',
  'stream',
  'event',
] satisfies BlockKind[];

/** The items of the text in their order. Throws `Refusal` at the first error of syntax. */
export function parseTsdl(source: Source): readonly RootItem[] {
  const cursor = new Cursor(source);
  const items: RootItem[] = [];
  do items.push(parseItem(cursor));
  while (!cursor.is('end'));
  return items;
}

function parseItem(cursor: Cursor): RootItem {
  if (!cursor.is('name')) cursor.fault('a declaration or a block');
  if (BLOCKS.includes(cursor.token.text)) return parseBlock(cursor, cursor.token.text as BlockKind);
  return parseRootDeclaration(cursor) ?? cursor.fault('a declaration or a block');
}

function parseBlock(cursor: Cursor, kind: BlockKind): Block {
  const { at } = cursor.token;
  cursor.next();
  cursor.expect('{', `\`{\` of the ${kind} block`);
  const items: BlockItem[] = [];
  while (!cursor.is('}')) items.push(parseDeclaration(cursor) ?? parseAttribute(cursor));
  const end = cursor.token.at;
  cursor.next();
  cursor.expect(';', `\`;\` after the ${kind} block`);
  return { kind, items, at, end };
}

// Declarations

/** Parses `typealias …;`, `typedef …;` or `struct … typedef …;` if one begins here. */
function parseDeclaration(cursor: Cursor): Declaration | undefined {
  // Keywords may also name attributes: `string = "text";` in `env`
  if (!cursor.is('name') || !RESERVED.has(cursor.token.text) || cursor.isBefore('=', ':=', '.'))
    return undefined;
  if (cursor.isWord('typealias')) return parseTypealias(cursor);
  if (cursor.isWord('typedef')) return parseTypedef(cursor);
  const type = parseComposite(cursor);
  return type && parseTypedefOf(cursor, type);
}

/** Parses a declaration at the root; a type alone (`struct name {…};`) declares its name. */
function parseRootDeclaration(cursor: Cursor): Declaration | TypeDeclaration | undefined {
  if (cursor.isWord('typealias') || cursor.isWord('typedef')) return parseDeclaration(cursor);
  const type = parseComposite(cursor);
  if (type === undefined || cursor.isWord('typedef')) return type && parseTypedefOf(cursor, type);
  cursor.expect(';');
  return { kind: 'type', type };
}

function parseTypealias(cursor: Cursor): AliasNode {
  cursor.next();
  const type = parseTypeWithStars(cursor);
  const lengths = parseDimensions(cursor);
  cursor.expect(':=');
  const { at } = cursor.token;
  const name = parseAliasName(cursor);
  cursor.expect(';');
  return { kind: 'typealias', type, lengths, name, at };
}

function parseAliasName(cursor: Cursor): string {
  let name = parseTypeWord(cursor, 'a name for the type that is no keyword');
  while (cursor.is('name') || cursor.is('*'))
    name += cursor.accept('*') ? ' *' : ` ${parseTypeWord(cursor, '`;`')}`;
  return name;
}

function parseTypedef(cursor: Cursor): TypedefNode {
  cursor.next();
  const { type, name } = parseTypeAndName(cursor);
  return { kind: 'typedef', type, declarators: parseDeclarators(cursor, name) };
}

/** Parses `type typedef name;`, which means `typedef type name;`, as in C. */
function parseTypedefOf(cursor: Cursor, type: TypeNode): TypedefNode {
  if (!cursor.isWord('typedef')) cursor.fault('`typedef`');
  cursor.next();
  return { kind: 'typedef', type, declarators: parseDeclarators(cursor) };
}

// Types

function parseType(cursor: Cursor): TypeNode {
  const { at } = cursor.token;
  const composite = parseComposite(cursor);
  if (composite !== undefined) return composite;
  let name = parseTypeWord(cursor);
  while (cursor.is('name')) name += ` ${parseTypeWord(cursor)}`;
  return { kind: 'named', name, at, end: cursor.end() };
}

function parseTypeWithStars(cursor: Cursor): TypeNode {
  const target = parseType(cursor);
  if (!cursor.is('*')) return target;
  if (target.kind !== 'named') return cursor.fault('`:=`');
  let { name } = target;
  while (cursor.accept('*')) name += ' *';
  return { ...target, name, end: cursor.end() };
}

function parseTypeWord(cursor: Cursor, expected = 'a type'): string {
  if (!cursor.is('name') || !isTypeWord(cursor.token.text)) cursor.fault(expected);
  return cursor.expect('name');
}

/** Parses a type and, if only reading on shows that a word is not part of it, the declared name. */
function parseTypeAndName(cursor: Cursor): { type: TypeNode; name?: Name } {
  const { at } = cursor.token;
  const composite = parseComposite(cursor);
  if (composite !== undefined) return { type: composite };
  let name = parseTypeWord(cursor);
  while (cursor.is('name') && !cursor.isWord('typedef')) {
    const last = { text: cursor.token.text, at: cursor.token.at };
    const end = cursor.end();
    const word = parseTypeWord(cursor);
    if (!cursor.is('name') && !cursor.is('*') && !cursor.is('(') && !RESERVED.has(word))
      return { type: { kind: 'named', name, at, end }, name: last };
    name += ` ${word}`;
  }
  if (!cursor.is('*') && !cursor.is('(') && !cursor.is('name'))
    refuse(cursor.source, at, 'metadata-syntax', 'a type and a name', `\`${name}\``);
  return { type: { kind: 'named', name, at, end: cursor.end() } };
}

function parseComposite(cursor: Cursor): TypeNode | undefined {
  if (!cursor.is('name')) cursor.fault('a type');
  switch (cursor.token.text) {
    case 'integer':
    case 'floating_point':
    case 'string':
      return parseLeaf(cursor, cursor.token.text);
    case 'enum':
      return cursor.nested(() => parseEnum(cursor));
    case 'struct':
      return cursor.nested(() => parseStruct(cursor));
    case 'variant':
      return cursor.nested(() => parseVariant(cursor));
    default:
      return undefined;
  }
}

/** Parses equal text once and gives the same node: tracers write the same few types out for every field. */
function parseLeaf(cursor: Cursor, kind: LeafNode['kind']): LeafNode {
  if (kind === 'string') return parseNewLeaf(cursor, kind);
  const close = cursor.source.text.indexOf('}', cursor.token.at) + 1;
  const written = cursor.source.text.slice(cursor.token.at, close);
  const known = cursor.leaves.get(written);
  if (known !== undefined) {
    cursor.moveTo(close);
    return known;
  }
  const node = parseNewLeaf(cursor, kind);
  if (node.end === close) cursor.leaves.set(written, node);
  return node;
}

function parseNewLeaf(cursor: Cursor, kind: LeafNode['kind']): LeafNode {
  const { at } = cursor.token;
  cursor.next();
  const attributes: Attribute[] = [];
  if (kind !== 'string' || cursor.is('{')) {
    cursor.expect('{');
    while (!cursor.accept('}')) attributes.push(parsePlainAttribute(cursor));
  }
  return { kind, attributes, at, end: cursor.end() };
}

function parsePlainAttribute(cursor: Cursor): Attribute {
  const found = parseAttribute(cursor);
  if (found.kind !== 'attribute') refuse(cursor.source, found.at, 'metadata-syntax', '`=`', '`:=`');
  return found;
}

function parseOptionalName(cursor: Cursor): string | undefined {
  return cursor.is('name') && !RESERVED.has(cursor.token.text) ? parseName(cursor).text : undefined;
}

function parseEnum(cursor: Cursor): EnumNode {
  const { at } = cursor.token;
  cursor.next();
  const name = parseOptionalName(cursor);
  let container: TypeNode | undefined;
  if (cursor.accept(':')) {
    if (!cursor.isWord('integer') && !isTypeWord(cursor.token.text)) cursor.fault('an integer type');
    container = parseType(cursor);
  }
  if (!cursor.is('{') && (container !== undefined || name === undefined)) cursor.fault('`{`');
  const labels = cursor.accept('{') ? parseLabels(cursor) : undefined;
  return { kind: 'enum', name, container, labels, at, end: cursor.end() };
}

function parseLabels(cursor: Cursor): LabelNode[] {
  const list = [parseLabel(cursor)];
  while (cursor.accept(',')) if (!cursor.is('}')) list.push(parseLabel(cursor));
  cursor.expect('}', '`,` or `}`');
  return list;
}

function parseLabel(cursor: Cursor): LabelNode {
  if (!cursor.is('name') && !cursor.is('string')) cursor.fault('a label');
  const { text: label } = cursor.token;
  cursor.next();
  if (!cursor.accept('=')) return { label };
  const from = parseValue(cursor);
  return { label, from, to: cursor.accept('...') ? parseValue(cursor) : from };
}

function parseStruct(cursor: Cursor): StructNode {
  const { at } = cursor.token;
  cursor.next();
  const name = parseOptionalName(cursor);
  if (!cursor.is('{') && name === undefined) cursor.fault('`{` or the name of a structure');
  const body = cursor.accept('{') ? parseMembers(cursor) : undefined;
  if (body === undefined || !cursor.isWord('align'))
    return { kind: 'struct', name, body, at, end: cursor.end() };
  cursor.next();
  cursor.expect('(');
  const align = parseValue(cursor);
  cursor.expect(')');
  return { kind: 'struct', name, body, align, at, end: cursor.end() };
}

function parseVariant(cursor: Cursor): VariantNode {
  const { at } = cursor.token;
  cursor.next();
  const name = parseOptionalName(cursor);
  const hasTag = cursor.accept('<');
  const tag = hasTag ? parsePath(cursor) : undefined;
  if (hasTag) cursor.expect('>');
  if (!cursor.is('{') && name === undefined) cursor.fault('`{` or the name of a variant');
  const body = cursor.accept('{') ? parseMembers(cursor) : undefined;
  return { kind: 'variant', name, tag, body, at, end: cursor.end() };
}

function parseMembers(cursor: Cursor): MemberNode[] {
  const list: MemberNode[] = [];
  while (!cursor.accept('}')) list.push(parseMember(cursor));
  return list;
}

function parseMember(cursor: Cursor): MemberNode {
  if (cursor.isWord('typealias')) return parseTypealias(cursor);
  if (cursor.isWord('typedef')) return parseTypedef(cursor);
  const { type, name } = parseTypeAndName(cursor);
  if (name === undefined && cursor.isWord('typedef')) return parseTypedefOf(cursor, type);
  return { kind: 'field', type, declarators: parseDeclarators(cursor, name) };
}

// Attributes

/** Parses `name = value;` or `name := type;`. */
function parseAttribute(cursor: Cursor): Attribute | TypedAttribute {
  if (!cursor.is('name') && !cursor.is('string')) cursor.fault('an attribute');
  const { at } = cursor.token;
  let name = cursor.token.text;
  cursor.next();
  while (cursor.accept('.')) name += `.${cursor.expect('name', 'a name')}`;
  const isTyped = cursor.accept(':=');
  if (!isTyped) cursor.expect('=', '`=` or `:=`');
  const found: Attribute | TypedAttribute = isTyped
    ? { kind: 'typed-attribute', name, type: parseType(cursor), at }
    : { kind: 'attribute', name, value: parseValue(cursor), at };
  cursor.expect(';');
  return found;
}
