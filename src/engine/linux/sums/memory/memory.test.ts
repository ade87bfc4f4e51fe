import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf, type PlainPacket } from '../../../../../test/support/batches.ts';
import { mergeByTree } from '../../../../../test/support/merge-trees.ts';
import { scenario } from '../../../../../test/support/scenario.ts';
import { THREAD_ELSEWHERE, THREAD_LOST } from '../../events/values.ts';
import { memory, type MemoryUse } from './memory.ts';
import { forAll } from '../../../../../test/support/for-all.ts';
import { addNumber } from '../../../base/group-by.ts';

/** One CPU. */
function usesOf(
  chunks: readonly (readonly PlainPacket[])[],
  tree: readonly number[] = [0],
): readonly MemoryUse[] {
  const batches = batchesOf([{ cpu: 0, chunks }], memory.reads.kinds);
  return memory.finish(
    mergeByTree(
      memory,
      batches.map((batch) => memory.map(batch)),
      tree,
    ),
  );
}

/** TID: pages, or TID at TIME: pages. */
function lines(uses: readonly MemoryUse[]): string[] {
  const names: Readonly<Record<number, string>> = { [THREAD_LOST]: 'lost', [THREAD_ELSEWHERE]: 'elsewhere' };
  return uses.map(({ tid, time, sums }) => {
    return `${names[tid] ?? tid}${time === undefined ? '' : ` at ${time}`}: ${sums.allocatedPages}`;
  });
}

const alloc = (ts: number, order = 0) => scenario().add(ts, 0, 'mm_page_alloc', { order, pfn: 1 }).events[0];
const switched = (ts: number, prev: number, next: number) =>
  scenario().switch(ts, 0, prev, 1, next).events[0];

/** Packets are missing before the third, fifth, sixth and last one; 7 runs in the beginning, and 3 behind the first loss. */
const PACKETS: readonly PlainPacket[] = [
  { events: [alloc(1), alloc(2)] },
  { events: [switched(3, 7, 2), alloc(4, 2)] },
  { events: [alloc(11), alloc(12)], begin: 10, lostPackets: 1 },
  { events: [switched(13, 3, 4), alloc(14)] },
  { events: [alloc(21)], begin: 20, lostPackets: 1 },
  { events: [alloc(31)], begin: 30, lostPackets: 1 },
  { events: [switched(32, 5, 6), alloc(33, 3), alloc(34, 40)] },
  { events: [alloc(41), alloc(42)], begin: 40, lostPackets: 1 },
];
/** In order of name. */
const EXPECTED = ['2: 4', '3: 2', '4: 1', '5: 1', '6: 8', '7: 2', 'elsewhere at 41: 2', 'lost: 1'];

/** The same added up by name. */
function sums(uses: readonly MemoryUse[]): string[] {
  const pages = new Map<string, number>();
  for (const line of lines(uses)) {
    const [name, count] = line.split(': ');
    addNumber(pages, name, Number(count));
  }
  return Array.from(pages, ([name, count]) => `${name}: ${count}`).sort();
}

test('pages of the thread that runs; a switch says who ran before it where that was not known', () => {
  expect(sums(usesOf([PACKETS]))).toEqual(EXPECTED);
});

test('is the same in any chunks, merged in any order', async () => {
  const whole = usesOf([PACKETS]);
  const cuts = fc.array(fc.boolean(), { minLength: PACKETS.length - 1, maxLength: PACKETS.length - 1 });
  await forAll(100, [cuts, fc.array(fc.nat(100), { minLength: 1, maxLength: 8 })], (isCut, tree) => {
    const chunks: PlainPacket[][] = [[PACKETS[0]]];
    isCut.forEach((cut, i) => {
      if (cut) chunks.push([]);
      chunks[chunks.length - 1].push(PACKETS[i + 1]);
    });
    expect(usesOf(chunks, tree)).toEqual(whole);
  });
});

test('without a switch in sight it is the same in any chunks, too', () => {
  const packets = [1, 2, 3].map((ts) => ({ events: [alloc(ts)] }));
  const switching = { events: [switched(9, 7, 2)] };
  const whole = usesOf([packets, [switching]]);
  expect(usesOf([...packets.map((packet) => [packet]), [switching]], [1])).toEqual(whole);
  expect(lines(whole)).toEqual(['7: 3']);
});

test('of a stream without switches it gives the times', () => {
  expect(lines(usesOf([[{ events: [alloc(1), alloc(2)] }], [{ events: [alloc(2)] }]]))).toEqual([
    'elsewhere at 1: 1',
    'elsewhere at 2: 2',
  ]);
});
