/**
 * Packets and bytes of recorded traces against what babeltrace2 and awk count: events `net_dev_queue` and
 * `net_if_receive_skb` by their fields `name` and `daddr` or `saddr`, `len` added up.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir, sharedPath } from '../support/shared.ts';

interface Traffic {
  readonly host?: string;
  readonly name: string;
  readonly peer?: string;
  readonly sent: { readonly packets: number; readonly bytes: number };
  readonly received: { readonly packets: number; readonly bytes: number };
}

interface NetAnswer {
  readonly interfaces: readonly Traffic[];
  readonly peers: readonly Traffic[];
  readonly missing: readonly string[];
}

/** HOST NAME PEER: PACKETS/BYTES sent, received. */
function line({ host = '', name, peer = '', sent, received }: Traffic): string {
  const of = ({ packets, bytes }: Traffic['sent']) => `${packets}/${bytes}`;
  return `${host} ${name} ${peer}: ${of(sent)}, ${of(received)}`;
}

test('two hosts, their interfaces and peers', async () => {
  const path = join(projectDir(), 'public/examples/two-hosts-http');
  const { interfaces, peers, missing } = await inspectJson<NetAnswer>('stats', 'net', path);
  expect(missing).toEqual([]);
  expect(interfaces.map(line)).toEqual([
    'server eth0 : 158/13076, 156/10216',
    'client eth0 : 157/12470, 156/10732',
  ]);
  expect(peers.map(line).sort()).toEqual(
    [
      'client eth0 10.0.0.1: 155/12358, 155/10704',
      'client eth0 : 1/42, 1/28',
      'client eth0 ff02::2: 1/70, 0/0',
      'server eth0 10.0.0.2: 155/12874, 155/10188',
      'server eth0 : 1/42, 1/28',
      'server eth0 ff02::16: 1/90, 0/0',
      'server eth0 ff02::2: 1/70, 0/0',
    ].sort(),
  );
});

test('parts of a range add up to the whole', async () => {
  const path = join(projectDir(), 'public/examples/rpc-chain');
  const ask = (range: string) =>
    inspectJson<NetAnswer>('stats', 'net', path, '--range', range, '--name', 'l*', '--limit', '1');
  const parts = await Promise.all([ask('..+1s'), ask('+1s..')]);
  const sums = (direction: 'sent' | 'received', unit: 'packets' | 'bytes') =>
    parts.map(({ interfaces }) => interfaces[0]?.[direction][unit] ?? 0);
  expect(sums('sent', 'packets').every((packets) => packets > 0)).toBe(true);
  const total = ([a, b]: readonly number[]) => a + b;
  expect(total(sums('sent', 'packets'))).toBe(96);
  expect(total(sums('sent', 'bytes'))).toBe(8288);
  expect(total(sums('received', 'bytes'))).toBe(6944);
});

// Skipped where the folder with recorded traces is not there.
describe.skipIf(sharedDir() === undefined)('recorded traces', () => {
  test.each([
    ['apache-opcache', ' lo : 330/30975, 330/26355'],
    ['build-mixed', ' lo : 15038/1028616, 15038/818084'],
    ['memcached-4t', ' lo : 789/331167, 789/320121'],
  ])('%s', async (name, expected) => {
    const { interfaces } = await inspectJson<NetAnswer>('stats', 'net', sharedPath('traces', name));
    expect(interfaces.map(line)).toEqual([expected]);
  });
});
