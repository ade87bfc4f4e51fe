import { describe, expect, it } from 'vitest';
import {
  lttngModel,
  monotonicClock,
  signed,
  struct,
} from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../test/support/ctf-writer/trace-writer.ts';
import { localSession } from '../../../test/support/local-session.ts';
import { memoryRefs } from '../../../test/support/memory-files.ts';
import type { SourceRef } from '../io/byte-source.ts';

/** Packets of ten events, one each µs, whose contexts tell no times: event n is at n µs. */
function untimedPackets(count: number): SourceRef[] {
  const model = lttngModel({
    uuid: '5151c0de-0000-4000-8000-000000000005',
    clock: monotonicClock('5151c0de-0000-4000-8000-000000000006'),
    environment: { domain: 'ust', hostname: 'simulated' },
    header: 'large',
    events: { step: struct({ n: signed(32) }) },
  });
  const streams = model.streams.map((stream) => {
    const { packetContext } = stream;
    const members = packetContext?.members.filter(({ name }) => !name.startsWith('timestamp_'));
    return { ...stream, packetContext: packetContext && { ...packetContext, members: members ?? [] } };
  });
  const packets = Array.from({ length: count }, (_, packet) => {
    const numbers = Array.from({ length: 10 }, (_, i) => 10 * packet + i);
    const events = numbers.map((n) => ({
      eventClass: 0,
      time: BigInt(1000 * n),
      payload: { n: BigInt(n) },
    }));
    return { begin: 0n, end: 0n, sequence: BigInt(packet), streamId: 0n, cpu: 0, discarded: 0n, events };
  });
  return memoryRefs(writeTrace({ ...model, streams }, [{ file: 'channel_0', streamClass: 0, packets }]));
}

describe('events around a time', () => {
  it.each([5, 70])('are found in packets that tell no times, of which there are %i', async (count) => {
    const { api, open } = localSession();
    const { info } = await open(untimedPackets(count));
    expect(info.events).toBe(10 * count);
    const last = 10 * count - 1;
    const around = async (n: number) =>
      (await api.ask('events', { timeNs: 1000 * n, limit: 5 })).map(({ timeNs }) => timeNs / 1000);
    expect(await around(0)).toEqual([0, 1, 2, 3, 4]);
    expect(await around(20)).toEqual([18, 19, 20, 21, 22]);
    expect(await around(last - 10)).toEqual([-12, -11, -10, -9, -8].map((n) => last + n));
    expect(await around(last)).toEqual([-4, -3, -2, -1, 0].map((n) => last + n));
    expect(await api.ask('events', { timeNs: 1000 * 20, limit: 1000 })).toHaveLength(10 * count);
  });
});
