import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PipeWriter } from '../../../test/support/perf-writer.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { traceDat } from '../../../test/support/trace-dat-writer.ts';
import { unpackToMemory } from '../../../test/support/unpack-to-memory.ts';
import { loadMetadata } from '../ctf/metadata/load-metadata.ts';
import { blobTempFiles } from '../io/browser-temp-files.ts';
import { Bytes } from './bytes.ts';
import { CtfOutput } from './ctf-output.ts';
import { readEventFormats } from './kernel-formats.ts';

const fixture = readFileSync(join(projectDir(), 'test/fixtures/recorders/perf-zstd.data'));

async function imported(bytes: Uint8Array) {
  const result = await unpackToMemory({ 'perf.data': bytes });
  const metadata = result.files.get('perf.data/metadata');
  const model = metadata && (await loadMetadata(metadata, 'metadata'));
  if (model?.ok === false) throw new Error(JSON.stringify(model.fault));
  return { ...result, model: model?.value.model };
}

/** Packets of a stream: begin, end, lost events so far, and times of its samples (of 54 bytes). */
function packetsOf(stream: Uint8Array = new Uint8Array(), isBig: boolean) {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const packets = [];
  for (let at = 0; at < stream.length;) {
    const number = (offset: number) => Number(view.getBigUint64(at + offset, !isBig));
    const size = number(4) / 8;
    const times = [];
    for (let event = at + 48; event < at + size; event += 10 + 32)
      times.push(Number(view.getBigUint64(event + 2, !isBig)));
    packets.push({ begin: number(20), end: number(28), lost: number(36), times });
    at += size;
  }
  return packets;
}

describe.each([false, true])('a pipe of perf, big-endian: %s', (isBig) => {
  test('has its samples in order of time, one stream a CPU, and what was lost where it was', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.attribute(1, 0n, 11n);
    pipe.attribute(1, 1n, 12n);
    pipe.sample(11n, 7, 300n, 0);
    pipe.sample(12n, 8, 100n, 1);
    pipe.sample(11n, 7, 200n, 0);
    pipe.record(68, []);
    pipe.other(2, [11n, 5n], 450n, 0, 11n);
    pipe.sample(11n, 7, 400n, 0);
    pipe.sample(11n, 7, 500n, 0);
    pipe.record(68, []);
    const { files, codes, model } = await imported(pipe.bytes);
    expect(codes).toEqual([]);
    expect([...files.keys()]).toEqual(['perf.data/metadata', 'perf.data/cpu-0', 'perf.data/cpu-1']);
    expect(model?.byteOrder).toBe('le');
    expect(model?.streams[0].events.map(({ name }) => name)).toEqual(['task-clock', 'cpu-clock']);
    expect(packetsOf(files.get('perf.data/cpu-0'), isBig)).toEqual([
      { begin: 200, end: 400, lost: 0, times: [200, 300, 400] },
      { begin: 400, end: 450, lost: 5, times: [] },
      { begin: 500, end: 500, lost: 5, times: [500] },
    ]);
    expect(packetsOf(files.get('perf.data/cpu-1'), isBig)).toMatchObject([{ times: [100] }]);
  });

  test('says which records it leaves out, and how many', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.attribute(1, 0n, 11n);
    pipe.sample(11n, 7, 300n, 0);
    pipe.other(14, [], 310n, 0, 11n);
    pipe.other(14, [], 320n, 0, 11n);
    pipe.record(200, []);
    const { faults } = await imported(pipe.bytes);
    expect(faults.map(({ code, found }) => [code, found])).toEqual([
      ['records-left-out', '2 records SWITCH'],
      ['records-left-out', '1 record of type 200'],
    ]);
  });
});

