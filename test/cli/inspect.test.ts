/** The command line as it is built: exit codes, output, and that neither workers, chunks nor decoder change anything. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesOfFolder } from '../support/memory-files.ts';
import { packTarGz, packZip } from '../support/pack-archive.ts';
import { builtCli, type BuiltCli } from '../support/built-cli.ts';
import { projectDir } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface SyncAnswer {
  readonly reference: string;
  readonly pairs: readonly { readonly offsetNs: number }[];
  readonly hosts: readonly { readonly name: string; readonly source: string }[];
}

const examples = join(projectDir(), 'public/examples');
const trace = join(examples, 'imbalance-4t');
const locks = join(examples, 'lockfight-mutex');
const requests = join(examples, 'executions-lock');
const folder = temporaryFolder();
/** Of the programs that are started. */
const temp = join(folder, 'temp');
let built: BuiltCli;
beforeAll(async () => {
  mkdirSync(temp);
  built = await builtCli(temp);
});

/** The built program's commands, in this process. */
const inspect = (...args: readonly string[]) => built.inspect(...args);

/** What one prints with `--json`. */
async function parsed<Answer>(...args: readonly string[]): Promise<Answer> {
  return JSON.parse((await inspect(...args, '--json')).stdout) as Answer;
}

const RUNS = [
  ['--workers', '0'],
  ['--workers', '0', '--decoder', 'ts'],
  ['--workers', '0', '--chunk-bytes', '1'],
  ['--workers', '1', '--chunk-bytes', '300000', '--decoder', 'wasm'],
  ['--workers', '3', '--chunk-bytes', '1'],
] as const;

/** What the fast tier tries in every way; of the other commands it tries one. */
const TRIED = /^stats counts /;

