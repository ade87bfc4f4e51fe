/**
 * Recordings of one machine by two recorders whose clocks differ: they are one host where the switches that both saw tell
 * how the clocks relate, and two where they do not.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { sharedPath } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';
import { traceDat } from '../support/trace-dat-writer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LITTLE = true;
const USE_CLOCK = 1n << 25n;
const CLOCK_FEATURES = [23, 29];
const SAMPLE = 9;
/** IDENTIFIER, IP and TID before the time of a sample, no other ID; CPU and IDENTIFIER behind that of other records. */
const FIELDS = 0x1_02cfn;
const EXPECTED = 0x1_0087n;
const [TIME_AT, TIME_FROM_END] = [32, 24];
const OWN_RECORDS = 64;

/**
 * A perf.data file as it would be without `-k`: its times are those of perf's own clock, of which nothing is known.
 * @param file of the host's byte order, not packed, whose events all have these fields, in other records, too
 * @param toOwn value of perf's clock for one of the clock that was used, ns
 */
function withOwnClock(file: Uint8Array, toOwn: (time: bigint) => bigint): Uint8Array {
  const bytes = Uint8Array.from(file);
  const view = new DataView(bytes.buffer);
  const [attributeBytes, attributes, attributesSize, data, dataSize] = [16, 24, 32, 40, 48].map((at) =>
    Number(view.getBigUint64(at, LITTLE)),
  );
  for (let at = attributes; at < attributes + attributesSize; at += attributeBytes) {
    if ((view.getBigUint64(at + 24, LITTLE) & FIELDS) !== EXPECTED)
      throw new Error('samples have other fields');
    view.setBigUint64(at + 40, view.getBigUint64(at + 40, LITTLE) & ~USE_CLOCK, LITTLE);
  }
  const features = view.getBigUint64(72, LITTLE);
  let section = data + dataSize;
  for (let feature = 0; feature < 64; feature++) {
    if ((features & (1n << BigInt(feature))) === 0n) continue;
    if (CLOCK_FEATURES.includes(feature)) view.setBigUint64(section + 8, 0n, LITTLE);
    section += 16;
  }
  for (let at = data, size = 0; at < data + dataSize; at += size) {
    const type = view.getUint32(at, LITTLE);
    size = view.getUint16(at + 6, LITTLE);
    const time = at + (type === SAMPLE ? TIME_AT : size - TIME_FROM_END);
    const own = view.getBigUint64(time, LITTLE);
    // Records of what there was before have no time.
    if (type < OWN_RECORDS && own > 0n) view.setBigUint64(time, toOwn(own), LITTLE);
  }
  return bytes;
}

const shared = sharedPath('tracers');
const folder = temporaryFolder();

interface Joined {
  readonly recording: string;
  readonly by: string;
  readonly clocks: readonly [string, string];
  readonly offsetNs: string;
  readonly drift: number;
  readonly switches: number;
  readonly deviationNs: number;
  readonly leastNs: number;
  readonly greatestNs: number;
}

interface Sync {
  readonly hosts: readonly { readonly name: string }[];
  readonly joined: readonly Joined[];
}

/** perf.data of a twin by perf's own clock. */
function ownClock(twin: string, name: string, toOwn: (time: bigint) => bigint): string {
  const path = join(folder, name);
  writeFileSync(path, withOwnClock(readFileSync(join(shared, twin, 'perf.data')), toOwn));
  return path;
}

/** Common switches, and the median of the differences: the emulated CPU runs the tracepoint of perf behind that of LTTng. */
const TWINS: readonly [twin: string, switches: number, lateNs: bigint][] = [
  ['twin-disk', 372, 8423n],
  ['twin-rpc', 492, 7251n],
  ['twin-lockfight', 501, 9064n],
];
const TRIED = DEEP ? TWINS : TWINS.slice(0, 1);

describe.skipIf(!existsSync(shared))('perf without -k beside LTTng', () => {
  test.each(TRIED)('%s is one host by its switches, to the ns', async (twin, switches, lateNs) => {
    const kernel = join(shared, twin, 'kernel');
    const shift = 123_456_789_012n;
    const perf = ownClock(twin, `${twin}.data`, (time) => time + shift);
    const { hosts, joined } = await inspectJson<Sync>('sync', kernel, perf);
    expect(hosts).toHaveLength(1);
    expect(joined).toMatchObject([
      { recording: `${twin}.data`, by: 'kernel', clocks: ['perf_clock', 'monotonic'], drift: 0, switches },
    ]);
    expect(joined[0].offsetNs).toBe(String(-shift - lateNs));
    expect(joined[0].deviationNs).toBeLessThan(5000);
  });

  test('the user may leave them apart', async () => {
    const perf = ownClock('twin-disk', 'apart.data', (time) => time + 5_000_000n);
    const paths = [join(shared, 'twin-disk', 'kernel'), perf];
    const { stderr } = await inspect('info', ...paths);
    expect(stderr).toContain(
      'perf_clock 5008423 ns ahead of monotonic of kernel, by 372 common switches that differ by 3324 ns in the median. [clocks-by-switches]',
    );
    const { hosts, joined } = await inspectJson<Sync>('sync', ...paths, '--offset', 'apart.data=0');
    expect([hosts.map(({ name }) => name).sort(), joined]).toEqual([['apart.data', 'wake'], []]);
  });

  test('of another run it is another host', async () => {
    const perf = ownClock('twin-disk', 'other.data', (time) => time);
    const { stdout, stderr } = await inspect('sync', join(shared, 'twin-rpc', 'kernel'), perf);
    expect(stdout).toContain('not synchronised');
    expect(stderr).toContain('found other.data beside kernel. [clocks-apart]');
  });
});

