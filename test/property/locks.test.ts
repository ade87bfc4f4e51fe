/** The log of locks is the same however a trace is cut and read: of random events of programs, some of which were lost. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { LOSS, type LockLog } from '../../src/engine/layers/locks/lock-log.ts';
import { lockLayer } from '../../src/engine/layers/locks/layer.ts';
import { lockEvents, type LockProvider } from '../../src/engine/layers/locks/providers.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { type EngineOptions, runEngine } from '../support/engine-run.ts';
import { overlayTrace, type PacketOfEvents } from '../support/overlay-trace.ts';
import { type Random, randomOf } from '../support/simulator/random.ts';
import { forAll } from '../support/for-all.ts';

const ROW = { kind: 'mutex', status: '', mutex: '', mode: 'exclusive', isShared: false } as const;
const OWN: readonly LockProvider[] = [
  { ...ROW, event: 'lock:req', role: 'request', lock: 'id' },
  { ...ROW, event: 'lock:acq', role: 'acquire', lock: 'id' },
  { ...ROW, event: 'lock:rel', role: 'release', lock: 'id' },
  { ...ROW, event: 'named:rel', role: 'release', lock: 'path', isShared: true },
];
const NAMES = OWN.map(({ event }) => event);
/** A name, a 32-bit number, and a negative one: an address in the upper half. */
const IDS = [1, 0x7fff_ffff, -4096];

interface RandomTrace {
  readonly files: TraceFiles;
  readonly events: number;
  readonly losses: number;
}

function randomTrace(random: Random): RandomTrace {
  let [count, losses] = [0, 0];
  const streamOf = (cpu: number): PacketOfEvents[] => {
    let time = 1_000_000;
    let lost = 0;
    return Array.from({ length: random.between(1, 6) }, (_, packet) => {
      const isLossy = packet > 0 && random.chance(0.2);
      lost += isLossy ? 1 : 0;
      // Packets do not tell whether it was before their first event or behind it.
      losses += isLossy ? 2 : 0;
      const events = Array.from({ length: random.between(1, 12) }, () => {
        count++;
        time += random.between(1, 3);
        const vtid = random.between(1, 3);
        return {
          time,
          cpu,
          name: random.pick(NAMES),
          vtid,
          id: random.pick(IDS),
          path: random.pick(['a', 'b']),
        };
      });
      return { lost, events };
    });
  };
  return { files: overlayTrace(NAMES, [streamOf(0), streamOf(1)]), events: count, losses };
}

async function logOf(files: TraceFiles, options: EngineOptions): Promise<LockLog> {
  const kernel = { files: false, futexes: false, contention: false, switches: 'none' } as const;
  const analysis = lockLayer.analysis({ events: lockEvents(OWN, NAMES), kernel });
  const builder = new HistoryBuilder({ schemeOf: () => undefined });
  const { outcome } = await runEngine(files, [analysis as AnyAnalysis], builder, options);
  return outcome.histories[0].get(analysis.id) as LockLog;
}

it('has each event once, and where events may be missing, in order, whatever the chunks and their order', async () => {
  const cuts = fc.record({
    seed: fc.nat(),
    chunkBytes: fc.constantFrom(1, 200, 5000),
    parallel: fc.constantFrom(1, 2, 7),
  });
  await forAll(20, [cuts], async ({ seed, chunkBytes, parallel }) => {
    const { files, events, losses } = randomTrace(randomOf(seed));
    const whole = await logOf(files, {});
    const lost = whole.op.filter((op) => op === LOSS).length;
    expect([whole.length - lost, lost]).toEqual([events, losses]);
    expect(whole.time).toEqual(whole.time.slice().sort());
    expect(new Set(whole.locks.map(({ process, address }) => `${process} ${address}`)).size).toBe(
      whole.locks.length,
    );
    const disorder = { parallel, random: randomOf(seed) };
    expect(await logOf(files, { chunkBytes, disorder })).toEqual(whole);
  });
});
