import { describe, expect, it } from 'vitest';
import { callGraph, SEGMENTS_PER_ROUND } from '../../../test/support/call-graph.ts';
import { graphOf, pathIn, pathText } from '../../../test/support/graph-text.ts';
import { VIA_FORK, VIA_NOTHING, VIA_WAIT, VIA_WAKE_UP } from './path-codes.ts';

/** Giraldeau 2015, Figure 4.2 with times, and Table 4.1: both columns. */
const FIGURE_4_2 = {
  a: {
    graph: `A: 0 run 20 wait 40 run 60
      B: 10 run 40
      A@10 forks B
      B@40 wakes A`,
    to: 60,
    exact: 'A 0-10, B 10-40, A 40-60',
    approximation: 'A 0-20, B 20-40, A 40-60',
  },
  b: {
    graph: `A: 0 run 20 wait 40 run 70 wait 90 run 100
      B: 10 run 40
      C: 60 run 90
      A@10 forks B
      B@40 wakes A
      A@60 forks C
      C@90 wakes A`,
    to: 100,
    exact: 'A 0-10, B 10-40, A 40-60, C 60-90, A 90-100',
    approximation: 'A 0-20, B 20-40, A 40-70, C 70-90, A 90-100',
  },
  c: {
    graph: `A: 0 run 30 wait 50 run 60 wait 80 run 90
      B: 10 run 50
      C: 20 run 80
      A@10 forks B
      A@20 forks C
      B@50 wakes A
      C@80 wakes A`,
    to: 90,
    exact: 'A 0-20, C 20-80, A 80-90',
    approximation: 'A 0-30, B 30-50, A 50-60, C 60-80, A 80-90',
  },
  d: {
    graph: `A: 0 run 20 wait 60 run 70
      B: 10 run 30 wait 50 run 60
      C: 20 run 50
      A@10 forks B
      B@20 forks C
      C@50 wakes B
      B@60 wakes A`,
    to: 70,
    exact: 'A 0-10, B 10-20, C 20-50, B 50-60, A 60-70',
    approximation: 'A 0-20, B 20-30, C 30-50, B 50-60, A 60-70',
  },
  e: {
    graph: `A: 0 run 30
      B: 10 run 30
      A@10 forks B`,
    to: 30,
    exact: 'A 0-30',
    approximation: 'A 0-30',
  },
  // Exact is the theoretical path (B0,B1,A2,A3): the table's needs the wait for the lock, which only lock events tell.
  f: {
    graph: `A: 0 run 20 wait 40 run 50
      B: 0 run 40
      B@40 wakes A`,
    to: 50,
    exact: 'B 0-40, A 40-50',
    approximation: 'A 0-20, B 20-40, A 40-50',
  },
};

describe('Table 4.1', () => {
  it.each(Object.entries(FIGURE_4_2))('(%s)', (_, { graph, to, exact, approximation }) => {
    expect(pathText(graphOf(graph), 0, to, { criterion: 'exact' })).toBe(exact);
    expect(pathText(graphOf(graph), 0, to)).toBe(approximation);
  });

  // What Giraldeau 2015 says of (f) in section 4.3.1: all of these give (A0,A1,X2,B1,A2,A3).
  it.each([{ criterion: 'reconvergence' }, { criterion: 'marked unrelated', marked: 'B' }] as const)(
    '(f) with $criterion',
    (options) => {
      const { graph, to, approximation } = FIGURE_4_2.f;
      expect(pathText(graphOf(graph), 0, to, options)).toBe(approximation);
    },
  );

  it('(f) with lock holder', () => {
    const { graph, to, exact, approximation } = FIGURE_4_2.f;
    const options = { criterion: 'lock holder' } as const;
    expect(pathText(graphOf(graph), 0, to, { ...options, locks: 'A m 20-40 by B' })).toBe(approximation);
    expect(pathText(graphOf(graph), 0, to, options)).toBe(exact);
  });

  it.each(['a', 'b', 'c', 'd', 'e'] as const)('(%s) comes back, so reconvergence is exact', (name) => {
    const { graph, to, exact } = FIGURE_4_2[name];
    expect(pathText(graphOf(graph), 0, to, { criterion: 'reconvergence' })).toBe(exact);
    expect(pathText(graphOf(graph), 0, to, { criterion: 'marked unrelated' })).toBe(exact);
  });
});

