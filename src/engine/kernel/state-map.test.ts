import { afterEach, describe, expect, test, vi } from 'vitest';
import { batchesOf, streamsOf, type PlainEvent } from '../../../test/support/batches.ts';
import { leafDifference } from '../../../test/support/leaf-difference.ts';
import { inMemory } from '../../../test/support/rows-in-memory.ts';
import type { EventBatch } from '../analysis/contract.ts';
import { StateMapper } from './state-map.ts';
import { STATE_MEANINGS } from './state-rules.ts';
import { T_ENTER, T_LEAVE } from './transitions.ts';

const ROOM = 2 ** 21;
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
  const [batch] = batchesOf(streamsOf(events), STATE_MEANINGS);
  const { bytes } = batch.rows;
  bytes.forEach((byte, i) => (bytes[i] = byte === FAULTY.charCodeAt(0) ? 0xff : byte));
  return batch;
}

/** Maps the batch in a memory and out of it, expects the same, and gives whether compiled code mapped it. */
function expectSame(
  mapper: StateMapper,
  batch: EventBatch,
  memory: WebAssembly.Memory,
  room = ROOM,
): boolean {
  const before = mapper.compiled;
  const leaf = mapper.map(inMemory(batch, memory, room));
  const compiled = mapper.compiled > before;
  expect(leafDifference(leaf, new StateMapper(batch.plan).map(batch))).toBeUndefined();
  return compiled;
}

afterEach(() => vi.unstubAllGlobals());

describe('compiled rules', () => {
  test('tell texts apart by their bytes, whatever their length', () => {
    const lengths = Array.from({ length: 40 }, (_, length) => 'abcdefgh'.repeat(5).slice(0, length));
    const changed = lengths.map((name) => name.slice(0, -1) + 'X');
    const faulty = ['\ufffd', FAULTY, `${FAULTY}${FAULTY}`, `long, long and faulty ${FAULTY}`];
    const batch = batchOf([...lengths, ...changed, ...faulty, ...lengths, ...faulty]);
    expect(expectSame(new StateMapper(batch.plan), batch, memoryOfOnePage())).toBe(true);
  });

  test('take entries and exits of vectors by their event class', () => {
    const names = ['local_timer_entry', 'local_timer_exit', 'vector_alloc', 'call_function_entry'];
    const events = names.map((name, ts): PlainEvent => ({
      ts,
      cpu: 0,
      name: `x86_irq_vectors_${name}`,
      fields: {},
    }));
    const [batch] = batchesOf(streamsOf(events), STATE_MEANINGS);
    const mapper = new StateMapper(batch.plan);
    expect(expectSame(mapper, batch, memoryOfOnePage())).toBe(true);
    expect([...mapper.map(batch).kind].slice(1)).toEqual([T_ENTER, T_LEAVE, T_ENTER]);
  });

  test('go on in a memory that grew, and in another one', () => {
    const [small, large] = [batchOf(['a', 'b']), batchOf(Array.from({ length: 30_000 }, () => 'c'))];
    const mapper = new StateMapper(small.plan);
    const memory = memoryOfOnePage();
    for (const [batch, where] of [
      [small, memory],
      [large, memory],
      [small, memory],
      [small, memoryOfOnePage()],
    ] as const)
      expect(expectSame(mapper, { ...batch, plan: small.plan }, where)).toBe(true);
  });

  test('leave a chunk with very many texts to the definition', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `thread ${i}`);
    const batch = batchOf([...names, ...names]);
    const mapper = new StateMapper(batch.plan);
    expect(expectSame(mapper, batch, memoryOfOnePage())).toBe(false);
    const fewer = batchOf(names.slice(0, 16_000));
    expect(expectSame(mapper, { ...fewer, plan: batch.plan }, memoryOfOnePage())).toBe(true);
  });

  test('leave rows without enough room behind them to the definition', () => {
    const batch = batchOf(['a']);
    expect(expectSame(new StateMapper(batch.plan), batch, memoryOfOnePage(), 1000)).toBe(false);
  });
});

test('without WebAssembly the definition maps', () => {
  const batch = batchOf(['a', 'b', 'a']);
  const placed = inMemory(batch, memoryOfOnePage(), ROOM);
  vi.stubGlobal('WebAssembly', undefined);
  const mapper = new StateMapper(batch.plan);
  expect(mapper.map(placed).texts).toEqual(['a', 'b']);
  expect(mapper.compiled).toBe(0);
});
