/**
 * Small execution graphs and paths as text.
 *
 *     A: 0 run 20 wait 40 run 60        the edges of worker A; `wait(timer/1)` has a cause and a family of calls, `ready`, `lost` are others
 *     A@10 forks B                      B begins to live
 *     B@40 wakes A                      ends A's wait that ends at 40; `B@40 wakes A@45`: given earlier
 *     B@30 sends A@35                   a packet that A received itself
 */
import type { Criterion, Path } from '../../src/engine/graph/path.ts';
import { NOBODY } from '../../src/engine/graph/execution-graph.ts';
import { LockGraph } from '../../src/engine/graph/lock-graph.ts';
import { FAILED, HANDED_OVER, type GraphLockWaits, UNENDED } from '../../src/engine/graph/lock-waits.ts';
import { toldLockWaits } from './told-lock-waits.ts';
import { BLOCKED, LABELS, PREEMPTED, REASONS, RUNNING, UNKNOWN } from '../../src/engine/graph/path-codes.ts';
import { LiteralGraph } from './literal-graph.ts';
import { Walk } from '../../src/engine/graph/walk.ts';

const WORDS: Readonly<Record<string, number>> = {
  run: RUNNING,
  ready: PREEMPTED,
  wait: BLOCKED,
  lost: UNKNOWN,
};

/** Workers are the letters A to Z. */
export function graphOf(text: string): LiteralGraph {
  const graph = new LiteralGraph();
  for (const line of text.split('\n').map((each) => each.trim())) {
    const edges = /^([A-Z]): (.*)$/.exec(line);
    const signal = /^([A-Z])@(\d+) (forks|wakes|sends) ([A-Z])(?:@(\d+))?$/.exec(line);
    if (edges !== null) readEdges(graph, workerOf(edges[1]), edges[2].split(' '));
    else if (signal !== null) readSignal(graph, signal);
    else if (line !== '') throw new Error(`not a line of a graph: ${line}`);
  }
  return graph;
}

export function workerOf(letter: string): number {
  return letter.charCodeAt(0) - 65;
}

function readEdges(graph: LiteralGraph, worker: number, words: readonly string[]): void {
  for (let i = 0; i + 2 < words.length; i += 2) {
    const [, word, cause = '', call] = /^(\w+)(?:\((.*?)(?:\/(\d+))?\))?$/.exec(words[i + 1]) ?? [];
    graph.edges(worker, {
      begin: Number(words[i]),
      end: Number(words[i + 2]),
      label: WORDS[word],
      cause,
      call: Number(call ?? 0),
    });
  }
}

function readSignal(graph: LiteralGraph, [, from, at, kind, to, taken]: readonly string[]): void {
  const given = Number(at);
  const arrives = taken === undefined ? given : Number(taken);
  if (kind === 'forks') graph.fork(workerOf(from), given, workerOf(to));
  else if (kind === 'wakes') graph.wakeUp(workerOf(from), given, workerOf(to), arrives);
  else graph.packet(workerOf(from), given, workerOf(to), arrives);
}

export interface TextPathOptions {
  readonly criterion?: Criterion;
  /**
   * Waits for locks: `A m 20-40 by B, A m 50-90 unended by B, A n 95-99 failed`; `A 5-9 maybe`: of an unknown one. B held
   * it all the time, but `A m 20-40 by B: C 22; - 30; B@21 40` tells who held it until when, and when B had asked for it.
   */
  readonly locks?: string;
  readonly marked?: string;
  readonly foldLoops?: boolean;
}

/** The path of worker A over [from, to], as `A 0-20, B 20-40, A 40-60 preempted`. */
export function pathText(
  graph: LiteralGraph,
  from: number,
  to: number,
  options: TextPathOptions = {},
): string {
  return segmentsText(pathIn(graph, from, to, options), graph);
}

export function pathIn(graph: LiteralGraph, from: number, to: number, options: TextPathOptions = {}): Path {
  const { criterion = 'main task', locks = '', marked = '', foldLoops = false } = options;
  const walk = new Walk(new LockGraph(graph, lockWaits(graph, locks)), {
    worker: 0,
    from,
    to,
    criterion,
    marked: new Set([...marked].map(workerOf)),
    foldLoops,
  });
  if (!walk.run()) throw new Error('a literal graph is in memory');
  return walk.finish();
}

const OUTCOMES: Readonly<Record<string, number>> = { failed: FAILED, unended: UNENDED };

/** Cause `lock m` of those for m. */
export function lockWaits(graph: LiteralGraph, text: string): GraphLockWaits {
  const parts = text === '' ? [] : text.split(', ');
  const maybe = parts.flatMap((each) => {
    const [, worker, begin, end] = /^([A-Z]) (\d+)-(\d+) maybe$/.exec(each) ?? [];
    return worker === undefined ? [] : [{ worker: workerOf(worker), begin: Number(begin), end: Number(end) }];
  });
  const waits = parts.filter((each) => !each.endsWith('maybe'));
  return toldLockWaits(
    waits.map((wait) => lockWait(graph, wait)),
    maybe,
  );
}

function lockWait(graph: LiteralGraph, text: string) {
  const wait = /^([A-Z]) (\w+) (\d+)-(\d+) ?(\w*?) ?(?:by ([A-Z]))?(?: until (\d+))?(?:: (.*))?$/.exec(text);
  if (wait === null) throw new Error(`not a wait for a lock: ${text}`);
  const [, worker, lock, begin, end, outcome, by = '-', until = end, pieces = `${by} ${end}`] = wait;
  return {
    worker: workerOf(worker),
    begin: Number(begin),
    end: Number(end),
    until: Number(until),
    outcome: OUTCOMES[outcome] ?? HANDED_OVER,
    by: by === '-' ? NOBODY : workerOf(by),
    cause: graph.numberOf(`lock ${lock}`),
    pieces: pieces.split('; ').map((piece) => {
      const [, holder, asked = Infinity, to] = /^(.)(?:@(\d+))? (\d+)$/.exec(piece) ?? [];
      const isHeld = holder !== '-';
      // `?`: somebody whom the graph does not know.
      const known = isHeld && holder !== '?' ? workerOf(holder) : NOBODY;
      return { to: Number(to), holder: known, isHeld, asked: Number(asked) };
    }),
  };
}

function segmentsText({ segments: s }: Path, graph: LiteralGraph): string {
  return Array.from({ length: s.length }, (_, i) => {
    const worker = String.fromCharCode(65 + s.worker[i]);
    const label = s.label[i] === RUNNING ? '' : ` ${LABELS[s.label[i]]}`;
    const words = s.label[i] === UNKNOWN ? REASONS[s.cause[i]] : graph.causeOf(s.cause[i]);
    return `${worker} ${s.from[i]}-${s.to[i]}${label}${words === '' ? '' : ` (${words})`}`;
  }).join(', ');
}