describe.skipIf(!existsSync(shared))('statistics of LTTng and perf of one clock', () => {
  const kernel = join(shared, 'twin-disk', 'kernel');
  const both = [kernel, join(shared, 'twin-disk', 'perf.data')];

  test.each(DEEP ? ['io', 'irq', 'syscalls'] : ['syscalls'])(
    '%s counts no event twice, and says whose',
    async (name) => {
      const { counted, ...mixed } = await inspectJson<{ counted?: string[] }>('stats', name, ...both);
      expect(mixed).toEqual(await inspectJson('stats', name, kernel));
      expect(counted).toEqual([
        'The events of lttng-modules count; of perf those of kinds and times that lttng-modules did not record.',
      ]);
    },
  );

  test('counts have events of LTTng, and those of perf that it has no kind for', async () => {
    type Counts = { events: { name: string; count: number }[] };
    const { events } = await inspectJson<Counts>('stats', 'counts', ...both);
    const alone = await inspectJson<Counts>('stats', 'counts', kernel);
    const names = new Set(alone.events.map(({ name }) => name));
    expect(events.filter(({ name }) => names.has(name))).toEqual(alone.events);
    const others = events.filter(({ name, count }) => !names.has(name) && count > 0).map(({ name }) => name);
    expect(others.every((name) => /^perf_|^lock:/.test(name))).toBe(true);
    expect((await inspect('summary', ...both)).stdout).toContain('The events of lttng-modules count');
  });
});

describe.skipIf(!existsSync(shared))('threads of LTTng and perf of one clock', () => {
  test.each(TRIED)('%s have the names that LTTng has for them', async (twin) => {
    type States = { threads: readonly { worker: string; name: string }[] };
    const [kernel, perf] = ['kernel', 'perf.data'].map((name) => join(shared, twin, name));
    const [alone, both] = [[kernel], [kernel, perf]].map((paths) => inspectJson<States>('states', ...paths));
    const names = new Map((await both).threads.map(({ worker, name }) => [worker, name]));
    const { threads } = await alone;
    expect(threads.map(({ worker }) => names.get(worker))).toEqual(threads.map(({ name }) => name));
  });
});

/** A trace.dat by a clock, with switches of threads some ms apart that begin at a time (ns). */
function ftrace(name: string, clock: string, begin: number, gaps: readonly number[]): string {
  const format =
    'name: sched_switch\nID: 5\nformat:\n\tfield:int common_type;\toffset:0;\tsize:4;\tsigned:0;\n' +
    '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n' +
    '\tfield:int prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:int next_pid;\toffset:12;\tsize:4;\tsigned:1;\n';
  const records = gaps.map((gap, i) => {
    const thread = 7 + ((i * i) % 97);
    const [prev, next] = i % 2 === 0 ? [0, thread] : [7 + (((i - 1) * (i - 1)) % 97), 0];
    return [((gap + (i === 0 ? begin : 0)) << 5) | 4, 5, prev, prev, next];
  });
  const path = join(folder, name);
  const options = [
    [4, `[${clock}] global counter\0`],
    [5, 'Linux wake 6.1.0 x86_64\0'],
  ] as const;
  writeFileSync(path, traceDat(false, records, 0, undefined, { formats: [format], options }));
  return path;
}

describe('two recordings of trace-cmd by two clocks', () => {
  const gaps = Array.from({ length: 180 }, (_, i) => 1_000_000 + ((i * 7919) % 500_000));

  test('are one host by their switches', async () => {
    const paths = [ftrace('mono.dat', 'mono', 0, gaps), ftrace('local.dat', 'local', 70_000_000, gaps)];
    const { joined } = await inspectJson<Sync>('sync', ...paths);
    expect(joined).toMatchObject([
      {
        ...{ recording: 'local.dat', by: 'mono.dat', clocks: ['ftrace_local', 'monotonic'] },
        ...{ offsetNs: '-70000000', drift: 0, switches: 180, deviationNs: 0, leastNs: 0, greatestNs: 0 },
      },
    ]);
    const { stdout } = await inspect('states', '--check', ...paths);
    expect(stdout).toBe('0 violations\n');
  });

  test('are not all compared where there are many', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => {
      const others = gaps.map((_, at) => gaps[(at * (2 * i + 7)) % gaps.length]);
      return ftrace(`many-${i}.dat`, `clock${i}`, 0, others);
    });
    const { hosts, joined } = await inspectJson<Sync>('sync', ...paths);
    expect([hosts.length, joined]).toEqual([12, []]);
    expect((await inspect('info', ...paths)).stderr).toContain('and others, of which not all were compared');
  });

  test('are two where their switches come at other times', async () => {
    const others = gaps.map((_, i) => gaps[(i * 31) % gaps.length]);
    const paths = [ftrace('mono.dat', 'mono', 0, gaps), ftrace('other.dat', 'local', 70_000_000, others)];
    const { hosts, joined } = await inspectJson<Sync>('sync', ...paths);
    expect([hosts.length, joined]).toEqual([2, []]);
  });
});
