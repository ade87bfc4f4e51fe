import { describe, expect, it } from 'vitest';
import { lttngModel, integer, struct } from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace, type PacketToWrite } from '../../../test/support/ctf-writer/trace-writer.ts';
import { fail } from '../base/fault.ts';
import { offsetNsOf } from '../ctf/decode/run/clock-map.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { planChunks } from './chunk-plan.ts';
import { openExperiment } from './open-experiment.ts';
import type { Experiment } from './types.ts';

interface Recording {
  readonly uuid: string;
  readonly clock: string;
  readonly offset?: bigint;
  readonly domain?: string;
  readonly hostname?: string;
  readonly traceName?: string;
  /** Names of event classes; the first one is written. */
  readonly events?: readonly string[];
}

interface Recorded {
  readonly cpu: number;
  readonly begins: readonly number[];
  readonly empty?: readonly number[];
}

const uuidOf = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

/** A trace of one stream file per CPU; each packet begins at a time and has one event, those of `empty` none. */
function record(
  {
    uuid,
    clock,
    offset = 0n,
    domain = 'kernel',
    hostname = 'wake',
    traceName = '',
    events = ['tick'],
  }: Recording,
  streams: Readonly<Record<string, Recorded>>,
): Map<string, Uint8Array> {
  const model = lttngModel({
    uuid: uuidOf(uuid),
    clock: {
      name: 'monotonic',
      uuid: uuidOf(clock),
      frequency: 1_000_000_000n,
      offsetSeconds: 0n,
      offsetCycles: offset,
      absolute: true,
    },
    environment: { hostname, domain, trace_name: traceName },
    header: 'compact',
    events: Object.fromEntries(events.map((name) => [name, struct({ value: integer(32) })])),
  });
  const written = Object.entries(streams).map(([file, { cpu, begins, empty = [] }]) => ({
    file,
    streamClass: 0,
    packets: begins.map((begin): PacketToWrite => {
      const time = BigInt(begin);
      return {
        begin: time,
        end: time + 9n,
        cpu,
        streamId: BigInt(cpu),
        sequence: time / 100n,
        discarded: 0n,
        events: empty.includes(begin) ? [] : [{ eventClass: 0, time: time + 1n, payload: { value: 7n } }],
      };
    }),
  }));
  return writeTrace(model, written, { index: true });
}

function refs(folders: Readonly<Record<string, ReadonlyMap<string, Uint8Array>>>): SourceRef[] {
  return Object.entries(folders).flatMap(([folder, files]) =>
    [...files].map(([name, bytes]): SourceRef => {
      return { kind: 'memory', path: `${folder}/${name}`, size: bytes.length, bytes };
    }),
  );
}

const CPUS = { channel_0: { cpu: 0, begins: [100, 200] }, channel_1: { cpu: 1, begins: [150, 160] } };

function summary({ name, hosts, traces, faults }: Experiment) {
  return {
    name,
    hosts: hosts.map((host) => [host.name, host.traces, host.baseNs, host.offsetNs]),
    traces: traces.map(({ path, domain, model, streams }) => [
      path,
      domain,
      offsetNsOf(model.clocks[0]),
      streams.map(
        ({ rank, cpu, files }) => `${rank} cpu ${cpu}: ${files.map(({ source }) => source.path).join()}`,
      ),
    ]),
    faults: faults.map(({ code, place }) => `${code} ${place.file}`),
  };
}

