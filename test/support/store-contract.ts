/**
 * What every store promises, as checks that throw: run under vitest for memory and files, and in a page for
 * IndexedDB.
 */
import { assert } from '../../src/engine/base/assert.ts';
import type { Store, TraceRecord } from '../../src/engine/store/types.ts';

export interface StoreCheck {
  readonly name: string;
  /** `store` is empty. */
  run(store: Store): Promise<void>;
}

export function traceRecord(key: string, opened = 1): TraceRecord {
  return { key, name: `trace ${key}`, opened, bytes: 10, complete: false, info: { hosts: ['a'], events: 3 } };
}

export const STORE_CHECKS: readonly StoreCheck[] = [
  {
    name: 'keeps records by trace and name',
    async run(store) {
      await begun(store, 'a');
      await begun(store, 'b');
      const bytes = Uint8Array.from([1, 2, 250]);
      await written(store, 'a', [
        { name: 'blocks/0', value: bytes },
        { name: '../odd name.', value: { text: 'é', list: [1, { x: 2 }] } },
      ]);
      await written(store, 'b', [{ name: 'blocks/0', value: 'other' }]);
      const read = await store.read('a', 'blocks/0');
      assert(read instanceof Uint8Array && equal([...read], [1, 2, 250]), 'bytes come back as bytes');
      assert(
        equal(await store.read('a', '../odd name.'), { text: 'é', list: [1, { x: 2 }] }),
        'objects come back',
      );
      assert((await store.read('b', 'blocks/0')) === 'other', 'traces are apart');
      assert((await store.read('a', 'blocks/1')) === undefined, 'what was not written is undefined');
      assert((await store.read('c', 'blocks/0')) === undefined, 'so is what another trace would hold');
    },
  },
  {
    name: 'writes a record anew',
    async run(store) {
      await begun(store, 'a');
      await written(store, 'a', [{ name: 'x', value: 1 }]);
      await written(store, 'a', [{ name: 'x', value: 2 }]);
      assert((await store.read('a', 'x')) === 2, 'the last value counts');
    },
  },
  {
    name: 'is complete only by the last transaction',
    async run(store) {
      assert((await store.get('a')) === undefined, 'no trace before it begins');
      await begun(store, 'a');
      assert((await store.get('a'))?.complete === false, 'incomplete at first');
      const done = await store.complete({ ...traceRecord('a'), bytes: 99 }, [{ name: 'last', value: 7 }]);
      assert(done.ok, 'complete');
      const record = await store.get('a');
      assert(record?.complete === true && record.bytes === 99, 'complete, with the last record');
      assert((await store.read('a', 'last')) === 7, 'and the records that came with it');
      assert(equal(record.info, { hosts: ['a'], events: 3 }), 'and its information');
    },
  },
  {
    name: 'drops what an earlier run left when a trace begins anew',
    async run(store) {
      await begun(store, 'a');
      await written(store, 'a', [{ name: 'old', value: 1 }]);
      await begun(store, 'ab');
      await written(store, 'ab', [{ name: 'old', value: 2 }]);
      await begun(store, 'a');
      assert((await store.read('a', 'old')) === undefined, 'nothing is left');
      assert((await store.read('ab', 'old')) === 2, 'but other traces stay');
    },
  },
  {
    name: 'lists traces, the one opened last first',
    async run(store) {
      assert(equal(await store.list(), []), 'empty');
      await store.begin(traceRecord('old', 10));
      await store.begin(traceRecord('new', 30));
      await store.begin(traceRecord('middle', 20));
      assert(equal(await keys(store), ['new', 'middle', 'old']), 'by time');
      await store.touch('old');
      assert(equal(await keys(store), ['old', 'new', 'middle']), 'touched is opened now');
    },
  },
  {
    name: 'abandons what is not complete, and nothing else',
    async run(store) {
      for (const key of ['a', 'b', 'c']) {
        await begun(store, key);
        await written(store, key, [{ name: 'x', value: 1 }]);
      }
      assert((await store.complete(traceRecord('b'), [])).ok, 'b is complete');
      for (const key of ['a', 'b', 'nothing']) await store.abandon(key);
      assert(equal((await keys(store)).sort(), ['b', 'c']), 'gone from the list');
      assert((await store.read('a', 'x')) === undefined, 'gone with its records');
      assert((await store.read('b', 'x')) === 1, 'the complete one has its own');
      const late = await store.write('a', [{ name: 'y', value: 1 }]);
      assert(!late.ok && late.fault.code === 'store-unavailable', 'writing to it is a fault');
    },
  },
  {
    name: 'deletes a trace with its records',
    async run(store) {
      await begun(store, 'a');
      await begun(store, 'b');
      await written(store, 'a', [{ name: 'x', value: 1 }]);
      await store.delete('a');
      assert(equal(await keys(store), ['b']), 'gone from the list');
      assert((await store.read('a', 'x')) === undefined, 'gone with its records');
      const late = await store.write('a', [{ name: 'y', value: 1 }]);
      assert(!late.ok && late.fault.code === 'store-unavailable', 'writing to it is a fault');
      const end = await store.complete(traceRecord('a'), []);
      assert(!end.ok && end.fault.code === 'store-unavailable', 'so is completing it');
    },
  },
];

/** A trace belongs to the store that began it last. Both are over the same data, in which there is no trace `a`. */
export async function checkAbandoning(
  first: Pick<Store, 'get' | 'begin' | 'complete' | 'abandon'>,
  second: typeof first,
): Promise<void> {
  await first.begin(traceRecord('a'));
  await second.begin(traceRecord('a'));
  await first.abandon('a');
  assert((await second.get('a'))?.complete === false, 'begun anew it is not the first one’s to abandon');
  assert((await second.complete(traceRecord('a'), [])).ok, 'the second one goes on');
  await first.abandon('a');
  assert((await second.get('a'))?.complete === true, 'nor is it when it is complete');
}

async function begun(store: Store, key: string): Promise<void> {
  assert((await store.begin(traceRecord(key))).ok, `${key} begins`);
}

async function written(
  store: Store,
  key: string,
  records: readonly { readonly name: string; readonly value: unknown }[],
): Promise<void> {
  assert((await store.write(key, records)).ok, `${key} is written`);
}

async function keys(store: Store): Promise<string[]> {
  return (await store.list()).map(({ key }) => key);
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
