/** The rules for types, declarators and attributes: what blocks and type bodies share. */
import type { Cursor } from './cursor.ts';
import { refuse } from '../source.ts';
import { createValueParser } from './value-parser.ts';
import type {
  AliasNode,
  Attribute,
  Declaration,
  Declarator,
  EnumNode,
  LabelNode,
  LeafNode,
  MemberNode,
  Path,
  StructNode,
  TypedAttribute,
  TypeDeclaration,
  TypedefNode,
  TypeNode,
  Value,
  VariantNode,
} from './ast.ts';

/** Words that cannot name an alias or a field. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['align', 'callsite', 'clock', 'const', 'enum', 'env', 'event', 'floating_point', 'integer', 'stream'],
  ...['string', 'struct', 'trace', 'typealias', 'typedef', 'variant'],
  ...['char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

/** Of these, the words of C's types, which may be joined: `unsigned long`. */
const TYPE_WORDS: ReadonlySet<string> = new Set([
  ...['const', 'char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

interface Name {
  readonly text: string;
  readonly at: number;
}

export interface TypeParser {
  /** `typealias …;`, `typedef …;` or `struct … typedef …;` if one begins here. */
  declaration(): Declaration | undefined;
  /** At the root also a type alone, `struct name {…};`, to declare its name. */
  rootDeclaration(): Declaration | TypeDeclaration | undefined;
  /** `name = value;` or `name := type;` */
  attribute(): Attribute | TypedAttribute;
}

export function createTypeParser(cursor: Cursor): TypeParser {
  const { source, token, is, isWord, isBefore, end, next, moveTo, expect, fault, nested } = cursor;
  const { value, path } = createValueParser(cursor);
  const leaves = new Map<string, LeafNode>();

  // Declarations

  function declaration(): Declaration | undefined {
    // Keywords are names of attributes too: `string = "text";` in `env`
    if (!is('name') || !RESERVED.has(token.text) || isBefore('=', ':=', '.')) return undefined;
    if (isWord('typealias')) return typealias();
    if (isWord('typedef')) return typedef();
    const at = token.at;
    const type = composite();
    return type && typedefOf(type, at);
  }

  function rootDeclaration(): Declaration | TypeDeclaration | undefined {
    if (isWord('typealias') || isWord('typedef')) return declaration();
    const at = token.at;
    const type = composite();
    if (type === undefined || isWord('typedef')) return type && typedefOf(type, at);
    expect(';');
    return { kind: 'type', type, at, end: end() };
  }

  function typealias(): AliasNode {
    next();
    const type = typeWithStars();
    const lengths = dimensions();
    expect(':=');
    const { at } = token;
    const name = aliasName();
    expect(';');
    return { kind: 'typealias', type, lengths, name, at, end: end() };
  }

  function aliasName(): string {
    let name = typeWord('a name for the type that is no keyword');
    while (is('name') || is('*')) {
      if (is('name')) {
        name += ` ${typeWord('`;`')}`;
      } else {
        name += ' *';
        next();
      }
    }
    return name;
  }

  function typedef(): TypedefNode {
    const at = token.at;
    next();
    const { type, name } = typeAndName();
    const declarators = declaratorList(name);
    expect(';');
    return { kind: 'typedef', type, declarators, at, end: end() };
  }

  /** `type typedef name;` is as good as `typedef type name;`, as in C. */
  function typedefOf(type: TypeNode, at: number): TypedefNode {
    if (!isWord('typedef')) fault('`typedef`');
    next();
    const declarators = declaratorList(undefined);
    expect(';');
    return { kind: 'typedef', type, declarators, at, end: end() };
  }

  function declaratorList(first: Name | undefined): Declarator[] {
    const list = [declarator(first)];
    while (is(',')) {
      next();
      list.push(declarator(undefined));
    }
    return list;
  }

  /** `held`: its name, when the type before it was told from it by having read it. */
  function declarator(held: Name | undefined): Declarator {
    let pointers = 0;
    if (held === undefined) {
      while (is('*')) {
        pointers++;
        next();
        while (isWord('const')) next();
      }
      if (is('(')) return parenthesised(pointers);
    }
    const { text, at } = held ?? declaredName();
    const lengths = dimensions();
    return { name: text, pointers, lengths, at, end: end() };
  }

  function parenthesised(pointers: number): Declarator {
    next();
    const inner = nested(() => declarator(undefined));
    expect(')');
    const lengths = [...inner.lengths, ...dimensions()];
    return { name: inner.name, pointers: pointers + inner.pointers, lengths, at: inner.at, end: end() };
  }

  function declaredName(): Name {
    if (!is('name') || RESERVED.has(token.text)) fault('a name');
    const name = { text: token.text, at: token.at };
    next();
    return name;
  }

  function dimensions(): readonly Value[] {
    if (!is('[')) return NONE;
    const lengths: Value[] = [];
    while (is('[')) {
      next();
      lengths.push(value());
      expect(']');
    }
    return lengths;
  }

  // Types

  function type(): TypeNode {
    const at = token.at;
    return composite() ?? named(wordsOfType(), at);
  }

  function typeWithStars(): TypeNode {
    const at = token.at;
    const target = type();
    if (!is('*')) return target;
    if (target.kind !== 'named') return fault('`:=`');
    let name = target.name;
    for (; is('*'); next()) name += ' *';
    return named(name, at);
  }

  function named(name: string, at: number): TypeNode {
    return { kind: 'named', name, at, end: end() };
  }

  function wordsOfType(): string {
    let words = typeWord();
    while (is('name')) words += ` ${typeWord()}`;
    return words;
  }

  /** Whether the current word can be no part of the name of a type. */
  function isReserved(): boolean {
    return RESERVED.has(token.text) && !TYPE_WORDS.has(token.text);
  }

  function typeWord(expected = 'a type'): string {
    if (!is('name') || isReserved()) fault(expected);
    const word = token.text;
    next();
    return word;
  }

  /** A type and, where only reading on could tell that a word is not part of it, the name declared. */
  function typeAndName(): { type: TypeNode; name?: Name } {
    const at = token.at;
    const found = composite();
    if (found !== undefined) return { type: found };
    let words = typeWord();
    while (is('name') && !isWord('typedef')) {
      const last = { text: token.text, at: token.at };
      const typeEnd = end();
      const word = typeWord();
      if (!is('name') && !is('*') && !is('(') && !RESERVED.has(word)) {
        return { type: { kind: 'named', name: words, at, end: typeEnd }, name: last };
      }
      words += ` ${word}`;
    }
    if (!is('*') && !is('(') && !is('name'))
      refuse(source, at, 'metadata-syntax', 'a type and a name', `\`${words}\``);
    return { type: named(words, at) };
  }

  function composite(): TypeNode | undefined {
    if (!is('name')) fault('a type');
    switch (token.text) {
      case 'integer':
      case 'floating_point':
      case 'string':
        return leaf(token.text);
      case 'enum':
        return nested(enumeration);
      case 'struct':
        return nested(struct);
      case 'variant':
        return nested(variant);
      default:
        return undefined;
    }
  }

  /** Tracers write the same few types out for every field: equal text is parsed once and gives the same node. */
  function leaf(kind: LeafNode['kind']): LeafNode {
    if (kind === 'string') return newLeaf(kind);
    const close = source.text.indexOf('}', token.at) + 1;
    const written = source.text.slice(token.at, close);
    const known = leaves.get(written);
    if (known !== undefined) {
      moveTo(close);
      return known;
    }
    const node = newLeaf(kind);
    if (node.end === close) leaves.set(written, node);
    return node;
  }

  function newLeaf(kind: LeafNode['kind']): LeafNode {
    const at = token.at;
    next();
    const attributes: Attribute[] = [];
    if (kind !== 'string' || is('{')) {
      expect('{');
      while (!is('}')) attributes.push(plainAttribute());
      next();
    }
    return { kind, attributes, at, end: end() };
  }

  function plainAttribute(): Attribute {
    const found = attribute();
    if (found.kind !== 'attribute') refuse(source, found.at, 'metadata-syntax', '`=`', '`:=`');
    return found;
  }

  function optionalName(): string | undefined {
    return is('name') && !RESERVED.has(token.text) ? declaredName().text : undefined;
  }

  function enumeration(): EnumNode {
    const at = token.at;
    next();
    const name = optionalName();
    let container: TypeNode | undefined;
    if (is(':')) {
      next();
      if (!isWord('integer') && isReserved()) fault('an integer type');
      container = type();
    }
    if (!is('{') && (container !== undefined || name === undefined)) fault('`{`');
    return { kind: 'enum', name, container, labels: is('{') ? labels() : undefined, at, end: end() };
  }

  function labels(): LabelNode[] {
    next();
    const list = [label()];
    while (is(',')) {
      next();
      if (!is('}')) list.push(label());
    }
    expect('}', '`,` or `}`');
    return list;
  }

  function label(): LabelNode {
    if (!is('name') && !is('string')) fault('a label');
    const { at, text } = token;
    next();
    if (!is('=')) return { label: text, at, end: end() };
    next();
    const from = value();
    if (!is('...')) return { label: text, from, to: from, at, end: end() };
    next();
    return { label: text, from, to: value(), at, end: end() };
  }

  function struct(): StructNode {
    const at = token.at;
    next();
    const name = optionalName();
    if (!is('{') && name === undefined) fault('`{` or the name of a structure');
    const body = is('{') ? members() : undefined;
    const align = body !== undefined && isWord('align') ? alignment() : undefined;
    return { kind: 'struct', name, body, align, at, end: end() };
  }

  function alignment(): Value {
    next();
    expect('(');
    const align = value();
    expect(')');
    return align;
  }

  function variant(): VariantNode {
    const at = token.at;
    next();
    const name = optionalName();
    let tag: Path | undefined;
    if (is('<')) {
      next();
      if (!is('name')) fault('the path of a tag');
      tag = path();
      expect('>');
    }
    if (!is('{') && name === undefined) fault('`{` or the name of a variant');
    return { kind: 'variant', name, tag, body: is('{') ? members() : undefined, at, end: end() };
  }

  function members(): MemberNode[] {
    next();
    const list: MemberNode[] = [];
    while (!is('}')) list.push(member());
    next();
    return list;
  }

  function member(): MemberNode {
    if (isWord('typealias')) return typealias();
    if (isWord('typedef')) return typedef();
    const at = token.at;
    const { type, name } = typeAndName();
    if (name === undefined && isWord('typedef')) return typedefOf(type, at);
    const declarators = declaratorList(name);
    expect(';');
    return { kind: 'field', type, declarators, at, end: end() };
  }

  // Attributes

  function attribute(): Attribute | TypedAttribute {
    if (!is('name') && !is('string')) fault('an attribute');
    const at = token.at;
    let name = token.text;
    next();
    while (is('.')) {
      next();
      if (!is('name')) fault('a name');
      name += `.${token.text}`;
      next();
    }
    const found = is(':=') ? typedValue(name, at) : plainValue(name, at);
    expect(';');
    return found;
  }

  function typedValue(name: string, at: number): TypedAttribute {
    next();
    return { kind: 'typed-attribute', name, type: type(), at, end: end() };
  }

  function plainValue(name: string, at: number): Attribute {
    expect('=', '`=` or `:=`');
    return { kind: 'attribute', name, value: value(), at, end: end() };
  }

  return { declaration, rootDeclaration, attribute };
}

const NONE: readonly Value[] = [];
