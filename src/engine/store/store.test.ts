import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkAbandoning, STORE_CHECKS, traceRecord } from '../../../test/support/store-contract.ts';
import { fail, type Fault, ok } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import { FallbackStore } from './fallback-store.ts';
import { FileStore, makeFolder } from './file-store.ts';
import { MemoryStore } from './memory-store.ts';

describe('the memory store', () => {
  it.each(STORE_CHECKS)('$name', ({ run }) => run(new MemoryStore()));
});

describe('the file store', () => {
  let folder: string | undefined;
  afterEach(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
    folder = undefined;
  });

  it.each(STORE_CHECKS)('$name', async ({ run }) => {
    folder = await mkdtemp(join(tmpdir(), 'wakepath-store-'));
    await run(new FileStore(join(folder, 'made', 'on demand')));
  });

  it('makes folders, and says where none can be made', async () => {
    folder = await mkdtemp(join(tmpdir(), 'wakepath-store-'));
    await makeFolder(join(folder, 'a', 'b'));
    await makeFolder(join(folder, 'a', 'b'));
    await writeFile(join(folder, 'a', 'file'), '');
    await expect(makeFolder(join(folder, 'a', 'file'))).rejects.toThrow('EEXIST');
    await expect(makeFolder(join(folder, 'a', 'file', 'c'))).rejects.toThrow('ENOTDIR');
    // Node's own way would not come back from there.
    if (process.platform === 'linux') await expect(makeFolder('/proc/a/b')).rejects.toThrow('ENOENT');
  });

  it('is read by another instance', async () => {
    folder = await mkdtemp(join(tmpdir(), 'wakepath-store-'));
    const first = new FileStore(folder);
    await first.begin(traceRecord('../up'));
    await first.write('../up', [{ name: 'x', value: [1] }]);
    const second = new FileStore(folder);
    expect(await second.read('../up', 'x')).toEqual([1]);
    expect((await second.list()).map(({ key }) => key)).toEqual(['../up']);
  });

  it('leaves a trace to the one that began it last', async () => {
    folder = await mkdtemp(join(tmpdir(), 'wakepath-store-'));
    await checkAbandoning(new FileStore(folder), new FileStore(folder));
  });

  it('gives back nothing of a record that is damaged, and tells that the trace has one', async () => {
    folder = await mkdtemp(join(tmpdir(), 'wakepath-store-'));
    const store = new FileStore(folder);
    await store.begin(traceRecord('a'));
    await store.write('a', [
      { name: 'x', value: Uint8Array.from({ length: 5000 }, (_, i) => i) },
      { name: 'y', value: 'sound' },
    ]);
    expect(await store.isSound('a')).toBe(true);
    const file = join(folder, 'a', 'r-x');
    const bytes = await readFile(file);
    bytes[2500] ^= 1;
    await writeFile(file, bytes);
    expect([await store.read('a', 'x'), await store.read('a', 'y')]).toEqual([undefined, 'sound']);
    expect(await store.isSound('a')).toBe(false);
    await store.begin(traceRecord('a'));
    await store.write('a', [{ name: 'x', value: 1 }]);
    await store.complete(traceRecord('a'), [{ name: 'y', value: 2 }]);
    expect(await store.isSound('a')).toBe(true);
    for (const gone of ['r-x', 'r-y']) {
      const kept = await readFile(join(folder, 'a', gone));
      await rm(join(folder, 'a', gone));
      expect(await store.isSound('a')).toBe(false);
      await writeFile(join(folder, 'a', gone), kept);
    }
    expect(await store.isSound('a')).toBe(true);
  });

  it('tells where it cannot write', async () => {
    const begun = await new FileStore('/dev/null/nowhere').begin(traceRecord('a'));
    expect(begun).toMatchObject({ ok: false, fault: { code: 'store-unavailable' } });
  });
});

describe('the fallback store', () => {
  it.each(STORE_CHECKS)('over a working store: $name', ({ run }) =>
    run(new FallbackStore(ok(new MemoryStore()), fault)),
  );
  it.each(STORE_CHECKS)('without a store: $name', ({ run }) =>
    run(new FallbackStore(fail({ code: 'store-unavailable', place: {} }), () => undefined)),
  );
  it.each(STORE_CHECKS)('over a store that is soon full: $name', ({ run }) =>
    run(new FallbackStore(ok(new SmallStore(1)), () => undefined)),
  );

  it('tells once why a trace goes on in memory, and still reads what was stored', async () => {
    const faults: Fault[] = [];
    const small = new SmallStore(2);
    const store = new FallbackStore(ok(small), (found) => faults.push(found));
    await store.begin(traceRecord('a'));
    for (const name of ['one', 'two', 'three', 'four']) await store.write('a', [{ name, value: name }]);
    expect(faults.map(({ code }) => code)).toEqual(['store-full']);
    expect([store.refusal('a'), store.refusal('b')]).toEqual([faults[0], undefined]);
    expect(store.kind).toBe('memory');
    await store.complete(traceRecord('a'), [{ name: 'five', value: 'five' }]);
    expect((await small.get('a'))?.complete).toBe(false);
    expect((await store.get('a'))?.complete).toBe(true);
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      expect(await store.read('a', name)).toBe(name);
  });

  it('goes on in memory when there is no room for the last records', async () => {
    const small = new SmallStore(1);
    const store = new FallbackStore(ok(small), () => undefined);
    await store.begin(traceRecord('a'));
    await store.write('a', [{ name: 'one', value: 1 }]);
    expect((await store.complete(traceRecord('a'), [{ name: 'two', value: 2 }])).ok).toBe(true);
    expect((await small.get('a'))?.complete).toBe(false);
    expect((await store.get('a'))?.complete).toBe(true);
    for (const [name, value] of Object.entries({ one: 1, two: 2 }))
      expect(await store.read('a', name)).toBe(value);
  });

  it('keeps what several writes at a time could not store', async () => {
    const faults: Fault[] = [];
    const slow = new SlowlyFull();
    const store = new FallbackStore(ok(slow), (found) => faults.push(found));
    await store.begin(traceRecord('a'));
    const names = ['one', 'two'];
    const writes = names.map((name) => store.write('a', [{ name, value: name }]));
    for (const [i, write] of writes.entries()) {
      slow.refuse[i]();
      await write;
    }
    for (const name of names) expect(await store.read('a', name)).toBe(name);
    expect(faults.map(({ code }) => code)).toEqual(['store-full']);
  });

  it('tells at once that there is no store', () => {
    const faults: Fault[] = [];
    const refused = fail({ code: 'store-unavailable', place: {} });
    const store = new FallbackStore(refused, (found) => faults.push(found));
    expect(faults).toEqual([refused.fault]);
    expect(store.refusal('a')).toBe(refused.fault);
  });
});

/** A store whose quota is used up after some writes. */
class SmallStore extends MemoryStore {
  #left: number;

  constructor(writes: number) {
    super();
    this.#left = writes;
  }

  override async write(key: string, records: readonly NamedValue[]): ReturnType<MemoryStore['write']> {
    if ((await this.get(key)) !== undefined && this.#left-- <= 0)
      return fail({ code: 'store-full', place: {} });
    return super.write(key, records);
  }
}

/** A store that finds out late that it is full: when it is told to. */
class SlowlyFull extends MemoryStore {
  readonly refuse: (() => void)[] = [];

  override write(): ReturnType<MemoryStore['write']> {
    return new Promise((resolve) => {
      this.refuse.push(() => resolve(fail({ code: 'store-full', place: {} })));
    });
  }
}

function fault(found: Fault): void {
  throw new Error(`no fault expected: ${found.code}`);
}
