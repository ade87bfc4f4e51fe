/**
 * Single interrupts, waits for a CPU and requests of disks of a recorded trace, and the waits by priority: count, sum and
 * longest (ns) as a program over what babeltrace2 prints adds them up by the definitions of lttng-analyses; flushes of
 * disks, which these leave out, are requests too.
 */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { OccurrencesRequest } from '../../src/engine/protocol/statistics.ts';
import { localSession } from '../support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../support/memory-files.ts';
import { projectDir } from '../support/shared.ts';

const { api, open } = localSession();
beforeAll(() => open(memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io')))));

/** By what each is, or by the disk. */
async function sumsOf(of: OccurrencesRequest['of']): Promise<Record<string, [number, number, number]>> {
  const all = await api.ask('occurrences', { of });
  const sums: Record<string, [number, number, number]> = {};
  for (let i = 0; i < all.length; i++) {
    const name = all.names[(all.requests?.disk ?? all.subject)[i]];
    const ns = all.ns[i] - (all.requests?.queuedNs[i] || 0);
    const [count, total, longest] = sums[name] ?? [0, 0, 0];
    sums[name] = [count + 1, total + ns, Math.max(longest, ns)];
  }
  return sums;
}

it('interrupts, and the time from raise to entry', async () => {
  expect(await sumsOf('irq')).toMatchObject({
    'virtio1-req.0': [2, 118_216, 62_313],
    'virtio1-req.1': [6, 580_949, 401_521],
    'virtio1-req.2': [5, 279_407, 118_638],
    'virtio1-req.3': [4, 113_890, 37_206],
    'virtio2-req.0': [78, 5_475_874, 2_157_059],
    'virtio2-req.1': [43, 3_712_827, 991_915],
    'virtio2-req.2': [54, 3_377_197, 2_095_758],
    'virtio2-req.3': [12, 2_453_613, 1_014_058],
    'softirq TIMER': [132, 12_170_431, 2_067_495],
    'softirq SCHED': [424, 5_188_658, 250_786],
    'softirq RCU': [360, 39_153_573, 5_912_331],
    'softirq TIMER, raised': [131, 5_700_494, 2_265_721],
    'softirq SCHED, raised': [416, 22_141_599, 2_264_059],
    'softirq RCU, raised': [360, 21_401_956, 3_334_852],
  });
});

it('waits for a CPU after a wake-up, also by the priority in the switch', async () => {
  expect((await sumsOf('sched')).woken).toEqual([410, 103_153_030, 9_452_239]);
  const { priorities } = await api.ask('sched', { withPriorities: true });
  const rows = priorities?.map(({ priority, threads, woken: { count, totalNs, maxNs } }) => {
    return [priority, threads, count, totalNs, maxNs];
  });
  expect(rows).toEqual([
    [0, 3, 63, 3_054_399, 1_131_314],
    [20, 34, 347, 100_098_631, 9_452_239],
  ]);
});

it('requests of disks from issue to completion, 2 and 43 flushes among them', async () => {
  expect(await sumsOf('requests')).toEqual({
    vda: [17, 22_018_429, 8_237_179],
    vdb: [195, 149_321_566, 7_067_169],
  });
});
