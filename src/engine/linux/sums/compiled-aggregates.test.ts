import { describe, expect, test } from 'vitest';
import { batchesOf, type PlainEvent } from '../../../../test/support/batches.ts';
import { readBothWays } from '../../../../test/support/compiled-and-defined.ts';
import { collidingInts } from '../../../../test/support/chosen-keys.ts';
import { inMemory } from '../../../../test/support/rows-in-memory.ts';
import type { AnyAnalysis } from '../../analysis/analysis-set.ts';
import { type Analysis, type EventBatch } from '../../analysis/contract.ts';
import { callFailures } from './calls/call-failures.ts';
import { interrupts } from './interrupts/interrupts.ts';
import { ioUsage } from './io/io.ts';
import { THREAD_ELSEWHERE } from '../events/values.ts';

const ROOM = 2 ** 22;
const ANALYSES = [interrupts, callFailures, ioUsage] as readonly AnyAnalysis[];
const [INTERRUPTS, FAILURES, IO] = ANALYSES.map(({ id }) => id);
const KINDS = ANALYSES.flatMap(({ reads }) => reads.kinds);

/** Of a stream that tells switches, whether there are some or not. */
function batchOf(events: readonly Event[]): EventBatch {
  const packet = { events: events.map((event) => ({ ...event, cpu: 3 })) };
  const [batch] = batchesOf([{ cpu: 3, chunks: [[packet]] }], KINDS);
  const { eventClasses } = batch;
  const id = BigInt(eventClasses.length);
  return { ...batch, eventClasses: [...eventClasses, { id, name: 'sched_switch' }] };
}

function newMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 1 });
}

/** The CPU is the same for all. */
type Event = Omit<PlainEvent, 'cpu'>;

/** Expects what the definitions give, and tells which analyses read a copy with more room. */
function copiedBy(batch: EventBatch, room = ROOM): string[] {
  return ANALYSES.flatMap((analysis) => {
    const { copied, difference } = readBothWays([analysis], inMemory(batch, newMemory(), room));
    expect(difference).toBeUndefined();
    return copied;
  });
}

/** A batch of events, which compiled code reads in place as the definitions say. */
function sameBothWays(events: readonly Event[]): EventBatch {
  const batch = batchOf(events);
  expect(copiedBy(batch)).toEqual([]);
  return batch;
}

/** The part that an analysis makes of a batch, by compiled code. */
function streamPartOf<Part>(analysis: Analysis<readonly Part[], unknown>, batch: EventBatch): Part {
  const [part] = analysis.map(inMemory(batch, newMemory(), ROOM));
  return part;
}

function switches(tids: readonly number[], nameOf: (tid: number) => string): Event[] {
  return tids.map((tid, i) => {
    const prev = tids[i - 1] ?? 0;
    const fields = { prev_tid: prev, prev_comm: nameOf(prev), next_tid: tid, next_comm: nameOf(tid) };
    return { ts: 10 * i, name: 'sched_switch', fields };
  });
}

