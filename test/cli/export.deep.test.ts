/** `inspect export`: another program reads in its files what `inspect` prints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { gunzipSync } from 'node:zlib';
import { compare } from '../../src/engine/base/compare.ts';
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import { builtCli, type BuiltCli } from '../support/built-cli.ts';
import { queried } from '../duckdb/query.ts';
import { type PerfettoPacket, readPerfetto, readPprof } from '../support/published-schemas.ts';
import { projectDir } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const trace = join(projectDir(), 'public/examples/imbalance-4t');
const hosts = join(projectDir(), 'public/examples/two-hosts-http');
const locks = join(projectDir(), 'public/examples/executions-lock');
const folder = temporaryFolder();
let built: BuiltCli;
beforeAll(async () => {
  built = await builtCli();
});

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

interface Slice {
  readonly iid: string;
  readonly from: number;
  readonly to: number;
}

/** By track; each begin is followed by its end. */
function slicesOf(packets: readonly PerfettoPacket[]): Map<string, Slice[]> {
  const slices = new Map<string, Slice[]>();
  const open = new Map<string, { iid: string; from: number }>();
  for (const { timestamp, track_event: event } of packets) {
    if (event === undefined) continue;
    const { track_uuid: track, type, name_iid: iid = '' } = event;
    const begun = open.get(track);
    expect(type).toBe(begun === undefined ? 1 : 2);
    if (begun === undefined) open.set(track, { iid, from: Number(timestamp) });
    else {
      open.delete(track);
      slices.set(track, [...(slices.get(track) ?? []), { ...begun, to: Number(timestamp) }]);
    }
  }
  expect(open.size).toBe(0);
  return slices;
}

