/** TSDL text → the model of its trace. */
import { fail, type Fault, ok, type Result } from '../../../base/fault.ts';
import type { TraceModel } from '../../model.ts';
import { Refusal, type Source } from '../source.ts';
import { buildTraceModel } from './trace-model.ts';
import type { Block, BlockItem, BlockKind, RootItem } from './ast.ts';
import { Cursor } from './cursor.ts';
import { TypeParser } from './type-parser.ts';

/** Warnings: attributes that are ignored. Linear in the text but for what aliases multiply, which is bounded. */
export function readTsdl(source: Source): Result<{ model: TraceModel; warnings: readonly Fault[] }> {
  const warnings: Fault[] = [];
  try {
    return ok({ model: buildTraceModel({ source, warnings }, parseTsdl(source)), warnings });
  } catch (error) {
    if (error instanceof Refusal) return fail(error.fault);
    throw error;
  }
}

const BLOCKS: readonly string[] = [
  'trace',
  'env',
  'clock',
  'callsite',
  'stream',
  'event',
] satisfies BlockKind[];

/** The items of the text in their order. Throws `Refusal` at the first error of syntax. */
function parseTsdl(source: Source): readonly RootItem[] {
  return new Parser(source).items();
}

/**
 * Recursive descent over the grammar of CTF 1.8.3 appendix C, one token ahead. No name is looked up here: in `a b c;` the
 * last word is the declared name and those before it name the type, whatever they are.
 */
class Parser {
  readonly #cursor: Cursor;
  readonly #types: TypeParser;

  constructor(source: Source) {
    this.#cursor = new Cursor(source);
    this.#types = new TypeParser(this.#cursor);
  }

  items(): readonly RootItem[] {
    const items: RootItem[] = [];
    do items.push(this.#item());
    while (!this.#cursor.is('end'));
    return items;
  }

  #item(): RootItem {
    const cursor = this.#cursor;
    if (!cursor.is('name')) cursor.fault('a declaration or a block');
    if (BLOCKS.includes(cursor.token.text)) return this.#block(cursor.token.text as BlockKind);
    return this.#types.rootDeclaration() ?? cursor.fault('a declaration or a block');
  }

  #block(kind: BlockKind): Block {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.next();
    cursor.expect('{', `\`{\` of the ${kind} block`);
    const items: BlockItem[] = [];
    while (!cursor.is('}')) items.push(this.#types.declaration() ?? this.#types.attribute());
    const end = cursor.token.at;
    cursor.next();
    cursor.expect(';', `\`;\` after the ${kind} block`);
    return { kind, items, at, end };
  }
}
