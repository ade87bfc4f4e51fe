/** The heap of a recorded program, as babeltrace2 and awk add it up (`test/fixtures/heap`), and of small traces. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { integer, signed, struct } from '../../../../test/support/ctf-writer/model-builder.ts';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, folderRefs, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { unpackRows } from '../rows/row-columns.ts';
import type { HeapStat } from '../../protocol/statistics.ts';
import { lttngTrace } from '../../../../test/support/ctf-writer/lttng-trace.ts';

/** As `check.awk` prints them: allocations, bytes, frees, bytes, blocks left, bytes, unknown frees. */
function numbersOf(stat: HeapStat): number[] {
  const { allocations, allocatedBytes, frees, freedBytes, left, leftBytes, unknownFrees } = stat;
  return [allocations, allocatedBytes, frees, freedBytes, left, leftBytes, unknownFrees];
}

describe('a recorded program', () => {
  const session = localSession();
  const { api } = session;
  let lengthNs = 0;
  beforeAll(async () => {
    const files = memoryRefs(filesOfFolder(join(projectDir(), 'test/fixtures/heap/ust')));
    ({ lengthNs } = (await session.open(files)).info);
  });

  it('allocated, freed and left what it says, by thread', async () => {
    const { threads, missing, unplaced } = await api.ask('heap', {});
    expect([missing, unplaced]).toEqual([[], 0]);
    expect(new Map(threads.map((thread) => [`${thread.name} ${thread.tid}`, numbersOf(thread)]))).toEqual(
      new Map([
        ['leaky 10928', [50, 52_718, 14, 45_686, 4, 3336, 6]],
        ['leaky 10934', [5, 320, 32, 3696, 5, 320, 0]],
        ['leaky-ust 10930', [593, 27_530, 593, 27_530, 0, 0, 0]],
      ]),
    );
  });

  it('is one process with what it has in use, and its peak', async () => {
    const { processes } = await api.ask('heap', {});
    expect(processes).toHaveLength(1);
    expect(processes[0]).toMatchObject({ pid: 10_928, name: 'leaky', threads: 3, failures: 1 });
    expect(processes[0]).toMatchObject({ inUse: 3656, peak: 28_872, left: 9, leftBytes: 3656 });
  });

  it('leaks at the places that called the allocator', async () => {
    const { sites } = await api.ask('heap', {});
    const leaks = sites
      .filter(({ left }) => left > 0)
      .map(({ name, left, leftBytes }) => [name, left, leftBytes]);
    expect(leaks).toContainEqual(['leaky+0x11c7', 3, 3000]);
    expect(leaks).toContainEqual(['leaky+0x11dc', 5, 320]);
    expect(leaks).toHaveLength(3);
  });

  it('has the same in parts as in the whole, and what is left of a part is what was not freed in it', async () => {
    const { peakNs } = (await api.ask('heap', {})).processes[0];
    const before = await api.ask('heap', { range: { from: 0, to: peakNs + 1 } });
    const after = await api.ask('heap', { range: { from: peakNs + 1, to: lengthNs + 1 } });
    expect(before.processes[0]).toMatchObject({ inUse: 28_872, peak: 28_872, leftBytes: 28_872 });
    expect(after.processes[0]).toMatchObject({ inUse: 3656, peak: 28_872, leftBytes: 0, failures: 1 });
    expect(before.processes[0].allocatedBytes + after.processes[0].allocatedBytes).toBe(80_568);
  });

  it('has a row of the bytes in use', async () => {
    const rows = unpackRows(session.updates.findLast((update) => update.rows !== undefined)?.rows ?? fail());
    const row = rows.find(({ id }) => id.startsWith('heap:'));
    expect(row).toMatchObject({ name: 'leaky 10928', kind: 'plot' });
    const last = await api.ask('interval', { row: row?.id ?? '', timeNs: lengthNs - 1 });
    expect(last?.stateText).toBe('3\u2009656 bytes');
  });
});

function fail(): never {
  throw new Error('no rows came');
}

/** `malloc` (`size` bytes) or `free` of an address. */
interface Call {
  readonly time: number;
  readonly name: 'malloc' | 'free';
  readonly ptr: number;
  readonly size?: number;
  readonly vpid?: number;
}

interface Packet {
  readonly lost?: number;
  readonly calls: readonly Call[];
}

/** @param cpus packets of a stream each */
async function heapOf(cpus: readonly (readonly Packet[])[], withProcess = true) {
  const eventContext = struct({ ...(withProcess && { vpid: signed(32) }), vtid: signed(32) });
  const block = struct({ ptr: integer(64), size: integer(64) });
  const files = lttngTrace(
    {
      domain: 'ust',
      eventContext,
      events: { 'lttng_ust_libc:malloc': block, 'lttng_ust_libc:free': block },
    },
    cpus.map((packets) =>
      packets.map(({ lost, calls }) => ({
        lost,
        events: calls.map(({ time, name, ptr, size = 0, vpid = 1 }) => {
          const common = { ...(withProcess && { vpid }), vtid: vpid };
          return { name: `lttng_ust_libc:${name}`, time, common, payload: { ptr, size } };
        }),
      })),
    ),
  );
  const session = await openLocal(folderRefs(files));
  return session.api.ask('heap', {});
}

const malloc = (time: number, ptr: number, size: number, vpid = 1): Call => ({
  time,
  name: 'malloc',
  ptr,
  size,
  vpid,
});
const free = (time: number, ptr: number, vpid = 1): Call => ({ time, name: 'free', ptr, vpid });

describe('small traces', () => {
  it('keep the addresses of processes apart', async () => {
    const { processes } = await heapOf([
      [{ calls: [malloc(10, 64, 5, 1), malloc(20, 64, 7, 2), free(30, 64, 1)] }],
    ]);
    expect(processes.map(({ pid, inUse, peak, left }) => [pid, inUse, peak, left])).toEqual([
      [1, 0, 5, 0],
      [2, 7, 7, 1],
    ]);
  });

  it('follow a block that another CPU frees, and an address that is given out again', async () => {
    const { processes } = await heapOf([
      [{ calls: [malloc(10, 64, 5), malloc(30, 64, 6), malloc(40, 64, 7)] }],
      [{ calls: [free(20, 64)] }],
    ]);
    // The free of the second block was not recorded.
    expect(processes).toMatchObject([
      { allocations: 3, frees: 1, freedBytes: 5, left: 1, inUse: 7, peak: 7 },
    ]);
  });

  it('do not know what became of blocks where events were lost', async () => {
    const { threads, processes } = await heapOf([
      [{ calls: [malloc(10, 64, 5)] }, { lost: 3, calls: [malloc(20, 128, 6), free(30, 64)] }],
    ]);
    expect(processes).toMatchObject([{ allocations: 2, allocatedBytes: 11, frees: 0, unknownFrees: 1 }]);
    expect(threads.map(({ left, leftBytes }) => [left, leftBytes])).toEqual([[NaN, NaN]]);
    expect(processes.map(({ inUse, peak }) => [inUse, peak])).toEqual([[NaN, NaN]]);
  });

  it('count no call of which the process is not known', async () => {
    const heapAnswer = await heapOf([[{ calls: [malloc(10, 64, 5), free(20, 64)] }]], false);
    expect([heapAnswer.unplaced, heapAnswer.threads, heapAnswer.processes]).toEqual([2, [], []]);
  });
});
