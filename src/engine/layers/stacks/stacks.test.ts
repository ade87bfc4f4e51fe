/** What stacks of threads come to where events are missing, late, at one time, or hold more than any stack. */
import { describe, expect, it } from 'vitest';
import type { IntegerClass } from '../../ctf/model.ts';
import { ModuleLog } from './module-log.ts';
import { ModuleFinder } from './module-finder.ts';
import { StackForest } from './stack-forest.ts';
import { StackInterner } from './stack-interner.ts';
import type { LoadedModule } from './stack-tables.ts';
import { ThreadColumns } from './thread-columns.ts';

/** A thread, and its changes as `time: frames of the stack`. */
function thread() {
  const forest = new StackForest();
  const columns = new ThreadColumns(forest);
  const framesOf = (stack: number): number[] =>
    stack === 0 ? [] : [...framesOf(forest.parentOf(stack)), forest.frameOf(stack)];
  const changes = () => {
    const { times, stacks } = columns.columns().changes;
    return Array.from(times, (time, i) => `${time}: ${framesOf(stacks[i]).join(' ')}`.trim());
  };
  return { forest, columns, changes };
}

describe('entries and exits of functions', () => {
  it('leave what was called too, where its exits are missing', () => {
    const { columns, changes } = thread();
    for (const frame of [1, 2, 3]) columns.enter(frame, frame);
    columns.leave(4, 1);
    expect(changes()).toEqual(['1: 1', '2: 1 2', '3: 1 2 3', '4:']);
  });

  it('leave the innermost of several calls of one function, or the innermost at all where no function is named', () => {
    const { columns, changes } = thread();
    for (const [time, frame] of [1, 1, 2].entries()) columns.enter(time, frame);
    columns.leave(3, 1);
    columns.leave(4, -1);
    expect(changes()).toEqual(['0: 1', '1: 1 1', '2: 1 1 2', '3: 1', '4:']);
  });

  it('change nothing by exits of what was entered before the trace', () => {
    const { columns, changes } = thread();
    columns.leave(1, 9);
    columns.enter(2, 1);
    columns.leave(3, 9);
    expect(changes()).toEqual(['2: 1']);
  });

  it('are used alone', () => {
    const { forest, columns, changes } = thread();
    columns.record(1, forest.on(0, 7), true);
    columns.enter(2, 1);
    expect(changes()).toEqual(['2: 1']);
    expect([...columns.columns().samples]).toEqual([1]);
  });

  it('without exits make no stack without an end', () => {
    const { columns } = thread();
    for (let time = 0; time < 3000; time++) columns.enter(time, time);
    expect(columns.columns().changes.times.length).toBe(1024);
    for (let time = 3000; time < 3000 + 1976; time++) columns.leave(time, 0);
    expect(columns.columns().changes.times.length).toBe(1024);
    columns.leave(5000, 1023);
    expect(columns.columns().changes.times.length).toBe(1025);
  });
});

describe('the stack in force', () => {
  it('is the last one of those at one time', () => {
    const { forest, columns, changes } = thread();
    const [a, b] = [forest.on(0, 1), forest.on(0, 2)];
    columns.record(1, a, false);
    columns.record(2, b, false);
    columns.record(2, a, false);
    columns.record(3, b, false);
    expect(changes()).toEqual(['1: 1', '3: 2']);
  });

  it('is empty behind the execution of another program', () => {
    const { forest, columns, changes } = thread();
    columns.record(1, forest.on(0, 1), false);
    columns.empty(2);
    columns.record(3, forest.on(0, 2), false);
    expect(changes()).toEqual(['1: 1', '2:', '3: 2']);
  });
});

describe('a call that tells its duration', () => {
  it('has had its stack in force since it began, and is no sample', () => {
    const { forest, columns, changes } = thread();
    const [a, b, inKernel] = [1, 2, 3].map((frame) => forest.on(0, frame));
    columns.record(10, a, true);
    columns.record(25, inKernel, true);
    columns.recordCall(30, 10, b);
    columns.record(40, a, true);
    expect(changes()).toEqual(['10: 1', '20: 2', '40: 1']);
    expect([...columns.columns().samples]).toEqual([10, 25, 40]);
  });

  it('began behind the call before, and behind the execution of the program, however long it claims', () => {
    const { forest, columns, changes } = thread();
    const [a, b, c] = [1, 2, 3].map((frame) => forest.on(0, frame));
    columns.record(5, a, true);
    columns.empty(10);
    columns.recordCall(30, 2 ** 64, b);
    columns.recordCall(40, 2 ** 64, c);
    expect(changes()).toEqual(['5: 1', '10: 2', '30: 3']);
  });
});

