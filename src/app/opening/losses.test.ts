import { describe, expect, it } from 'vitest';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { isMuchLost, lossesOf, problemsOf } from './losses.ts';
import type { Fault } from '../../engine/base/fault.ts';

const lost = [
  { cpu: 0, from: 100, to: 300 },
  { cpu: 0, from: 200, to: 400 },
  { cpu: 1, from: 150, to: 250 },
];
const host = { firstNs: 0, lastNs: 1000, cpus: 2, lost, notRecorded: [] };
const info = { events: 60, discardedEvents: 40, hosts: [host] } as unknown as ExperimentInfo;

describe('what was lost', () => {
  it('is a share of all events, and of the time of all CPUs, each time once', () => {
    expect(lossesOf(info)).toEqual({ events: 40, eventShare: 0.4, timeNs: 400, timeShare: 0.2 });
  });

  it('is that of a range, whose lost events nobody has counted', () => {
    expect(lossesOf(info, { from: 200, to: 300 })).toMatchObject({ timeNs: 150, timeShare: 0.75 });
    expect(lossesOf(info, { from: 500, to: 9000 })).toMatchObject({ timeNs: 0, timeShare: 0 });
    expect(lossesOf(info, { from: 2000, to: 3000 })).toMatchObject({ timeShare: 0 });
  });

  it('leaves out what was not recorded', () => {
    const gap = { ...host, notRecorded: [{ from: 400, to: 900 }] };
    const twice = { ...info, hosts: [gap] } as unknown as ExperimentInfo;
    expect(lossesOf(twice)).toMatchObject({ timeNs: 400, timeShare: 0.4 });
    expect(lossesOf(twice, { from: 500, to: 900 })).toMatchObject({ timeNs: 0, timeShare: 0 });
  });

  it('matters from one in a hundred on', () => {
    const few = { ...info, events: 9990, discardedEvents: 10, hosts: [{ ...host, lost: [] }] };
    const isMuch = (changed: object) =>
      isMuchLost(lossesOf({ ...few, ...changed } as unknown as ExperimentInfo));
    expect(isMuch({})).toBe(false);
    expect(isMuch({ discardedEvents: 200 })).toBe(true);
    expect(isMuch({ hosts: [host] })).toBe(true);
    expect(isMuch({ events: 0, discardedEvents: 0, hosts: [] })).toBe(false);
  });
});

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
