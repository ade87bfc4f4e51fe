import { describe, expect, it } from 'vitest';
import { streamsOf } from '../../../../test/support/batches.ts';
import { scenario, type Scenario } from '../../../../test/support/scenario.ts';
import type { GuestChoice } from '../../graph/guests.ts';
import { RUNNING } from '../../graph/path-codes.ts';
import { type Path, PathBuilder } from '../../graph/path.ts';
import { noMatches } from '../../sync/packet-matches.ts';
import type { PairSync } from '../../sync/pair-sync.ts';
import { DisplayTime } from '../context/display-time.ts';
import type { KernelHost } from '../context/host.ts';
import { PathFinder, type PathGraph } from './path-finder.ts';
import { missingData } from './path-gaps.ts';
import { kernelHostOf } from '../../../../test/support/stored-states.ts';

const A = 10;
const NO_MATCHES = () => Promise.resolve([noMatches(0), noMatches(0)]);

function story(): Scenario {
  return scenario().switch(0, 0, 0, 0, A).waking(5, 0, 20).switch(50, 0, A, 0, 20);
}

const hostOf = (index: number, switches = story()) =>
  kernelHostOf(streamsOf(switches.events), 100, { index });

/** Two hosts whose clocks relate as `state` says. */
function twoHosts(state: PairSync['state']): Promise<PathGraph> {
  const pair: PairSync = {
    a: 0,
    b: 1,
    state,
    lines: undefined,
    matched: 9,
    weak: 0,
    ambiguous: 0,
    oneWay: 0,
    uncertaintyNs: Infinity,
    driftUncertainty: Infinity,
    from: 0,
    to: 100,
  };
  const sync = () => ({ pairs: [pair], matches: NO_MATCHES });
  const time = new DisplayTime(['a', 'b'].map((name) => ({ name, baseNs: 0n, offsetNs: 0n, firstEvent: 0 })));
  return new PathFinder([hostOf(0), hostOf(1)], sync, time).graph();
}

/** Runs on one host after the other. */
function pathOver({ graph }: PathGraph, hosts: readonly number[]): Path {
  const builder = new PathBuilder();
  const worker = graph.workerOfThread(hosts[0], 0);
  const to = 10 * hosts.length;
  for (let i = hosts.length - 1; i >= 0; i--)
    builder.add(graph.workerOfThread(hosts[i], 0), 10 * i, 10 * (i + 1), RUNNING, 0);
  return { worker, from: 0, to, ...builder.finish(), visited: hosts.length, folded: 0 };
}

describe('a path over hosts whose clocks cannot be reconciled', () => {
  it('says so', async () => {
    const known = await twoHosts('failed');
    const texts = missingData(known, pathOver(known, [0, 1, 0])).map(({ text }) => text);
    expect(
      texts.some((text) => text.startsWith('The clocks of hosts on this path cannot be reconciled')),
    ).toBe(true);
  });

  it('says nothing where it stays on one of them, or clocks are known', async () => {
    const failed = await twoHosts('failed');
    const accurate = await twoHosts('accurate');
    for (const found of [
      missingData(failed, pathOver(failed, [1, 1])),
      missingData(accurate, pathOver(accurate, [0, 1])),
    ])
      expect(found.filter(({ text }) => text.includes('clocks'))).toEqual([]);
  });
});

describe('a path on a guest', () => {
  /** A host that runs machines with one CPU each. */
  function hypervisor(pids: readonly number[]): KernelHost {
    const switches = story().switch(55, 0, 20, 1, 0);
    pids.forEach((pid, i) => {
      switches
        .add(55, 0, 'lttng_statedump_process_state', { tid: pid, pid, ppid: 1, name: 'p', type: 0 })
        .switch(60 + 10 * i, 0, 0, 0, pid)
        .add(61 + 10 * i, 0, 'kvm_x86_entry', { vcpu_id: 0 })
        .switch(65 + 10 * i, 0, pid, 1, 0);
    });
    return hostOf(1, switches);
  }

  /** What is missing on the path of a thread of the guest, whose clock is ahead by `ahead`; undefined: not known. */
  async function missing(pids: readonly number[], ahead?: bigint, choices?: readonly GuestChoice[]) {
    const own = ['guest', 'host'].map((name) => ({ name, baseNs: 0n, offsetNs: 0n, firstEvent: 0 }));
    const offsets = new Map(ahead === undefined ? [] : [[0, -ahead]]);
    const sync = { pairs: [], matches: NO_MATCHES };
    const time = new DisplayTime(own, { offsets });
    const known = await new PathFinder([hostOf(0), hypervisor(pids)], () => sync, time).graph();
    const texts = missingData(known, pathOver(known, [0]), choices).map(({ text }) => text);
    return texts.filter((text) => text.includes('virtual machine'));
  }

  it('says why it does not tell what its host took', async () => {
    expect(await missing([30])).toEqual([
      'Host guest is taken for a virtual machine, process 30 (p) of host host, but how their clocks ' +
        'relate is not known: the time that its host took from it is not known either.',
    ]);
    expect(await missing([30, 40], 7n)).toEqual([
      'Host guest could be a virtual machine: process 30 (p) of host host, process 40 (p) of host host. Say ' +
        'which in the Sync tab, or by --guest, to learn what its host took from its running time.',
    ]);
  });

  it('says nothing where that is told, or it is no guest', async () => {
    expect(await missing([30], 7n)).toEqual([]);
    expect(await missing([])).toEqual([]);
    expect(await missing([30, 40], 7n, [{ guest: 0, machine: undefined }])).toEqual([]);
    expect(await missing([30, 40], 7n, [{ guest: 0, machine: { host: 1, pid: 40 } }])).toEqual([]);
  });
});
