import { expect, it } from 'vitest';
import { PacketReader } from './ctf-reader/packet-reader.ts';
import { splitPackets } from './packet-splitter.ts';
import { settingsOf, simulate } from './simulator/simulation.ts';
import { modelOf } from './trace-files.ts';

it('makes packets of N events', () => {
  const { files } = simulate(settingsOf(4));
  const model = modelOf(files);
  const reader = new PacketReader(model);
  const data = [...splitPackets(model, files, 7)].filter(([path]) => /^kernel_/.test(path));
  expect(data.length).toBeGreaterThan(0);
  for (const [, bytes] of data)
    expect(Math.max(...[...reader.packets(bytes)].map(({ events }) => events.length))).toBe(7);
});
