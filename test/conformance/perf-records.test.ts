/** Records of perf that are written here: switches, build ids, and a switch that perf left out. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildIdSection, writeElf } from '../support/elf-writer.ts';
import { PipeWriter } from '../support/perf-writer.ts';
import { formatText, traceDat } from '../support/trace-dat-writer.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectSound, type SymbolsAnswer } from '../support/inspect-answers.ts';

describe('records of perf that say who was switched', () => {
  const folder = temporaryFolder();
  const OUT = 1 << 13;
  const READY = 1 << 14;

  /** States of thread 7, which leaves CPU 0 for 8, comes again, and is put off for 8. */
  async function statesOf(release: string) {
    const pipe = new PipeWriter(false);
    pipe.feature(4, release);
    pipe.attribute(1, 0n, 11n);
    pipe.switched(0, 7, 0, 1000n, 0, 11n);
    pipe.switched(OUT, 7, 8, 2000n, 0, 11n);
    pipe.switched(0, 8, 7, 2010n, 0, 11n);
    pipe.switched(OUT, 8, 7, 3000n, 0, 11n);
    pipe.switched(0, 7, 8, 3010n, 0, 11n);
    pipe.switched(OUT | READY, 7, 8, 4000n, 0, 11n);
    pipe.switched(0, 8, 7, 4010n, 0, 11n);
    pipe.sample(11n, 8, 5000n, 0);
    const path = join(folder, `${release}.data`);
    writeFileSync(path, pipe.bytes);
    const { stdout } = await inspect('states', path, '--thread', '7');
    return stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim());
  }

  test('have threads run, wait, and wait for a CPU', async () => {
    expect(await statesOf('6.1.0')).toEqual([
      '0 1000 running in user mode',
      '1000 2000 blocked, interruptible',
      '2000 3000 running in user mode',
      '3000 4000 runnable, preempted',
    ]);
  });

  test('of one program leave unknown what else its CPUs did, and who ended its waits', async () => {
    const pipe = new PipeWriter(false);
    pipe.feature(4, '6.1.0');
    pipe.attribute(1, 0n, 11n, { isOfProgram: true });
    for (const [time, misc] of [
      [1000n, 0],
      [2000n, OUT],
      [4000n, 0],
      [7000n, OUT | READY],
      [9000n, 0],
      [9500n, OUT],
    ] as const)
      pipe.other(14, [], time, 0, 11n, misc);
    const path = join(folder, 'program.data');
    writeFileSync(path, pipe.bytes);
    const { cpus } = await inspectJson<{ cpus: readonly unknown[] }>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, idle: 0, user: 4500, unknown: 4000 }]);
    await expectSound(path);
    const { segments } = await inspectJson<{ segments: readonly { readonly text: string }[] }>(
      'critical-path',
      path,
      '--thread',
      '7',
    );
    expect(JSON.stringify(segments)).toContain('thread not recorded');
  });

  test('before Linux 4.17 do not say whether a thread waits, and tell nothing', async () => {
    expect(await statesOf('4.14.0')).toEqual([]);
  });

  test('name workers of the kernel without what they work on, which /proc adds', async () => {
    const pipe = new PipeWriter(false);
    pipe.feature(4, '6.1.0');
    pipe.attribute(1, 0n, 11n);
    const names = ['kworker/0:1-eve', 'kworker/u8:2+ex', 'kworker/1:0H-kb', 'kworker/R-rcu_g', 'a-b'];
    for (const [i, name] of names.entries()) {
      const text = new Uint32Array(new Uint8Array(Buffer.from(name.padEnd(16, '\0'))).buffer);
      pipe.other(3, [20 + i, 20 + i, ...text], 0n, 0, 11n);
    }
    pipe.switched(0, 7, 0, 1000n, 0, 11n);
    pipe.switched(OUT, 7, 0, 5000n, 0, 11n);
    const path = join(folder, 'workers.data');
    writeFileSync(path, pipe.bytes);
    const { threads } = await inspectJson<{ threads: readonly { name: string }[] }>('states', path);
    expect(threads.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['kworker/0:1', 'kworker/u8:2', 'kworker/1:0H', 'kworker/R-rcu_g', 'a-b']),
    );
  });
});

