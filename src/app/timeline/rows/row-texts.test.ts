import { describe, expect, it } from 'vitest';
import { DRAW_NONE, DRAW_STYLES } from '../../draw/draw-codes.ts';
import { sharesText, summary } from './row-texts.ts';
import { plainRow } from '../../../../test/support/timeline/plain-row.ts';

it('what a row shows, in words has no character in it that turns or hides text, and no name of any length', () => {
  const name = `evil\u202e\u001b[31m\u0007${'x'.repeat(1000)}`;
  const row = plainRow('thread:0:7', 0, 'thread', { name, tid: 7 });
  for (const kind of ['thread', 'process', 'host'] as const) {
    const text = summary({ ...row, kind }, 1000, 'nothing');
    expect(text, kind).toContain('evil⟨202e⟩⟨1b⟩[31m⟨07⟩xxx');
    expect(text.length, kind).toBeLessThan(400);
  }
});

describe('shares of states, in words', () => {
  const labels = DRAW_STYLES.map(({ label }) => label);
  /** Two looks of one name, as those of spans by their depth, and one of another. */
  const first = labels.findIndex((label, i) => i !== DRAW_NONE && labels.lastIndexOf(label) > i);
  const [again, other] = [
    labels.lastIndexOf(labels[first]),
    labels.findIndex((label, i) => i !== DRAW_NONE && label !== labels[first]),
  ];
  const text = (sums: Readonly<Record<number, number>>) => {
    const all = new Float64Array(labels.length);
    for (const [code, ns] of Object.entries(sums)) all[Number(code)] = ns;
    return sharesText(all, 1000).replaceAll('\u2009', ' ');
  };

  it('are one for each name, and never nothing where there is something', () => {
    expect(first).toBeGreaterThanOrEqual(0);
    const [name, otherName] = [labels[first], labels[other]].map((label) => label.toLowerCase());
    expect(text({ [first]: 200, [again]: 100, [other]: 50 })).toBe(`${name} 30 %; ${otherName} 5 %`);
    expect(text({ [other]: 8 })).toBe(`${otherName} below 1 %`);
    expect(text({ [DRAW_NONE]: 900 })).toBe('nothing');
  });
});
