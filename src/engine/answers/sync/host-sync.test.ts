import { expect, test } from 'vitest';
import { type NetworkPlan, simulateNetwork } from '../../../../test/support/packet-network.ts';
import { randomOf } from '../../../../test/support/simulator/random.ts';
import { faultText } from '../../base/fault-text.ts';
import { NO_PACKETS } from '../../linux/states/reduce/packet-rows.ts';
import { syncFaults } from './host-sync.ts';
import { type SyncHost, synchronise } from '../../sync/synchronise.ts';

const LINK = { gap: 20_000_000, delay: 100_000, jitter: 500_000, loss: 0, duplicate: 0, offload: 0 };
const EVEN = { offset: 0, drift: 0 };

function hostsOf(plan: Pick<NetworkPlan, 'clocks'> & Partial<NetworkPlan>): readonly SyncHost[] {
  return simulateNetwork({ exchanges: 40, ...LINK, ...plan }, randomOf(1)).hosts;
}

function codesOf(hosts: readonly SyncHost[]): string[] {
  const faults = syncFaults(hosts, synchronise(hosts));
  for (const fault of faults.filter(({ code }) => code !== 'sync-failed'))
    expect(faultText(fault)).toContain('lttng enable-event --kernel net_dev_queue,net_if_receive_skb');
  return faults.map(({ code, found }) => `${code}: ${found}`);
}

test('hosts that exchange packets miss nothing', () => {
  expect(codesOf(hostsOf({ clocks: [EVEN, { offset: 1e9, drift: 1e-5 }] }))).toEqual([]);
});

test('a host without network events is told', () => {
  const hosts = hostsOf({ clocks: [EVEN, EVEN] });
  const silent = { name: 'silent', start: 0, packets: NO_PACKETS };
  expect(codesOf([...hosts, silent])).toEqual(['sync-no-packets: host silent']);
});

test('one host of a conversation alone is told', () => {
  const [alone] = hostsOf({ clocks: [EVEN, EVEN] });
  expect(codesOf([alone])).toEqual([`sync-peer-missing: ${alone.packets.length} packets of host h0`]);
});

test('hosts that never met are told, those that others connect are not', () => {
  const links = [
    [0, 1],
    [2, 3],
  ] as const;
  const apart = codesOf(hostsOf({ clocks: [EVEN, EVEN, EVEN, EVEN], links }));
  expect(apart).toEqual([
    'sync-no-match: h0 and h2',
    'sync-no-match: h0 and h3',
    'sync-no-match: h1 and h2',
    'sync-no-match: h1 and h3',
  ]);
  expect(codesOf(hostsOf({ clocks: [EVEN, EVEN, EVEN] }))).toEqual([]);
});

test('clocks that no straight line relates are told', () => {
  const set = { ...EVEN, step: { at: 400_000_000, by: 50_000_000 } };
  expect(codesOf(hostsOf({ clocks: [EVEN, set] }))).toEqual(['sync-failed: h0 and h1']);
});
