import { describe, expect, it } from 'vitest';
import { PacketReader, type PacketRead } from './ctf-reader/packet-reader.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { splitPackets } from './packet-splitter.ts';
import { exampleTraces } from './shared.ts';
import { settingsOf, simulate } from './simulator/simulation.ts';
import { loadTrace, modelOf } from './trace-files.ts';

/** Packets per data stream file. */
function packetsOf(files: TraceFiles): Map<string, PacketRead[]> {
  const reader = new PacketReader(modelOf(files));
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  return new Map(data.map(([path, bytes]) => [path, [...reader.packets(bytes)]]));
}

function valuesOf(packets: readonly PacketRead[]): unknown[] {
  return packets.flatMap(({ events }) =>
    events.map(({ eventClass, time, header, common, specific, payload }) => [
      eventClass,
      time,
      header,
      common,
      specific,
      payload,
    ]),
  );
}

/** What a stream's packets say about losses, summed up. */
function losses(packets: readonly PacketRead[]): { events: bigint; packets: bigint } {
  const first = packets[0].roles;
  const last = packets.at(-1)?.roles ?? first;
  const numbers = (last.get('packet-sequence') ?? 0n) - (first.get('packet-sequence') ?? 0n) + 1n;
  return { events: last.get('discarded-events') ?? 0n, packets: numbers - BigInt(packets.length) };
}

const user = exampleTraces().find(({ name }) => name.startsWith('executions-lock/ust'));
const cases: readonly (readonly [string, TraceFiles])[] = [
  ['user space, aligned fields', loadTrace(user?.path ?? '')],
  ['a simulation', simulate(settingsOf(4)).files],
  ['losses in gaps and at ends', simulate(settingsOf(32)).files],
  ['lost packets', simulate(settingsOf(28)).files],
];

describe('splitPackets', () => {
  it.each(cases)('keeps events and losses: %s', (_, files) => {
    const before = packetsOf(files);
    for (const perPacket of [1, 7, 100]) {
      const after = packetsOf(splitPackets(modelOf(files), files, perPacket));
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      for (const [file, packets] of after) {
        const old = before.get(file) ?? [];
        expect(valuesOf(packets)).toEqual(valuesOf(old));
        expect(losses(packets)).toEqual(losses(old));
        expect(packets[0].roles.get('packet-begin')).toBe(old[0].roles.get('packet-begin'));
        expect(packets.at(-1)?.roles.get('packet-end')).toBe(old.at(-1)?.roles.get('packet-end'));
      }
    }
  });

  it('makes packets of N events', () => {
    const { files } = simulate(settingsOf(4));
    for (const packets of packetsOf(splitPackets(modelOf(files), files, 7)).values()) {
      expect(Math.max(...packets.map(({ events }) => events.length))).toBe(7);
    }
  });
});