describe('main task', () => {
  it('takes a wait without a followable signal as it is', () => {
    const graph = graphOf('A: 0 run 10 wait(timer) 30 ready 32 run 40');
    expect(pathText(graph, 0, 40)).toBe('A 0-10, A 10-30 blocked (timer), A 30-32 preempted, A 32-40');
  });

  it('does not follow a signal that was given before the wait began', () => {
    const graph = graphOf(`A: 0 run 12 wait(early) 15 run 20
      B: 0 run 20
      B@10 wakes A@15`);
    expect(pathText(graph, 0, 20)).toBe('A 0-12, A 12-15 blocked (early), A 15-20');
    expect(pathText(graph, 0, 20, { criterion: 'exact' })).toBe('A 0-12, A 12-15 blocked (early), A 15-20');
  });

  it('keeps the time from a signal to the end of the wait', () => {
    const graph = graphOf(`A: 0 run 10 wait(late) 30 run 40
      B: 0 run 40
      B@25 wakes A@30`);
    expect(pathText(graph, 0, 40)).toBe('A 0-10, B 10-25, A 25-30 blocked (late), A 30-40');
  });

  it('resolves a wait that the range cuts at either end', () => {
    const graph = graphOf(`A: 0 run 10 wait 80 run 100
      B: 0 run 100
      B@80 wakes A`);
    for (const criterion of ['main task', 'exact'] as const)
      expect(pathText(graph, 20, 50, { criterion })).toBe('B 20-50');
  });

  it('follows nested waits within the wait around', () => {
    const graph = graphOf(`A: 0 run 10 wait 60 ready 61 run 100
      B: 0 run 5 wait 50 ready 52 run 60
      C: 0 run 60
      C@50 wakes B
      B@60 wakes A`);
    expect(pathText(graph, 0, 100)).toBe(
      'A 0-10, C 10-50, B 50-52 preempted, B 52-60, A 60-61 preempted, A 61-100',
    );
  });

  it('tells why it does not know, on the worker that waits', () => {
    const late = graphOf(`A: 0 run 10 wait 50 run 60
      B: 30 run 50
      B@50 wakes A`);
    expect(pathText(late, 0, 60)).toBe('A 0-10, A 10-30 unknown (trace begin), B 30-50, A 50-60');
    const ended = graphOf(`A: 0 run 10 wait 50 run 60
      B: 0 run 30
      B@50 wakes A`);
    expect(pathText(ended, 0, 60)).toBe('A 0-10, A 10-50 unknown (worker ended), A 50-60');
    const nobody = graphOf('A: 10 run 20');
    expect(pathText(nobody, 0, 40)).toBe(
      'A 0-10 unknown (not traced), A 10-20, A 20-40 unknown (not traced)',
    );
    expect(pathText(graphOf(''), 0, 40)).toBe('A 0-40 unknown (not traced)');
  });

  it('follows packets that a worker received itself, but not for its own time', () => {
    const graph = graphOf(`A: 0 run 10 wait 50 run 90
      B: 0 run 60
      C: 0 run 60
      C@20 sends B@30
      C@70 sends A@80
      B@50 wakes A`);
    expect(pathText(graph, 0, 90)).toBe('A 0-10, C 10-20, B 20-30 network, B 30-50, A 50-90');
  });

  it('goes on where two workers of clocks that disagree wait for each other', () => {
    const graph = graphOf(`A: 0 run 10 wait 50 run 60
      B: 0 run 10 wait 50 run 60
      B@50 wakes A
      A@50 wakes B`);
    expect(pathText(graph, 0, 60)).toBe('A 0-10, A 10-50 blocked, A 50-60');
    expect(pathText(graph, 0, 60, { criterion: 'exact' })).toBe('A 0-10, A 10-50 blocked, A 50-60');
  });
});

