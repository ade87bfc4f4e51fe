/**
 * TSDL text → syntax tree: recursive descent over the grammar of CTF 1.8.3 appendix C, one token ahead. No name is looked
 * up here: in `a b c;` the last word is the declared name and those before it name the type, whatever they are.
 */
import { createScanner, describeToken } from './scanner.ts';
import type { TokenKind } from './scanner.ts';
import { refuse } from './source.ts';
import type { Source } from './source.ts';
import { createTypeParser } from './type-parser.ts';
import type { Block, BlockItem, BlockKind, RootItem } from './ast.ts';

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
  const scanner = createScanner(source);
  const types = createTypeParser(scanner);
  const { token } = scanner;

  function rootItem(): RootItem {
    if (token.kind !== 'name') fault('a declaration or a block');
    if (BLOCKS.includes(token.text)) return block(token.text as BlockKind);
    return types.rootDeclaration() ?? fault('a declaration or a block');
  }

  function block(kind: BlockKind): Block {
    const at = token.at;
    scanner.next();
    expect('{', `\`{\` of the ${kind} block`);
    const items: BlockItem[] = [];
    while (token.kind !== '}') items.push(types.declaration() ?? types.attribute());
    const end = token.at;
    scanner.next();
    expect(';', `\`;\` after the ${kind} block`);
    return { kind, items, at, end };
  }

  function expect(kind: TokenKind, what: string): void {
    if (token.kind !== kind) fault(what);
    scanner.next();
  }

  function fault(expected: string): never {
    refuse(source, token.at, 'metadata-syntax', expected, describeToken(scanner));
  }

  scanner.next();
  const items: RootItem[] = [];
  do items.push(rootItem());
  while (token.kind !== 'end');
  return items;
}
