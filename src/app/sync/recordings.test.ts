import { expect, it } from 'vitest';
import type { ExperimentInfo, HostInfo } from '../../engine/protocol/session.ts';
import { readLink, writeLink } from '../address/link.ts';
import { readSideBySide, recordingsIn, writeSideBySide } from './recordings.ts';

const host = (times: Partial<HostInfo>): HostInfo => {
  return { name: 'a', firstNs: 0, lastNs: 100, shiftNs: 0, notRecorded: [], ...times } as unknown as HostInfo;
};

function found(sideBySide: boolean, ...hosts: readonly HostInfo[]) {
  return recordingsIn({ sideBySide, hosts } as unknown as ExperimentInfo);
}

it('are what lies around the times of a single machine that were not recorded', () => {
  const notRecorded = [{ from: 40, to: 70 }];
  expect(found(false, host({ notRecorded, recordings: ['before', 'after'] }))).toEqual([
    { name: 'before', from: 0, to: 40, shiftNs: 0 },
    { name: 'after', from: 70, to: 100, shiftNs: 0 },
  ]);
  // Kept by an earlier version.
  expect(found(false, host({ notRecorded })).map(({ name }) => name)).toEqual(['Recording 1', 'Recording 2']);
  expect(found(false, host({}))).toHaveLength(1);
  // Recordings of several machines belong together by their clocks.
  expect(found(false, host({ notRecorded: [{ from: 40, to: 70 }] }), host({}))).toEqual([]);
});

it('are hosts of their own side by side, which a link says', () => {
  expect(found(true, host({ lastNs: 40 }), host({ name: 'b', lastNs: 30, shiftNs: -70 }))).toEqual([
    { name: 'a', from: 0, to: 40, shiftNs: 0 },
    { name: 'b', from: 0, to: 30, shiftNs: -70 },
  ]);
  for (const isSideBySide of [false, true]) {
    const link = readLink(
      writeLink({ trace: 't', name: '' }, (parts) => writeSideBySide(parts, isSideBySide)),
    );
    expect(link && readSideBySide(link.parts)).toBe(isSideBySide);
  }
});
