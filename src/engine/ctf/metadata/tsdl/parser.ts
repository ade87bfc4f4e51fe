/**
 * TSDL text → syntax tree: recursive descent over the grammar of CTF 1.8.3 appendix C, one token ahead. No name is looked
 * up here: in `a b c;` the last word is the declared name and those before it name the type, whatever they are.
 */
import type { Block, BlockItem, BlockKind, RootItem } from './ast.ts';
import { createCursor } from './cursor.ts';
import type { Source } from '../source.ts';
import { createTypeParser } from './type-parser.ts';

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
  const cursor = createCursor(source);
  const { token, is, next, expect, fault } = cursor;
  const { declaration, rootDeclaration, attribute } = createTypeParser(cursor);

  function rootItem(): RootItem {
    if (!is('name')) fault('a declaration or a block');
    if (BLOCKS.includes(token.text)) return block(token.text as BlockKind);
    return rootDeclaration() ?? fault('a declaration or a block');
  }

  function block(kind: BlockKind): Block {
    const { at } = token;
    next();
    expect('{', `\`{\` of the ${kind} block`);
    const items: BlockItem[] = [];
    while (!is('}')) items.push(declaration() ?? attribute());
    const end = token.at;
    next();
    expect(';', `\`;\` after the ${kind} block`);
    return { kind, items, at, end };
  }

  const items: RootItem[] = [];
  do items.push(rootItem());
  while (!is('end'));
  return items;
}
