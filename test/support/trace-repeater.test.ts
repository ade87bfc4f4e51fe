import { describe, expect, it } from 'vitest';
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { PacketReader } from './ctf-reader/packet-reader.ts';
import { settingsOf, simulate } from './simulator/simulation.ts';
import { modelOf } from './trace-files.ts';
import { planRepeat, repeatedPieces } from './trace-repeater.ts';

describe('planRepeat', () => {
  it('repeats every event, a period later each time, and moves the counters on', () => {
    const { files, events } = simulate(settingsOf(32));
    const model = modelOf(files);
    const plan = planRepeat(model, files);
    const reader = new PacketReader(model);
    expect(plan.events).toBe(events);
    for (const stream of plan.streams.filter(({ file }) => !file.startsWith('index/'))) {
      const once = [...reader.packets(stream.bytes)];
      const repeated = [...reader.packets(joinBytes([...repeatedPieces(stream, 3)]))];
      const times = once.flatMap((packet) => packet.events.map(({ time }) => time));
      const expected = [0n, 1n, 2n].flatMap((round) => times.map((time) => time + round * plan.period));
      expect(repeated.flatMap((packet) => packet.events.map(({ time }) => time))).toEqual(expected);
      const numbers = repeated.map(({ roles }) => roles.get('packet-sequence'));
      expect(new Set(numbers).size).toBe(repeated.length);
      const lost = once.at(-1)?.roles.get('discarded-events') ?? 0n;
      expect(repeated.at(-1)?.roles.get('discarded-events')).toBe(3n * lost);
    }
  });

  it('repeats the index so that it tells what the packets tell', async () => {
    const { files } = simulate(settingsOf(32));
    const model = modelOf(files);
    const { streams } = planRepeat(model, files);
    const bytesOf = (file: string) =>
      joinBytes(
        streams.filter((stream) => stream.file === file).flatMap((stream) => [...repeatedPieces(stream, 3)]),
      );
    for (const { file } of streams.filter(({ file }) => !file.startsWith('index/'))) {
      const source = memorySource(file, bytesOf(file));
      const walked = await indexStreamFile(model, source);
      const indexed = await indexStreamFile(model, source, bytesOf(`index/${file}.idx`));
      expect(indexed).toEqual(walked);
    }
  });
});
