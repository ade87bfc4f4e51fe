import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchesOf, type PlainEvent, streamsOf } from '../../../../../test/support/batches.ts';
import { readBothWays } from '../../../../../test/support/compiled-and-defined.ts';
import { inMemory } from '../../../../../test/support/rows-in-memory.ts';
import type { AnyAnalysis } from '../../../analysis/analysis-set.ts';
import { type EventBatch } from '../../../analysis/contract.ts';
import type { FieldWant } from '../../../ctf/decode/rows/rows.ts';
import { kernelState } from '../kernel-state.ts';
import { EVENT_KINDS } from '../../../trace/event-kinds.ts';
import { PACKET_FIELDS, STATE_KINDS } from './state-rules.ts';
import { T_ENTER, T_LEAVE } from './transitions.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

const ROOM = 2 ** 22;
const EXTREMES = [2 ** 31 - 1, -(2 ** 31), 2 ** 30, 65_535];
const END: PlainEvent = { ts: 1000, cpu: 0, name: 'exit_syscall', fields: {} };
/** Becomes a byte that UTF-8 does not have. */
const FAULTY = '\u0001';

function memoryOfOnePage(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 1 });
}

/** One chunk of wake-ups of threads with these names. */
function batchOf(names: readonly string[]): EventBatch {
  const events = names.map((comm, i): PlainEvent => {
    return { ts: i, cpu: 0, name: 'sched_waking', fields: { tid: i, target_cpu: 1, comm } };
  });
  const [batch] = batchesOf(streamsOf(events), STATE_KINDS);
  const { bytes } = batch.rows;
  bytes.forEach((byte, i) => (bytes[i] = byte === FAULTY.charCodeAt(0) ? 0xff : byte));
  return batch;
}

/** Maps the batch in a memory, expects what the definition gives, and tells whether that needed no copy with more room. */
function expectSame(batch: EventBatch, memory: WebAssembly.Memory, room = ROOM): boolean {
  const both = readBothWays([kernelState as AnyAnalysis], inMemory(batch, memory, room));
  expect(both.difference).toBeUndefined();
  return both.copied.length === 0;
}

