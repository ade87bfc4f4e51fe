/**
 * What the store in IndexedDB promises beyond the contract of all stores: of large arrays, several tabs, crashes. They
 * run in a page; each store is in a worker of its own.
 */
import { assert } from '../../src/engine/base/assert.ts';
import type { Store } from '../../src/engine/store/types.ts';
import { checkAbandoning, STORE_CHECKS, traceRecord } from './store-contract.ts';

/** A store as another thread sees it. */
type RemoteStore = Pick<
  Store,
  'list' | 'get' | 'begin' | 'write' | 'read' | 'complete' | 'touch' | 'abandon' | 'delete' | 'close'
>;

export interface OpenedStore {
  readonly store: RemoteStore;
  /** Has the browser abort whatever it reads from now on. */
  abortReads(): Promise<void>;
  /** Ends its thread, whatever it does. */
  crash(): void;
}

interface StoreScene {
  /** Another store over the same data. @param hasFiles default: as the scenario is run */
  open(hasFiles?: boolean): Promise<OpenedStore>;
  /** Sizes of the files that there are. */
  files(): Promise<readonly number[]>;
  /** Changes a byte of each file, or removes them. Nobody may have one open. */
  damageFiles(at: number | 'all'): Promise<void>;
}

export interface StoreScenario {
  readonly name: string;
  /** Tells of files: has no sense without them. */
  readonly needsFiles: boolean;
  /** Bytes that the browser gives; default: its own limit. */
  readonly quotaBytes?: number;
  run(scene: StoreScene): Promise<void>;
}

const SIZE = 100_000;