test('says of which events there are samples, and in what their periods count', async () => {
  const pipe = new PipeWriter(false);
  pipe.attribute(1, 0n, 11n, { period: 250_000n });
  pipe.attribute(1, 1n, 12n, { period: 4000n, isFrequency: true });
  pipe.attribute(0, 0n, 13n, { period: 100_000n });
  pipe.attribute(1, 9n, 14n, { period: 4000n, isFrequency: true });
  pipe.sample(11n, 7, 300n, 0);
  const { model } = await imported(pipe.bytes);
  expect(model?.environment.find(({ name }) => name === 'samples')?.value).toBe(
    'cpu-clock, one every 250000 ns on a CPU; task-clock, 4000 a second, periods in ns on a CPU; cycles, one every 100000 events',
  );
});

test('a switch of a thread without its CPU is left out: samples of the program stay', async () => {
  const pipe = new PipeWriter(false);
  pipe.feature(4, '6.1.0');
  pipe.attribute(1, 0n, 11n, { isOfProgram: true, hasCpu: false });
  pipe.record(9, [11n, 0x401000n, 6, 7, 100n, 1000n]);
  // TID, TIME, IDENTIFIER.
  pipe.record(14, [6, 7, 200n, 11n], 1 << 13);
  const { files, faults } = await imported(pipe.bytes);
  expect([...files.keys()]).toEqual(['perf.data/metadata', 'perf.data/no-cpu']);
  expect(faults.map(({ found }) => found)).toEqual([
    '1 record SWITCH that do not say on which CPU: perf records it with `--sample-cpu` or `-a`',
  ]);
});

test('what perf lost behind the last record of a CPU is lost up to the end of the recording', async () => {
  const pipe = new PipeWriter(false);
  pipe.attribute(1, 0n, 11n);
  pipe.attribute(1, 0n, 12n);
  // ID_INDEX: id, index, CPU, thread.
  pipe.record(69, [2n, 11n, 0n, 0n, 0xffffffffffffffffn, 12n, 1n, 1n, 0xffffffffffffffffn]);
  pipe.sample(11n, 7, 100n, 0);
  pipe.sample(12n, 8, 150n, 1);
  pipe.other(2, [12n, 3n], 190n, 1, 12n);
  pipe.sample(12n, 8, 200n, 1);
  pipe.sample(12n, 8, 500n, 1);
  // LOST_SAMPLES at the end: all that each counter lost, of which LOST told some.
  pipe.other(13, [5n], 0n, 0, 11n);
  pipe.other(13, [3n], 0n, 0, 12n);
  pipe.other(13, [1n], 0n, 0, 99n);
  const { files, faults } = await imported(pipe.bytes);
  const packets = (cpu: number) => packetsOf(files.get(`perf.data/cpu-${cpu}`), false);
  expect(packets(0)).toEqual([
    { begin: 100, end: 100, lost: 0, times: [100] },
    { begin: 100, end: 500, lost: 5, times: [] },
  ]);
  expect(packets(1).map(({ lost, end }) => [lost, end])).toEqual([
    [0, 150],
    [3, 190],
    [3, 500],
  ]);
  expect(faults.map(({ found }) => found)).toEqual(['1 record LOST_SAMPLES without a time']);
});

test('a folder of perf record --threads is one trace, with the records of all its files', async () => {
  const [head, first, second] = [new PipeWriter(false), new PipeWriter(false), new PipeWriter(false)];
  head.attribute(1, 0n, 11n);
  // HEADER_DIR_FORMAT.
  head.feature(24, '1');
  first.sample(11n, 7, 300n, 0);
  first.record(68, []);
  first.sample(11n, 7, 400n, 0);
  second.sample(11n, 8, 200n, 1);
  const { files, codes } = await unpackToMemory({
    'rec/data': head.bytes,
    'rec/data.0': first.bytes.subarray(16),
    'rec/data.1': second.bytes.subarray(16),
  });
  expect(codes).toEqual([]);
  expect([...files.keys()]).toEqual(['rec/data/metadata', 'rec/data/cpu-0', 'rec/data/cpu-1']);
  const timesOf = (cpu: number) =>
    packetsOf(files.get(`rec/data/cpu-${cpu}`), false).flatMap(({ times }) => times);
  expect([timesOf(0), timesOf(1)]).toEqual([[300, 400], [200]]);
});

