import { describe, expect, it } from 'vitest';
import { runEngine } from '../../../test/support/engine-run.ts';
import { integer, lttngModel, struct } from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace, type PacketToWrite } from '../../../test/support/ctf-writer/trace-writer.ts';
import { randomOf } from '../../../test/support/simulator/random.ts';
import { memoryHistory } from '../../../test/support/state-run.ts';
import type { AnyAnalysis } from '../analysis/analysis-set.ts';
import { DecodeMemory } from '../ctf/decode/wasm/decode-memory.ts';
import { indexStreamFile } from '../ctf/packets/packet-index.ts';
import { summariseTraces } from '../export/canonical-streams.ts';
import { memorySource } from '../io/memory-source.ts';
import { kernelState } from '../linux/states/kernel-state.ts';

const model = lttngModel({
  uuid: '00000000-0000-4000-8000-000000000000',
  clock: {
    name: 'monotonic',
    frequency: 1_000_000_000n,
    offsetSeconds: 0n,
    offsetCycles: 0n,
    absolute: true,
  },
  environment: { domain: 'kernel' },
  header: 'large',
  events: { sched_waking: struct({ tid: integer(32), target_cpu: integer(32) }) },
});

/** Packets of wake-ups: begin, end, times. */
function packetsOf(...packets: readonly (readonly [number, number, readonly number[]])[]): PacketToWrite[] {
  return packets.map(([begin, end, times]) => ({
    begin: BigInt(begin),
    end: BigInt(end),
    cpu: 0,
    streamId: 0n,
    events: times.map((time) => ({ eventClass: 0, time: BigInt(time), payload: { tid: time } })),
  }));
}

/** Canonical text, and what is told, by both decoders. */
async function read(packets: readonly PacketToWrite[]) {
  const bytes = writeTrace(model, [{ file: 'c', streamClass: 0, packets }]).get('c') ?? new Uint8Array();
  const source = memorySource('c', bytes);
  const indexed = await indexStreamFile(model, source);
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const streams = [[{ source, packets: indexed.value.packets }]];
  const answers = [undefined, new DecodeMemory()].map(async (memory) => {
    let text = '';
    const sink = (piece: Uint8Array) => void (text += new TextDecoder().decode(piece));
    const { faults } = await summariseTraces([{ model, streams }], sink, memory);
    return { times: text.match(/^\d+/gm)?.map(Number), faults };
  });
  const [interpreted, generated] = await Promise.all(answers);
  expect(generated).toEqual(interpreted);
  return interpreted;
}

describe('a stream out of order', () => {
  it('keeps its order where times go back, and counts the events before the greatest time', async () => {
    const packets = packetsOf(
      [100, 500, [100, 300, 200, 400, 250]],
      [500, 600, [510, 520]],
      [550, 700, [540, 560]],
      [530, 900, [600, 610]],
    );
    expect(await read(packets)).toEqual({
      times: [100, 300, 200, 400, 250, 510, 520, 540, 560, 600, 610],
      faults: [
        {
          code: 'time-backwards',
          place: { file: 'c', packet: 0 },
          expected: 'times that do not go back',
          found: '3 events in 2 packets',
        },
      ],
    });
  });

  it('tells of events after the end of their packet', async () => {
    const packets = packetsOf([100, 200, [100, 150]], [200, 300, [250, 301, 302]], [310, 400, [400]]);
    expect(await read(packets)).toEqual({
      times: [100, 150, 250, 301, 302, 400],
      faults: [
        {
          code: 'event-after-packet',
          place: { file: 'c', packet: 1 },
          expected: 'no event after the end of its packet',
          found: '2 events in 1 packet',
        },
      ],
    });
  });

  it('has no end to be after where a tracer crashed', async () => {
    expect((await read(packetsOf([100, 0, [100, 900]]))).faults).toEqual([]);
  });

  it('is told the same whatever the chunks and their order', async () => {
    const random = randomOf(5);
    const packets = packetsOf(
      ...Array.from({ length: 40 }, (_, n) => {
        const times = [0, 10, 20, 30].map((step) => 100 * n + step + random.between(0, 80));
        return [100 * n, 100 * n + 99, times] as const;
      }),
    );
    const files = writeTrace(model, [{ file: 'c', streamClass: 0, packets }]);
    const analyses = [kernelState] as readonly unknown[] as AnyAnalysis[];
    const faultsOf = async (chunkBytes: number, parallel: number) => {
      const options = { chunkBytes, disorder: { parallel, random: randomOf(chunkBytes) } };
      return (await runEngine(files, analyses, memoryHistory(), options)).outcome.faults;
    };
    const faults = await faultsOf(1 << 20, 1);
    expect(faults.map(({ code }) => code).sort()).toEqual(['event-after-packet', 'time-backwards']);
    for (const chunkBytes of [1, 300, 2000]) expect(await faultsOf(chunkBytes, 4)).toEqual(faults);
  });
});