export const STORE_SCENARIOS: readonly StoreScenario[] = [
  ...STORE_CHECKS.map(({ name, run }) => ({
    name,
    needsFiles: false,
    run: async ({ open }: StoreScene) => run((await open()).store as Store),
  })),
  {
    name: 'reads large arrays while they are written, when they are complete, and in another tab',
    needsFiles: false,
    async run({ open }) {
      const { store } = await open();
      await store.begin(traceRecord('a'));
      await write(store, 'a', 'first', 1);
      await check(store, 'a', 'first', 1);
      await write(store, 'a', 'second', 2);
      await check(store, 'a', 'first', 1);
      await check(store, 'a', 'second', 2);
      await complete(store, 'a');
      const { store: other } = await open();
      for (const one of [store, other]) {
        await check(one, 'a', 'first', 1);
        await check(one, 'a', 'second', 2);
      }
      await write(other, 'a', 'late', 3);
      await check(store, 'a', 'late', 3);
      await check(store, 'a', 'first', 1);
    },
  },
  {
    name: 'keeps the bytes of large arrays in one file a trace, which goes with it',
    needsFiles: true,
    async run({ open, files }) {
      const { store } = await open();
      await store.begin(traceRecord('a'));
      await store.write('a', [{ name: 'small', value: new Uint8Array(10) }]);
      assert((await files()).length === 0, 'none for small ones');
      await write(store, 'a', 'x', 1);
      await write(store, 'a', 'y', 2);
      await complete(store, 'a');
      const [size, ...more] = await files();
      assert(size === 3 * 2 * SIZE && more.length === 0, 'no more bytes than there are');
      await store.begin(traceRecord('a'));
      assert((await files()).length === 0, 'none when it begins anew');
      await write(store, 'a', 'x', 3);
      await check(store, 'a', 'x', 3);
      await store.delete('a');
      assert((await files()).length === 0, 'none when it is deleted');
    },
  },
  {
    name: 'removes what a crash left',
    needsFiles: true,
    async run({ open, files }) {
      const first = await open();
      await first.store.begin(traceRecord('a'));
      await write(first.store, 'a', 'x', 1);
      first.crash();
      const { store } = await open();
      assert((await store.get('a'))?.complete === false, 'not complete');
      // The browser may not have let go of the file yet.
      for (let i = 0; i < 100 && (i === 0 || (await files()).length > 0); i++)
        await store.begin(traceRecord('a'));
      assert((await files()).length === 0, 'its file is gone');
      assert((await store.read('a', 'x')) === undefined, 'its records too');
      await write(store, 'a', 'y', 2);
      await complete(store, 'a');
      await check(store, 'a', 'y', 2);
    },
  },
  {
    name: 'leaves a trace to the tab that began it last',
    needsFiles: true,
    async run({ open, files }) {
      const { store: first } = await open();
      const { store: second } = await open();
      await checkAbandoning(first, second);
      await first.begin(traceRecord('a'));
      await write(first, 'a', 'x', 1);
      await second.begin(traceRecord('a'));
      const late = await first.write('a', [record('x', 1)]);
      assert(!late.ok && late.fault.code === 'store-unavailable', 'writing on is a fault');
      const later = await first.write('a', [record('x', 1)]);
      const end = await first.complete(traceRecord('a'), [record('z', 1)]);
      assert(!later.ok && !end.ok, 'so is writing again, and completing');
      assert((await second.read('a', 'z')) === undefined, 'which leaves nothing');
      assert((await second.get('a'))?.complete === false, 'complete is what the other one says');
      await write(second, 'a', 'x', 2);
      await complete(second, 'a');
      for (const store of [first, second]) await check(store, 'a', 'x', 2);
      await second.begin(traceRecord('b'));
      assert((await files()).length === 1, 'what the first one wrote is removed');
    },
  },
  {
    name: 'reads on in one tab while another deletes',
    needsFiles: false,
    async run({ open }) {
      const { store: reader } = await open();
      const { store: writer } = await open();
      await writer.begin(traceRecord('a'));
      await write(writer, 'a', 'x', 1);
      await complete(writer, 'a');
      await check(reader, 'a', 'x', 1);
      await writer.delete('a');
      assert((await reader.read('a', 'x')) === undefined, 'no record, and no exception');
    },
  },
  {
    name: 'finds nothing, and tells so, where the browser aborts what it reads',
    needsFiles: false,
    async run({ open }) {
      const { store, abortReads } = await open();
      await store.begin(traceRecord('a'));
      await write(store, 'a', 'x', 1);
      await abortReads();
      assert((await store.list()).length === 0, 'no trace in the list');
      assert((await store.get('a')) === undefined, 'none by its key');
      assert((await store.read('a', 'x')) === undefined, 'and no record');
      await store.touch('a');
      const end = await store.complete(traceRecord('a'), []);
      assert(!end.ok && end.fault.code === 'store-unavailable', 'what cannot be written is a fault');
      const { store: other } = await open();
      assert((await other.get('a'))?.complete === false, 'all is there for others');
      await check(other, 'a', 'x', 1);
    },
  },
  {
    name: 'makes room by the traces not opened for the longest time, and tells when there is none',
    needsFiles: true,
    quotaBytes: 4_000_000,
    async run({ open, files }) {
      const { store: earlier } = await open();
      for (const [key, opened] of [
        ['old', 10],
        ['new', 20],
      ] as const) {
        await earlier.begin(traceRecord(key, opened));
        for (const name of ['x', 'y', 'z']) await write(earlier, key, name, opened);
        assert((await earlier.complete(traceRecord(key, opened), [])).ok, `${key} is complete`);
      }
      const { store } = await open();
      await store.begin(traceRecord('a'));
      let written = 0;
      while (written < 100 && (await store.get('old')) !== undefined)
        await write(store, 'a', `r${written++}`, written);
      assert((await store.get('new')) !== undefined, 'one is enough');
      await check(store, 'new', 'y', 20);
      let end = await store.write('a', [record('more', 1)]);
      for (let i = 0; i < 100 && end.ok; i++) end = await store.write('a', [record(`more${i}`, i)]);
      assert(!end.ok && end.fault.code === 'store-full', 'at last it is full');
      assert((await store.list()).length === 1, 'and nothing is left to evict');
      assert((await files()).length <= 1, 'nor are files');
      await check(store, 'a', 'r0', 1);
    },
  },
  {
    name: 'gives back nothing of a record whose bytes are damaged, and all others',
    needsFiles: true,
    async run({ open, damageFiles }) {
      const { store: first } = await open();
      await first.begin(traceRecord('a'));
      await first.write('a', [{ ...record('own', 4), isChecked: true }]);
      for (const name of ['x', 'y']) await write(first, 'a', name, 5);
      await complete(first, 'a');
      await first.close();
      // Of the first record, which is checked by its reader, and of the one behind.
      for (const at of [SIZE, 2 * SIZE + 10]) await damageFiles(at);
      const { store } = await open();
      assert((await store.read('a', 'own')) !== undefined, 'what its reader checks is given');
      assert((await store.read('a', 'x')) === undefined, 'the damaged one is not');
      for (const name of ['y', 'last']) await check(store, 'a', name, name === 'y' ? 5 : 3);
    },
  },
  {
    name: 'gives back nothing of records whose file is gone, and begins anew',
    needsFiles: true,
    async run({ open, damageFiles }) {
      const { store: first } = await open();
      await first.begin(traceRecord('a'));
      await write(first, 'a', 'x', 5);
      await complete(first, 'a');
      await first.close();
      await damageFiles('all');
      const { store } = await open();
      assert((await store.get('a'))?.complete === true, 'nobody knows yet');
      assert((await store.read('a', 'x')) === undefined, 'the record is not there');
      await store.begin(traceRecord('a'));
      await write(store, 'a', 'x', 6);
      await complete(store, 'a');
      await check(store, 'a', 'x', 6);
    },
  },
  {
    name: 'reads records of either kind',
    needsFiles: true,
    async run({ open }) {
      const { store: without } = await open(false);
      await without.begin(traceRecord('a'));
      await write(without, 'a', 'x', 1);
      const { store } = await open();
      await write(store, 'a', 'y', 2);
      await complete(store, 'a');
      await check(store, 'a', 'x', 1);
      await check(store, 'a', 'y', 2);
      await check(without, 'a', 'x', 1);
      assert((await without.read('a', 'y')) === undefined, 'a file that cannot be had is no record');
    },
  },
];

/** Two large arrays of SIZE bytes, whose contents follow from a number. */
function record(name: string, seed: number): { readonly name: string; readonly value: unknown } {
  const bytes = Uint8Array.from({ length: SIZE }, (_, i) => (i * seed) % 251);
  const times = Float64Array.from({ length: SIZE / 8 }, (_, i) => i / seed);
  return { name, value: { seed, bytes, parts: new Map([['times', times]]), text: 'é' } };
}

async function write(store: RemoteStore, key: string, name: string, seed: number): Promise<void> {
  assert((await store.write(key, [record(name, seed)])).ok, `${name} is written`);
}

/** With a last record. */
async function complete(store: RemoteStore, key: string): Promise<void> {
  assert((await store.complete(traceRecord(key), [record('last', 3)])).ok, `${key} is complete`);
  await check(store, key, 'last', 3);
}

async function check(store: RemoteStore, key: string, name: string, seed: number): Promise<void> {
  assert(textOf(await store.read(key, name)) === textOf(record(name, seed).value), `${name} comes back`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (ArrayBuffer.isView(item)) return [item.constructor.name, ...(item as Uint8Array)];
    return item instanceof Map ? [...item] : item;
  });
}
