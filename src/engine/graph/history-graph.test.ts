import { expect, test } from 'vitest';
import { graphOfHosts, segmentLines } from '../../../test/support/graph-run.ts';
import { scenario, type Scenario } from '../../../test/support/scenario.ts';
import { findPath } from './find-path.ts';
import { graphHostOf } from '../../../test/support/stored-states.ts';

const A = 10;
const B = 20;
const TASKLET = 6;
const PACKET = {
  'network_header.*.saddr': '127.0.0.1',
  'network_header.*.daddr': '127.0.0.1',
  'network_header.*.transport_header.tcp.seq': 7,
};

/** A waits from 10 on, B sends a packet at 20. */
const packetSent = () =>
  scenario()
    .switch(0, 0, 0, 0, A)
    .switch(0, 1, 0, 0, B)
    .switch(10, 0, A, 1, 0)
    .add(20, 1, 'net_dev_queue', PACKET);

/** The path of A over [0, 50]. */
async function pathOf(story: Scenario): Promise<string[]> {
  const { graph, names, workerOf } = await graphOfHosts([graphHostOf(story.events, 50)]);
  const path = await findPath(graph, { worker: workerOf(`${A}`), from: 0, to: 50, criterion: 'main task' });
  return path === undefined ? [] : segmentLines(path, names);
}

test('a wake-up leads to the sender of the packet that its interrupt received, whatever interrupt that is', async () => {
  const story = packetSent()
    .enter(30, 2, 'softirq', TASKLET)
    .add(32, 2, 'net_if_receive_skb', PACKET)
    .waking(35, 2, A)
    .leave(36, 2, 'softirq', TASKLET)
    .switch(40, 0, 0, 0, A);
  expect(await pathOf(story)).toEqual([
    '10 0 10 running ',
    '20 10 20 running ',
    'irq/cpu2 20 32 network network',
    'irq/cpu2 32 35 running interrupt',
    '10 35 40 preempted ',
    '10 40 50 running ',
  ]);
});

test('but for interrupts within that one, and behind it', async () => {
  const within = packetSent()
    .enter(30, 2, 'softirq', TASKLET)
    .add(32, 2, 'net_if_receive_skb', PACKET)
    .enter(33, 2, 'irq', 9, 'acpi')
    .waking(35, 2, A)
    .switch(40, 0, 0, 0, A);
  expect((await pathOf(within))[1]).toBe('10 10 35 blocked irq 9 acpi');
  const behind = packetSent()
    .enter(30, 2, 'softirq', TASKLET)
    .add(32, 2, 'net_if_receive_skb', PACKET)
    .leave(33, 2, 'softirq', TASKLET)
    .enter(34, 2, 'softirq', TASKLET)
    .waking(35, 2, A)
    .switch(40, 0, 0, 0, A);
  expect((await pathOf(behind))[1]).toBe('10 10 35 blocked softirq TASKLET');
});