test('a recording that names very many CPUs has no more streams than a large machine has', () => {
  const output = new CtfOutput(blobTempFiles(), 'perf.data', false);
  const streams = new Set(Array.from({ length: 12_000 }, (_, cpu) => output.stream(cpu)));
  expect(streams.size).toBe(2048 + 1);
  expect(output.stream(2048)).toBe(output.stream(-1));
});

describe('a damaged perf.data', () => {
  test('keeps what comes before a cut, wherever it is', async () => {
    for (let size = 1; size < fixture.length; size += 9973) {
      const { model, codes } = await imported(fixture.subarray(0, size));
      const isKept = model !== undefined || codes.length > 0 || size < 8;
      expect([size, isKept]).toEqual([size, true]);
    }
  });

  test('a record of 4 GB of tracing data, or without a size, ends it', async () => {
    const pipe = new PipeWriter(false);
    pipe.attribute(1, 0n, 11n);
    pipe.sample(11n, 7, 300n, 0);
    pipe.record(66, [0xffffffff]);
    const { codes, places, files } = await imported(pipe.bytes);
    expect([codes, places]).toEqual([['recording-damaged'], ['perf.data']]);
    expect(files.has('perf.data/cpu-0')).toBe(true);
  });
});

describe.each([false, true])('a trace.dat, big-endian: %s', (isBig) => {
  /** Head of a record of the ring buffer. */
  const head = (type: number, delta: number) =>
    isBig ? ((type << 27) | delta) >>> 0 : ((delta << 5) | type) >>> 0;
  /** Type 5 and the number `n`, each in half a word. */
  const tick = (n: number) => (isBig ? (5 << 16) | n : (n << 16) | 5);

  test('has its events at the times that differences, extensions and stamps give', async () => {
    const records = [
      [head(1, 5), tick(1)],
      [head(30, 3), 2],
      [head(1, 0), tick(2)],
      [head(0, 7), 8, tick(3)],
      [head(29, 4), 8, 0],
      [head(31, 9), 100],
      [head(1, 1), tick(4)],
      [head(1, 1), tick(5) + (isBig ? 1 << 16 : 1)],
      [head(29, 0), 0],
    ];
    const result = await unpackToMemory({ 'trace.dat': traceDat(isBig, records, 0xc0000000, 6) });
    expect(result.faults.map(({ code, found }) => [code, found])).toEqual([
      ['records-left-out', '1 event without a format'],
    ]);
    const stream = result.files.get('trace.dat/cpu-0') ?? new Uint8Array();
    const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
    const number = (at: number) => Number(view.getBigUint64(at, !isBig));
    // The packet of the loss, and behind it that of the events: 10 bytes of head, two halves of a word and a thread each.
    expect([number(20), number(28), number(36)]).toEqual([1000, 1000, 6]);
    const events = Array.from({ length: 4 }, (_, i) => 96 + 18 * i);
    const upper = 100 * 2 ** 27 + 9;
    const extended = 1005 + 2 * 2 ** 27 + 3;
    expect(events.map((at) => [number(at + 2), view.getUint16(at + 12, !isBig)])).toEqual([
      [1005, 1],
      [extended, 2],
      [extended + 7, 3],
      [upper + 1, 4],
    ]);
  });

  test('has what it says of threads, functions and the clock', async () => {
    const parts = {
      commands: '7 a b\n8 <...>\n9 c\n',
      kallsyms: 'ffffffff81000000 T startup\n',
      options: [
        [14, [3, 1, 0n]],
        [32, '7 6\n8 8\n'],
        [11, [0x1234n]],
        [7, '100\0'],
        // One correction of the first CPU.
        [12, [0n, 0, 1, 1, 0n, 50n, 1n]],
      ],
    } as const;
    const records = [7, 7, 8, 9, 0].map((tid, i) => [head(2, i === 0 ? 0 : 2), tick(i), tid]);
    const { files, codes } = await unpackToMemory({
      'trace.dat': traceDat(isBig, records, 0, undefined, parts),
    });
    expect(codes).toEqual([]);
    expect([...files.keys()]).toEqual([
      'trace.dat/metadata',
      'trace.dat/cpu-0',
      'trace.dat/symbols/kallsyms',
    ]);
    expect(Buffer.from(files.get('trace.dat/symbols/kallsyms') ?? []).toString()).toBe(parts.kallsyms);
    expect(Buffer.from(files.get('trace.dat/metadata') ?? []).toString()).toContain('"trace_id":"0x1234"');
    const stream = files.get('trace.dat/cpu-0') ?? new Uint8Array();
    const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
    const read = [];
    // Of threads the process is there, the name, or both.
    const texts: Readonly<Record<number, string>> = { 1: 'a b\0', 2: '', 3: 'c\0' };
    for (let at = 48; at < stream.length;) {
      const id = view.getUint16(at, !isBig);
      const time = Number(view.getBigUint64(at + 2, !isBig));
      const isTick = id === 0;
      const size = isTick ? 18 : 18 + (id === 3 ? 0 : 8) + texts[id].length;
      const wide = (offset: number) => Number(view.getBigInt64(at + offset, !isBig));
      const words = [isTick ? view.getInt32(at + 14, !isBig) : wide(10)];
      if (!isTick && id !== 3) words.push(wide(18));
      read.push([isTick ? 'tick' : 'thread', time, ...words]);
      at += size;
    }
    // (1000 + 50) cycles of 3 / 2 ns, and 100 ns.
    expect(read).toEqual([
      ['thread', 1675, 7, 6],
      ['tick', 1675, 7],
      ['tick', 1678, 7],
      ['thread', 1681, 8, 8],
      ['tick', 1681, 8],
      ['thread', 1684, 9],
      ['tick', 1684, 9],
      ['tick', 1687, 0],
    ]);
  });

  test('has a trace for each buffer', async () => {
    const bytes = traceDat(isBig, [[head(1, 5), tick(1)]], 0, undefined, { instance: 'other' });
    const { files } = await unpackToMemory({ 'trace.dat': bytes });
    expect([...files.keys()]).toEqual([
      ...['trace.dat/metadata', 'trace.dat/cpu-0'],
      ...['trace.dat/other/metadata', 'trace.dat/other/cpu-0'],
    ]);
    expect(files.get('trace.dat/other/cpu-0')).toEqual(files.get('trace.dat/cpu-0'));
    const metadata = Buffer.from(files.get('trace.dat/other/metadata') ?? []).toString();
    expect(metadata).toContain('"instance":"other"');
  });

  test('that is cut ends in a fault, and keeps what is before', async () => {
    const whole = traceDat(isBig, [[head(1, 5), tick(1)]]);
    for (let size = 10; size < whole.length; size += 37) {
      const { codes } = await unpackToMemory({ 'trace.dat': whole.subarray(0, size) });
      expect([size, codes.length]).toEqual([size, 1]);
    }
  });
});

