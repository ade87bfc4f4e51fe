import { describe, expect, it } from 'vitest';
import { commonFolder, distinctNames, patternOf, sessionFolder } from './recordings.ts';
import { groupHosts, type HostEvidence } from './hosts.ts';

function trace(given: Partial<HostEvidence>): HostEvidence {
  return { clock: '', session: 's', hostname: 'wake', domain: 'kernel', ...given };
}

describe('which traces share a host', () => {
  it('those of one clock, wherever they were recorded', () => {
    const traces = [
      trace({ clock: 'a', session: 'one' }),
      trace({ clock: 'b', session: 'two' }),
      trace({ clock: 'a', session: 'three', domain: 'ust' }),
    ];
    expect(groupHosts(traces)).toEqual([[0, 2], [1]]);
  });

  it('equal names do not join different clocks', () => {
    expect(groupHosts([trace({ clock: 'a' }), trace({ clock: 'b' })])).toEqual([[0], [1]]);
  });

  it('those of one session, where clocks have no uuid', () => {
    const traces = [
      trace({ session: 'x', hostname: '' }),
      trace({ session: 'y', hostname: '' }),
      trace({ session: 'x', hostname: '', domain: 'ust' }),
    ];
    expect(groupHosts(traces)).toEqual([[0, 2], [1]]);
  });

  it('those of one host name, where nothing else tells', () => {
    const spans = [
      { from: 0n, to: 10n },
      { from: 20n, to: 30n },
    ];
    const traces = [trace({ session: 'x', span: spans[0] }), trace({ session: 'y', span: spans[1] })];
    expect(groupHosts(traces)).toEqual([[0, 1]]);
  });

  it('but not two kernels at the same time', () => {
    const span = { from: 0n, to: 10n };
    expect(groupHosts([trace({ session: 'x', span }), trace({ session: 'y', span })])).toEqual([[0], [1]]);
  });

  it('those of one boot by a clock of the system that other recorders have', () => {
    const system = { name: 'monotonic', release: '6.1', offsetNs: 1000n * 10n ** 9n };
    const at = (from: bigint, to: bigint) => ({ from: from + system.offsetNs, to: to + system.offsetNs });
    const lttng = trace({ clock: 'a', session: 'x', system, span: at(10n, 90n) });
    const perf = trace({ session: 'y', system, span: at(20n, 80n) });
    // Of a trace.dat it is not known when its clock began.
    const ftrace = trace({
      session: 'z',
      system: { ...system, offsetNs: 0n },
      undated: 'monotonic',
      span: { from: 5n, to: 30n },
    });
    expect(groupHosts([lttng, perf, ftrace])).toEqual([[0, 1, 2]]);
    expect(groupHosts([trace({ ...lttng, domain: 'ust' }), perf])).toEqual([[0, 1]]);
    expect(groupHosts([perf, ftrace])).toEqual([[0, 1]]);
    const others: Partial<HostEvidence>[] = [
      { system: { ...system, name: 'perf_clock' } },
      { system: { ...system, release: '6.2' } },
      { system: { ...system, offsetNs: 3000n * 10n ** 9n } },
      { hostname: 'other' },
      { hostname: '' },
    ];
    for (const other of others) expect(groupHosts([lttng, { ...perf, ...other }])).toEqual([[0], [1]]);
    expect(groupHosts([lttng, { ...ftrace, span: { from: 100n, to: 200n } }])).toEqual([[0], [1]]);
  });

  it('a trace that could be of two hosts is of neither', () => {
    const traces = [trace({ clock: 'a' }), trace({ clock: 'b' }), trace({ domain: 'ust' })];
    expect(groupHosts(traces)).toEqual([[0], [1], [2]]);
  });
});

describe('folders', () => {
  it.each([
    ['two-hosts/client/kernel', 'two-hosts/client'],
    ['session/ust/uid/0/64-bit', 'session'],
    ['session/ust/pid/app-12', 'session'],
    ['session/ust', 'session'],
    ['uid/0/64-bit', ''],
    ['some/32-bit', 'some'],
    ['rotated/archives/2026-0/kernel', 'rotated'],
    ['kernel', ''],
    ['some/trace', 'some/trace'],
    ['', ''],
  ])('%s belongs to the session "%s"', (folder, session) => {
    expect(sessionFolder(folder)).toBe(session);
  });

  it('common to all', () => {
    expect(commonFolder(['a/b/c', 'a/b/d', 'a/b'])).toBe('a/b');
    expect(commonFolder(['a/bc', 'a/bd'])).toBe('a');
    expect(commonFolder(['a', 'b'])).toBeUndefined();
    expect(commonFolder([])).toBeUndefined();
  });

  it.each([
    [['a/kernel'], 'a/kernel'],
    [['r/archives/0/kernel', 'r/archives/1/kernel'], 'r/archives/*/kernel'],
    [['r/kernel', 'r/archives/1/kernel'], 'r/*/kernel'],
    [['a', 'b'], '*'],
    [['a/x', 'a'], 'a/*'],
    [['x/x', 'x/x/x'], 'x/x/*'],
  ])('%j are named %s', (folders, pattern) => {
    expect(patternOf(folders)).toBe(pattern);
  });

  it.each([
    [
      ['two/client', 'two/server'],
      ['client', 'server'],
    ],
    [['imbalance'], ['imbalance']],
    [
      ['client/x', 'server/x'],
      ['client', 'server'],
    ],
    [
      ['a/x', 'b/x', 'b/y'],
      ['a/x', 'b/x', 'b/y'],
    ],
    [
      ['x', 'x'],
      ['x#1', 'x#2'],
    ],
    [[''], ['host']],
    [
      ['', 'x/host'],
      ['host', 'x'],
    ],
  ])('%j are called %j', (folders, names) => {
    expect(distinctNames(folders)).toEqual(names);
  });
});
