/** The rules for types, declarations and attributes: what blocks and type bodies share. */
import { type Cursor, isTypeWord, RESERVED } from './cursor.ts';
import { DeclaratorParser, type Name, ValueParser } from './value-parser.ts';
import { refuse } from '../source.ts';
import type {
  AliasNode,
  Attribute,
  Declaration,
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

/** Each rule begins at its first token and ends behind its last; it throws `Refusal` at a token that does not fit. */
export class TypeParser {
  readonly #cursor: Cursor;
  readonly #values: ValueParser;
  readonly #declarators: DeclaratorParser;
  /** Leaf types by their text. */
  readonly #leaves = new Map<string, LeafNode>();

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#values = new ValueParser(cursor);
    this.#declarators = new DeclaratorParser(cursor, this.#values);
  }

  // Declarations

  /** `typealias …;`, `typedef …;` or `struct … typedef …;` if one begins here. */
  declaration(): Declaration | undefined {
    const cursor = this.#cursor;
    // Keywords are names of attributes too: `string = "text";` in `env`
    if (!cursor.is('name') || !RESERVED.has(cursor.token.text) || cursor.isBefore('=', ':=', '.'))
      return undefined;
    if (cursor.isWord('typealias')) return this.#typealias();
    if (cursor.isWord('typedef')) return this.#typedef();
    const { at } = cursor.token;
    const type = this.#composite();
    return type && this.#typedefOf(type, at);
  }

  /** Declaration at the root, also a type alone, `struct name {…};`, to declare its name. */
  rootDeclaration(): Declaration | TypeDeclaration | undefined {
    const cursor = this.#cursor;
    if (cursor.isWord('typealias') || cursor.isWord('typedef')) return this.declaration();
    const { at } = cursor.token;
    const type = this.#composite();
    if (type === undefined || cursor.isWord('typedef')) return type && this.#typedefOf(type, at);
    cursor.expect(';');
    return { kind: 'type', type, at, end: cursor.end() };
  }

  #typealias(): AliasNode {
    const cursor = this.#cursor;
    cursor.next();
    const type = this.#typeWithStars();
    const lengths = this.#declarators.dimensions();
    cursor.expect(':=');
    const { at } = cursor.token;
    const name = this.#aliasName();
    cursor.expect(';');
    return { kind: 'typealias', type, lengths, name, at, end: cursor.end() };
  }

  #aliasName(): string {
    const cursor = this.#cursor;
    let name = this.#typeWord('a name for the type that is no keyword');
    while (cursor.is('name') || cursor.is('*')) {
      if (cursor.is('name')) {
        name += ` ${this.#typeWord('`;`')}`;
      } else {
        name += ' *';
        cursor.next();
      }
    }
    return name;
  }

  #typedef(): TypedefNode {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    const { type, name } = this.#typeAndName();
    const declarators = this.#declarators.list(name);
    cursor.expect(';');
    return { kind: 'typedef', type, declarators, at, end: cursor.end() };
  }

  /** `type typedef name;` is as good as `typedef type name;`, as in C. */
  #typedefOf(type: TypeNode, at: number): TypedefNode {
    const cursor = this.#cursor;
    if (!cursor.isWord('typedef')) cursor.fault('`typedef`');
    cursor.next();
    const declarators = this.#declarators.list(undefined);
    cursor.expect(';');
    return { kind: 'typedef', type, declarators, at, end: cursor.end() };
  }

  // Types

  #type(): TypeNode {
    const { at } = this.#cursor.token;
    return this.#composite() ?? this.#named(this.#wordsOfType(), at);
  }

  #typeWithStars(): TypeNode {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    const target = this.#type();
    if (!cursor.is('*')) return target;
    if (target.kind !== 'named') return cursor.fault('`:=`');
    let name = target.name;
    for (; cursor.is('*'); cursor.next()) name += ' *';
    return this.#named(name, at);
  }

  #named(name: string, at: number): TypeNode {
    return { kind: 'named', name, at, end: this.#cursor.end() };
  }

  #wordsOfType(): string {
    let words = this.#typeWord();
    while (this.#cursor.is('name')) words += ` ${this.#typeWord()}`;
    return words;
  }

  #typeWord(expected = 'a type'): string {
    const cursor = this.#cursor;
    if (!cursor.is('name') || !isTypeWord(cursor.token.text)) cursor.fault(expected);
    const word = cursor.token.text;
    cursor.next();
    return word;
  }

  /** A type and, where only reading on shows that a word is not part of it, the name declared. */
  #typeAndName(): { type: TypeNode; name?: Name } {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    const found = this.#composite();
    if (found !== undefined) return { type: found };
    let words = this.#typeWord();
    while (cursor.is('name') && !cursor.isWord('typedef')) {
      const last = { text: cursor.token.text, at: cursor.token.at };
      const typeEnd = cursor.end();
      const word = this.#typeWord();
      if (!cursor.is('name') && !cursor.is('*') && !cursor.is('(') && !RESERVED.has(word)) {
        return { type: { kind: 'named', name: words, at, end: typeEnd }, name: last };
      }
      words += ` ${word}`;
    }
    if (!cursor.is('*') && !cursor.is('(') && !cursor.is('name'))
      refuse(cursor.source, at, 'metadata-syntax', 'a type and a name', `\`${words}\``);
    return { type: this.#named(words, at) };
  }

  #composite(): TypeNode | undefined {
    const cursor = this.#cursor;
    if (!cursor.is('name')) cursor.fault('a type');
    switch (cursor.token.text) {
      case 'integer':
      case 'floating_point':
      case 'string':
        return this.#leaf(cursor.token.text);
      case 'enum':
        return cursor.nested(() => this.#enumeration());
      case 'struct':
        return cursor.nested(() => this.#struct());
      case 'variant':
        return cursor.nested(() => this.#variant());
      default:
        return undefined;
    }
  }

  /** Tracers write the same few types out for every field: equal text is parsed once and gives the same node. */
  #leaf(kind: LeafNode['kind']): LeafNode {
    const cursor = this.#cursor;
    if (kind === 'string') return this.#newLeaf(kind);
    const close = cursor.source.text.indexOf('}', cursor.token.at) + 1;
    const written = cursor.source.text.slice(cursor.token.at, close);
    const known = this.#leaves.get(written);
    if (known !== undefined) {
      cursor.moveTo(close);
      return known;
    }
    const node = this.#newLeaf(kind);
    if (node.end === close) this.#leaves.set(written, node);
    return node;
  }

  #newLeaf(kind: LeafNode['kind']): LeafNode {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    const attributes: Attribute[] = [];
    if (kind !== 'string' || cursor.is('{')) {
      cursor.expect('{');
      while (!cursor.is('}')) attributes.push(this.#plainAttribute());
      cursor.next();
    }
    return { kind, attributes, at, end: cursor.end() };
  }

  #plainAttribute(): Attribute {
    const found = this.attribute();
    if (found.kind !== 'attribute') refuse(this.#cursor.source, found.at, 'metadata-syntax', '`=`', '`:=`');
    return found;
  }

  #optionalName(): string | undefined {
    const cursor = this.#cursor;
    return cursor.is('name') && !RESERVED.has(cursor.token.text) ? this.#declarators.name().text : undefined;
  }

  #enumeration(): EnumNode {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    const name = this.#optionalName();
    let container: TypeNode | undefined;
    if (cursor.is(':')) {
      cursor.next();
      if (!cursor.isWord('integer') && !isTypeWord(cursor.token.text)) cursor.fault('an integer type');
      container = this.#type();
    }
    if (!cursor.is('{') && (container !== undefined || name === undefined)) cursor.fault('`{`');
    return {
      kind: 'enum',
      name,
      container,
      labels: cursor.is('{') ? this.#labels() : undefined,
      at,
      end: cursor.end(),
    };
  }

  #labels(): LabelNode[] {
    const cursor = this.#cursor;
    cursor.next();
    const list = [this.#label()];
    while (cursor.is(',')) {
      cursor.next();
      if (!cursor.is('}')) list.push(this.#label());
    }
    cursor.expect('}', '`,` or `}`');
    return list;
  }

  #label(): LabelNode {
    const cursor = this.#cursor;
    if (!cursor.is('name') && !cursor.is('string')) cursor.fault('a label');
    const { at, text } = cursor.token;
    cursor.next();
    if (!cursor.is('=')) return { label: text, at, end: cursor.end() };
    cursor.next();
    const from = this.#values.value();
    if (!cursor.is('...')) return { label: text, from, to: from, at, end: cursor.end() };
    cursor.next();
    return { label: text, from, to: this.#values.value(), at, end: cursor.end() };
  }

  #struct(): StructNode {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    const name = this.#optionalName();
    if (!cursor.is('{') && name === undefined) cursor.fault('`{` or the name of a structure');
    const body = cursor.is('{') ? this.#members() : undefined;
    const align = body !== undefined && cursor.isWord('align') ? this.#alignment() : undefined;
    return { kind: 'struct', name, body, align, at, end: cursor.end() };
  }

  #alignment(): Value {
    const cursor = this.#cursor;
    cursor.next();
    cursor.expect('(');
    const align = this.#values.value();
    cursor.expect(')');
    return align;
  }

  #variant(): VariantNode {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    const name = this.#optionalName();
    let tag: Path | undefined;
    if (cursor.is('<')) {
      cursor.next();
      if (!cursor.is('name')) cursor.fault('the path of a tag');
      tag = this.#values.path();
      cursor.expect('>');
    }
    if (!cursor.is('{') && name === undefined) cursor.fault('`{` or the name of a variant');
    return {
      kind: 'variant',
      name,
      tag,
      body: cursor.is('{') ? this.#members() : undefined,
      at,
      end: cursor.end(),
    };
  }

  #members(): MemberNode[] {
    const cursor = this.#cursor;
    cursor.next();
    const list: MemberNode[] = [];
    while (!cursor.is('}')) list.push(this.#member());
    cursor.next();
    return list;
  }

  #member(): MemberNode {
    const cursor = this.#cursor;
    if (cursor.isWord('typealias')) return this.#typealias();
    if (cursor.isWord('typedef')) return this.#typedef();
    const { at } = cursor.token;
    const { type, name } = this.#typeAndName();
    if (name === undefined && cursor.isWord('typedef')) return this.#typedefOf(type, at);
    const declarators = this.#declarators.list(name);
    cursor.expect(';');
    return { kind: 'field', type, declarators, at, end: cursor.end() };
  }

  // Attributes

  /** `name = value;` or `name := type;` */
  attribute(): Attribute | TypedAttribute {
    const cursor = this.#cursor;
    if (!cursor.is('name') && !cursor.is('string')) cursor.fault('an attribute');
    const { at } = cursor.token;
    let name = cursor.token.text;
    cursor.next();
    while (cursor.is('.')) {
      cursor.next();
      if (!cursor.is('name')) cursor.fault('a name');
      name += `.${cursor.token.text}`;
      cursor.next();
    }
    const found = cursor.is(':=') ? this.#typedValue(name, at) : this.#plainValue(name, at);
    cursor.expect(';');
    return found;
  }

  #typedValue(name: string, at: number): TypedAttribute {
    const cursor = this.#cursor;
    cursor.next();
    return { kind: 'typed-attribute', name, type: this.#type(), at, end: cursor.end() };
  }

  #plainValue(name: string, at: number): Attribute {
    const cursor = this.#cursor;
    cursor.expect('=', '`=` or `:=`');
    return { kind: 'attribute', name, value: this.#values.value(), at, end: cursor.end() };
  }
}
