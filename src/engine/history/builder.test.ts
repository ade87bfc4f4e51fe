import { describe, expect, it } from 'vitest';
import { HistoryBuilder } from './builder.ts';

describe('the open segment', () => {
  it('gives tiles that stay as they are when more is told', () => {
    const builder = new HistoryBuilder({ schemeOf: () => undefined });
    const attributes = ['a', 'b'].map((name) => builder.attribute([name], 'integer'));
    const tell = (time: number) => {
      builder.moveTo(time);
      for (const attribute of attributes) builder.set(attribute, time);
    };
    for (const time of [1, 2, 3]) tell(time);
    const before = builder.openTiles();
    const copy = structuredClone(before);
    for (const time of [4, 5, 6, 7]) tell(time);
    const after = builder.openTiles();
    expect([...(copy?.value ?? [])]).toEqual([1, 2, 1, 2]);
    expect(before).toEqual(copy);
    expect([...(after?.value ?? [])]).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
  });
});
