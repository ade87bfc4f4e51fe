import { describe, expect, it } from 'vitest';
import { integer, lttngModel, struct } from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../test/support/ctf-writer/trace-writer.ts';
import { packetNumber } from '../ctf/packets/packet-table.ts';
import { indexStreamFile } from '../ctf/packets/packet-index.ts';
import { memorySource } from '../io/memory-source.ts';
import { assembleStreams, type AssembledStream } from './stream-assembly.ts';
import type { StreamFile } from './types.ts';

const model = lttngModel({
  uuid: '00000000-0000-4000-8000-000000000000',
  clock: {
    name: 'monotonic',
    frequency: 1_000_000_000n,
    offsetSeconds: 0n,
    offsetCycles: 0n,
    absolute: true,
  },
  environment: {},
  header: 'compact',
  events: { tick: struct({ value: integer(32) }) },
});

/** A file of packets by begin: sequence numbers are hundreds; each has so many events, one if not told. */
async function fileOf(path: string, begins: readonly number[], events = 1, cpu = 0): Promise<StreamFile> {
  return indexed(path, bytesOf(begins, events, cpu));
}

function bytesOf(begins: readonly number[], events = 1, cpu = 0): Uint8Array {
  const packets = begins.map((begin) => {
    const time = BigInt(begin);
    const ticks = Array.from({ length: events }, (_, index) => ({
      eventClass: 0,
      time: time + BigInt(index),
    }));
    return { begin: time, end: time + 50n, sequence: time / 100n, streamId: 0n, cpu, events: ticks };
  });
  return writeTrace(model, [{ file: 'c', streamClass: 0, packets }], {}).get('c') ?? new Uint8Array();
}

async function indexed(path: string, bytes: Uint8Array): Promise<StreamFile> {
  const file = await indexStreamFile(model, memorySource(path, bytes));
  if (!file.ok) throw new Error(file.fault.code);
  return { source: { kind: 'memory', path, size: bytes.length, bytes }, packets: file.value.packets };
}

function shown({ files }: AssembledStream): string[] {
  return files.map(({ source, packets }) => `${source.path}: ${[...packets.begin].join(' ')}`);
}

describe('the files of a stream', () => {
  it('follow each other by their first packets, whatever their names', async () => {
    const files = [await fileOf('a', [300, 400]), await fileOf('b', [100, 200])];
    for (const order of [files, [...files].reverse()]) {
      const [stream, ...others] = assembleStreams(order);
      expect(others).toEqual([]);
      expect(shown(stream)).toEqual(['b: 100 200', 'a: 300 400']);
    }
  });

  it('give their packets by begin where one lies within another', async () => {
    const [stream] = assembleStreams([await fileOf('a', [100, 200, 500]), await fileOf('b', [300, 400])]);
    expect(shown(stream)).toEqual(['a: 100 200', 'b: 300 400', 'a: 500']);
    expect(stream.files.map(({ packets }) => packetNumber(packets, 0))).toEqual([0, 0, 2]);
    expect(stream.bytes).toBe(5 * stream.files[0].packets.size[0]);
  });

  it('give a packet without length before the one that begins there', async () => {
    const files = [await fileOf('a', [100, 200]), await fileOf('b', [100])];
    files[1].packets.end[0] = 100n;
    files[1].packets.sequence[0] = 0n;
    for (const order of [files, [...files].reverse()]) {
      const [stream] = assembleStreams(order);
      expect(shown(stream)).toEqual(['b: 100', 'a: 100 200']);
    }
  });

  it('give a packet that several have once', async () => {
    const [stream] = assembleStreams([
      await fileOf('a', [100, 200, 300]),
      await fileOf('b', [200, 300, 400]),
      await fileOf('c', [300, 400, 500]),
    ]);
    expect(shown(stream)).toEqual(['a: 100 200 300', 'b: 400', 'c: 500']);
  });

  it('give the whole of a packet that one has in part', async () => {
    const [stream] = assembleStreams([await fileOf('a', [100]), await fileOf('b', [100, 200], 3)]);
    expect(shown(stream)).toEqual(['b: 100 200']);
  });

  it('give the packets of each CPU, also where ids say that they are one stream', async () => {
    const [stream] = assembleStreams([await fileOf('a', [100], 1), await fileOf('b', [100], 3, 1)]);
    expect(shown(stream)).toEqual(['a: 100', 'b: 100']);
    expect(stream.cpu).toBe(-1);
  });

  it('give the whole of a packet that one was cut off in', async () => {
    const whole = await fileOf('b', [100, 200]);
    const cut = await indexed('a', bytesOf([100, 200]).slice(0, -1));
    expect(cut.packets.length).toBe(2);
    expect(shown(assembleStreams([cut, whole])[0])).toEqual(['a: 100', 'b: 200']);
  });

  it('give the packet of another where bytes were lost in or behind it', async () => {
    const bytes = bytesOf([100, 200, 300]);
    const size = bytes.length / 3;
    const shifted = new Uint8Array([...bytes.subarray(0, 2 * size - 4), ...bytes.subarray(2 * size)]);
    const damaged = await indexed('a', shifted);
    expect(damaged.packets.length).toBe(2);
    expect(shown(assembleStreams([damaged, await indexed('b', bytes)])[0])).toEqual(['a: 100', 'b: 200 300']);
  });

  it('keep the order of packets whose times go back', async () => {
    const [alone] = assembleStreams([await fileOf('a', [300, 100, 400])]);
    expect(shown(alone)).toEqual(['a: 300 100 400']);
    const [stream] = assembleStreams([await fileOf('a', [300, 100, 400]), await fileOf('b', [350])]);
    expect(shown(stream)).toEqual(['a: 300 100', 'b: 350', 'a: 400']);
  });
});