describe.each([false, true])('build ids of perf, big-endian: %s', (isBig) => {
  const folder = temporaryFolder();
  const idOf = (byte: number, size: number) => new Uint8Array(size).fill(byte);
  const text = (byte: number, size: number) => Buffer.from(idOf(byte, size)).toString('hex');
  const [USER, GUEST_USER, HAS_SIZE, HAS_ID] = [2, 5, 1 << 15, 1 << 14];

  /** Records BUILD_ID: modes, size as told, id, path. */
  function tellIds(writer: PipeWriter): void {
    for (const [misc, size, id, path] of [
      [USER | HAS_SIZE, 20, idOf(1, 20), '/lib/a.so'],
      [USER | HAS_SIZE, 255, idOf(2, 20), '/lib/long.so'],
      [USER, 0, idOf(3, 16), '/lib/old.so'],
      [USER | HAS_SIZE, 20, idOf(4, 20), '/lib/two.so'],
      [USER | HAS_SIZE, 20, idOf(5, 20), '/lib/two.so'],
      [GUEST_USER | HAS_SIZE, 20, idOf(6, 20), '/lib/guest.so'],
      [USER | HAS_SIZE, 20, idOf(7, 20), '/lib/own.so'],
    ] as const) {
      const field = new Uint8Array(24);
      field.set(id);
      field[20] = size;
      const name = writer.words(Buffer.from(`${path}\0`));
      writer.record(67, [0xffffffff, ...writer.words(field), ...name], misc);
    }
  }

  /** Libraries that are mapped one behind the other, the last one with its id, and a sample with an address in each. */
  function mapAll(pipe: PipeWriter): void {
    const paths = ['a', 'long', 'old', 'two', 'guest', 'none', 'own'].map((name) => `/lib/${name}.so`);
    const begin = (i: number) => BigInt(0x10000 * (i + 1));
    for (const [i, path] of paths.entries()) {
      const hasOwn = path.endsWith('own.so');
      const inode = new Uint8Array(24);
      if (hasOwn) inode.set([8, 0, 0, 0, ...idOf(8, 8)]);
      const words = [7, 7, begin(i), 0x1000n, 0n, ...pipe.words(inode), 5, 2];
      const name = pipe.words(Buffer.from(`${path}\0`));
      pipe.other(10, [...words, ...name], 100n + BigInt(i), 0, 11n, hasOwn ? USER | HAS_ID : USER);
    }
    const chain = [0xffff_ffff_ffff_fe00n, ...paths.map((_, i) => begin(i) + 0x10n)];
    pipe.record(9, [11n, 0x10010n, 7, 7, 200n, 0, 0, 1000n, BigInt(chain.length), ...chain]);
  }

  const expected = {
    '/lib/a.so': text(1, 20),
    '/lib/long.so': text(2, 20),
    // Zeros fill it where its size is not told.
    '/lib/old.so': text(3, 16),
    '/lib/two.so': null,
    '/lib/guest.so': null,
    '/lib/none.so': null,
    '/lib/own.so': text(8, 8),
  };
  const idsIn = async (...paths: readonly string[]) => {
    const { modules } = await inspectJson<SymbolsAnswer>('symbols', ...paths);
    return Object.fromEntries(modules.map(([, , , path, id]) => [path, id]));
  };

  test('stand in the header of a file, and in records of mappings', async () => {
    const [records, ids] = [new PipeWriter(isBig), new PipeWriter(isBig)];
    records.attribute(1, 0n, 11n, { hasChain: true });
    mapAll(records);
    tellIds(ids);
    const path = join(folder, 'perf.data');
    writeFileSync(path, records.file(2, ids.bytes.subarray(16)));
    expect(await idsIn(path)).toEqual(expected);
    // A record without a size ends the list, one that is longer than the list is as long as that.
    for (const size of [0, 7, 0xffff]) {
      const list = ids.bytes.slice(16);
      const second = new DataView(list.buffer).getUint16(6, !isBig);
      new DataView(list.buffer).setUint16(second + 6, size, !isBig);
      writeFileSync(path, records.file(2, list));
      expect(await idsIn(path)).toMatchObject({ '/lib/a.so': text(1, 20), '/lib/two.so': null });
    }
  });

  test('are records of a pipe', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.attribute(1, 0n, 11n, { hasChain: true });
    tellIds(pipe);
    mapAll(pipe);
    const path = join(folder, 'pipe.data');
    writeFileSync(path, pipe.bytes);
    expect(await idsIn(path)).toEqual(expected);
  });

  test('tell a file of another build', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.attribute(1, 0n, 11n, { hasChain: true });
    tellIds(pipe);
    mapAll(pipe);
    const form = { is64: true, isLittle: !isBig };
    const [path, other, own] = ['other.data', 'a.so', 'own.so'].map((name) => join(folder, name));
    writeFileSync(path, pipe.bytes);
    writeFileSync(other, writeElf(form, 0n, [buildIdSection(form, text(9, 20))]));
    writeFileSync(own, writeElf(form, 0n, [buildIdSection(form, text(8, 8))]));
    const { stdout, stderr } = await inspect('symbols', path, other, own);
    expect(stdout).toMatch(/found +0808080808080808 +\/lib\/own\.so/);
    expect(stdout).toMatch(/missing +0101010101010101\w+ +\/lib\/a\.so/);
    expect(stderr).toContain('[symbols-other-build]');
    expect(stderr).toContain(`build id ${text(1, 20)}`);
  });
});

