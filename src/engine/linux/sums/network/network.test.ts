import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { isSameHoweverCut, resultOf } from '../../../../../test/support/merge-trees.ts';
import { scenario } from '../../../../../test/support/scenario.ts';
import { addressText, network, type NetworkChunk } from './network.ts';

/** INTERFACE PEER: sent PACKETS/BYTES, received PACKETS/BYTES. */
function lines(traffic: NetworkChunk): string[] {
  return traffic.map(
    ({ interface: name, peer, sent, received }) =>
      `${name} ${peer}: sent ${sent.packets}/${sent.bytes}, received ${received.packets}/${received.bytes}`,
  );
}

const SOURCE = 'network_header.*.saddr';
const DESTINATION = 'network_header.*.daddr';

function packets() {
  return scenario()
    .add(10, 0, 'net_dev_queue', { name: 'eth0', len: 74, [SOURCE]: '10.0.0.1', [DESTINATION]: '10.0.0.2' })
    .add(11, 0, 'net_dev_xmit', { name: 'eth0', len: 74, rc: 0 })
    .add(12, 1, 'net_if_rx', { name: 'eth0', len: 60, [SOURCE]: '10.0.0.2', [DESTINATION]: '10.0.0.1' })
    .add(13, 1, 'net_if_receive_skb', {
      name: 'eth0',
      len: 60,
      [SOURCE]: '10.0.0.2',
      [DESTINATION]: '10.0.0.1',
    })
    .add(14, 1, 'net_if_receive_skb', { name: 'eth0', len: 28 })
    .add(15, 1, 'inet_sock_local_in', { seq: 7 })
    .add(16, 0, 'net_dev_queue', { name: 'lo', len: 80, [SOURCE]: '127.0.0.1', [DESTINATION]: '127.0.0.1' });
}

test('packets by interface and peer, each counted once', () => {
  expect(lines(resultOf(network, packets().events))).toEqual([
    'eth0 : sent 0/0, received 1/28',
    'eth0 10.0.0.2: sent 1/74, received 1/60',
    'lo 127.0.0.1: sent 1/80, received 0/0',
  ]);
});

test('where only the driver says what was sent, that counts unless it was refused', () => {
  const { events } = scenario()
    .add(10, 0, 'net_dev_xmit', { name: 'eth0', len: 74, rc: 16 })
    .add(11, 0, 'net_dev_xmit', { name: 'eth0', len: 74, rc: 0 })
    .add(12, 0, 'net_if_rx', { name: 'eth0', len: 60 });
  expect(lines(resultOf(network, events))).toEqual(['eth0 : sent 1/74, received 1/60']);
});

test('is the same however the trace is cut', () => isSameHoweverCut(network, fc.constant(packets().events)));

it.each([
  [[10, 0, 0, 1], '10.0.0.1'],
  [[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0, 0, 1], 'fe80::5054:ff:fe00:1'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], '::1'],
  [new Array<number>(16).fill(0), '::'],
  [[0x20, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], '2001:0:1::'],
  [[0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7], '1:0:2:3:4:5:6:7'],
  [[1, 255], '01ff'],
])('writes the address %j as %s', (bytes, text) => {
  expect(addressText(Uint8Array.from(bytes))).toBe(text);
});
