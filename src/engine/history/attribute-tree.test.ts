import { describe, expect, it } from 'vitest';
import { AttributeTree } from './attribute-tree.ts';
import { HistoryBuilder } from './builder.ts';

describe('the attribute tree', () => {
  it('numbers paths in the order of first mention', () => {
    const tree = new AttributeTree();
    expect(tree.attribute(['threads', '1', 'state'], 'state')).toBe(0);
    expect(tree.attribute(['threads', '1', 'cpu'], 'integer')).toBe(1);
    expect(tree.attribute(['threads', '1', 'state'], 'integer')).toBe(0);
    expect(tree.attributes[0]).toEqual({ id: 0, path: ['threads', '1', 'state'], kind: 'state' });
    expect(tree.find(['threads', '1', 'cpu'])).toBe(1);
    expect(tree.find(['threads', '1'])).toBeUndefined();
  });

  it('keeps segments apart whatever they contain', () => {
    const tree = new AttributeTree();
    const paths = [['a/b'], ['a', 'b'], ['ab'], ['a', '', 'b'], ['1:a', 'b'], ['1:a1:b'], []];
    expect(paths.map((path) => tree.attribute(path, 'state'))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('is read back from its text', () => {
    const tree = new AttributeTree();
    tree.attribute(['x', 'é"\n'], 'string');
    tree.attribute([], 'duration');
    tree.text('read');
    tree.text('');
    const read = AttributeTree.fromText(tree.toText());
    expect(read?.attributes).toEqual(tree.attributes);
    expect(read?.texts).toEqual(tree.texts);
    expect(read?.text('')).toBe(1);
    expect(AttributeTree.fromText('{"attributes":3}')).toBeUndefined();
    expect(AttributeTree.fromText('')).toBeUndefined();
  });

  it('names members of families when somebody asks', () => {
    const builder = new HistoryBuilder({ schemeOf: () => undefined });
    const named = ['cpus', '0', 'state'];
    const pathOf = (tid: number, life: number) => ['threads', `${tid}#${life}`, 'name'];
    const family = builder.family({ kind: 'string', pathOf });
    const ids = [
      builder.member(family, 7, 1),
      builder.attribute(named, 'state'),
      ...Array.from({ length: 100 }, (_, life) => builder.member(family, 8, life)),
    ];
    expect(ids).toEqual(ids.map((_, id) => id));
    expect(builder.attribute(named, 'state')).toBe(1);
    const { tree } = builder;
    expect(tree.find(['threads', '8#99', 'name'])).toBe(101);
    expect(builder.member(family, 9, 0)).toBe(102);
    builder.moveTo(1);
    builder.set(102, 5);
    builder.finish(2);
    const expected = [
      { id: 0, path: ['threads', '7#1', 'name'], kind: 'string' },
      { id: 1, path: named, kind: 'state' },
    ];
    expect(tree.attributes.slice(0, 2)).toEqual(expected);
    expect(tree.attributes[102]).toEqual({ id: 102, path: ['threads', '9#0', 'name'], kind: 'string' });
    expect([tree.find(['threads', '9#0', 'name']), tree.find(['threads', '9#1', 'name'])]).toEqual([
      102,
      undefined,
    ]);
    expect(AttributeTree.fromText(tree.toText())?.attributes).toEqual(tree.attributes);
    expect([builder.isState(1), builder.isState(0), builder.attributes]).toEqual([true, false, 103]);
  });
});