describe('exact', () => {
  it('takes a wait as it is when the way through it ends in nothing', () => {
    const graph = graphOf(`A: 0 run 20 wait 40 run 50
      B: 10 run 40
      B@40 wakes A`);
    expect(pathText(graph, 0, 50, { criterion: 'exact' })).toBe('A 0-20, A 20-40 blocked, A 40-50');
  });

  it('goes back and forth', () => {
    const graph = graphOf(`A: 0 run 20 wait 30 run 70 wait 90 run 100
      B: 0 run 5 wait 10 run 40 wait 60 run 100
      A@10 wakes B
      B@30 wakes A
      A@60 wakes B
      B@90 wakes A`);
    expect(pathText(graph, 0, 100)).toBe('A 0-20, B 20-30, A 30-70, B 70-90, A 90-100');
    const exact = 'A 0-10, B 10-30, A 30-60, B 60-90, A 90-100';
    expect(pathText(graph, 0, 100, { criterion: 'exact' })).toBe(exact);
    expect(pathText(graph, 0, 100, { criterion: 'reconvergence' })).toBe(exact);
    expect(pathText(graph, 0, 100, { criterion: 'marked unrelated', marked: 'B' })).toBe(
      pathText(graph, 0, 100),
    );
  });

  it('tries each way once where all of them fail', () => {
    const rounds = 2000;
    const a: string[] = ['0 lost 5 run 12'];
    const b: string[] = ['0 lost 5 wait 10'];
    const signals: string[] = [];
    for (let t = 10; t < 10 * rounds; t += 10) {
      a.push(`wait ${t + 6} run ${t + 12}`);
      b.push(`run ${t + 7} wait ${t + 10}`);
      signals.push(`A@${t} wakes B`, `B@${t + 6} wakes A`);
    }
    const graph = graphOf(`A: ${a.join(' ')}\nB: ${b.join(' ')}\n${signals.join('\n')}`);
    const inVain = pathIn(graph, 0, 9000, { criterion: 'exact' });
    expect(new Set(inVain.segments.worker)).toEqual(new Set([0]));
    expect(inVain.visited).toBeLessThan(20 * rounds);
    const known = pathIn(graph, 5, 9000, { criterion: 'exact' });
    expect(new Set(known.segments.worker)).toEqual(new Set([0, 1]));
  });
});

describe('reconvergence', () => {
  it('falls back at each wait from which the way does not return', () => {
    const graph = graphOf(`A: 0 run 20 wait 40 run 60 wait 80 run 100
      B: 0 run 80
      B@40 wakes A
      B@80 wakes A`);
    expect(pathText(graph, 0, 100, { criterion: 'exact' })).toBe('B 0-80, A 80-100');
    expect(pathText(graph, 0, 100, { criterion: 'reconvergence' })).toBe(
      'A 0-20, B 20-40, A 40-60, B 60-80, A 80-100',
    );
  });

  it('keeps what explains the wait where the way ends before it', () => {
    const graph = graphOf(`A: 0 run 20 wait 40 run 50
      B: 10 run 40
      B@40 wakes A`);
    expect(pathText(graph, 0, 50, { criterion: 'reconvergence' })).toBe('A 0-20, B 20-40, A 40-50');
  });
});

it('marked unrelated bounds the way through marked workers only', () => {
  const graph = graphOf(`A: 0 run 20 wait 60 run 70
      B: 0 run 30 wait 50 run 60
      C: 0 run 50
      C@50 wakes B
      B@60 wakes A`);
  expect(pathText(graph, 0, 70, { criterion: 'marked unrelated' })).toBe('C 0-50, B 50-60, A 60-70');
  expect(pathText(graph, 0, 70, { criterion: 'marked unrelated', marked: 'C' })).toBe(
    'B 0-30, C 30-50, B 50-60, A 60-70',
  );
  expect(pathText(graph, 0, 70, { criterion: 'marked unrelated', marked: 'B' })).toBe(
    'A 0-20, C 20-50, B 50-60, A 60-70',
  );
});

