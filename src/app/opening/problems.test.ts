import { describe, expect, it } from 'vitest';
import type { Fault } from '../../engine/base/fault.ts';
import { problemsOf } from './problems.ts';

const damage: Fault = { code: 'truncated', place: { file: 'kernel_0' } };
const whole = { faults: [], events: 7981, discardedEvents: 0, discardedPackets: 0 };

describe('problems', () => {
  it('are none where all was recorded and read', () => {
    expect(problemsOf(whole)).toEqual([]);
  });

  it('are what was lost, with how much, before the faults', () => {
    const problems = problemsOf({ ...whole, faults: [damage], discardedEvents: 41_754, discardedPackets: 3 });
    expect(problems.map(({ code, found }) => [code, found?.replaceAll('\u2009', ' ')])).toEqual([
      ['events-discarded', '41 754 lost, 7 981 recorded'],
      ['packets-discarded', '3 lost'],
      ['truncated', undefined],
    ]);
  });
});