describe('opening an experiment', () => {
  it('kernel and user space of one boot are a host with the offset of the kernel', async () => {
    const files = refs({
      'session/kernel': record({ uuid: '1', clock: 'a', offset: 1000n }, CPUS),
      'session/ust/uid/0/64-bit': record(
        { uuid: '2', clock: 'a', offset: 1400n, domain: 'ust' },
        { ust_0: { cpu: 0, begins: [90] } },
      ),
    });
    const experiment = await openExperiment(files, openSource);
    const { hosts, traces, name, faults } = summary(experiment);
    expect({ name, faults }).toEqual({ name: 'session', faults: [] });
    expect(hosts).toEqual([['session', [0, 1], 90n, 1000n]]);
    expect(traces.map((trace) => trace.slice(0, 3))).toEqual([
      ['session/kernel', 'kernel', 1000n],
      ['session/ust/uid/0/64-bit', 'ust', 1400n],
    ]);
    // One clock: its cycles mean the same in both.
    expect(experiment.traces[0].clocks).toEqual(experiment.traces[1].clocks);
  });

  it('finds the first event behind packets that were flushed without any', async () => {
    const streams = {
      a_0: { cpu: 0, begins: [100, 200], empty: [100, 200] },
      a_1: { cpu: 0, begins: [300, 400], empty: [300] },
      b: { cpu: 1, begins: [150, 500], empty: [150] },
    };
    const { hosts } = await openExperiment(
      refs({ k: record({ uuid: '1', clock: 'a' }, streams) }),
      openSource,
    );
    expect(hosts.map(({ baseNs, firstEvent }) => [baseNs, firstEvent])).toEqual([[100n, 301]]);
  });

  it.each([
    ['64-bit', 'wake', 'auto', 'wake'],
    ['uid/1000/64-bit', 'wake', 'auto', 'wake'],
    ['ust/uid/0/64-bit', '', 'auto', 'auto'],
    ['kernel', 'wake', '', 'wake'],
    ['64-bit', '', '', '64-bit'],
    ['session/ust/uid/0/64-bit', 'wake', 'auto', 'session'],
  ])(
    '%s alone, of host "%s" and trace "%s", is a host called %s',
    async (folder, hostname, traceName, name) => {
      const trace = record({ uuid: '1', clock: 'a', domain: 'ust', hostname, traceName }, CPUS);
      const { hosts } = await openExperiment(refs({ [folder]: trace }), openSource);
      expect(hosts.map((host) => host.name)).toEqual([name]);
    },
  );

  it('does not depend on the order of files', async () => {
    const files = refs({
      'two/client/kernel': record({ uuid: '1', clock: 'a' }, CPUS),
      'two/server/kernel': record({ uuid: '2', clock: 'b' }, CPUS),
    });
    const experiment = await openExperiment(files, openSource);
    expect(experiment.hosts.map(({ name }) => name)).toEqual(['client', 'server']);
    expect(await openExperiment([...files].reverse(), openSource)).toEqual(experiment);
  });

  it('stream files of one instance are one stream, in order of time', async () => {
    const files = refs({
      'x/kernel': record(
        { uuid: '1', clock: 'a' },
        {
          a_0: { cpu: 0, begins: [300] },
          a_1: { cpu: 0, begins: [100, 200] },
          b_0: { cpu: 1, begins: [50] },
        },
      ),
    });
    expect(summary(await openExperiment(files, openSource)).traces[0][3]).toEqual([
      '0 cpu 0: x/kernel/a_1,x/kernel/a_0',
      '1 cpu 1: x/kernel/b_0',
    ]);
  });

  it('a copy is told and left out; the chunks of a rotated session are one trace', async () => {
    const first = record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [100] } });
    const second = record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [200] } });
    const files = refs({ 'r/archives/0/kernel': first, 'r/archives/1/kernel': second, 'copy/kernel': first });
    const { traces, faults } = summary(await openExperiment(files, openSource));
    expect(faults).toEqual(['duplicate-trace r/archives/0/kernel']);
    expect(traces.map((trace) => trace[3])).toEqual([['0 cpu 0: copy/kernel/c_0,r/archives/1/kernel/c_0']]);
  });

  it('chunks in which nothing was recorded are no copies of each other', async () => {
    const files = refs({
      'r/archives/0/kernel': record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [100] } }),
      'r/archives/1/kernel': record({ uuid: '1', clock: 'a' }, {}),
      'r/archives/2/kernel': record({ uuid: '1', clock: 'a' }, {}),
    });
    const { traces, faults } = summary(await openExperiment(files, openSource));
    expect(faults).toEqual([]);
    expect(traces.map(([path]) => path)).toEqual(['r/archives/*/kernel']);
  });

  it('metadata that grow between chunks are united, whichever comes first', async () => {
    const first = record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [100] } });
    const second = record(
      { uuid: '1', clock: 'a', events: ['tick', 'tock'] },
      { c_0: { cpu: 0, begins: [200] } },
    );
    for (const [a, b] of [
      [first, second],
      [second, first],
    ]) {
      const files = refs({ 'r/archives/0/kernel': a, 'r/archives/1/kernel': b });
      const { traces } = await openExperiment(files, openSource);
      expect(traces.map(({ path, streams }) => [path, streams.length])).toEqual([['r/archives/*/kernel', 1]]);
      expect(traces[0].model.streams[0].events.map(({ name }) => name)).toEqual(['tick', 'tock']);
    }
  });

  it('metadata of one uuid that contradict each other are of two traces', async () => {
    const files = refs({
      'a/kernel': record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [100] } }),
      'b/kernel': record({ uuid: '1', clock: 'a', events: ['tock'] }, { c_0: { cpu: 0, begins: [200] } }),
    });
    const { traces } = await openExperiment(files, openSource);
    expect(traces.map(({ path }) => path)).toEqual(['a/kernel', 'b/kernel']);
  });

  it('packets that two snapshots both have count once', async () => {
    const files = refs({
      'first/kernel': record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [100, 200] } }),
      'second/kernel': record({ uuid: '1', clock: 'a' }, { c_0: { cpu: 0, begins: [100, 200, 300] } }),
    });
    const [trace] = (await openExperiment(files, openSource)).traces;
    expect(trace.streams[0].files.map(({ packets }) => [...packets.begin])).toEqual([[100n, 200n], [300n]]);
  });

  it('a fault in one trace keeps the others', async () => {
    const files = refs({
      'good/kernel': record({ uuid: '1', clock: 'a' }, CPUS),
      'bad/kernel': new Map([['metadata', new TextEncoder().encode('/* CTF 1.8 */ trace {')]]),
    });
    const { traces, faults } = summary(await openExperiment(files, openSource));
    expect(traces.map(([path]) => path)).toEqual(['good/kernel']);
    expect(faults).toEqual(['metadata-syntax bad/kernel/metadata']);
  });

  it('tells of a trace without metadata beside one that has them', async () => {
    const headless = record({ uuid: '2', clock: 'a' }, CPUS);
    headless.delete('metadata');
    const files = refs({ 'good/kernel': record({ uuid: '1', clock: 'a' }, CPUS), 'bad/kernel': headless });
    const { faults, traces } = await openExperiment(files, openSource);
    expect(traces.length).toBe(1);
    expect(faults).toMatchObject([
      { code: 'metadata-missing', found: 'an LTTng packet index without a metadata file' },
    ]);
  });

  it('a file that vanished costs its stream', async () => {
    const files = refs({ 'x/kernel': record({ uuid: '1', clock: 'a' }, CPUS) });
    const open: SourceOpener = (ref) =>
      ref.path.endsWith('channel_1')
        ? Promise.resolve(fail({ code: 'file-unreadable', place: { file: ref.path } }))
        : openSource(ref);
    const { traces } = await openExperiment(files, open);
    expect(traces[0].streams.length).toBe(1);
    expect(traces[0].faults).toMatchObject([
      { code: 'file-unreadable', place: { file: 'x/kernel/channel_1' } },
    ]);
  });
});