describe('lock holder', () => {
  const path = (text: string, to: number, locks: string) =>
    pathText(graphOf(text), 0, to, { criterion: 'lock holder', locks });

  it('comes back to who waited, and resolves what the holder waits for in the same way', () => {
    const text = `A: 0 run 20 wait 60 run 70
      B: 0 run 30 wait 50 run 60
      C: 0 run 50
      C@50 wakes B
      B@60 wakes A`;
    expect(path(text, 70, '')).toBe('C 0-50, B 50-60, A 60-70');
    expect(path(text, 70, 'A m 20-60 by B')).toBe('A 0-20, B 20-30, C 30-50, B 50-60, A 60-70');
    expect(path(text, 70, 'B n 30-50 by C')).toBe('B 0-30, C 30-50, B 50-60, A 60-70');
  });

  it('takes a thread that spins for one that waits, up to the hand-over', () => {
    const text = `A: 0 run 30 ready 40 run 70
      B: 0 run 70`;
    expect(path(text, 70, 'A m 20-35 by B')).toBe('A 0-20, B 20-35, A 35-40 preempted, A 40-70');
    expect(path(text, 70, 'A m 20-50 by B, A n 60-65 by B')).toBe(
      'A 0-20, B 20-50, A 50-60, B 60-65, A 65-70',
    );
  });

  it('is no jump that could be taken back: what is not known of the holder is unknown', () => {
    const text = `A: 0 run 20 wait 40 run 50
      B: 30 run 40
      B@40 wakes A`;
    expect(path(text, 50, '')).toBe('A 0-20, A 20-40 blocked, A 40-50');
    expect(path(text, 50, 'A m 20-40 by B')).toBe('A 0-20, B 20-30 unknown (not traced), B 30-40, A 40-50');
    expect(path(text, 50, 'A m 20-40 by B: ? 35; B 40')).toBe(
      'A 0-20, A 20-35 unknown (not traced), B 35-40, A 40-50',
    );
  });

  it('goes back to a jump behind the wait where the way before it ends in nothing', () => {
    const text = `A: 0 run 60 wait 80 run 90
      B: 10 run 20 wait 40 run 80
      C: 0 run 40
      B@80 wakes A
      C@40 wakes B`;
    expect(path(text, 90, 'B m 20-40 by C')).toBe('A 0-60, A 60-80 blocked, A 80-90');
  });

  it('does not go round in a circle of locks', () => {
    const text = `A: 0 run 60
      B: 0 run 60`;
    expect(path(text, 60, 'A m 20-50 by B, B n 10-40 by A')).toBe(
      'A 0-20, A 20-40 blocked (lock m), B 40-50, A 50-60',
    );
  });

  it('divides a wait by who held the lock: nobody is blamed for what it did before and after', () => {
    const text = `A: 0 run 10 wait 50 run 60
      B: 0 run 60
      C: 0 run 60
      B@50 wakes A`;
    expect(path(text, 60, 'A m 10-50 by B')).toBe('A 0-10, B 10-50, A 50-60');
    expect(path(text, 60, 'A m 10-50 by B: B 15; C 45; B 50')).toBe(
      'A 0-10, B 10-15, C 15-45, B 45-50, A 50-60',
    );
    // C waits for another lock meanwhile, of whose wait only that piece counts.
    expect(path(text, 60, 'A m 10-50 by B: C 45; B 50, C n 5-40 by B: A 12; B 40')).toBe(
      'A 0-10, A 10-12 blocked (lock m), B 12-40, C 40-45, B 45-50, A 50-60',
    );
  });

  it('gives the time in which nobody held the lock to the waiter, where it runs or waits for a CPU', () => {
    const text = `A: 0 run 10 wait 20 ready 40 run 60
      B: 0 run 60
      B@20 wakes A`;
    expect(path(text, 60, 'A m 10-50 by B: B 20; - 45; B 50')).toBe(
      'A 0-10, B 10-20, A 20-40 preempted, A 40-45, B 45-50, A 50-60',
    );
  });

  it('gives it to who wakes the waiter, else to who is about to take the lock, where these run or wait for a CPU', () => {
    const text = `A: 0 run 10 wait 40 run 60
      B: 0 run 25 wait 35 run 60
      C: 0 wait 15 ready 30 run 60
      B@40 wakes A`;
    expect(path(text, 60, 'A m 10-40 by B: - 40')).toBe(
      'A 0-10, B 10-25, A 25-35 blocked (lock m), B 35-40, A 40-60',
    );
    // The wake-up is in a later piece.
    const taken =
      'A 0-10, A 10-15 blocked (lock m), C 15-30 preempted, C 30-32, B 32-35 blocked, B 35-40, A 40-60';
    expect(path(text, 60, 'A m 10-40 by B: - 32; C@12 32; B 40')).toBe(taken);
    expect(path(text, 60, 'A m 10-40 by B: - 31; C@20 32; B 40')).toBe(
      'A 0-10, A 10-20 blocked (lock m), C 20-30 preempted, C 30-31, C 31-32, B 32-35 blocked, B 35-40, A 40-60',
    );
    expect(path(text, 60, 'A m 10-40 by B: - 31; C 32; B 40')).toContain('A 10-31 blocked (lock m), C 31-32');
  });

  it('calls a circle a deadlock unless the first of its waits to end got its lock', () => {
    const text = `A: 0 run 10 wait 60
      B: 0 run 20 wait 60`;
    const locks = (a: string, b: string, untilA = 60, untilB = 60) =>
      path(text, 60, `A m 10-60 ${a}by B until ${untilA}, B n 20-60 ${b}by A until ${untilB}`);
    expect(locks('unended ', 'unended ')).toBe('A 0-10, B 10-20, A 20-60 blocked (deadlock m)');
    expect(locks('unended ', 'failed ', 70, 65)).toContain('A 20-60 blocked (deadlock m)');
    expect(locks('unended ', '', 70, 65)).toContain('A 20-60 blocked (lock m)');
    expect(locks('', 'failed ', 70, 65)).toContain('A 20-60 blocked (deadlock m)');
  });

  it('comes back from waits for locks of which no holder is known', () => {
    const text = `A: 0 run 10 wait 50 run 60
      B: 0 run 60
      B@50 wakes A`;
    expect(path(text, 60, 'A 5-55 maybe')).toBe('A 0-10, B 10-50, A 50-60');
    expect(path(text, 60, 'A 15-55 maybe')).toBe('B 0-50, A 50-60');
    expect(path(text, 60, 'A 5-45 maybe')).toBe('B 0-50, A 50-60');
    expect(path(text, 60, 'A 5-55 maybe, A m 10-30 by B')).toBe('A 0-10, B 10-30, B 30-50, A 50-60');
  });
});