describe('a format of the kernel', () => {
  /** Formats of one event of the system sched. */
  function formatsOf(text: string) {
    const head = new DataView(new ArrayBuffer(22));
    head.setUint32(0, 1, true);
    [...'sched\0'].forEach((c, i) => head.setUint8(4 + i, c.charCodeAt(0)));
    head.setUint32(10, 1, true);
    head.setBigUint64(14, BigInt(text.length), true);
    return readEventFormats(
      new Bytes(new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), Buffer.from(text)])), false),
    );
  }

  test('has the sizes, signs and places of its fields', () => {
    const [format] = formatsOf(
      [
        'name: sched_example',
        'ID: 316',
        'format:',
        '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;',
        '',
        '\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;',
        '\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;',
        '\tfield:__rel_loc u8[] data;\toffset:28;\tsize:4;\tsigned:0;',
        '\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;',
        '\tfield:const void * ptr;\toffset:80;\tsize:8;\tsigned:0;',
        '\tfield:pid_t pid;\toffset:88;\tsize:4;\tsigned:1;',
        '\tfield:pid_t pid;\toffset:92;\tsize:4;\tsigned:1;',
        '',
        'print fmt: "field:int x;\toffset:1;\tsize:4;\tsigned:1;"',
      ].join('\n'),
    );
    expect(format).toMatchObject({ system: 'sched', name: 'sched_example', id: 316 });
    const found = format?.fields.map((field) => [
      field.name,
      field.element,
      field.isText,
      field.isSigned,
      field.place,
    ]);
    expect(found).toEqual([
      ['common_type', 2, false, false, 'here'],
      ['comm', 1, true, false, 'here'],
      ['name', 1, true, false, 'from record'],
      ['data', 1, false, false, 'from field'],
      ['args', 8, false, false, 'here'],
      ['ptr', 8, false, false, 'here'],
      ['pid', 4, false, true, 'here'],
      ['pid_dupl_0', 4, false, true, 'here'],
    ]);
    expect(formatsOf('nothing')).toEqual([]);
  });
});

