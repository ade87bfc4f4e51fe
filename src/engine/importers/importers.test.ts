import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectDir } from '../../../test/support/shared.ts';
import { unpackToMemory } from '../../../test/support/unpack-to-memory.ts';
import { loadMetadata } from '../ctf/metadata/load-metadata.ts';
import { readFormat } from './kernel-formats.ts';

const fixture = readFileSync(join(projectDir(), 'test/fixtures/recorders/perf-zstd.data'));

/** IDENTIFIER, IP, TID, TIME, CPU, PERIOD. */
const SAMPLE_TYPE = 0x10000 | 1 | 2 | 4 | 0x80 | 0x100;

/** Writes what `perf record -o -` writes, in either byte order. */
class PipeWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #isLittle: boolean;

  constructor(isBig: boolean) {
    this.#isLittle = !isBig;
    this.#put(8 + 8, (view) => {
      const sign = isBig ? '2ELIFREP' : 'PERFILE2';
      for (let i = 0; i < 8; i++) view.setUint8(i, sign.charCodeAt(i));
      view.setBigUint64(8, 16n, !isBig);
    });
  }

  get bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  #put(size: number, write: (view: DataView) => void): void {
    const bytes = new Uint8Array(size);
    write(new DataView(bytes.buffer));
    this.#parts.push(bytes);
  }

  /** @param words numbers of 4 or, as `bigint`, 8 bytes */
  record(type: number, words: readonly (number | bigint)[], misc = 0): void {
    const size = 8 + words.reduce<number>((sum, word) => sum + (typeof word === 'bigint' ? 8 : 4), 0);
    this.#put(size, (view) => {
      view.setUint32(0, type, this.#isLittle);
      view.setUint16(4, misc, this.#isLittle);
      view.setUint16(6, size, this.#isLittle);
      let at = 8;
      for (const word of words) {
        if (typeof word === 'bigint') view.setBigUint64(at, word, this.#isLittle);
        else view.setUint32(at, word, this.#isLittle);
        at += typeof word === 'bigint' ? 8 : 4;
      }
    });
  }

  attribute(type: number, config: bigint, id: bigint): void {
    // sample_id_all is bit 18; on a big-endian machine bits of a field are counted from the other end.
    const flags = 1n << (this.#isLittle ? 18n : 45n);
    const words = [type, 64, config, 1000n, BigInt(SAMPLE_TYPE), 0n, flags, 0n, 0n];
    this.record(64, [...words, id]);
  }

  sample(id: bigint, tid: number, time: bigint, cpu: number): void {
    this.record(9, [id, 0x401000n, tid - 1, tid, time, cpu, 0, 1000n]);
  }

  /** Ends a record that is no sample: TID, TIME, CPU, IDENTIFIER. */
  other(type: number, words: readonly (number | bigint)[], time: bigint, cpu: number, id: bigint): void {
    this.record(type, [...words, 6, 7, time, cpu, 0, id]);
  }
}

async function imported(bytes: Uint8Array) {
  const result = await unpackToMemory({ 'perf.data': bytes });
  const metadata = result.files.get('perf.data/metadata');
  const model = metadata && (await loadMetadata(metadata, 'metadata'));
  if (model?.ok === false) throw new Error(JSON.stringify(model.fault));
  return { ...result, model: model?.value.model };
}

/** Packets of a stream: begin, end, lost events so far, and times of its samples (of 54 bytes). */
function packetsOf(stream: Uint8Array, isBig: boolean) {
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
    expect(packetsOf(files.get('perf.data/cpu-0') ?? new Uint8Array(), isBig)).toEqual([
      { begin: 200, end: 400, lost: 0, times: [200, 300, 400] },
      { begin: 400, end: 450, lost: 5, times: [] },
      { begin: 500, end: 500, lost: 5, times: [500] },
    ]);
    expect(packetsOf(files.get('perf.data/cpu-1') ?? new Uint8Array(), isBig)).toMatchObject([
      { times: [100] },
    ]);
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

describe('a damaged perf.data', () => {
  test('keeps what comes before a cut, wherever it is', async () => {
    for (let size = 1; size < fixture.length; size += 9973) {
      const { model, codes } = await imported(fixture.subarray(0, size));
      const isKept = model !== undefined || codes.length > 0 || size < 8;
      expect([size, isKept]).toEqual([size, true]);
    }
  });

  test('never fails otherwise than by a fault, whatever its bytes are', async () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 12; round++) {
      const bytes = new Uint8Array(fixture);
      for (let i = 0; i < 8; i++) bytes[8 + random(round % 2 === 0 ? 2000 : bytes.length - 8)] = random(256);
      const { model, codes } = await imported(bytes);
      expect([round, model !== undefined || codes.length > 0]).toEqual([round, true]);
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

describe('a format of the kernel', () => {
  test('has the sizes, signs and places of its fields', () => {
    const format = readFormat(
      'sched',
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
    expect(
      format?.fields.map(({ name, element, isText, isSigned, place }) => [
        name,
        element,
        isText,
        isSigned,
        place,
      ]),
    ).toEqual([
      ['common_type', 2, false, false, 'here'],
      ['comm', 1, true, false, 'here'],
      ['name', 1, true, false, 'from record'],
      ['data', 1, false, false, 'from field'],
      ['args', 8, false, false, 'here'],
      ['ptr', 8, false, false, 'here'],
      ['pid', 4, false, true, 'here'],
      ['pid_dupl_0', 4, false, true, 'here'],
    ]);
    expect(readFormat('sched', 'nothing')).toBeUndefined();
  });
});
