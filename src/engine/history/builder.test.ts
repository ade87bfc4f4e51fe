import { describe, expect, it } from 'vitest';
import { HistoryBuilder } from './builder.ts';

describe('the open segment', () => {
  it('gives tiles that stay as they are when more is told', () => {
    const builder = new HistoryBuilder({ schemeOf: () => undefined, segmentTiles: 8 });
    const attributes = ['a', 'b'].map((name) => builder.attribute([name], 'integer'));
    const tell = (...times: number[]) => {
      for (const time of times) {
        builder.moveTo(time);
        for (const attribute of attributes) builder.set(attribute, time);
      }
    };
    tell(1, 2, 3, 4, 5);
    const before = builder.openTiles();
    const copy = structuredClone(before);
    tell(6, 7, 8, 9);
    const after = builder.openTiles();
    expect(builder.segments.length).toBe(1);
    expect([...(after?.value ?? [])]).toEqual([7, 8, 7, 8]);
    expect([...(copy?.value ?? [])]).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
    expect(before).toEqual(copy);
  });
});
