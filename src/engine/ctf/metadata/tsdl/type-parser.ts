/** The rules for types, declarators, attributes and values: what blocks and type bodies share. */
import { describeToken } from './scanner.ts';
import type { Scanner, TokenKind } from './scanner.ts';
import { refuse } from './source.ts';
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

/** Deeper nesting is refused: real metadata stay below 10, and the parser must not run out of stack. */
export const MAX_NESTING = 64;

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

export function createTypeParser(scanner: Scanner): TypeParser {
  const { source, token } = scanner;
  let depth = 0;
  /** The end of the token before the current one. */
  let end = 0;

  function next(): void {
    end = token.end;
    scanner.next();
  }

  function fault(expected: string): never {
    refuse(source, token.at, 'metadata-syntax', expected, describeToken(scanner));
  }

  function expect(kind: TokenKind, what = `\`${kind}\``): void {
    if (!is(kind)) fault(what);
    next();
  }

  function is(kind: TokenKind): boolean {
    return token.kind === kind;
  }

  function isWord(word: string): boolean {
    return is('name') && token.text === word;
  }

  /** Runs a rule that may contain itself. */
  function nested<T>(rule: () => T): T {
    if (++depth > MAX_NESTING) {
      refuse(source, token.at, 'over-limit', `types nested at most ${MAX_NESTING} deep`);
    }
    const result = rule();
    depth--;
    return result;
  }

  // Declarations

  function declaration(): Declaration | undefined {
    if (!is('name') || !RESERVED.has(token.text) || beginsAttribute()) return undefined;
    if (isWord('typealias')) return typealias();
    if (isWord('typedef')) return typedef();
    const at = token.at;
    const type = composite();
    return type && typedefOf(type, at);
  }

  /** Keywords are names of attributes too: `string = "text";` in `env`. */
  function beginsAttribute(): boolean {
    return ['=', ':=', '.'].includes(scanner.lookAhead());
  }

  function rootDeclaration(): Declaration | TypeDeclaration | undefined {
    if (isWord('typealias') || isWord('typedef')) return declaration();
    const at = token.at;
    const type = composite();
    if (type === undefined || isWord('typedef')) return type && typedefOf(type, at);
    expect(';');
    return { kind: 'type', type, at, end };
  }

  function typealias(): AliasNode {
    const at = token.at;
    next();
    const type = typeWithStars();
    const lengths = dimensions();
    expect(':=', '`:=`');
    const nameAt = token.at;
    const name = aliasName();
    expect(';');
    return { kind: 'typealias', type, lengths, name, at: nameAt, end: at };
  }

  function aliasName(): string {
    if (!is('name') || (RESERVED.has(token.text) && !TYPE_WORDS.has(token.text))) {
      fault('a name for the type that is no keyword');
    }
    let name = token.text;
    next();
    while (is('name') || is('*')) {
      if (RESERVED.has(token.text) && !TYPE_WORDS.has(token.text) && is('name')) fault('`;`');
      name += is('*') ? ' *' : ` ${token.text}`;
      next();
    }
    return name;
  }

  function typedef(): TypedefNode {
    const at = token.at;
    next();
    const { type, name } = typeAndName();
    const declarators = declaratorList(name);
    expect(';');
    return { kind: 'typedef', type, declarators, at, end };
  }

  /** `type typedef name;` is as good as `typedef type name;`, as in C. */
  function typedefOf(type: TypeNode, at: number): TypedefNode {
    if (!isWord('typedef')) fault('`typedef`');
    next();
    const declarators = declaratorList(undefined);
    expect(';');
    return { kind: 'typedef', type, declarators, at, end };
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
    return { name: text, pointers, lengths, at, end };
  }

  function parenthesised(pointers: number): Declarator {
    next();
    const inner = nested(() => declarator(undefined));
    expect(')');
    const lengths = [...inner.lengths, ...dimensions()];
    return { name: inner.name, pointers: pointers + inner.pointers, lengths, at: inner.at, end };
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
      expect(']', '`]`');
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
    if (target.kind !== 'named') fault('`:=`');
    let name = target.name;
    for (; is('*'); next()) name += ' *';
    return named(name, at);
  }

  function named(name: string, at: number): TypeNode {
    return { kind: 'named', name, at, end };
  }

  function wordsOfType(): string {
    let words = typeWord();
    while (is('name')) words += ` ${typeWord()}`;
    return words;
  }

  function typeWord(): string {
    if (!is('name') || (RESERVED.has(token.text) && !TYPE_WORDS.has(token.text))) fault('a type');
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
      const typeEnd = end;
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

  function leaf(kind: LeafNode['kind']): LeafNode {
    const at = token.at;
    next();
    const attributes: Attribute[] = [];
    if (kind !== 'string' || is('{')) {
      expect('{');
      while (!is('}')) attributes.push(plainAttribute());
      next();
    }
    return { kind, attributes, at, end };
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
      if (!isWord('integer') && RESERVED.has(token.text) && !TYPE_WORDS.has(token.text))
        fault('an integer type');
      container = type();
    }
    if (!is('{') && (container !== undefined || name === undefined)) fault('`{`');
    return { kind: 'enum', name, container, labels: is('{') ? labels() : undefined, at, end };
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
    if (!is('=')) return { label: text, at, end };
    next();
    const from = value();
    if (!is('...')) return { label: text, from, to: from, at, end };
    next();
    return { label: text, from, to: value(), at, end };
  }

  function struct(): StructNode {
    const at = token.at;
    next();
    const name = optionalName();
    if (!is('{') && name === undefined) fault('`{` or the name of a structure');
    const body = is('{') ? members() : undefined;
    const align = body !== undefined && isWord('align') ? alignment() : undefined;
    return { kind: 'struct', name, body, align, at, end };
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
      expect('>', '`>`');
    }
    if (!is('{') && name === undefined) fault('`{` or the name of a variant');
    return { kind: 'variant', name, tag, body: is('{') ? members() : undefined, at, end };
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
    return { kind: 'field', type, declarators, at, end };
  }

  // Attributes and values

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
    return { kind: 'typed-attribute', name, type: type(), at, end };
  }

  function plainValue(name: string, at: number): Attribute {
    expect('=', '`=` or `:=`');
    return { kind: 'attribute', name, value: value(), at, end };
  }

  function value(): Value {
    const at = token.at;
    switch (token.kind) {
      case 'number': {
        const number = token.value;
        next();
        return { kind: 'integer', value: number, signed: false, at, end };
      }
      case 'string': {
        const text = token.text;
        next();
        return { kind: 'string', text, at, end };
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
      ? { kind: 'integer', value: -number, signed: true, at, end }
      : { kind: 'integer', value: number, signed: false, at, end };
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
    return { kind: 'path', names, at, end };
  }

  return { declaration, rootDeclaration, attribute };
}

const NONE: readonly Value[] = [];