describe('inspect', () => {
  it.each([
    ['info', trace],
    ['stats', 'counts', trace],
    ['stats', 'cpu', trace],
    ['stats', 'io', trace],
    ['stats', 'sched', trace],
    ['stats', 'irq', trace],
    ['stats', 'syscalls', trace],
    ['stats', 'irq', trace, '--range', '+0.3s..+0.9s'],
    ['stats', 'syscalls', trace, '--range', '+0.3s..+0.9s'],
    ['states', trace],
    ['stats', 'futex', trace],
    ['locks', locks],
    ['critical-path', locks, '--thread', '235', '--criterion', 'lock-holder'],
    ['executions', requests, ...'--begin wk_req:begin --end wk_req:end --key id --slow p90'.split(' ')],
    ['profile', requests, '--thread', '256'],
    ['profile', requests, '--thread', '256', '--path'],
    ['events', trace, '--filter', 'thread=wk-* and prev_state != 0 or "fsync"'],
    ['summary', requests],
  ])('%s %s gives the same whatever the workers, chunks and decoder', async (...command) => {
    const runs = DEEP || TRIED.test(command.join(' ')) ? RUNS : RUNS.slice(0, 1);
    const [first, ...others] = await Promise.all(runs.map((run) => inspect(...command, '--json', ...run)));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(Object.keys(JSON.parse(first.stdout) as object).length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
  });

  it('info tells hosts and clocks', async () => {
    const info = await parsed<{
      hosts: { name: string; hostname: string }[];
      traces: { firstNs: number }[];
    }>('info', join(examples, 'two-hosts-http'));
    expect(info.hosts.map(({ name, hostname }) => [name, hostname])).toEqual([
      ['client', 'wake'],
      ['server', 'wake'],
    ]);
    expect(Math.min(...info.traces.map(({ firstNs }) => firstNs))).toBe(0);
  });

  it('info tells the whole offset of a clock, whatever its frequency', async () => {
    const metadata = `/* CTF 1.8 */
      trace { major = 1; minor = 8; byte_order = le; };
      clock { name = c; freq = 3000; offset_s = -5; offset = 10; };
      stream { event.header := struct { integer { size = 8; map = clock.c.value; } t; }; };
      event { name = e; };`;
    const path = join(folder, 'slow-clock');
    mkdirSync(path);
    writeFileSync(join(path, 'metadata'), metadata);
    writeFileSync(join(path, 'stream'), Uint8Array.of(7));
    const offsetNs = '-4996666667';
    const clock = { frequency: '3000', offsetNs, usedOffsetNs: offsetNs };
    expect(await parsed('info', path)).toMatchObject({ traces: [{ clock, events: 1 }] });
  });

  it('stats of one host are its own', async () => {
    const hosts = join(examples, 'two-hosts-http');
    const counted = async (...more: string[]): Promise<number> => {
      const { events } = await parsed<{ events: { count: number }[] }>('stats', 'counts', hosts, ...more);
      return events.reduce((sum, { count }) => sum + count, 0);
    };
    const [all, client, server] = [
      await counted(),
      await counted('--host', 'client'),
      await counted('--host', 'server'),
    ];
    expect(Math.min(client, server)).toBeGreaterThan(0);
    expect(client + server).toBe(all);
  });

  it('sync tells how clocks of hosts relate, and what an offset given changes', async () => {
    const hosts = join(examples, 'two-hosts-http');
    const { code, stdout, stderr } = await inspect('sync', '--json', hosts);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as SyncAnswer;
    expect(answer.reference).toBe('client');
    expect(answer.pairs).toMatchObject([
      { from: 'client', to: 'server', state: 'accurate', oneWay: 0, inversionsAfter: 0 },
    ]);
    expect(answer.hosts.map(({ name, source }) => [name, source])).toEqual([
      ['client', 'reference'],
      ['server', 'packets'],
    ]);
    const other = await parsed<SyncAnswer>('sync', '--offset', 'server=-5000000000', hosts);
    expect(other.hosts[1]).toMatchObject({ source: 'offset', slope: 1, offsetNs: -5_000_000_000 });
    expect(other.pairs[0].offsetNs).toBe(answer.pairs[0].offsetNs);
    expect((await inspect('sync', '--offset', 'nobody=1', hosts)).code).toBe(2);
  });

  it('sync says what is missing', async () => {
    const alone = await inspect('sync', join(examples, 'two-hosts-http', 'client'));
    expect(alone.code).toBe(0);
    expect(alone.stderr).toContain('[sync-peer-missing]');
    expect(alone.stderr).toContain('lttng enable-event --kernel net_dev_queue,net_if_receive_skb');
    const silent = await inspect('sync', '--strict', join(examples, 'two-hosts-http'), trace);
    expect(silent.code).toBe(1);
    expect(silent.stderr).toContain('[sync-no-packets]');
  });

  describe('of a statistic prints', () => {
    const disk = join(examples, 'disk-io');
    const ask = (kind: string, ...options: readonly string[]) =>
      parsed<Record<string, { name: string; ns: number; worker: string }[]>>('stats', kind, disk, ...options);

    it('single durations within bounds, the longest first', async () => {
      const { count, each } = await ask('io', '--each', '--tid', '222', '--min', '20000000', '--limit', '2');
      expect([count, each]).toEqual([
        3,
        [
          expect.objectContaining({ worker: '222', ns: 111185344, what: 'write', file: '/data/write.dat' }),
          expect.objectContaining({ worker: '222', ns: 35179541, what: 'write' }),
        ],
      ]);
      const calls = await ask('syscalls', '--each', '--name', 'wk-*', '--max', '1000000');
      expect(calls.each.length).toBeGreaterThan(0);
      expect(calls.each.every(({ name, ns }) => name.startsWith('wk-') && ns <= 1_000_000)).toBe(true);
      const { requests } = await ask('io', '--each', '--name', 'wk-writer', '--min', '5000000');
      expect(requests).toMatchObject({ count: 1, each: [{ name: 'wk-writer', ns: 6661041 }] });
      expect((await inspect('stats', 'counts', '--each', disk)).code).toBe(2);
    });

    it('chosen threads, CPUs and names, and so many rows', async () => {
      const cpu = await ask('cpu', '--cpu', '1', '--name', 'wk-*', '--limit', '1');
      expect([cpu.cpus.length, cpu.threads.map(({ name }) => name)]).toEqual([1, ['wk-writer']]);
      const { threads, files } = await ask('io', '--name', 'wk-writer', '--min', '5000000');
      expect(threads.map(({ name }) => name)).toEqual(['wk-writer']);
      expect(files.length).toBeGreaterThan(0);
      expect((await ask('io', '--name', 'wk-*')).files).toEqual([]);
      expect((await ask('counts', '--name', 'block_*')).events.map(({ name }) => name)).toEqual([
        'block_rq_complete',
        'block_rq_issue',
      ]);
      expect((await ask('irq', '--cpu', '0', '--limit', '1')).cpus.length).toBe(1);
      expect((await ask('sched', '--tid', '222')).threads.map(({ worker }) => worker)).toEqual(['222']);
    });
  });

  it('calls no events missing that were to be recorded and did not happen', async () => {
    expect(await parsed('stats', 'irq', requests)).toMatchObject({ missing: [] });
  });

  it('reads from the store what it stored', async () => {
    const store = join(folder, 'store');
    const fresh = await inspect('states', '--json', trace, '--store', store);
    const stored = readdirSync(store);
    expect(await inspect('states', '--json', trace, '--store', store)).toEqual(fresh);
    expect(readdirSync(store)).toEqual(stored);
  });

  it.each([true, false])('reads again what is damaged in the store (gone: %s)', async (isGone) => {
    const store = join(folder, `store-damaged-${isGone}`);
    const ask = () => inspect('stats', 'counts', '--json', trace, '--store', store);
    const fresh = await ask();
    const record = join(store, readdirSync(store)[0], 'r-leaves%2Fcounts%2F0');
    const whole = readFileSync(record);
    const damaged = whole.map((byte, i) => (i === whole.length >> 1 ? byte ^ 1 : byte));
    if (isGone) rmSync(record);
    else writeFileSync(record, damaged);
    expect(await ask()).toEqual(fresh);
    const renewed = statSync(record, { bigint: true }).mtimeNs;
    expect(readFileSync(record)).not.toEqual(damaged);
    // It is whole: nothing is written once more. Its bytes may be others, since chunks stand in order of arrival.
    expect(await ask()).toEqual(fresh);
    expect(statSync(record, { bigint: true }).mtimeNs).toBe(renewed);
  });

  it('tells what was wrong on opening once, and the same when it is read from the store', async () => {
    const twice = join(folder, 'twice');
    for (const copy of ['a', 'b']) cpSync(trace, join(twice, copy), { recursive: true });
    const run = () => inspect('states', '--json', twice, '--store', join(folder, 'store-of-twice'));
    const fresh = await run();
    expect(fresh.stderr.split('duplicate-trace')).toHaveLength(2);
    expect(await run()).toEqual(fresh);
  });

  it('tells when it cannot store', async () => {
    const { code, stdout, stderr } = await inspect('states', '--json', trace, '--store', '/dev/null/nowhere');
    expect({ code, stdout }).toEqual({ code: 2, stdout: (await inspect('states', '--json', trace)).stdout });
    expect(stderr.split('store-unavailable')).toHaveLength(2);
  });

  it('refuses a host that is none before it reads the trace', async () => {
    const store = join(folder, 'store-of-nobody');
    expect((await inspect('states', trace, '--host', 'nobody', '--store', store)).code).toBe(2);
    expect(existsSync(store)).toBe(false);
  });

  it('exits 2 with what it saw where there is no trace', async () => {
    const file = join(folder, 'trace.json');
    writeFileSync(file, '{"traceEvents": []}');
    const { code, stdout, stderr } = await inspect('info', file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('JSON');
    expect(stderr).toContain('not-a-trace');
    expect((await inspect('info', join(folder, 'nowhere'))).stderr).toContain('file-unreadable');
  });

  it('delivers what is there of a trace that was cut, and exits 2', async () => {
    const cut = join(folder, 'cut');
    cpSync(trace, cut, { recursive: true });
    rmSync(join(cut, 'kernel/index'), { recursive: true });
    truncateSync(join(cut, 'kernel/kernel_0'), 50_000);
    const { code, stdout, stderr } = await inspect('info', '--json', cut);
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as { traces: { events: number }[] }).traces[0].events).toBeGreaterThan(0);
    expect(stderr).toContain('kernel_0');
    expect(stderr).toContain('truncated');
  });

  it('reads archives as it reads the folder, and leaves nothing behind', async () => {
    const files = filesOfFolder(trace);
    const archives = {
      'a.zip': packZip(files),
      'b.zip': packZip(files, 0),
      'c.tar.gz': await packTarGz(files),
    };
    const { stdout: expected } = await inspect('canonical', '--sha256', trace);
    for (const [name, bytes] of Object.entries(archives)) {
      writeFileSync(join(folder, name), bytes);
      // The program itself: it removes what it unpacked when it ends.
      const outcome = await built.start('canonical', '--sha256', join(folder, name));
      expect(outcome).toEqual({ code: 0, stdout: expected, stderr: '' });
      expect((await built.start('stats', 'cpu', '--workers', '2', join(folder, name))).code).toBe(0);
    }
    expect(readdirSync(temp)).toEqual([]);
  });

  it('explains itself', async () => {
    expect((await built.start('help')).stdout).toContain('Usage: inspect COMMAND');
    expect(await built.start('dance')).toMatchObject({ code: 2, stdout: '' });
    expect((await inspect('states', trace, '--host', 'nobody')).stderr).toContain('imbalance-4t');
    // The message is on the screen with the usage of its command, not above that of all.
    for (const args of [
      ['profile', trace],
      ['profile', trace, '--nope'],
      ['profile', trace, '--thread', '0/cpu0'],
    ]) {
      const { code, stderr } = await inspect(...args);
      expect([code, stderr.trim().split('\n').slice(1)]).toEqual([
        2,
        ['', expect.stringMatching(/^Usage: inspect profile PATH/), 'All options: inspect --help'],
      ]);
    }
    for (const options of [[], ['--off-cpu'], ['--path'], ['--of', 'process']])
      expect(await inspect('profile', trace, '--thread', '0/cpu0', ...options)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('an idle thread has no profile') as string,
      });
    expect(await inspect('critical-path', trace, '--thread', '0/cpu0')).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});