describe('compiled rules', () => {
  test('tell texts apart by their bytes, whatever their length', () => {
    const lengths = Array.from({ length: 40 }, (_, length) => 'abcdefgh'.repeat(5).slice(0, length));
    const changed = lengths.map((name) => name.slice(0, -1) + 'X');
    const faulty = ['\ufffd', FAULTY, `${FAULTY}${FAULTY}`, `long, long and faulty ${FAULTY}`];
    const batch = batchOf([...lengths, ...changed, ...faulty, ...lengths, ...faulty]);
    expect(expectSame(batch, memoryOfOnePage())).toBe(true);
  });

  test('take entries and exits of vectors by their event class', () => {
    const names = ['local_timer_entry', 'local_timer_exit', 'vector_alloc', 'call_function_entry'];
    const events = names.map((name, ts): PlainEvent => ({
      ts,
      cpu: 0,
      name: `x86_irq_vectors_${name}`,
      fields: {},
    }));
    const [batch] = batchesOf(streamsOf(events), STATE_KINDS);
    expect(expectSame(batch, memoryOfOnePage())).toBe(true);
    expect([...kernelState.map(batch).kind].slice(1)).toEqual([T_ENTER, T_LEAVE, T_ENTER]);
  });

  test('go on in a memory that grew, and in another one', () => {
    const [small, large] = [batchOf(['a', 'b']), batchOf(Array.from({ length: 30_000 }, () => 'c'))];
    const memory = memoryOfOnePage();
    for (const [batch, where] of [
      [small, memory],
      [large, memory],
      [small, memory],
      [small, memoryOfOnePage()],
    ] as const)
      expect(expectSame({ ...batch, plan: small.plan }, where)).toBe(true);
  });

  test('leave transitions in memory of a chunk result that is used up, where it is enough', () => {
    const batch = batchOf(Array.from({ length: 100 }, (_, i) => `${i}`));
    const mapped = (spare?: ArrayBuffer) => kernelState.map({ ...batch, takeSpare: () => spare });
    const chunkResult = mapped();
    const [enough, little] = [new ArrayBuffer(10_000), new ArrayBuffer(1000)];
    for (const [spare, isUsed] of [
      [enough, true],
      [little, false],
    ] as const) {
      const { memory, ...columns } = mapped(spare);
      expect(memory?.buffer === spare).toBe(isUsed);
      expect({ ...columns, memory: chunkResult.memory }).toEqual(chunkResult);
    }
  });

  test('make keys of packets of whatever is recorded of them', async () => {
    const numbers = fc.oneof(fc.integer(), fc.integer({ min: -9, max: 9 }), fc.constantFrom(...EXTREMES));
    const addresses = fc.array(fc.nat(255), { minLength: 1, maxLength: 20 }).map((bytes) => bytes.join('.'));
    const fields = PACKET_FIELDS.map((field) => EVENT_KINDS['packet-sent'].fields[field]);
    const valueOf = ({ kind }: FieldWant): fc.Arbitrary<number | string> =>
      kind === 'bytes' || kind === 'string' ? addresses : numbers;
    const packets = fc.record(
      {
        name: fc.constantFrom('net_dev_queue', 'net_if_receive_skb', 'netif_rx'),
        values: fc.tuple(...fields.map((field) => fc.option(valueOf(field)))),
      },
      { noNullPrototype: true },
    );
    await forAll(100, [fc.array(packets, { maxLength: 30 })], (all) => {
      const events = all.map(({ name, values }, ts): PlainEvent => {
        const known = values.flatMap((value, i) => (value === null ? [] : [[fields[i].names[0], value]]));
        return { ts, cpu: 0, name, fields: Object.fromEntries(known) as PlainEvent['fields'] };
      });
      const [batch] = batchesOf(streamsOf([...events, END]), STATE_KINDS);
      expect(expectSame(batch, memoryOfOnePage())).toBe(true);
    });
  });

  test('map a copy of a chunk with very many long addresses', () => {
    const batchWith = (count: number): EventBatch => {
      const events = Array.from({ length: count }, (_, ts): PlainEvent => {
        const address = [...Array.from({ length: 14 }, () => 0xfe), ts >> 8, ts & 255].join('.');
        const fields = { 'network_header.*.saddr': address, 'network_header.*.daddr': address, seq: ts };
        return { ts, cpu: 0, name: 'net_dev_queue', fields };
      });
      return batchesOf(streamsOf(events), STATE_KINDS)[0];
    };
    expect(expectSame(batchWith(1000), memoryOfOnePage())).toBe(true);
    expect(expectSame(batchWith(3000), memoryOfOnePage())).toBe(false);
  });

  test('map a copy of a chunk with very many texts', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `thread ${i}`);
    const batch = batchOf([...names, ...names]);
    expect(expectSame(batch, memoryOfOnePage())).toBe(false);
    const fewer = batchOf(names.slice(0, 16_000));
    expect(expectSame({ ...fewer, plan: batch.plan }, memoryOfOnePage())).toBe(true);
  });

  test('map a copy of rows without enough room behind them', () => {
    const batch = batchOf(['a']);
    expect(expectSame(batch, memoryOfOnePage(), 1000)).toBe(false);
  });
});

test('rows that lie in no memory are copied', () => {
  const { chunkResults, copied, difference } = readBothWays(
    [kernelState as AnyAnalysis],
    batchOf(['a', 'b', 'a']),
  );
  expect(difference).toBeUndefined();
  expect(chunkResults[kernelState.id]).toMatchObject({ texts: ['a', 'b'] });
  expect(copied).toEqual([kernelState.id]);
});
