import { describe, expect, it } from 'vitest';
import { integer, lttngModel, struct } from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../test/support/ctf-writer/trace-writer.ts';
import type { SourceRef } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import { createAnalysisSet } from './analysis-set.ts';
import { reducedHost } from './reduced-host.ts';

/** First and last time of a recording's packets on each CPU; an end of 0 is not told. */
type Recording = readonly (readonly [begin: bigint, end: bigint])[];

async function laterOf(recordings: readonly Recording[]): Promise<readonly number[] | undefined> {
  const clock = { frequency: 1_000_000_000n, offsetSeconds: 0n, offsetCycles: 0n, absolute: true };
  const refs = recordings.flatMap((cpus, number): SourceRef[] => {
    const model = lttngModel({
      uuid: `${number}0000000-0000-4000-8000-000000000000`,
      clock: { name: 'monotonic', uuid: 'a0000000-0000-4000-8000-000000000000', ...clock },
      environment: { domain: 'kernel' },
      header: 'compact',
      events: { tick: struct({ value: integer(32) }) },
    });
    const streams = cpus.map(([begin, end], cpu) => ({
      file: `c_${cpu}`,
      streamClass: 0,
      packets: [{ begin, end, cpu, streamId: BigInt(cpu), events: [{ eventClass: 0, time: begin }] }],
    }));
    return [...writeTrace(model, streams)].map(([name, bytes]) => {
      return { kind: 'memory', path: `${number}/${name}`, size: bytes.length, bytes };
    });
  });
  const experiment = await openExperiment(refs, openSource);
  const { plan } = createAnalysisSet([]);
  expect(experiment.hosts.length).toBe(1);
  return reducedHost(experiment, experiment.hosts[0], plan).recordings;
}

describe('recordings of a host', () => {
  const first: Recording = [
    [100n, 180n],
    [110n, 200n],
  ];

  it('begin with their first packet', async () => {
    expect(await laterOf([[[500n, 600n]], first, [[300n, 400n]]])).toEqual([200, 400]);
  });

  it('are one where they overlap', async () => {
    expect(await laterOf([first, [[150n, 190n]], [[190n, 300n]]])).toEqual([]);
  });

  it('are told apart where one does not tell its end', async () => {
    const crashed: Recording = [[100n, 0n], ...first];
    expect(await laterOf([crashed, [[300n, 400n]]])).toEqual([200]);
    expect(await laterOf([[[100n, 0n]], [[300n, 400n]], [[500n, 600n]]])).toEqual([200, 400]);
  });
});
