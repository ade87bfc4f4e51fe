import { describe, expect, it } from 'vitest';
import { AttributeTree } from './attribute-tree.ts';

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
});
