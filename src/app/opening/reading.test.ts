import { describe, expect, it } from 'vitest';
import type { Progress } from '../../engine/protocol/session.ts';
import { isOver, readTo, wasStopped } from './reading.ts';

const at = (phase: Progress['phase'], watermarkNs: number): Progress => {
  return { phase, bytes: 1, totalBytes: 2, events: 3, seconds: 1, watermarkNs };
};

describe('how far a trace is read', () => {
  it('holds while it is read and when that was stopped', () => {
    for (const phase of ['reading', 'finishing', 'cancelled'] as const)
      expect(readTo(at(phase, 7)), phase).toBe(7);
    expect(readTo(undefined)).toBe(Infinity);
    expect(readTo(at('reading', -Infinity))).toBe(0);
  });

  it('tells a trace of which a part is here from one that is read, or being read', () => {
    expect(wasStopped(at('cancelled', 7))).toBe(true);
    expect(wasStopped(at('finishing', 7))).toBe(true);
    expect(wasStopped(at('reading', 7))).toBe(false);
    expect(wasStopped(at('done', Infinity))).toBe(false);
    // Stopped when the last event was there.
    expect(wasStopped(at('cancelled', Infinity))).toBe(false);
  });

  it('is the last word when nothing more is read', () => {
    expect([undefined, at('reading', 7)].map(isOver)).toEqual([false, false]);
    expect([at('finishing', 7), at('cancelled', 7)].map(isOver)).toEqual([true, true]);
  });
});