describe('recorded addresses', () => {
  const WIDE: IntegerClass = {
    kind: 'integer',
    size: 64,
    signed: false,
    byteOrder: 'le',
    align: 8,
    base: 16,
  };

  function bytesOf(addresses: readonly bigint[], isLittle = true): Uint8Array {
    const view = new DataView(new ArrayBuffer(8 * addresses.length));
    addresses.forEach((address, i) => view.setBigUint64(8 * i, address, isLittle));
    return new Uint8Array(view.buffer);
  }

  /** The outermost first: `r` a return address, `k` one of the kernel. */
  function textsOf(interner: StackInterner, stack: number): string[] {
    const { parent, frame, sort, high, low, isReturn } = interner.stacks();
    if (stack === 0) return [];
    const row = frame[stack];
    const address = (BigInt(high[row] >>> 0) << 32n) | BigInt(low[row] >>> 0);
    const marks = `${sort[row] === 1 ? 'k' : ''}${isReturn[row] === 1 ? 'r' : ''}`;
    return [...textsOf(interner, parent[stack]), `${address.toString(16)}${marks}`];
  }

  it.each([
    ['le', true],
    ['be', false],
  ] as const)('are read in byte order %s, without the mark that ends them', (byteOrder, isLittle) => {
    const interner = new StackInterner();
    const bytes = bytesOf([0x7f00_1234_5678n, 0x10n, 2n ** 64n - 1n], isLittle);
    const stack = interner.addresses(bytes, 0, bytes.length, { ...WIDE, byteOrder }, false, 0, 0);
    expect(textsOf(interner, stack)).toEqual(['10r', '7f0012345678']);
  });

  it('are 1,024 at most, the innermost ones, whatever their number', () => {
    const interner = new StackInterner();
    const bytes = bytesOf(Array.from({ length: 50_000 }, (_, i) => BigInt(i + 1)));
    const texts = textsOf(interner, interner.addresses(bytes, 0, bytes.length, WIDE, false, 0, 0));
    expect(texts.length).toBe(1024);
    expect([texts[0], texts.at(-1)]).toEqual(['400r', '1']);
  });

  it('are none where a sequence is shorter than what is left out of it', () => {
    expect(new StackInterner().addresses(new Uint8Array(0), 0, 0, WIDE, false, 0, 1)).toBe(0);
  });

  it('of perf are parted by its marks', () => {
    const interner = new StackInterner();
    const [kernel, user] = [2n ** 64n - 128n, 2n ** 64n - 512n];
    const bytes = bytesOf([kernel, 0xa1n, 0xa2n, user, 0xb1n, 0xb2n]);
    const stack = interner.markedAddresses(bytes, 0, bytes.length, WIDE);
    expect(textsOf(interner, stack)).toEqual(['b2r', 'b1', 'a2kr', 'a1k']);
  });
});

describe('modules', () => {
  const module = (path: string, base: bigint, since: number): LoadedModule => ({
    ...{ process: 1, base, size: 0x100, path, buildId: undefined, isPic: true, since },
  });

  it('are those that were loaded last before a time, else first behind it', () => {
    const finder = new ModuleFinder([module('late', 0x1000n, 20), module('early', 0x1080n, 10)]);
    const rows = finder.covering(1, 0x1090n);
    expect([5, 10, 19, 20].map((time) => finder.at(rows, time))).toEqual([1, 1, 1, 0]);
    expect(finder.at(finder.covering(1, 0x1100n), 30)).toBe(1);
    expect(finder.at(finder.covering(2, 0x1090n), 30)).toBe(-1);
  });

  it('are files that calls map, of processes that tell none', () => {
    const log = new ModuleLog();
    const read = (process: number, base: bigint) => {
      log.open(process, '/lib/a.so');
      log.return(process, process, false, 3n, 1);
      log.map(process, 3, 0n, 0x100n);
      log.return(process, process, true, base, 2);
      log.map(process, 3, 0x1000n, 0x80n);
      log.return(process, process, true, base + 0x1000n, 3);
      log.map(process, 3, 0n, 0x100n);
      log.return(process, process, true, 2n ** 64n - 12n, 4);
      log.map(process, -1, 0n, 0x100n);
      log.return(process, process, true, 0x9000n, 5);
    };
    read(1, 0x7000n);
    read(2, 0x8000n);
    log.tell(module('told', 0x2000n, -Infinity));
    log.tell(module('told', 0x2000n, 5));
    log.tellBuildId(1, 0x2000n, 'ab');
    expect(log.modules()).toEqual([
      { ...module('told', 0x2000n, -Infinity), buildId: 'ab' },
      { ...module('/lib/a.so', 0x8000n, 2), process: 2, size: 0x1080 },
    ]);
  });
});
