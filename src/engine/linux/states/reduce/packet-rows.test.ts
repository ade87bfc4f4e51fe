import { expect, test } from 'vitest';
import { batchesOf, type PlainEvent, streamsOf } from '../../../../../test/support/batches.ts';
import { scenario } from '../../../../../test/support/scenario.ts';
import { memoryHistory, runStates } from '../../../../../test/support/state-run.ts';
import { kernelState } from '../kernel-state.ts';
import { STATE_KINDS } from '../map/state-rules.ts';
import * as packetRows from './packet-rows.ts';

const WORDS = packetRows.PACKET_KEY_WORDS;
const HEADER = 'network_header.*.';
const ADDRESSES = { [`${HEADER}saddr`]: '10.0.0.2', [`${HEADER}daddr`]: '10.0.0.1' };
const PORTS = {
  [`${HEADER}transport_header.*.source_port`]: 40_000,
  [`${HEADER}transport_header.*.dest_port`]: 80,
};
const TCP = {
  ...ADDRESSES,
  ...PORTS,
  'network_header.ipv4.tot_len': 152,
  'network_header.ipv4.ihl': 5,
  [`${HEADER}transport_header.tcp.seq`]: 0xffff_fff0,
  [`${HEADER}transport_header.tcp.ack_seq`]: 7,
  [`${HEADER}transport_header.tcp.data_offset`]: 8,
  [`${HEADER}transport_header.tcp.flags`]: 0x18,
};
const UDP = {
  ...ADDRESSES,
  ...PORTS,
  [`${HEADER}transport_header.udp.len`]: 30,
  [`${HEADER}transport_header.udp.check`]: 0xabcd,
};

function packetsOf(events: readonly PlainEvent[], chunkEvents?: number) {
  return runStates(batchesOf(streamsOf(events, chunkEvents), STATE_KINDS)).tables;
}

test('a packet is its worker’s: the thread, or the interrupt it is in, with the number of the frame', () => {
  const story = scenario().switch(0, 0, 0, 0, 1001).switch(0, 1, 0, 0, 2001);
  const { events } = story
    .add(10, 0, 'net_dev_queue', TCP)
    .add(20, 1, 'irq_softirq_entry', { vec: 3 })
    .add(21, 1, 'net_if_receive_skb', TCP)
    .add(22, 1, 'irq_handler_entry', { irq: 9 })
    .add(23, 1, 'net_dev_queue', UDP)
    .add(24, 1, 'irq_handler_exit', { irq: 9 })
    .add(25, 1, 'inet_sock_local_in', { seq: 1, ack_seq: 2, flags: 3 });
  for (const chunkEvents of [Infinity, 2]) {
    const { packets, threads } = packetsOf(events, chunkEvents);
    const [own] = threads.tid.reduce<number[]>(
      (rows, tid, row) => (tid === 1001 ? [...rows, row] : rows),
      [],
    );
    expect([...packets.time]).toEqual([10, 21, 23, 25]);
    expect([...packets.direction]).toEqual([0, 1, 0, 1]);
    expect([...packets.keyKind]).toEqual([
      packetRows.KEY_TCP,
      packetRows.KEY_TCP,
      packetRows.KEY_UDP,
      packetRows.KEY_TCP_SOCKET,
    ]);
    expect([...packets.worker]).toEqual([
      own,
      packetRows.interruptWorker(1),
      packetRows.interruptWorker(1),
      packetRows.interruptWorker(1),
    ]);
    expect([...packets.frame]).toEqual([0, 1, 2, 1]);
    const tcp = [0x0a000002, 0x0a000001, (40_000 << 16) | 80, 0xffff_fff0, 7, 0x8018, 100, 0];
    expect([...packets.key.subarray(0, 8)]).toEqual(tcp.map((word) => word >>> 0));
    const udp = [0x0a000002, 0x0a000001, (40_000 << 16) | 80, 0, 0, 0, 30, 0xabcd];
    expect([...packets.key.subarray(2 * WORDS, 2 * WORDS + 8)]).toEqual(udp.map((word) => word >>> 0));
    expect([...packets.key.subarray(3 * WORDS, 3 * WORDS + 8)]).toEqual([0, 0, 0, 1, 2, 3, 0, 0]);
  }
});

test('other addresses are kept as text; packets without numbers are not kept', () => {
  const long = (last: number) => `254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.${last}`;
  const header = { ...UDP, [`${HEADER}saddr`]: long(1), [`${HEADER}daddr`]: long(2) };
  const back = { ...UDP, [`${HEADER}saddr`]: long(2), [`${HEADER}daddr`]: long(1) };
  const { events } = scenario()
    .add(1, 0, 'net_dev_queue', { len: 60 })
    .add(2, 0, 'net_dev_queue', header)
    .add(3, 0, 'net_if_receive_skb', back);
  const { packets } = packetsOf(events, 1);
  expect(packets.addresses).toEqual(['fe80:0:0:0:0:0:0:1', 'fe80:0:0:0:0:0:0:2']);
  expect([...packets.keyKind]).toEqual([
    packetRows.KEY_UDP | packetRows.KEY_LONG_ADDRESSES,
    packetRows.KEY_UDP | packetRows.KEY_LONG_ADDRESSES,
  ]);
  expect([packets.key[0], packets.key[1], packets.key[WORDS], packets.key[WORDS + 1]]).toEqual([0, 1, 1, 0]);
});

test('packets that are only queued count where nothing else tells of their receipt', () => {
  const queued = scenario().add(1, 0, 'net_if_rx', TCP);
  expect(packetsOf(queued.events).packets.length).toBe(1);
  const received = queued.add(2, 0, 'net_if_receive_skb', TCP);
  expect([...packetsOf(received.events).packets.time]).toEqual([2]);
});

test('the tables so far hold the packets of their moment, whenever they are asked for', () => {
  const story = Array.from({ length: 5000 }, (_, i) => i + 1).reduce(
    (before, time) => before.add(time, 0, 'net_dev_queue', TCP),
    scenario(),
  );
  const [batch] = batchesOf(streamsOf(story.events), STATE_KINDS);
  const chunkResult = kernelState.map(batch);
  const host = {
    index: 0,
    name: 'test',
    kernelRelease: '6.1.0',
    cpus: [0],
    hasWaking: true,
    tellsQueues: true,
    recordsCalls: true,
    begin: 0,
  };
  const reducer = kernelState.reducer(memoryHistory(), host);
  reducer.run(chunkResult, 0, 3000);
  const soFar = reducer.soFar(3000);
  reducer.run(chunkResult, 3000, chunkResult.length);
  const { packets } = reducer.finish(5000);
  const seen = packets.time.filter((time) => time <= chunkResult.time[2999]).length;
  expect([packets.length, soFar.packets.length]).toEqual([5000, seen]);
  expect(seen).toBeGreaterThan(2900);
  expect(soFar.packets.time).toEqual(packets.time.slice(0, seen));
  expect(soFar.packets.key).toEqual(packets.key.slice(0, seen * packetRows.PACKET_KEY_WORDS));
  expect(soFar.packets).toBe(soFar.packets);
});
