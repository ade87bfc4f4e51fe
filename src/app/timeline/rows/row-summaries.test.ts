import { describe, expect, it } from 'vitest';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { summary } from './row-summaries.ts';

describe('what a row shows, in words', () => {
  it('has no character in it that turns or hides text, and no name of any length', () => {
    const name = `evil\u202e\u001b[31m\u0007${'x'.repeat(1000)}`;
    const row: RowInfo = { ...ROW, name };
    for (const kind of ['thread', 'process', 'host'] as const) {
      const text = summary({ row: { ...row, kind } }, 1000, 'nothing');
      expect(text, kind).toContain('evil⟨202e⟩⟨1b⟩[31m⟨07⟩xxx');
      expect(text.length, kind).toBeLessThan(400);
    }
  });
});

const ROW: RowInfo = {
  id: 'thread:0:7',
  parent: 0,
  kind: 'thread',
  name: '',
  tid: 7,
  host: 0,
  attribute: 0,
  cpuTimeNs: 0,
  events: 0,
  ran: true,
  kernelThread: false,
  firstNs: 0,
  lastNs: 1000,
};
