import { describe, expect, it } from 'vitest';
import type { Section } from './query-context.ts';
import { RowFinder } from './row-finder.ts';

/** A section with rows for these attributes. */
function sectionOf(...attributes: readonly number[]): Section {
  const none = { begin: new Float64Array(0), start: new Uint32Array(0), end: new Float64Array(0) };
  const attribute = Int32Array.from(attributes);
  const continued = new Uint8Array(attributes.length);
  const intervals = { ...none, value: new Float64Array(0), from: 0, to: 1, attribute, continued };
  return { kind: 'open', from: 0, to: 1, intervals };
}

/** [place, row] of what is found, by place. */
function found(finder: RowFinder, section: Section): number[][] {
  finder.find(section);
  const pairs = Array.from(finder.rows(), (row, i) => [finder.place[i], row]);
  return pairs.sort(([a], [b]) => a - b);
}

describe('RowFinder', () => {
  it('finds attributes in any order, in one section after another', () => {
    const finder = new RowFinder([9, 2, 40, 5, -1]);
    expect(found(finder, sectionOf(2, 3, 9, 41))).toEqual([
      [0, 2],
      [1, 0],
    ]);
    expect(found(finder, sectionOf(5, 40))).toEqual([
      [2, 1],
      [3, 0],
    ]);
    expect(found(finder, sectionOf())).toEqual([]);
  });

  it('gives one that is asked for twice to both places', () => {
    const finder = new RowFinder([7, 3, 7]);
    expect(found(finder, sectionOf(3, 7))).toEqual([
      [0, 1],
      [1, 0],
      [2, 1],
    ]);
  });

  it('finds the same in a section with many more rows than are asked for', () => {
    const wanted = [900, 1, 77, 500, 4000];
    const all = Array.from({ length: 1000 }, (_, attribute) => attribute);
    expect(found(new RowFinder(wanted), sectionOf(...all))).toEqual(wanted.slice(0, 4).map((a, i) => [i, a]));
    expect(found(new RowFinder([...all].reverse()), sectionOf(...all))).toEqual(
      all.map((a, i) => [i, 999 - a]),
    );
  });
});
