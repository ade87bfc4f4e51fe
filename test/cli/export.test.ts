/** `inspect export`: another program reads in its files what `inspect` prints. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCli, type BuiltCli } from '../support/build-cli.ts';
import { queried } from '../support/duckdb.ts';
import { projectDir } from '../support/shared.ts';

const trace = join(projectDir(), 'public/examples/imbalance-4t');
const hosts = join(projectDir(), 'public/examples/two-hosts-http');
const folder = mkdtempSync(join(tmpdir(), 'export-'));
let built: BuiltCli;
beforeAll(async () => {
  built = await buildCli();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns path of the file */
async function exported(name: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, name);
  const { code, stderr } = await built.inspect('export', ...args, '--output', path);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return path;
}

async function answered<Answer>(...args: readonly string[]): Promise<Answer> {
  const { code, stdout } = await built.inspect(...args, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Answer;
}

describe('inspect export', () => {
  it('writes all events, as many of each name as are counted', async () => {
    const path = await exported('events.parquet', trace);
    const { events } = await answered<{ events: { name: string; count: number; firstNs: number }[] }>(
      ...['stats', 'counts', trace],
    );
    const rows = await queried(`
      select name, count(*) as count, min(since_begin_ns) as first from '${path}' group by name`);
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(rows.map(({ name, count, first }) => ({ name: String(name), count, first })).sort(byName)).toEqual(
      events
        .map(({ name, count, firstNs }) => ({ name, count: BigInt(count), first: BigInt(firstNs) }))
        .sort(byName),
    );
  });

  it('writes the events that a filter accepts, with times since 1970 and fields as JSON', async () => {
    const args = ['--filter', 'name=sched_switch and prev_state != 0'];
    const path = await exported('switches.parquet', trace, ...args);
    const { originNs, total, events } = await answered<{
      originNs: string;
      total: number;
      events: { time: number; cpu: number; tid: number }[];
    }>('events', trace, ...args);
    const rows = await queried(`
      select time_ns, cpu, tid, payload->>'prev_tid' as prev from '${path}'`);
    expect(total).toBeGreaterThan(100);
    expect(rows.map(({ time_ns, cpu, tid }) => [time_ns, cpu, tid])).toEqual(
      events.map(({ time, cpu, tid }) => [BigInt(originNs) + BigInt(time), BigInt(cpu), BigInt(tid)]),
    );
    // In the thread that leaves.
    expect(rows.every(({ tid, prev }) => String(tid) === prev)).toBe(true);
  });

  it('writes states and statistics as they are printed, within a range and on a host', async () => {
    const args = [hosts, '--range', '1000000..400000000', '--host', 'client'];
    const states = await exported('states.parquet', ...args, '--what', 'states');
    const { threads } = await answered<{ threads: { worker: string; intervals: number[][] }[] }>(
      'states',
      ...args,
    );
    const rows = await queried(`
      select worker, count(*) as n, sum(duration_ns)::bigint as ns from '${states}' group by worker order by worker`);
    expect(rows).toEqual(
      threads
        .filter(({ intervals }) => intervals.length > 0)
        .map(({ worker, intervals }) => ({
          worker: worker.slice(worker.indexOf(':') + 1),
          n: BigInt(intervals.length),
          ns: BigInt(intervals.reduce((sum, [, from, to]) => sum + to - from, 0)),
        }))
        .sort((a, b) => (a.worker < b.worker ? -1 : 1)),
    );
    const cpu = await exported('cpu.csv', ...args, '--what', 'cpu.cpus', '--format', 'csv');
    const { cpus } = await answered<{ cpus: { cpu: number; user: number }[] }>('stats', 'cpu', ...args);
    expect(await queried(`select cpu, "user" from '${cpu}'`)).toEqual(
      cpus.map(({ cpu, user }) => ({ cpu: BigInt(cpu), user: BigInt(user) })),
    );
  });

  it('writes an active path whose segments are those of `critical-path`', async () => {
    const args = [trace, '--thread', '215'];
    const path = await exported('path.json', ...args, '--what', 'path', '--format', 'json');
    const { segments } = await answered<{ segments: { from: number; to: number; label: string }[] }>(
      'critical-path',
      ...args,
    );
    const rows = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>[];
    expect(rows.length).toBeGreaterThan(1);
    expect(
      rows.map(({ since_begin_ns, duration_ns, label }) => [since_begin_ns, duration_ns, label]),
    ).toEqual(segments.map(({ from, to, label }) => [from, to - from, label]));
  });

  it.each([
    [['--what', 'nothing'], /--what: one of events, /],
    [['--what', 'cpu.nothing'], /--what: one of events, /],
    [['--format', 'xml'], /--format: one of csv, json, parquet/],
    [['--what', 'path'], /--thread TID is expected/],
  ])('refuses %j', async (args, words) => {
    const path = join(folder, 'refused');
    const { code, stderr } = await built.inspect('export', trace, ...args, '--output', path);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });
});
