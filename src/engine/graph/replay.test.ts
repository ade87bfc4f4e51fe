import { describe, expect, it } from 'vitest';
import { graphOf, lockWaits, workerOf } from '../../../test/support/graph-text.ts';
import { type Closure, readClosure, type TogetherWith } from './closure.ts';
import { type GraphLockWaits } from './lock-waits.ts';
import { BLOCKED, LABELS, PREEMPTED, RUNNING } from './path-codes.ts';
import { TIMER_END, TIMER_NOT_KNOWN } from './piece-details.ts';
import { type Change, Replayer, type ReplayMode } from './replay.ts';

async function closureOf(
  text: string,
  to: number,
  from = 0,
  locks = '',
  togetherWith?: TogetherWith,
): Promise<Closure> {
  const graph = graphOf(text);
  const waits: GraphLockWaits | undefined = locks === '' ? undefined : lockWaits(graph, locks);
  const closure = await readClosure(graph, { worker: 0, from, to, locks: waits, togetherWith });
  if (closure === undefined) throw new Error('nobody else asked');
  return closure;
}

const nameOf = (worker: number): string => String.fromCharCode(65 + worker);

/** `A 0-20 running` by worker and time. */
function piecesOf({ pieces: p, workers }: Closure): string[] {
  return Array.from(
    { length: p.length },
    (_, row) =>
      `${nameOf(workers.worker[p.owner[row]])} ${p.begin[row]}-${p.end[row]} ${LABELS[p.label[row]]}`,
  );
}

function noChange({ pieces }: Closure): Change & { removed: Float64Array } {
  return {
    removed: new Float64Array(pieces.length),
    isOwn: new Uint8Array(pieces.length),
    removedMeanwhile: new Float64Array(pieces.length),
  };
}

/** Work of a worker takes so much of its time. */
function work(closure: Closure, letter: string, factor: number): Change {
  const change = noChange(closure);
  const { owner, label, begin, end } = closure.pieces;
  for (let row = 0; row < closure.pieces.length; row++)
    if (label[row] === RUNNING && closure.workers.worker[owner[row]] === workerOf(letter))
      change.removed[row] = (1 - factor) * (end[row] - begin[row]);
  return change;
}

/** New ends of A's pieces. */
function endsOf(
  closure: Closure,
  change: Change,
  mode: ReplayMode = 'careful',
  timers?: Uint8Array,
): number[] {
  const { workers, pieces } = closure;
  const { end } = new Replayer(closure, timers ?? new Uint8Array(pieces.length)).replay(change, mode);
  return [...end.slice(0, workers.first[1])];
}

describe('closure', () => {
  it('has the pieces of those whose signals ended waits, up to the signals', async () => {
    const closure = await closureOf(
      `A: 0 run 20 wait 40 run 60 wait 70 run 80
       B: 5 run 30 wait 35 run 50 wait 65 run 90
       C: 10 run 95
       A@5 forks B
       B@40 wakes A
       C@35 wakes B
       B@69 wakes A@70`,
      75,
    );
    expect(piecesOf(closure)).toEqual([
      ...['A 0-20 running', 'A 20-40 blocked', 'A 40-60 running', 'A 60-70 blocked', 'A 70-75 running'],
      ...['B 5-30 running', 'B 30-35 blocked', 'B 35-50 running', 'B 50-65 blocked', 'B 65-69 running'],
      'C 10-35 running',
    ]);
    expect([...closure.workers.creator]).toEqual([-1, 0, -1]);
    expect(closure.leftOut).toBe(0);
  });

  it('leaves signals as they were where there are too many pieces', async () => {
    const graph = graphOf(`A: 0 run 20 wait 40 run 60
       B: 0 run 60
       B@40 wakes A`);
    const closure = await readClosure(graph, { worker: 0, from: 0, to: 60, most: 2 });
    // The signal, and the begin of A.
    expect(closure?.leftOut).toBe(2);
    expect(closure && piecesOf(closure)).toEqual(['A 20-40 blocked', 'A 40-60 running']);
    expect([...(closure?.pieces.isFixed ?? [])]).toEqual([1, 0]);
  });

  it('takes the wait for a lock as one piece, whatever the kernel shows', async () => {
    const closure = await closureOf(
      `A: 0 run 20 wait 30 run 60
       B: 0 run 60
       B@30 wakes A`,
      60,
      0,
      'A m 10-40 by B',
    );
    expect(piecesOf(closure)).toEqual([
      ...['A 0-10 running', 'A 10-40 blocked', 'A 40-60 running'],
      'B 0-40 running',
    ]);
  });
});