describe('the plan of chunks', () => {
  const files = refs({
    'x/kernel': record(
      { uuid: '1', clock: 'a' },
      {
        a_0: { cpu: 0, begins: [100, 200, 300] },
        a_1: { cpu: 0, begins: [400] },
        b: { cpu: 1, begins: [100, 250] },
      },
    ),
  });

  it('goes by begin time, ties by rank, with every packet once and in order', async () => {
    const experiment = await openExperiment(files, openSource);
    const chunks = planChunks(experiment, 1);
    expect(chunks.map(({ id, stream, sequence, from, to }) => [id, stream, sequence, from, to])).toEqual([
      [0, 0, 0, 0, 9],
      [1, 1, 0, 0, 9],
      [2, 0, 1, 100, 109],
      [3, 1, 1, 150, 159],
      [4, 0, 2, 200, 209],
      [5, 0, 3, 300, 309],
    ]);
  });

  it('a chunk before which packets were lost may change things from the end of the one before it', async () => {
    const gap = refs({
      'x/kernel': record({ uuid: '1', clock: 'a' }, { a: { cpu: 0, begins: [100, 400] } }),
    });
    const chunks = planChunks(await openExperiment(gap, openSource), 1);
    expect(chunks.map(({ from }) => from)).toEqual([0, 9]);
  });

  it('takes packets of several files up to the target', async () => {
    const experiment = await openExperiment(files, openSource);
    const [whole] = planChunks(experiment);
    expect(whole.extents).toEqual([
      { file: 0, first: 0, count: 3 },
      { file: 1, first: 0, count: 1 },
    ]);
    const packet = experiment.traces[0].streams[0].files[0].packets.size[0];
    const sizes = planChunks(experiment, 2 * packet).map(({ bytes }) => bytes / packet);
    expect(sizes).toEqual([2, 2, 2]);
  });
});
