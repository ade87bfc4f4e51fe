import { expect, it } from 'vitest';
import { openLocal } from '../../../../test/support/local-session.ts';
import { to, type TracedEvent, oneCpuTrace } from '../../../../test/support/one-cpu-trace.ts';
import { MEMORY_SUM_NAMES } from '../../linux/sums/memory/memory-chunk.ts';
import type { MemoryStat } from '../../protocol/statistics.ts';

const pages = (order: bigint, pfn = 7n): TracedEvent => ['kmem_mm_page_alloc', { pfn, order }];
const free = (order: bigint): TracedEvent => ['kmem_mm_page_free', { pfn: 7n, order }];
const object = (bytes: bigint, ptr = 64n): TracedEvent => ['kmem_kmalloc', { ptr, bytes_alloc: bytes }];
const gone = (ptr = 64n): TracedEvent => ['kmem_kfree', { ptr }];
const fault: TracedEvent = ['x86_exceptions_page_fault_user', { address: 4096n }];

const STORY: readonly TracedEvent[] = [
  pages(0n), // 1 µs: the first switch says who ran
  to(0n, 1n), // 2 µs
  pages(3n),
  free(1n),
  pages(2n, -1n), // fails
  object(96n),
  object(32n, 0n), // fails
  to(1n, 2n), // 8 µs
  gone(),
  gone(0n), // frees nothing
  fault,
  pages(0n),
  to(2n, 0n), // 13 µs
  free(0n),
  to(0n, 1n), // 15 µs
  object(32n),
  fault,
];

/** ROW: pages allocated, freed; objects, bytes, freed; faults of user mode, of the kernel. */
function line({ row = 'unknown', ...thread }: MemoryStat): string {
  const { allocatedPages, freedPages, allocatedObjects, objectBytes, freedObjects } = thread;
  const { userFaults, kernelFaults } = thread;
  const objects = `${allocatedObjects} ${objectBytes} ${freedObjects}`;
  return `${row}: ${allocatedPages} ${freedPages}; ${objects}; ${userFaults} ${kernelFaults}`;
}

const WHOLE = [
  'thread:0:0/cpu0: 1 1; 0 0 0; 0 0',
  'thread:0:1: 8 2; 2 128 0; 1 0',
  'thread:0:2: 1 0; 0 0 1; 1 0',
];

it('counts pages, objects and faults for the thread that runs, in any channels and chunks', async () => {
  for (const apart of [false, true]) {
    for (const chunkBytes of [1, 200, undefined]) {
      const { api } = await openLocal(oneCpuTrace(STORY, apart), { chunkBytes });
      const { threads, programs, missing } = await api.ask('memory', {});
      expect(threads.map(line).sort()).toEqual(WHOLE);
      expect(programs.reduce((sum, program) => sum + program.allocatedPages, 0)).toBe(10);
      expect(missing).toEqual(['x86_exceptions_page_fault_kernel']);
    }
  }
});

it('counts for the thread that ran when a range began, and adds up over its parts', async () => {
  const { api } = await openLocal(oneCpuTrace(STORY));
  // Display time begins at the first event, 1 µs.
  const first = await api.ask('memory', { range: { from: 0, to: 8_500 } });
  const second = await api.ask('memory', { range: { from: 8_500, to: 17_000 } });
  expect(second.threads.map(line).sort()).toEqual([
    'thread:0:0/cpu0: 0 1; 0 0 0; 0 0',
    'thread:0:1: 0 0; 1 32 0; 1 0',
    'thread:0:2: 1 0; 0 0 0; 1 0',
  ]);
  const whole = await api.ask('memory', {});
  const sumOf = (threads: readonly MemoryStat[], name: (typeof MEMORY_SUM_NAMES)[number]) =>
    threads.reduce((sum, thread) => sum + thread[name], 0);
  for (const name of MEMORY_SUM_NAMES)
    expect(sumOf(first.threads, name) + sumOf(second.threads, name), name).toBe(sumOf(whole.threads, name));
});

it('tells the lives of a tid that is used again', async () => {
  const life = (order: bigint): readonly TracedEvent[] => [
    ['sched_process_fork', { parent_tid: 1n, parent_pid: 1n, child_comm: 'c', child_tid: 7n, child_pid: 7n }],
    to(1n, 7n),
    pages(order),
    to(7n, 1n, 16n),
    ['sched_process_free', { comm: 'c', tid: 7n }],
  ];
  const { api } = await openLocal(oneCpuTrace([to(0n, 1n), ...life(1n), ...life(4n), to(1n, 0n)]));
  const { threads, programs } = await api.ask('memory', {});
  expect(threads.map(({ row, allocatedPages }) => `${row} ${allocatedPages}`).sort()).toEqual([
    'thread:0:7 2',
    'thread:0:7#2 16',
  ]);
  expect(programs).toMatchObject([{ threads: 2, allocatedPages: 18 }]);
});
