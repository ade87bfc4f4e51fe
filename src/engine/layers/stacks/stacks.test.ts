/** What stacks of threads come to where events are missing, late, at one time, or hold more than any stack. */
import { describe, expect, it, test } from 'vitest';
import { wideOf } from '../../base/wide-integer.ts';
import type { IntegerClass } from '../../ctf/model.ts';
import { type ModuleChange, ModuleLog } from './module-log.ts';
import { EnteredFunctions } from './entered-functions.ts';
import { ModuleFinder } from './module-finder.ts';
import { StackForest } from './stack-forest.ts';
import { StackInterner } from './stack-chunk.ts';
import type { LoadedModule } from './stack-tables.ts';
import { type CallTimes, endedAt, stacksInForce } from './make-tables.ts';
import { ThreadColumns } from './thread-columns.ts';

const own = (stack: number) => stack;

/** A thread, and its changes as `time: frames of the stack`. */
function thread() {
  const forest = new StackForest();
  const columns = new ThreadColumns(forest);
  const framesOf = (stack: number): number[] => {
    const frames: number[] = [];
    for (let at = stack; at !== 0; at = forest.parentOf(at)) frames.push(forest.frameOf(at));
    return frames.reverse();
  };
  const changes = (calls?: CallTimes, notRecorded = 0) => {
    const { times, stacks } = stacksInForce({ notRecorded }, columns.columns(), calls, own);
    const text = (stack: number) => (stack > 0 && stack === notRecorded ? '?' : framesOf(stack).join(' '));
    return Array.from(times, (time, i) => `${time}: ${text(stacks[i])}`.trim());
  };
  return { forest, columns, changes };
}