describe('inspect export', () => {
  it('writes all events, as many of each name as are counted', async () => {
    const path = await exported('events.parquet', trace);
    const { events } = await answered<{ events: { name: string; count: number; firstNs: number }[] }>(
      ...['stats', 'counts', trace],
    );
    const rows = await queried(`
      select name, count(*) as count, min(since_begin_ns) as first from '${path}' group by name`);
    const byName = (a: { name: string }, b: { name: string }) => compare(a.name, b.name);
    expect(rows.map(({ name, count, first }) => ({ name: String(name), count, first })).sort(byName)).toEqual(
      events
        .map(({ name, count, firstNs }) => ({ name, count: BigInt(count), first: BigInt(firstNs) }))
        .sort(byName),
    );
  });

  it('writes a finding, which is read as the part of the trace that it is', async () => {
    const range = ['--range', '262000000..267000000'];
    const path = await exported('part.zip', trace, '--format', 'finding', ...range);
    const counts = (of: string) => answered<{ events: object[] }>('stats', 'counts', of, ...range);
    const { events } = await counts(trace);
    expect(events.length).toBeGreaterThan(5);
    expect((await counts(path)).events).toEqual(events);
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
        .sort((a, b) => compare(a.worker, b.worker)),
    );
    const cpu = await exported('cpu.csv', ...args, '--what', 'cpu.cpus', '--format', 'csv');
    const { cpus } = await answered<{ cpus: { cpu: number; user: number }[] }>('stats', 'cpu', ...args);
    expect(await queried(`select cpu, "user" from '${cpu}'`)).toEqual(
      cpus.map(({ cpu, user }) => ({ cpu: BigInt(cpu), user: BigInt(user) })),
    );
  });

  it('writes executions with their metrics, of a trace and of a file of executions', async () => {
    const task = [locks, '--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'];
    const kept = join(folder, 'requests');
    const { executions, metrics } = await answered<{
      executions: { worker: string; begin: number; end: number; metrics: (number | null)[] }[];
      metrics: string[];
    }>('executions', ...task, '--database', kept);
    const expected = executions.map(({ worker, begin, end, metrics: [first] }) => ({
      worker: BigInt(worker),
      begin: BigInt(begin),
      end: BigInt(end),
      first,
    }));
    expect(expected).toHaveLength(300);
    for (const [name, ...from] of [
      ['of-trace.parquet', ...task],
      ['of-file.parquet', kept],
    ]) {
      const path = await exported(name, ...from, '--what', 'executions');
      const rows = await queried(
        `select worker::bigint as worker, "begin", "end", "metrics.${metrics[0]}"::double as first from '${path}'`,
      );
      expect(rows).toEqual(expected);
    }
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

  it('writes a trace for Perfetto: states of threads, and a path, by its published schema', async () => {
    const path = await exported('trace.perfetto', trace, '--format', 'perfetto', '--thread', '215');
    const packets = readPerfetto(readFileSync(path));
    const { originNs, threads } = await answered<{
      originNs: string;
      threads: { worker: string; name: string; pid: number; intervals: number[][] }[];
    }>('states', trace);
    const { segments } = await answered<{ segments: unknown[] }>('critical-path', trace, '--thread', '215');
    expect(packets[0].clock_snapshot?.clocks).toEqual([
      { clock_id: 6, timestamp: '0' },
      { clock_id: 1, timestamp: originNs },
    ]);
    const names = new Map(packets[1].interned_data?.event_names.map(({ iid, name }) => [iid, name]));
    const tracks = new Map(
      packets.flatMap(({ track_descriptor: track }) => (track ? [[track.uuid, track]] : [])),
    );
    const slices = slicesOf(packets);
    for (const { worker, name, pid, intervals } of threads.filter(({ pid }) => pid > 0)) {
      const shown = intervals.filter(([state]) => state !== 0 && state !== 13);
      const track = [...tracks.values()].find(({ thread }) => String(thread?.tid) === worker);
      if (shown.length === 0) continue;
      expect(track?.thread, worker).toEqual({ pid, tid: Number(worker), thread_name: name });
      expect(tracks.get(track?.parent_uuid ?? '')?.process?.pid).toBe(pid);
      expect(slices.get(track?.uuid ?? '')?.map(({ iid, from, to }) => [names.get(iid), from, to])).toEqual(
        shown.map(([state, from, to]) => [THREAD_STATES[state], from, to]),
      );
    }
    const ofPath = [...tracks.values()].find(({ name }) => name.startsWith('Active path of '));
    expect(slices.get(ofPath?.uuid ?? '')?.length).toBe(segments.length);
  });

  it('writes several hosts for Perfetto as named tracks, and spans below their threads', async () => {
    const path = await exported('hosts.perfetto', hosts, '--format', 'perfetto');
    const tracks = readPerfetto(readFileSync(path)).flatMap(({ track_descriptor }) => track_descriptor ?? []);
    expect(tracks.some(({ process, thread }) => process !== undefined || thread !== undefined)).toBe(false);
    const roots = tracks.filter(({ parent_uuid }) => parent_uuid === undefined).map(({ name }) => name);
    expect(roots).toEqual(['client', 'server']);
    const requests = await exported('spans.perfetto', locks, '--format', 'perfetto');
    const { spans } = await answered<{ spans: { from: number; to: number; tid: number }[] }>(
      'overlays',
      locks,
    );
    const packets = readPerfetto(readFileSync(requests));
    const named = new Map(
      packets.flatMap(({ track_descriptor: track }) => (track ? [[track.uuid, track]] : [])),
    );
    const found = [...slicesOf(packets)].flatMap(([uuid, slices]) => {
      const parent = named.get(named.get(uuid)?.parent_uuid ?? '');
      if (named.get(uuid)?.thread !== undefined || parent?.thread === undefined) return [];
      return slices.map(({ from, to }) => ({ from, to, tid: parent.thread?.tid ?? 0 }));
    });
    expect(spans.length).toBeGreaterThan(10);
    const inOrder = (a: { from: number; tid: number }, b: { from: number; tid: number }) =>
      a.from - b.from || a.tid - b.tid;
    expect(found.sort(inOrder)).toEqual(spans.map(({ from, to, tid }) => ({ from, to, tid })).sort(inOrder));
  });

  it('writes a profile for pprof and as folded stacks, whose times are those of `profile`', async () => {
    const args = [trace, '--thread', '215', '--path'];
    const { stacks, time, from, originNs } = await answered<{
      stacks: [string, number][];
      time: number;
      from: number;
      originNs: string;
    }>('profile', ...args);
    const folded = readFileSync(await exported('stacks.folded', ...args, '--format', 'folded'), 'utf8');
    expect(folded).toBe(stacks.map(([text, ns]) => `${text} ${ns}\n`).join(''));
    const path = await exported('profile.pb.gz', ...args, '--format', 'pprof');
    const profile = readPprof(gunzipSync(readFileSync(path)));
    const textOf = (index: string) => profile.string_table[Number(index)];
    expect(profile.sample_type.map(({ type, unit }) => [textOf(type), textOf(unit)])).toEqual([
      ['samples', 'count'],
      ['time', 'nanoseconds'],
    ]);
    expect(profile.time_nanos).toBe(String(BigInt(originNs) + BigInt(from)));
    expect(profile.sample.reduce((sum, { value }) => sum + Number(value[1]), 0)).toBe(time);
    const nameOf = new Map(profile.function.map(({ id, name }) => [id, textOf(name)]));
    const functionOf = new Map(profile.location.map(({ id, line }) => [id, nameOf.get(line[0].function_id)]));
    const read = profile.sample.map(({ location_id, value }) => {
      return `${location_id
        .map((id) => functionOf.get(id))
        .reverse()
        .join(';')} ${value[1]}\n`;
    });
    expect(read.sort().join('')).toBe(
      folded
        .split(/(?<=\n)/)
        .sort()
        .join(''),
    );
  });

  it.each([
    [['--what', 'nothing'], /--what: one of events, /],
    [['--what', 'cpu.nothing'], /--what: one of events, /],
    [['--format', 'xml'], /--format: one of csv, json, parquet, perfetto, pprof, finding, folded/],
    [['--what', 'path'], /--thread TID is expected/],
  ])('refuses %j', async (args, words) => {
    const path = join(folder, 'refused');
    const { code, stderr } = await built.inspect('export', trace, ...args, '--output', path);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });

  it('says why a file cannot be written', async () => {
    const path = join(folder, 'no folder', 'states.csv');
    const args = ['--what', 'states', '--format', 'csv', '--output', path];
    const { code, stderr } = await built.inspect('export', trace, ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/The output cannot be written: found ENOENT.*\[output-unwritable\]/);
  });
});