describe('compiled code gives what the definitions give', () => {
  test('of no rows at all', () => {
    sameBothWays([]);
  });

  test('of names that change, are long, or were told before time went back', () => {
    const events = switches([1, 2, 1, 2, 1], (tid) => `thread ${tid}`);
    const later = switches([1, 2, 1], (tid) => `a name of more than sixteen bytes ${tid}`);
    const back = switches([2, 1], (tid) => `old ${tid}`);
    const all = [...events, ...later.map((event) => ({ ...event, ts: event.ts + 1000 })), ...back];
    const batch = sameBothWays(all);
    const [{ facts, texts }] = streamPartOf(ioUsage, batch).parts;
    const names = Array.from(facts.text, (text) => texts[text]);
    expect(names).toEqual([1, 2].map((tid) => `a name of more than sixteen bytes ${tid}`));
  });

  test('of threads and failures whose numbers were chosen to collide', () => {
    const tids = [...collidingInts(4000)];
    const nameOf = (tid: number) => `a name of more than sixteen bytes ${tid}`;
    const events = switches([...tids, ...tids], nameOf).flatMap((event): Event[] => [
      event,
      { ts: event.ts, name: 'syscall_exit_read', fields: { ret: -1 } },
    ]);
    sameBothWays(events);
  });

  test('of devices that share an irq, and timers whose functions lie anywhere', () => {
    const irqs = ['eth0', 'eth1', 'eth0', 'eth1'].flatMap((name, i): Event[] => [
      { ts: 10 * i, name: 'irq_handler_entry', fields: { irq: 25, name } },
      { ts: 10 * i + i, name: 'irq_handler_exit', fields: { irq: 25 } },
    ]);
    const functions = [0xffffffff_9835aa60n, 0x7fffffff_ffffffffn, 0x7fffffff_fffffe00n, 0x8000_0001n, 7n];
    const timers = functions.flatMap((address, i): Event[] => [
      {
        ts: 100 + 10 * i,
        name: 'timer_hrtimer_expire_entry',
        fields: { hrtimer: 0xffff8881_00000001n + BigInt(i), function: BigInt.asIntN(64, address) },
      },
      {
        ts: 100 + 11 * i,
        name: 'timer_hrtimer_expire_exit',
        fields: { hrtimer: 0xffff8881_00000001n + BigInt(i) },
      },
    ]);
    const batch = sameBothWays([...irqs, ...timers]);
    const { keys } = streamPartOf(interrupts, batch);
    expect(keys.filter(({ kind }) => kind === 0).map(({ name }) => name)).toEqual(['eth0', 'eth1']);
    expect(keys.filter(({ kind }) => kind === 2)).toHaveLength(4);
  });

  test('of devices whose names read the same', () => {
    const events = ['\u0001', '\u0002', '\ufffd'].flatMap((name, i): Event[] => [
      { ts: 10 * i, name: 'irq_handler_entry', fields: { irq: 25, name } },
      { ts: 10 * i + 4, name: 'irq_handler_exit', fields: { irq: 25 } },
    ]);
    const batch = batchOf(events);
    const { bytes } = batch.rows;
    bytes.forEach((byte, i) => (bytes[i] = byte < 3 ? 0xfd + byte : byte));
    expect(copiedBy(batch)).toEqual([]);
    const { keys, sums } = streamPartOf(interrupts, batch);
    expect(keys).toEqual([{ kind: 0, id: 25, name: '\ufffd' }]);
    expect([...sums.count]).toEqual([3]);
  });

  test('of durations of any length, also where time goes back', () => {
    const lengths = [0, 1, 63, 64, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 40 + 12345, 2 ** 53, 2 ** 54, -5];
    const more = Array.from({ length: 20 }, (_, i) => 1000 - i);
    const events = [...lengths, ...more].flatMap((length, i) => [
      { ts: 100 * i, name: 'irq_softirq_raise', fields: { vec: 1 } },
      { ts: 100 * i + length, name: 'irq_softirq_entry', fields: { vec: 1 } },
      { ts: 100 * i + 2 * length, name: 'irq_softirq_exit', fields: { vec: 1 } },
    ]);
    sameBothWays(events);
  });

  test('of switches within interrupts, and of softirqs that outlive them', () => {
    const within = (exit: string, fields: Event['fields']): Event[] => [
      { ts: 1, name: exit.replace('exit', 'entry'), fields },
      ...switches([1, 2], String),
      { ts: 30, name: exit, fields },
    ];
    const batch = sameBothWays(within('irq_handler_exit', { irq: 25 }));
    expect(streamPartOf(interrupts, batch).keys).toEqual([]);
    const switchedOut = sameBothWays(within('irq_softirq_exit', { vec: 4 }));
    expect(streamPartOf(interrupts, switchedOut).cutRuns).toMatchObject([{ begin: 1, end: 30 }]);
    // Which entry or exit belongs to it is told by another chunk.
    const [entry, ...rest] = within('irq_softirq_exit', { vec: 4 });
    for (const events of [rest, [entry, ...rest.slice(0, -1)], rest.slice(0, -1)]) sameBothWays(events);
  });

  test('of vectors, by their event classes, and of softirqs that Linux does not have', () => {
    const names = ['local_timer_exit', 'local_timer_entry', 'local_timer_exit', 'vector_alloc', 'x_entry'];
    const vectors = names.map((name, ts) => ({ ts, name: `x86_irq_vectors_${name}`, fields: {} }));
    const softirqs = [-1, 31, 32, 31, 31].map((vec, ts) => ({
      ts,
      name: 'irq_softirq_entry',
      fields: { vec },
    }));
    sameBothWays([...vectors, ...softirqs]);
  });

  test('of calls whose returns are not named, and of returns that are addresses', () => {
    const returns = [-1, -4095, -4096, -4097, 5, 2 ** 40, -(2 ** 40)];
    const events = returns.flatMap((ret, i): Event[] => [
      { ts: 10 * i, name: 'sys_read', fields: { fd: i } },
      { ts: 10 * i + 1, name: 'exit_syscall', fields: { ret } },
    ]);
    const batch = sameBothWays([{ ts: 0, name: 'exit_syscall', fields: { ret: -2 } }, ...events]);
    const { failures } = streamPartOf(callFailures, batch);
    expect([...failures.call].map((call) => failures.calls[call])).toEqual(['?', 'read', 'read']);
    expect([...failures.errno]).toEqual([2, 1, 4095]);
  });

  test('of failed calls in a stream without switches, each at its time', () => {
    const events = [5, 5, 7, 7].map((errno, i): Event => {
      return { ts: 10 + (i >> 1), name: 'syscall_exit_read', fields: { ret: -errno } };
    });
    const { eventClasses, ...others } = batchOf(events);
    const batch = { ...others, eventClasses: eventClasses.filter(({ name }) => name !== 'sched_switch') };
    expect(copiedBy(batch)).toEqual([]);
    const { failures } = streamPartOf(callFailures, batch);
    expect([...failures.tid]).toEqual([THREAD_ELSEWHERE, THREAD_ELSEWHERE]);
    expect([...failures.count]).toEqual([2, 2]);
    expect([...failures.time]).toEqual([10, 11]);
  });

  test('of pairs of descriptors, whatever the order of bytes', () => {
    const listed = ['3.0.0.0.4.0.0.0', '0.0.0.3.0.0.1.4', '255.255.255.255.0.0.0.128', '3.0.0.0'];
    const events = listed.flatMap((fildes, i): Event[] => [
      { ts: 10 * i, name: 'syscall_entry_pipe2', fields: { flags: 0 } },
      { ts: 10 * i + 1, name: 'syscall_exit_pipe2', fields: { ret: 0, fildes } },
    ]);
    const batch = sameBothWays(events);
    const [{ calls }] = streamPartOf(ioUsage, batch).parts;
    expect([...calls.fd]).toEqual([3, 3, -1, -1]);
    expect([...calls.fd2]).toEqual([4, 260, 128, -1]);
  });

  test('of facts of every kind', () => {
    const request = { dev: 8, sector: 2 ** 40, nr_sector: 16, tid: 7, rwbs: 3 };
    const events: Omit<Event, 'ts'>[] = [
      { name: 'sched_process_fork', fields: { child_tid: 7, child_pid: 7, parent_pid: 1, child_comm: 'sh' } },
      {
        name: 'lttng_statedump_process_state',
        fields: { tid: 8, pid: 8, name: 'sh', file_table_address: 0xffff8881_0000_1000n },
      },
      {
        name: 'lttng_statedump_file_descriptor',
        fields: { file_table_address: 0xffff8881_0000_1000n, fd: 3, filename: '/x' },
      },
      { name: 'lttng_statedump_block_device', fields: { dev: 8, diskname: 'sda' } },
      { name: 'block_rq_insert', fields: request },
      { name: 'block_rq_issue', fields: { ...request, rwbs: 2 } },
      { name: 'block_rq_complete', fields: { dev: 8, sector: 1, nr_sector: 2 } },
    ];
    const batch = sameBothWays(events.map((event, ts) => ({ ...event, ts })));
    const [{ facts, texts }] = streamPartOf(ioUsage, batch).parts;
    expect([...facts.kind]).toEqual([1, 0, 2, 4, 5, 6, 7, 3, 3]);
    expect(texts).toEqual(['sh', '/x', 'sda']);
  });
});