/** A and B at a barrier. */
const TOGETHER = [
  { worker: 0, time: 10 },
  { worker: 1, time: 30 },
];

describe('replay', () => {
  const served = `A: 0 run 20 wait 40 run 60
    B: 0 run 60
    B@40 wakes A`;

  it('a wait ends when its signal comes', async () => {
    const closure = await closureOf(served, 60);
    expect(endsOf(closure, work(closure, 'B', 0.75))).toEqual([20, 30, 50]);
    expect(endsOf(closure, work(closure, 'B', 2))).toEqual([20, 80, 100]);
  });

  it('a signal that comes before the wait is kept', async () => {
    const closure = await closureOf(served, 60);
    expect(endsOf(closure, work(closure, 'B', 0.25))).toEqual([20, 20, 40]);
    expect(endsOf(closure, work(closure, 'B', 0))).toEqual([20, 20, 40]);
  });

  it('who works less waits for the same signal', async () => {
    const closure = await closureOf(served, 60);
    expect(endsOf(closure, work(closure, 'A', 0.5))).toEqual([10, 40, 50]);
  });

  it('goes on through a chain of workers, and through who created them', async () => {
    const chain = await closureOf(
      `A: 0 run 20 wait 60 run 70
       B: 10 run 30 wait 50 run 60
       C: 20 run 50
       A@10 forks B
       B@20 forks C
       C@50 wakes B
       B@60 wakes A`,
      70,
    );
    // C begins at 20 and takes 15: B goes on at 35.
    expect(endsOf(chain, work(chain, 'C', 0.5))).toEqual([20, 45, 55]);
    // A creates B at 5, B creates C at 15.
    expect(endsOf(chain, work(chain, 'A', 0.5))).toEqual([10, 55, 60]);
  });

  it('a delay from signal to end stays', async () => {
    const closure = await closureOf(served.replace('B@40 wakes A', 'B@36 wakes A@40'), 60);
    expect(endsOf(closure, work(closure, 'B', 0.75))).toEqual([20, 31, 51]);
  });

  it('a wait without a known signal keeps its length', async () => {
    const closure = await closureOf('A: 0 run 20 wait 40 run 60', 60);
    expect(endsOf(closure, work(closure, 'A', 0.5))).toEqual([10, 30, 40]);
  });

  it('a timer keeps its length or its end', async () => {
    const closure = await closureOf('A: 0 run 20 wait(timer) 40 run 60', 60);
    const half = work(closure, 'A', 0.5);
    expect(endsOf(closure, half, 'careful', Uint8Array.of(0, TIMER_END, 0))).toEqual([10, 40, 50]);
    expect(endsOf(closure, half, 'hopeful', Uint8Array.of(0, TIMER_END, 0))).toEqual([10, 40, 50]);
    expect(endsOf(closure, half, 'careful', Uint8Array.of(0, TIMER_NOT_KNOWN, 0))).toEqual([10, 40, 50]);
    expect(endsOf(closure, half, 'hopeful', Uint8Array.of(0, TIMER_NOT_KNOWN, 0))).toEqual([10, 30, 40]);
  });

  it('a wait for a CPU gets shorter as what ran meanwhile does, to hope', async () => {
    const closure = await closureOf('A: 0 run 20 ready 40 run 60', 60);
    const change = noChange(closure);
    change.removedMeanwhile.set([0, 15, 0]);
    expect(closure.pieces.label[1]).toBe(PREEMPTED);
    expect(endsOf(closure, change, 'careful')).toEqual([20, 40, 60]);
    expect(endsOf(closure, change, 'hopeful')).toEqual([20, 25, 45]);
  });

  it('without a lock nobody waits for it; others wait for who released it', async () => {
    const closure = await closureOf(
      `A: 0 run 20 wait 40 run 60
       B: 0 run 20 wait 30 run 60
       C: 0 run 60
       B@40 wakes A
       C@30 wakes B`,
      60,
      0,
      'A m 10-40 by B, B n 20-30 by C',
    );
    const without = (lock: number): Change => {
      const change = noChange(closure);
      const { pieces } = closure;
      for (let row = 0; row < pieces.length; row++) {
        if (pieces.label[row] !== BLOCKED || pieces.lockWait[row] !== lock) continue;
        change.removed[row] = pieces.end[row] - pieces.begin[row];
        change.isOwn[row] = 1;
      }
      return change;
    };
    expect(endsOf(closure, without(0))).toEqual([10, 10, 30]);
    expect(endsOf(closure, without(1))).toEqual([10, 30, 50]);
  });

  it('a signal that set several free is not given before all of them wait, to be careful', async () => {
    const closure = await closureOf(
      `A: 0 run 10 wait 40 run 60
       B: 0 run 30 wait 41 run 60
       C: 0 run 60
       C@40 wakes A
       C@41 wakes B`,
      60,
      0,
      '',
      (worker) => (worker === 0 ? TOGETHER : undefined),
    );
    expect(piecesOf(closure)).toContain('B 0-30 running');
    expect(endsOf(closure, noChange(closure))).toEqual([10, 40, 60]);
    expect(endsOf(closure, work(closure, 'C', 0), 'careful')).toEqual([10, 30, 50]);
    expect(endsOf(closure, work(closure, 'C', 0), 'hopeful')).toEqual([10, 10, 30]);
  });

  it('a worker gives signals in the middle of its first piece', async () => {
    const closure = await closureOf(
      `A: 0 run 20 wait 40 run 60 wait 80 run 90
       B: 0 run 90
       B@40 wakes A
       B@80 wakes A`,
      90,
    );
    expect(endsOf(closure, noChange(closure))).toEqual([20, 40, 60, 80, 90]);
    expect(endsOf(closure, work(closure, 'B', 0.5))).toEqual([20, 20, 40, 40, 50]);
    const { signal } = new Replayer(closure, new Uint8Array(closure.pieces.length)).replay(
      noChange(closure),
      'careful',
    );
    expect([...signal.slice(0, 4)]).toEqual([NaN, 40, NaN, 80]);
  });

  it('a range that ends inside a wait waits for the same signal up to there', async () => {
    const closure = await closureOf(
      `A: 0 run 20 wait 60
       B: 0 run 60
       B@60 wakes A`,
      50,
    );
    expect(endsOf(closure, work(closure, 'B', 0))).toEqual([20, 20]);
    expect(endsOf(closure, work(closure, 'A', 0.5))).toEqual([10, 50]);
  });

  it('who was left out gives its signals when it did', async () => {
    const graph = graphOf(`A: 0 run 20 wait 40 run 60
       B: 0 run 60
       B@40 wakes A`);
    const closure = await readClosure(graph, { worker: 0, from: 0, to: 60, most: 2 });
    if (closure === undefined) throw new Error('nobody else asked');
    expect(endsOf(closure, work(closure, 'A', 0.5))).toEqual([40, 50]);
  });

  it('signals at one instant are settled in their order, circles stay', async () => {
    const chain = await closureOf(
      `A: 0 run 10 wait 40 run 50
       B: 0 run 10 wait 40 run 50
       C: 0 run 50
       B@40 wakes A
       C@40 wakes B`,
      50,
    );
    expect(endsOf(chain, work(chain, 'C', 0.5))).toEqual([10, 20, 30]);
    const circle = await closureOf(
      `A: 0 run 10 wait 40 run 50
       B: 0 run 10 wait 40 run 50
       B@40 wakes A
       A@40 wakes B`,
      50,
    );
    expect(endsOf(circle, noChange(circle))).toEqual([10, 40, 50]);
  });
});