describe('a file that lies about its sizes', () => {
  async function expectDamageSoon(run: () => Promise<{ readonly codes: readonly string[] }>): Promise<void> {
    const from = process.cpuUsage();
    const { codes } = await run();
    const { user, system } = process.cpuUsage(from);
    expect(codes).toContain('recording-damaged');
    expect((user + system) / 1e6).toBeLessThan(15);
  }

  test('with the same data for each of very many CPUs is read once', async () => {
    const whole = traceDat(false, [[(5 << 5) | 1, (1 << 16) | 5]]);
    const page = whole.subarray(whole.length - 4096);
    const begin = whole.length - 4096 - 16 - 10 - 4;
    const cpus = 40_000;
    const places = new DataView(new ArrayBuffer(4 + 10 + 16 * cpus));
    places.setUint32(0, cpus, true);
    [...'flyrecord\0'].forEach((c, i) => places.setUint8(4 + i, c.charCodeAt(0)));
    const at = begin + places.byteLength;
    for (let cpu = 0; cpu < cpus; cpu++) {
      places.setBigUint64(14 + 16 * cpu, BigInt(at), true);
      places.setBigUint64(22 + 16 * cpu, 4096n, true);
    }
    const bytes = Buffer.concat([whole.subarray(0, begin), new Uint8Array(places.buffer), page]);
    await expectDamageSoon(() => unpackToMemory({ 'trace.dat': new Uint8Array(bytes) }));
  });

  test('with all counters for each of very many events is refused', async () => {
    const attributes = 8000;
    const bytes = new DataView(new ArrayBuffer(104 + 80 * attributes));
    [...'PERFILE2'].forEach((c, i) => bytes.setUint8(i, c.charCodeAt(0)));
    const numbers = [104, 80, 104, 80 * attributes, bytes.byteLength, 0];
    numbers.forEach((number, i) => bytes.setBigUint64(8 + 8 * i, BigInt(number), true));
    for (let i = 0; i < attributes; i++) {
      bytes.setUint32(104 + 80 * i + 4, 64, true);
      bytes.setBigUint64(104 + 80 * i + 64, 0n, true);
      bytes.setBigUint64(104 + 80 * i + 72, BigInt(bytes.byteLength), true);
    }
    const { codes } = await imported(new Uint8Array(bytes.buffer));
    expect(codes).toEqual(['recording-damaged']);
  });

  test('with records that unpack to gigabytes is given up', async () => {
    const pipe = new PipeWriter(false);
    pipe.attribute(1, 0n, 11n);
    // A frame of zstd without a checksum, and blocks of one repeated byte: 128 KiB in four bytes.
    const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    const block = [0x02, 0x00, 0x10, 0x09];
    const words = (bytes: readonly number[]) =>
      Array.from({ length: bytes.length / 4 }, (_, i) =>
        new DataView(Uint8Array.from(bytes.slice(4 * i, 4 * i + 4)).buffer).getUint32(0, true),
      );
    pipe.record(81, words([...frame, ...Array.from({ length: 999 }, () => block).flat(), 0, 0]));
    for (let i = 0; i < 30; i++) pipe.record(81, words(Array.from({ length: 4000 }, () => block).flat()));
    await expectDamageSoon(() => imported(pipe.bytes));
  });
});
