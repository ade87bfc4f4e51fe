import { describe, expect, it } from 'vitest';
import { graphOf, lockWaits, workerOf } from '../../../test/support/graph-text.ts';
import { AFTER_LIFE, BEFORE_LIFE, Edge, FOUND, NOBODY } from './execution-graph.ts';
import { LockGraph } from './lock-graph.ts';
import { LABELS } from './path-codes.ts';

const GRAPH = `A: 0 run 100
  B: 0 run 10 wait(x) 50 run 100
  C: 0 run 100
  C@50 wakes B`;

/** Edges of a worker before 100, oldest first: `0-20 running`, `20-40 blocked (lock m) by B`. */
function edgesOf(letter: string, locks: string): string[] {
  const below = graphOf(GRAPH);
  const graph = new LockGraph(below, lockWaits(below, locks));
  const edge = new Edge();
  const edges: string[] = [];
  for (let time = 100; graph.find(workerOf(letter), time, edge) === FOUND; time = edge.begin) {
    const { begin, end, label, cause, source, signal } = edge;
    const why = below.causeOf(cause);
    const words = [
      `${begin}-${end} ${LABELS[label]}`,
      ...(why === '' ? [] : [`(${why})`]),
      ...(source === NOBODY ? [] : [`by ${String.fromCharCode(65 + source)}@${signal}`]),
      ...(edge.lockWait >= 0 || edge.isBounded ? ['!'] : []),
    ];
    edges.unshift(words.join(' '));
  }
  return edges;
}

describe('a graph with waits for locks', () => {
  it('has an edge of each up to its hand-over, and what the graph below has beside it', () => {
    expect(edgesOf('A', 'A m 60-70 by B, A m 20-40 by B')).toEqual([
      '0-20 running',
      '20-40 blocked (lock m) by B@40 !',
      '40-60 running',
      '60-70 blocked (lock m) by B@70 !',
      '70-100 running',
    ]);
    expect(edgesOf('C', 'A m 20-40 by B')).toEqual(['0-100 running']);
  });

  it('cuts edges below: the part before a wait was not ended by their signal', () => {
    expect(edgesOf('B', 'B m 30-50 by A')).toEqual([
      '0-10 running',
      '10-30 blocked (x)',
      '30-50 blocked (lock m) by A@50 !',
      '50-100 running',
    ]);
    expect(edgesOf('B', 'B m 5-30 by A').slice(1, 3)).toEqual([
      '5-30 blocked (lock m) by A@30 !',
      '30-50 blocked (x) by C@50',
    ]);
  });

  it('keeps edges of one worker apart, whatever waits overlap', () => {
    expect(edgesOf('A', 'A m 10-90 by B, A n 30-40 by C, A n 40-60 by B')).toEqual([
      '0-10 running',
      '10-30 blocked (lock m) by B@30 !',
      '30-40 blocked (lock n) by C@40 !',
      '40-60 blocked (lock n) by B@60 !',
      '60-90 blocked (lock m) by B@90 !',
      '90-100 running',
    ]);
    expect(edgesOf('A', 'A m 10-50 by B, A n 30-90 by C')).toEqual([
      '0-10 running',
      '10-30 blocked (lock m) by B@30 !',
      '30-90 blocked (lock n) by C@90 !',
      '90-100 running',
    ]);
  });

  it('marks waits that lie within times of which no holder is known', () => {
    expect(edgesOf('B', 'B 9-50 maybe')[1]).toBe('10-50 blocked (x) by C@50 !');
    expect(edgesOf('B', 'B 11-90 maybe, B 0-49 maybe, A 0-90 maybe')[1]).toBe('10-50 blocked (x) by C@50');
    // The longest of several may begin first.
    expect(edgesOf('B', 'B 0-100 maybe, B 2-20 maybe, B 3-4 maybe')[1]).toBe('10-50 blocked (x) by C@50 !');
  });

  it('tells who holds the lock that a worker waits for', () => {
    const below = graphOf(GRAPH);
    const graph = new LockGraph(below, lockWaits(below, 'A m 10-20 by B: C 15; - 17; B 20, A n 12-14 by C'));
    const holders = [9, 10, 12, 14, 15, 17, 20].map((time) => graph.holderAt(0, time));
    expect(holders).toEqual([NOBODY, 2, 2, 2, NOBODY, 1, NOBODY]);
    expect([graph.waitAt(0, 12), graph.waitAt(0, 14), graph.waitAt(1, 14)]).toEqual([1, 0, -1]);
  });

  it('has the lives of the graph below', () => {
    const below = graphOf(GRAPH);
    const graph = new LockGraph(below, lockWaits(below, 'A m 10-20 by B'));
    const edge = new Edge();
    expect(graph.find(0, 0, edge)).toBe(BEFORE_LIFE);
    expect(graph.find(0, 101, edge)).toBe(AFTER_LIFE);
    expect(graph.find(7, 50, edge)).toBe(BEFORE_LIFE);
  });
});
