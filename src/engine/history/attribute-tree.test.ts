import { describe, expect, it } from 'vitest';
import { AttributeTree } from './attribute-tree.ts';
import { HistoryBuilder } from './builder.ts';

describe('the attribute tree', () => {
  it('numbers paths in the order of first mention', () => {
    const tree = new AttributeTree();
    expect(tree.attribute(['threads', '1', 'state'], 'state', 0)).toBe(0);
    expect(tree.attribute(['threads', '1', 'cpu'], 'integer', 4)).toBe(4);
    expect(tree.attribute(['threads', '1', 'state'], 'integer', 5)).toBe(0);
    expect(tree.attributes[0]).toEqual({ id: 0, path: ['threads', '1', 'state'], kind: 'state' });
    expect(tree.find(['threads', '1', 'cpu'])).toBe(4);
    expect(tree.find(['threads', '1'])).toBeUndefined();
  });

  it('keeps segments apart whatever they contain', () => {
    const tree = new AttributeTree();
    const paths = [['a/b'], ['a', 'b'], ['ab'], ['a', '', 'b'], ['1:a', 'b'], ['1:a1:b'], []];
    expect(paths.map((path, i) => tree.attribute(path, 'state', i))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('is read back from its text', () => {
    const tree = new AttributeTree();
    tree.attribute(['x', 'é"\n'], 'string', 2);
    tree.attribute([], 'duration', 7);
    tree.text('read');
    tree.text('');
    const read = AttributeTree.fromText(tree.toText());
    expect(read?.attributes).toEqual(tree.attributes);
    expect(read?.find([])).toBe(7);
    expect(read?.texts).toEqual(tree.texts);
    expect(read?.text('')).toBe(1);
    expect(AttributeTree.fromText('{"attributes":3}')).toBeUndefined();
    expect(AttributeTree.fromText('')).toBeUndefined();
  });

  it('leaves numbers to members of families', () => {
    const builder = new HistoryBuilder({ schemeOf: () => undefined });
    const named = ['cpus', '0', 'state'];
    const family = builder.family({ kind: 'string', pathOf: () => ['threads', '', 'name'] });
    const ids = [
      builder.member(family),
      builder.attribute(named, 'state'),
      ...Array.from({ length: 100 }, () => builder.member(family)),
    ];
    expect(ids).toEqual(ids.map((_, id) => id));
    expect(builder.attribute(named, 'state')).toBe(1);
    builder.moveTo(1);
    builder.set(101, 5);
    builder.finish(2);
    expect(builder.tree.attributes).toEqual([{ id: 1, path: named, kind: 'state' }]);
    expect(builder.tree.find(named)).toBe(1);
    expect([builder.isState(1), builder.isState(0), builder.attributes]).toEqual([true, false, 102]);
  });
});