describe('entries and exits of functions', () => {
  it('leave what was called too, where its exits are missing', () => {
    const { columns, changes } = thread();
    for (const frame of [1, 2, 3]) columns.enter(frame, frame, -1);
    columns.leave(4, 1, -1);
    expect(changes()).toEqual(['1: 1', '2: 1 2', '3: 1 2 3', '4:']);
  });

  it('leave the innermost of several calls of one function, or the innermost at all where no function is named', () => {
    const { columns, changes } = thread();
    for (const [time, frame] of [1, 1, 2].entries()) columns.enter(time, frame, -1);
    columns.leave(3, 1, -1);
    columns.leave(4, -1, -1);
    expect(changes()).toEqual(['0: 1', '1: 1 1', '2: 1 1 2', '3: 1', '4:']);
  });

  it('change nothing by exits of what was entered before the trace', () => {
    const { columns, changes } = thread();
    columns.leave(1, 9, -1);
    columns.enter(2, 1, -1);
    columns.leave(3, 9, -1);
    expect(changes()).toEqual(['2: 1']);
  });

  it('are used alone', () => {
    const { forest, columns, changes } = thread();
    columns.record(1, forest.on(0, 7), true);
    columns.enter(2, 1, -1);
    expect(changes()).toEqual(['2: 1']);
    expect([...columns.columns().samples]).toEqual([1]);
  });

  it('without exits make no stack without an end, and swallow no exit of what is below', () => {
    const { columns, changes } = thread();
    for (let time = 0; time < 3000; time++) columns.enter(time, time, -1);
    expect(changes().length).toBe(1024);
    columns.leave(3000, 9999, -1);
    columns.leave(3001, 1500, -1);
    expect(changes().length).toBe(1024);
    columns.leave(3002, 1, -1);
    expect(changes().slice(1024)).toEqual(['3002: 0']);
    columns.leave(3003, 0, -1);
    expect(changes().slice(1025)).toEqual(['3003:']);
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

test('a stack ends with the last event of its thread, where nothing else tells its end', () => {
  const { columns } = thread();
  columns.enter(1, 1, -1);
  columns.enter(3, 2, -1);
  const logged = { row: -1, tid: 1, ns: 0, pid: 1, process: '', ...columns.columns() };
  const timesOf = (last: number) => [
    ...stacksInForce({ notRecorded: 0 }, endedAt(logged, last), undefined, own).times,
  ];
  expect(timesOf(Infinity)).toEqual([1, 3]);
  expect(timesOf(7)).toEqual([1, 3, 7]);
  expect(timesOf(3)).toEqual([1, 3]);
  expect(stacksInForce({ notRecorded: 0 }, endedAt(logged, 3), undefined, own).stacks.at(-1)).toBe(0);
});

describe('functions that were left without an exit', () => {
  /** Functions are hundreds: 105 is in that of 100. */
  function functions() {
    const forest = new StackForest();
    const framesOf = (stack: number): number[] =>
      stack === 0 ? [] : [...framesOf(forest.parentOf(stack)), forest.frameOf(stack)];
    const entered = new EnteredFunctions({
      on: (below, frame) => forest.on(below, frame),
      functionOf: (frame) => (frame < 900 ? String(Math.floor(frame / 100)) : undefined),
    });
    return { entered, frames: () => framesOf(entered.stack) };
  }

  it('are taken off by the next call site', () => {
    const { entered, frames } = functions();
    for (let round = 0; round < 3; round++) {
      if (round === 0) entered.enter(100, 950);
      entered.enter(200, 104);
      entered.enter(300, 204);
      expect(frames()).toEqual([100, 200, 300]);
    }
    entered.enter(400, 108);
    expect(frames()).toEqual([100, 400]);
    entered.leave(400, 108);
    expect(frames()).toEqual([100]);
  });

  it('stay where the caller is not known, and where they are inlined into one another', () => {
    const { entered, frames } = functions();
    entered.enter(100, 950);
    entered.enter(200, 104);
    entered.enter(300, 960);
    expect(frames()).toEqual([100, 200, 300]);
    entered.enter(400, 304);
    entered.enter(500, 304);
    expect(frames()).toEqual([100, 200, 300, 400, 500]);
    entered.enter(500, 304);
    expect(frames()).toEqual([100, 200, 300, 400, 500]);
    entered.enter(600, 405);
    expect(frames()).toEqual([100, 200, 300, 400, 500, 600]);
  });

  it('leave the innermost entry of function and call site, else of the function', () => {
    const { entered, frames } = functions();
    entered.enter(100, 950);
    entered.enter(100, 105);
    entered.enter(200, 106);
    entered.leave(100, 950);
    expect(frames()).toEqual([]);
    entered.enter(100, 950);
    entered.enter(200, 106);
    entered.leave(100, 107);
    expect(frames()).toEqual([]);
  });
});

describe('a stack in a system call', () => {
  const UNKNOWN = 99;
  const CALLS = { length: 2, begin: Float64Array.of(10, 30), end: Float64Array.of(20, 40) };

  it('is what was recorded in it, and behind it what was in force before', () => {
    const { forest, columns, changes } = thread();
    const [a, b] = [1, 2].map((frame) => forest.on(0, frame));
    columns.record(5, a, true);
    columns.record(30, b, false);
    columns.record(40, a, false);
    expect(changes(CALLS, UNKNOWN)).toEqual(['5: 1', '10: ?', '20: 1', '30: 2', '40: 1']);
  });

  it('is unknown only where the thread has stacks', () => {
    const { columns, changes } = thread();
    columns.record(15, 0, false);
    expect(changes(CALLS, UNKNOWN)).toEqual([]);
  });

  it('goes on in the kernel up to the next event with a stack, and says nothing of the program', () => {
    const { forest, columns } = thread();
    const [a, inKernel] = [1, 2].map((frame) => forest.on(0, frame));
    columns.record(10, a, false);
    columns.record(12, -1, false, inKernel);
    columns.record(15, a, false);
    columns.record(25, -1, false, inKernel);
    const { times, stacks, inside } = stacksInForce({ notRecorded: UNKNOWN }, columns.columns(), CALLS, own);
    expect([...times]).toEqual([10, 12, 15, 30, 40]);
    expect([...stacks]).toEqual([a, a, a, UNKNOWN, a]);
    expect([...inside]).toEqual([0, inKernel, 0, 0, 0]);
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
    const address = wideOf(low[row], high[row]);
    const marks = `${sort[row] === 1 ? 'k' : ''}${isReturn[row] === 1 ? 'r' : ''}`;
    return [...textsOf(interner, parent[stack]), `${address.toString(16)}${marks}`];
  }

  it.each([
    ['le', true],
    ['be', false],
  ] as const)('are read in byte order %s, without the mark that ends them', (byteOrder, isLittle) => {
    const interner = new StackInterner();
    const bytes = bytesOf([0x7f00_1234_5678n, 0x10n, 2n ** 64n - 1n], isLittle);
    const stack = interner.addresses(bytes, 0, bytes.length, { ...WIDE, byteOrder }, false, 0);
    expect(textsOf(interner, stack)).toEqual(['10r', '7f0012345678']);
  });

  it('are 1,024 at most, the innermost ones, whatever their number', () => {
    const interner = new StackInterner();
    const bytes = bytesOf(Array.from({ length: 50_000 }, (_, i) => BigInt(i + 1)));
    const texts = textsOf(interner, interner.addresses(bytes, 0, bytes.length, WIDE, false, 0));
    expect(texts.length).toBe(1024);
    expect([texts[0], texts.at(-1)]).toEqual(['400r', '1']);
  });

  it('are none where a sequence is shorter than what is left out of it', () => {
    expect(new StackInterner().addresses(new Uint8Array(0), 0, 0, WIDE, false, 1)).toBe(-1);
  });

  it('are not 0, nor in the last page: the first one that is none of these is the innermost', () => {
    const interner = new StackInterner();
    const bytes = bytesOf([0n, 0x10n, 0n, 0x20n, 2n ** 64n - 22n]);
    const all = interner.addresses(bytes, 0, bytes.length, WIDE, false, 0);
    expect(textsOf(interner, all)).toEqual(['20r', '10']);
    expect(textsOf(interner, interner.addresses(bytes, 0, bytes.length, WIDE, false, 1))).toEqual(['20r']);
    const one = bytesOf([0x10n, 0n, 2n ** 64n - 1n]);
    expect(interner.addresses(one, 0, one.length, WIDE, false, 1)).toBe(0);
    expect(interner.addresses(bytesOf([0n]), 0, 8, WIDE, false, 0)).toBe(-1);
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
  const ALWAYS = [{ process: 1, since: -Infinity, parent: -1 }];
  const module = (path: string, base: bigint, since: number): LoadedModule => ({
    ...{ process: 1, memory: 0, base, size: 0x100, path, buildId: undefined, isPic: true, since },
  });
  const tell = (log: ModuleLog, time: number, change: ModuleChange, text: string, base = 0x2000n) =>
    log.tell(1, { change, time, base, size: 0x100, text, isPic: true });
  /** Paths of the modules that an address is in at some times. */
  const pathsAt = (log: ModuleLog, address: bigint, process: number, ...times: number[]) => {
    const modules = log.modules();
    const finder = new ModuleFinder(modules, log.memories());
    return times.map(
      (time) => (modules as readonly (LoadedModule | undefined)[])[finder.at(process, address, time)]?.path,
    );
  };

  it('are those that were loaded last before a time, else first behind it', () => {
    const finder = new ModuleFinder([module('late', 0x1000n, 20), module('early', 0x1080n, 10)], ALWAYS);
    expect([5, 10, 19, 20].map((time) => finder.at(1, 0x1090n, time))).toEqual([1, 1, 1, 0]);
    expect(finder.covering(1, 0x1090n)).toEqual([1, 0]);
    expect(finder.at(1, 0x1100n, 30)).toBe(1);
    expect(finder.at(2, 0x1090n, 30)).toBe(-1);
  });

  it('of two builds with one path at one place are two', () => {
    const log = new ModuleLog();
    const map = (time: number, id: string | undefined, offset: bigint) =>
      log.mapped(1, '/lib/a.so', 0x8000n + offset, { offset, length: 0x100n }, time, id);
    map(1, undefined, 0n);
    map(2, 'aa', 0x100n);
    map(3, undefined, 0x200n);
    map(5, 'bb', 0n);
    const modules = log.modules();
    expect(modules.map(({ since, size, buildId }) => [since, size, buildId])).toEqual([
      [1, 0x300, 'aa'],
      [5, 0x100, 'bb'],
    ]);
    const finder = new ModuleFinder(modules, log.memories());
    expect([4, 5].map((time) => modules[finder.at(1, 0x8010n, time)].buildId)).toEqual(['aa', 'bb']);
  });

  it('are gone when they were closed as often as opened, or when another one takes their memory', () => {
    const log = new ModuleLog();
    tell(log, 1, 'opened', 'a');
    tell(log, 2, 'opened', 'a');
    tell(log, 3, 'closed', '');
    tell(log, 4, 'closed', '');
    tell(log, 6, 'opened', 'b', 0x2080n);
    tell(log, 8, 'opened', 'a');
    expect(pathsAt(log, 0x20ffn, 1, 0, 3, 4, 6, 7, 8)).toEqual(['a', 'a', undefined, 'b', 'b', 'a']);
    expect(pathsAt(log, 0x2110n, 1, 5, 7, 9)).toEqual(['b', 'b', undefined]);
  });

  it('are gone when the loader says so, whatever calls close them', () => {
    const log = new ModuleLog();
    log.tell(1, { change: 'loaded', time: 1, base: 0x2000n, size: 0x100, text: 'a', isPic: true }, true);
    tell(log, 2, 'opened', 'a');
    tell(log, 3, 'closed', '');
    log.tell(1, { change: 'unloaded', time: 5, base: 0x2000n, size: 0, text: '', isPic: true }, true);
    expect(pathsAt(log, 0x2000n, 1, 4, 5)).toEqual(['a', undefined]);
  });

  it('are those of the process that it was forked from, until it executes another program', () => {
    const log = new ModuleLog();
    tell(log, 1, 'there', 'a');
    log.begin(7, 5, 1);
    log.begin(8, 6, 7);
    tell(log, 7, 'opened', 'b', 0x3000n);
    log.begin(7, 9);
    expect(pathsAt(log, 0x2010n, 7, 4, 5, 8, 9)).toEqual([undefined, 'a', 'a', undefined]);
    expect(pathsAt(log, 0x2010n, 8, 10)).toEqual(['a']);
    // What the parent loads behind the fork is not in the child.
    expect(pathsAt(log, 0x3010n, 8, 10)).toEqual([undefined]);
    expect(pathsAt(log, 0x3010n, 1, 2)).toEqual(['b']);
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
      log.close(process, 3);
      log.return(process, process, false, 0n, 6);
      log.map(process, 3, 0n, 0x100n);
      log.return(process, process, true, 0xa000n, 7);
    };
    read(1, 0x7000n);
    read(2, 0x8000n);
    tell(log, 1, 'there', 'told');
    tell(log, 5, 'opened', 'told');
    tell(log, 6, 'build id', 'ab');
    const mapping = { at: 0x8000n, offset: 0, length: 0x100 };
    expect(log.modules()).toEqual([
      { ...module('told', 0x2000n, -Infinity), buildId: 'ab' },
      { ...module('/lib/a.so', 0x8000n, 2), process: 2, memory: 1, size: 0x1080, mapping },
    ]);
  });
});
