import { describe, expect, it } from 'vitest';
import { PacketReader } from './ctf-reader/packet-reader.ts';
import { concatenate } from './ctf-writer/trace-writer.ts';
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
    for (const stream of plan.streams) {
      const once = [...reader.packets(stream.bytes)];
      const repeated = [...reader.packets(concatenate([...repeatedPieces(stream, 3)]))];
      const times = once.flatMap((packet) => packet.events.map(({ time }) => time));
      const expected = [0n, 1n, 2n].flatMap((round) => times.map((time) => time + round * plan.period));
      expect(repeated.flatMap((packet) => packet.events.map(({ time }) => time))).toEqual(expected);
      const numbers = repeated.map(({ roles }) => roles.get('packet-sequence'));
      expect(new Set(numbers).size).toBe(repeated.length);
      const lost = once.at(-1)?.roles.get('discarded-events') ?? 0n;
      expect(repeated.at(-1)?.roles.get('discarded-events')).toBe(3n * lost);
    }
  });
});
