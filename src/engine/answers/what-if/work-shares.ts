/** The running time in a closure by what ran: functions and system calls, from stacks, and interrupts. */
import { GrowingTable } from '../../base/columns.ts';
import { addNumber } from '../../base/group-by.ts';
import { f64, i32, noRows, type ReadRows } from '../../base/tables.ts';
import { type Closure, firstPieceEndingAfter } from '../../graph/closure.ts';
import { nextTask } from '../../base/next-task.ts';
import { RUNNING } from '../../graph/path-codes.ts';
import { StackRuns } from '../../layers/stacks/flame-chart.ts';
import type { KernelStacks } from '../../layers/stacks/kernel-stacks.ts';
import { profileThreads } from '../../layers/stacks/thread-profile.ts';
import { STATE_INTERRUPTED, stateOf } from '../../linux/events/values.ts';
import type { PathGraph } from '../paths/path-finder.ts';

const PARTS = { piece: i32(), ns: f64(), stack: i32() };

export interface Work {
  /** Parts of pieces in which a stack was in force. */
  readonly parts: ReadRows<typeof PARTS>;
  /** Frames of each stack, outermost first. */
  readonly stacks: readonly (readonly string[])[];
  /** ns of interrupts by row of the piece. */
  readonly interrupted: ReadonlyMap<number, number>;
}

/** Finds the call stacks of a host by its index in the experiment; undefined: none. */
type StacksOfHost = (host: number) => Promise<KernelStacks | undefined>;

/** Maximum number of threads whose work is divided, those that ran longest. */
const MOST_PROFILED = 64;

/** @returns undefined when the question was given up */
export async function readWork(
  { graph, hosts }: PathGraph,
  closure: Closure,
  stacksOf: StacksOfHost,
  isWanted: () => boolean,
): Promise<Work | undefined> {
  const { pieces, workers } = closure;
  const { owner, label, begin, end } = pieces;
  const ran = new Float64Array(workers.length);
  for (let row = 0; row < pieces.length; row++)
    if (label[row] === RUNNING) ran[owner[row]] += end[row] - begin[row];
  const longest = Array.from(ran.keys())
    .filter((number) => ran[number] > 0 && graph.place(workers.worker[number]).thread >= 0)
    .sort((a, b) => ran[b] - ran[a])
    .slice(0, MOST_PROFILED);
  const parts = new GrowingTable(noRows(PARTS));
  const stacks: (readonly string[])[] = [];
  const numbers = new Map<string, number>();
  const interrupted = new Map<number, number>();
  /** Calls `take` for the running pieces of a worker within [from, to). */
  const eachWithin = (number: number, from: number, to: number, take: (row: number, ns: number) => void) => {
    const last = workers.first[number + 1];
    for (let row = firstPieceEndingAfter(closure, number, from); row < last && begin[row] < to; row++)
      if (label[row] === RUNNING) take(row, Math.min(to, end[row]) - Math.max(from, begin[row]));
  };
  for (const number of longest) {
    await nextTask();
    if (!isWanted()) return undefined;
    const place = graph.place(workers.worker[number]);
    const { index, query, tables, clock } = hosts[place.host];
    const { toGraph } = graph.hostData(place.host);
    const [from, to] = [begin[workers.first[number]], end[workers.first[number + 1] - 1]].map((time) =>
      clock.toHost(time),
    );
    const runs = new StackRuns();
    const ofThread: number[] = [];
    const of = { query, threads: tables.threads, rows: [place.thread], stacks: await stacksOf(index) };
    await profileThreads(
      of,
      from,
      to,
      (_, frames) => {
        const text = frames.join('\n');
        const stack = numbers.get(text) ?? stacks.push(frames) - 1;
        numbers.set(text, stack);
        ofThread.push(stack);
      },
      undefined,
      runs,
    );
    const { columns } = runs;
    for (let run = 0; run < runs.length; run++)
      eachWithin(number, toGraph(columns.begin[run]), toGraph(columns.end[run]), (piece, ns) => {
        const row = parts.addRow();
        parts.rows.piece[row] = piece;
        parts.rows.ns[row] = ns;
        parts.rows.stack[row] = ofThread[columns.stack[run]];
      });
    await query.scan([tables.threads.stateAttribute[place.thread]], from, to, (_, interval) => {
      if (stateOf(interval.value) !== STATE_INTERRUPTED) return;
      eachWithin(number, toGraph(interval.begin), toGraph(interval.end), (piece, ns) =>
        addNumber(interrupted, piece, ns),
      );
    });
  }
  return { parts: parts.toTable(), stacks, interrupted };
}