describe('a switch that perf left out', () => {
  const folder = temporaryFolder();
  const common = ['unsigned short common_type', 0, 2, 0] as const;
  const formats = [
    formatText('sched_switch', 5, [
      common,
      ['pid_t prev_pid', 4, 4, 1],
      ['long prev_state', 8, 8, 1],
      ['pid_t next_pid', 16, 4, 1],
    ]),
    formatText('sched_waking', 6, [common, ['pid_t pid', 4, 4, 1], ['int target_cpu', 8, 4, 1]]),
  ];
  const path = join(folder, 'perf.data');

  /**
   * Thread 9 comes behind 8, leaves its CPU to the idle thread, and is woken there by thread 8, of which no switch tells.
   * @param tidOf number of a thread in samples
   */
  async function recorded(tidOf = (tid: number) => tid, isOfProgram = false) {
    const pipe = new PipeWriter(false);
    pipe.tracingData(traceDat(false, [], 0, undefined, { formats }));
    for (const id of [5n, 6n])
      pipe.attribute(2, id, 10n + id, { isRaw: true, period: 1n, isOfProgram: isOfProgram && id === 5n });
    const switched = (time: bigint, prev: number, state: bigint, next: number) =>
      pipe.sample(15n, tidOf(prev), time, 0, [5, prev, state, next, 0]);
    switched(1000n, 8, 1n, 9);
    switched(2000n, 9, 1n, 0);
    pipe.sample(16n, tidOf(8), 4000n, 0, [6, 9, 0, 0]);
    switched(4100n, 8, 1n, 9);
    switched(5000n, 9, 1n, 7);
    pipe.sample(16n, tidOf(7), 6000n, 0, [6, 8, 0, 0]);
    writeFileSync(path, pipe.bytes);
    return (await inspect('info', path)).stderr;
  }

  test('is said, and its CPU is unknown up to the event that shows it', async () => {
    expect(await recorded()).toContain(
      'found at least 1, the first on CPU 0 before 0.000004000 s of its clock',
    );
    const { cpus } = await inspectJson<{ cpus: readonly unknown[] }>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, idle: 0, unknown: 1999 }]);
    await expectSound(path);
  });

  test('makes no other thread the waker', async () => {
    await recorded();
    type Path = { segments: readonly { worker: string; from: number; label: string; cause: string }[] };
    const { segments } = await inspectJson<Path>('critical-path', path, '--thread', '9');
    expect(segments.map(({ worker, from, label, cause }) => [worker, from, label, cause])).toEqual([
      ['9', 0, 'running', ''],
      ['9', 1000, 'unknown', 'lost events'],
      ['8', 2999, 'running', ''],
      ['9', 3000, 'preempted', ''],
      ['9', 3100, 'running', ''],
      ['9', 4000, 'blocked', 'not ended in the trace'],
    ]);
  });

  test('is not looked for where samples number threads otherwise, or another thread was not to be recorded', async () => {
    expect(await recorded((tid) => (tid === 0 ? 0 : tid + 50))).not.toContain('switches-missing');
    expect(await recorded(undefined, true)).not.toContain('switches-missing');
    // A thread that has ended has no number.
    expect(await recorded((tid) => (tid === 8 ? 0xffffffff : tid))).not.toContain('switches-missing');
  });
});
