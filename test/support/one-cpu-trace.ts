/** Traces of a kernel for tests of sessions: what happens on one CPU, event by event. */
import type { SourceRef } from '../../src/engine/io/byte-source.ts';
import { fixedText, signed, struct } from './ctf-writer/model-builder.ts';
import { perChannelStreams } from './per-channel-streams.ts';
import { memoryRefs } from './memory-files.ts';
import { lttngTrace } from './ctf-writer/lttng-trace.ts';

const name = fixedText(16);
const int = signed(32);
const EVENTS = {
  sched_switch: struct({
    prev_comm: name,
    prev_tid: int,
    prev_state: signed(64),
    next_comm: name,
    next_tid: int,
  }),
  sched_process_fork: struct({
    parent_tid: int,
    parent_pid: int,
    child_comm: name,
    child_tid: int,
    child_pid: int,
  }),
  sched_process_free: struct({ comm: name, tid: int }),
  syscall_entry_read: struct({ fd: int }),
  syscall_exit_read: struct({ ret: signed(64) }),
  lttng_statedump_process_state: struct({ tid: int, pid: int, ppid: int, name, type: int }),
  sys_open: struct({ flags: int }),
  exit_syscall: struct({ ret: signed(64) }),
  kmem_mm_page_alloc: struct({ pfn: signed(64), order: int }),
  kmem_mm_page_free: struct({ pfn: signed(64), order: int }),
  kmem_kmalloc: struct({ ptr: signed(64), bytes_alloc: signed(64) }),
  kmem_kfree: struct({ ptr: signed(64) }),
  x86_exceptions_page_fault_user: struct({ address: signed(64) }),
};
type Name = keyof typeof EVENTS;
export type TracedEvent = readonly [Name, Readonly<Record<string, string | bigint>>];

/** A switch; `prevState`: 0 preempted, 1 blocked, 16 dead. */
export const to = (prev: bigint, next: bigint, prevState = 0n): TracedEvent => [
  'sched_switch',
  { prev_comm: 'p', prev_tid: prev, prev_state: prevState, next_comm: 'n', next_tid: next },
];
/** A read that returns `ret`. */
export const read = (ret: bigint): readonly TracedEvent[] => [
  ['syscall_entry_read', { fd: 3n }],
  ['syscall_exit_read', { ret }],
];
/** Runs on behalf of 1 and dies; `ret`s of its reads. */
export const life = (...rets: readonly bigint[]): readonly TracedEvent[] => [
  ['sched_process_fork', { parent_tid: 1n, parent_pid: 1n, child_comm: 'c', child_tid: 7n, child_pid: 7n }],
  to(1n, 7n),
  ...rets.flatMap(read),
  to(7n, 1n, 16n),
  ['sched_process_free', { comm: 'c', tid: 7n }],
];

/**
 * One CPU, an event each µs, the first at 1 µs.
 * @param apart reads and memory in a stream of their own, as a session of two channels records them; two events a packet
 */
export function oneCpuTrace(given: readonly TracedEvent[], apart = false): SourceRef[] {
  const events = given.map(([event, payload], i) => ({ name: event, time: 1000 * (i + 1), payload }));
  const files = lttngTrace({ domain: 'kernel', events: EVENTS }, [
    [{ events, begin: 0, end: 1000 * (given.length + 1) }],
  ]);
  return memoryRefs(
    apart ? perChannelStreams(files, (name) => Number(/^(syscall|kmem|x86)_/.test(name)), 2) : files,
  );
}
