/** Laws of replays over simulated kernels (`engine/graph/replay.ts`). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Closure, readClosure } from '../../src/engine/graph/closure.ts';
import { BLOCKED } from '../../src/engine/graph/path-codes.ts';
import { pieceDetails } from '../../src/engine/graph/piece-details.ts';
import { type Change, Replayer, type ReplayMode } from '../../src/engine/graph/replay.ts';
import { runGraph } from '../support/graph-run.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { forAll } from '../support/for-all.ts';

const MODES: readonly ReplayMode[] = ['careful', 'hopeful'];

/** Shares of pieces, some of them, and of what ran meanwhile. */
interface Shares {
  readonly share: Float64Array;
  readonly meanwhile: Float64Array;
  readonly isOwn: Uint8Array;
  readonly ofRequests: Float64Array;
}

function sharesOf({ pieces }: Closure, requests: number, random: Random): Shares {
  const some = () => (random.chance(0.3) ? random.between(1, 100) / 100 : 0);
  return {
    share: Float64Array.from({ length: pieces.length }, some),
    meanwhile: Float64Array.from({ length: pieces.length }, some),
    isOwn: Uint8Array.from({ length: pieces.length }, () => (random.chance(0.1) ? 1 : 0)),
    ofRequests: Float64Array.from({ length: requests }, some),
  };
}

/** The shares take `factor` of their time. */
function changeOf(
  { pieces: { begin, end } }: Closure,
  { share, meanwhile, isOwn, ofRequests }: Shares,
  factor: number,
): Change {
  const removed = share.map((each, row) => each * (1 - factor) * (end[row] - begin[row]));
  const removedMeanwhile = meanwhile.map((each, row) => each * (1 - factor) * (end[row] - begin[row]));
  const times = ofRequests.map((each) => 1 - each * (1 - factor));
  return { removed, removedMeanwhile, isOwn, ofRequests: times };
}

async function expectLaws(seed: number): Promise<void> {
  const random = randomOf(seed);
  const simulation = simulate(settingsOf(seed));
  if (simulation.events === 0) return;
  const { graph, hosts } = await runGraph([{ files: simulation.files }], 400);
  const worker = graph.workerOfThread(0, random.between(0, hosts[0].tables.threads.length - 1));
  const life = await graph.lifeOf(worker);
  const closure = await readClosure(graph, { worker, ...life });
  if (closure === undefined) throw new Error('nobody else asked');
  const details = await pieceDetails(graph, closure);
  if (details === undefined) throw new Error('nobody else asked');
  const { pieces, workers } = closure;
  const timers = Uint8Array.from({ length: pieces.length }, (_, row) =>
    pieces.label[row] === BLOCKED && pieces.source[row] < 0 ? random.between(0, 3) : 0,
  );
  const replayer = new Replayer(closure, timers, details.disks);
  const shares = sharesOf(closure, details.disks.length, random);
  const nothing = { ...shares, isOwn: new Uint8Array(pieces.length) };
  for (const mode of MODES) {
    const same = replayer.replay(changeOf(closure, nothing, 1), mode);
    expect(same.begin).toEqual(pieces.begin);
    expect(same.end).toEqual(pieces.end);
    let before = replayer.replay(changeOf(closure, shares, 2), mode);
    for (const factor of [1.5, 1, 0.5, 0.25, 0]) {
      const after = replayer.replay(changeOf(closure, shares, factor), mode);
      for (let row = 0; row < pieces.length; row++) {
        expect(after.begin[row]).toBeLessThanOrEqual(after.end[row]);
        expect(after.end[row]).toBeLessThanOrEqual(before.end[row] + 1e-3);
        if (row > workers.first[pieces.owner[row]]) expect(after.begin[row]).toBe(after.end[row - 1]);
      }
      before = after;
    }
  }
  const [careful, hopeful] = MODES.map((mode) => replayer.replay(changeOf(closure, shares, 0.5), mode));
  for (let row = 0; row < pieces.length; row++)
    expect(hopeful.end[row]).toBeLessThanOrEqual(careful.end[row] + 1e-3);
}

it('replay changes nothing for factor 1, keeps the order of each worker, and less never ends later', () =>
  forAll(60, [fc.nat()], expectLaws));