describe('event loops', () => {
  const loop =
    graphOf(`A: 0 run 10 wait(timer/1) 20000010 run 20000110 wait(timer/1) 40000110 run 40000210 wait(/1) 50000000 run 60000000
    B: 0 run 60000000
    B@50000000 wakes A`);

  it('are folded on demand', () => {
    expect(pathIn(loop, 0, 60e6).folded).toBe(0);
    const folded = pathIn(loop, 0, 60e6, { foldLoops: true });
    expect(folded.folded).toBe(2);
    expect(pathText(loop, 0, 60e6, { foldLoops: true })).toBe('A 0-10, B 10-50000000, A 50000000-60000000');
  });

  it('end at long runs and other calls', () => {
    const other = graphOf(`A: 0 wait(timer/2) 10 run 20 wait(/1) 90 run 100
      B: 0 run 100
      B@90 wakes A`);
    expect(pathText(other, 0, 100, { foldLoops: true })).toBe(
      'A 0-10 blocked (timer), A 10-20, B 20-90, A 90-100',
    );
    const long = graphOf(`A: 0 wait(timer/1) 10 run 1000020 wait(/1) 1000090 run 1000100
      B: 0 run 1000100
      B@1000090 wakes A`);
    expect(pathIn(long, 0, 1000100, { foldLoops: true }).folded).toBe(0);
  });
});

describe('the cost of a walk', () => {
  it.each(['main task', 'exact', 'reconvergence'] as const)('is linear: %s', (criterion) => {
    const visitsEach = [1e3, 1e4, 1e5].map((size) => {
      const { graph, to, segments } = callGraph(Math.ceil(size / SEGMENTS_PER_ROUND));
      const path = pathIn(graph, 0, to, { criterion });
      expect(path.segments.length).toBe(segments);
      return path.visited / segments;
    });
    expect(Math.max(...visitsEach)).toBeLessThan(2.2);
    expect(Math.max(...visitsEach) / Math.min(...visitsEach)).toBeLessThan(1.02);
  });
});

describe('a path', () => {
  it('tells how it came to each segment and what the segment explains', () => {
    const { segments, waits } = pathIn(graphOf(FIGURE_4_2.d.graph), 0, 70);
    expect([...segments.via]).toEqual([VIA_NOTHING, VIA_WAIT, VIA_WAIT, VIA_WAKE_UP, VIA_WAKE_UP]);
    expect(Array.from(segments.wait, (wait) => (wait < 0 ? 0 : waits.depth[wait]))).toEqual([0, 1, 2, 1, 0]);
    expect(Array.from(waits.worker)).toEqual([0, 1]);
  });

  it('nests waits by worker where it never comes back', () => {
    const { segments, waits } = pathIn(graphOf(FIGURE_4_2.a.graph), 0, 60, { criterion: 'exact' });
    expect([...segments.via]).toEqual([VIA_NOTHING, VIA_FORK, VIA_WAKE_UP]);
    expect(Array.from(segments.wait, (wait) => (wait < 0 ? 0 : waits.depth[wait]))).toEqual([0, 1, 0]);
  });
});