describe('compiled code reads a copy with more room', () => {
  test('with more threads than it has room for', () => {
    const tids = Array.from({ length: 5000 }, (_, i) => i + 1);
    expect(copiedBy(batchOf(switches(tids, () => 'one')))).toEqual([IO]);
  });

  test('with more interrupts, or more devices', () => {
    const entries = (count: number, nameOf: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => {
        return { ts: i, name: 'irq_handler_entry', fields: { irq: i % 250, name: nameOf(i) } };
      });
    sameBothWays(entries(250, () => 'one'));
    expect(copiedBy(batchOf(entries(257, (i) => `${i}`)))).toEqual([INTERRUPTS]);
    expect(copiedBy(batchOf(entries(3000, (i) => `${i % 1500}`)))).toEqual([INTERRUPTS]);
  });

  test('with more failures of different threads', () => {
    const events = switches(
      Array.from({ length: 4097 }, (_, i) => i + 1),
      () => 'one',
    ).flatMap((event): Event[] => [event, { ts: event.ts, name: 'syscall_exit_read', fields: { ret: -1 } }]);
    sameBothWays(events.slice(2));
    expect(copiedBy(batchOf(events))).toEqual([FAILURES, IO]);
  });

  test('without room behind its rows', () => {
    const events = switches([1, 2], () => 'one');
    expect(copiedBy(batchOf(events), 2 ** 18)).toEqual([INTERRUPTS, IO]);
    expect(copiedBy(batchOf(events), 16)).toEqual([INTERRUPTS, FAILURES, IO]);
  });

  test('where the rows lie in no memory', () => {
    const { chunkResults, copied, difference } = readBothWays(
      ANALYSES,
      batchOf(switches([1, 2], () => 'one')),
    );
    expect(difference).toBeUndefined();
    expect(chunkResults[IO]).toMatchObject([{ parts: [{ facts: { length: 2, a: Int32Array.of(1, 2) } }] }]);
    expect(copied).toEqual([INTERRUPTS, FAILURES, IO]);
  });
});
