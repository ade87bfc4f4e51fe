/**
 * Blocked time of threads by call stacks: the sleeper's when it left its CPU, what it waited for, and the stack of the
 * thread that woke it, at that time, innermost frame first (Gregg 2013, off-wake flame graphs). Times are those of
 * states: whole waits, cut to the requested range. Without call stacks, system calls stand in for them.
 */
import { GrowingTable } from '../../base/columns.ts';
import { groupBy, addNumber } from '../../base/group-by.ts';
import { rowsBy } from '../../base/rows-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { f64, i32, noRows } from '../../base/tables.ts';
import { TextList } from '../../base/text-list.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import type { HostNs } from '../../base/units.ts';
import { nextTask } from '../../base/next-task.ts';
import type { HostData } from '../../graph/history-graph.ts';
import { causeNumber } from '../../graph/thread-edges.ts';
import { threadName } from '../../layers/executions/ecct/thread-contexts.ts';
import { ThreadContexts } from '../../layers/executions/ecct/thread-contexts.ts';
import { ecctTable, ROOT, UnionTree } from '../../layers/executions/union-tree.ts';
import { frameWords } from '../../layers/stacks/frame-names.ts';
import type { StacksInForce } from '../../layers/stacks/kernel-stacks.ts';
import { NO_FILE_KNOWN, NO_LOCK_KNOWN, wakerFrame } from '../../layers/stacks/profile.ts';
import { CAUSE_THREAD, causeOf, detailOf, isBlocked } from '../../linux/events/values.ts';
import { ioUsage } from '../../linux/sums/io/io.ts';
import type { OffCpuOrder } from '../../protocol/profile.ts';
import { causeText } from '../../words/state-text.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import { lockHosts } from '../locks/lock-hosts.ts';
import { waitedLocks } from '../locks/locks-within.ts';
import type { PathGraph, PathHost } from '../paths/path-finder.ts';
import { ioOf } from '../statistics/io-stats.ts';
import { graphStacks } from './stacks-of.ts';

/** Requested time of a thread of a host. */
export interface AskedTime {
  /** Row of the host's thread table. */
  readonly thread: number;
  readonly from: HostNs;
  readonly to: HostNs;
}

/** Name of what a thread waits for at a time; undefined: not known. */
type NameAt = (thread: number, time: HostNs) => string | undefined;

export interface OffCpuHost {
  readonly host: PathHost;
  readonly data: HostData;
  /** Call stacks, at times of the graph. */
  readonly stacks: StacksInForce;
  readonly lockAt: NameAt;
  readonly fileAt: NameAt;
}

interface Shape {
  readonly order: OffCpuOrder;
  /** Whether the thread is shown as the outermost frame. */
  readonly isNamed: boolean;
}

/**
 * The part of one host of a graph.
 * @param stacks at times of the graph
 */
export async function offCpuHost(
  context: QueryContext,
  { graph, hosts }: PathGraph,
  place: number,
  stacks: StacksInForce,
): Promise<OffCpuHost> {
  const host = hosts[place];
  const locks = (await lockHosts(context))?.find(({ index }) => index === host.index);
  const [io] = await ioOf(host, await context.trace.chunkResults(ioUsage.id));
  return {
    host,
    data: graph.hostData(place),
    stacks,
    lockAt: locks === undefined ? () => undefined : await waitedLocks(locks),
    fileAt: (thread, time) => io?.transfers.callAt(thread, time)?.path,
  };
}

/** Blocked time of times of threads, in one tree; undefined: no states are known. */
export const offCpuTimes: AnswerTo<'offCpu'> = async (context, { rows, thread, from, to, order }) => {
  const known = await context.trace.paths.graph();
  if (known.hosts.length === 0) return undefined;
  const stacks = await graphStacks(context, known);
  const tree = new UnionTree();
  const sums = Array.from(thread, () => new Map<number, number>());
  const workers = rows.map((row) => known.workerOfRow(row));
  for (const [place, { clock }] of known.hosts.entries()) {
    const own: number[] = [];
    const asked: AskedTime[] = [];
    for (const [time, row] of thread.entries()) {
      const worker = workers[row];
      const at = worker === undefined ? undefined : known.graph.place(worker);
      if (at?.host !== place) continue;
      own.push(time);
      asked.push({ thread: at.thread, from: clock.toHost(from[time]), to: clock.toHost(to[time]) });
    }
    if (asked.length === 0) continue;
    const sources = await offCpuHost(context, known, place, stacks[place].stacks);
    const add = (at: number, node: number, ns: number) => {
      const ofTime = sums[own[at]];
      addNumber(ofTime, node, ns);
    };
    await addBlocked(sources, asked, { order, isNamed: false }, tree, add, context.signal);
  }
  const { frames, parent, frame } = tree;
  const table = ecctTable(
    sums.map((ofTime) => {
      const nodes = Int32Array.from(ofTime.keys()).sort();
      return { nodes, ns: Float64Array.from(nodes, (node) => ofTime.get(node) ?? 0) };
    }),
  );
  return {
    length: thread.length,
    tree: { frames, parent: Int32Array.from(parent), frame: Int32Array.from(frame) },
    ...table,
  };
};

/** Calls `add` for each wait in the requested times, with index of the time, node of its stack in `tree`, and ns. */
export async function addBlocked(
  sources: OffCpuHost,
  asked: readonly AskedTime[],
  shape: Shape,
  tree: UnionTree,
  add: (asked: number, node: number, ns: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const threads = [...groupBy(asked.keys(), (at) => asked[at].thread)];
  const waits = await waitsOf(
    sources.host,
    threads.map(([thread, places]) => ({
      thread,
      from: places.reduce((from, at) => Math.min(from, asked[at].from), Infinity),
      to: places.reduce((to, at) => Math.max(to, asked[at].to), -Infinity),
    })),
  );
  const { start, order } = rowsBy(waits.place, threads.length);
  const each = (visit: (asked: number, row: number, ns: number) => void) => {
    for (const [place, [, places]] of threads.entries())
      for (const at of places) {
        const { from, to } = asked[at];
        if (!(from < to)) continue;
        let i = firstWhere(start[place], start[place + 1], (row) => waits.end[order[row]] > from);
        for (; i < start[place + 1] && waits.begin[order[i]] < to; i++)
          visit(at, order[i], Math.min(to, waits.end[order[i]]) - Math.max(from, waits.begin[order[i]]));
      }
  };
  const nodes = new Int32Array(waits.length).fill(-1);
  each((_, row) => (nodes[row] = ROOT));
  const stackOf = waitStacks(sources, shape, tree);
  // In order of time, so that each segment of the history is loaded once.
  let read = 0;
  for (const row of stableOrder(waits.begin)) {
    if (nodes[row] < 0) continue;
    const thread = threads[waits.place[row]][0];
    nodes[row] = await stackOf(thread, waits.begin[row], waits.end[row], waits.value[row]);
    if (++read % WAITS_AT_ONCE > 0) continue;
    await nextTask();
    signal?.throwIfAborted();
  }
  each((at, row, ns) => add(at, nodes[row], ns));
}

/** Waits between two checks of the signal. */
const WAITS_AT_ONCE = 16_384;

const WAITS = { place: i32(), begin: f64(), end: f64(), value: f64() };

/** Waits of threads that overlap a requested time, whole, by thread in order of time. */
async function waitsOf({ query, tables: { threads } }: PathHost, times: readonly AskedTime[]) {
  const table = new GrowingTable(noRows(WAITS));
  const { rows } = table;
  const last = new Int32Array(times.length).fill(-1);
  const known = [...times.keys()].filter((place) => threads.stateAttribute[times[place].thread] >= 0);
  const attributeOf = (place: number) => threads.stateAttribute[times[place].thread];
  const from = times.reduce((least, time) => Math.min(least, time.from), Infinity);
  const to = times.reduce((most, time) => Math.max(most, time.to), -Infinity);
  if (from < to)
    await query.scan(known.map(attributeOf), from, to, (at, { begin, end, value }) => {
      const place = known[at];
      if (!isBlocked(value) || end <= times[place].from || begin >= times[place].to) return;
      const before = last[place];
      if (before >= 0 && rows.end[before] === begin && rows.value[before] === value) {
        rows.end[before] = end;
        return;
      }
      const row = (last[place] = table.addRow());
      rows.place[row] = place;
      rows.begin[row] = begin;
      rows.end[row] = end;
      rows.value[row] = value;
    });
  const waits = table.toTable();
  for (let row = 0; row < waits.length; row++) {
    const time = times[waits.place[row]];
    // Parts at the ends of the range may belong to longer waits.
    if (waits.begin[row] > time.from && waits.end[row] < time.to) continue;
    const whole = await query.at(attributeOf(waits.place[row]), Math.max(time.from, waits.begin[row]));
    if (whole === undefined) continue;
    waits.begin[row] = whole.from;
    waits.end[row] = whole.to;
  }
  return waits;
}

/** Finder of the stacks of waits as nodes of the tree; equal ones are looked up once. */
function waitStacks({ data, stacks, lockAt, fileAt }: OffCpuHost, shape: Shape, tree: UnionTree) {
  /** Stacks of sleepers and wakers, outermost frame first. */
  const contexts = new UnionTree();
  const reader = new ThreadContexts(data, stacks, contexts);
  /** Sleeper's stack, waker's (-1: no thread), cause and subject, as numbers in `texts`. */
  const alike = new TupleIndex();
  const nodes: number[] = [];
  const texts = new TextList();

  const contextOf = async (thread: number, time: HostNs, isNamed: boolean): Promise<number> => {
    const at = data.toGraph(time);
    const above = isNamed ? contexts.child(ROOT, `thread ${threadName(data, thread)}`) : ROOT;
    while (!reader.find(above, thread, at)) await data.lists.load(data.lists.segmentAt(at));
    return reader.node;
  };

  const framesOf = (context: number): string[] => {
    const { frames, parent, frame } = contexts;
    const found: string[] = [];
    for (let at = context; at > 0; at = parent[at]) found.push(frames[frame[at]]);
    return found.reverse();
  };

  const nodeOf = (place: number): number => {
    const { order } = shape;
    const word = (part: number) => alike.word(place, part);
    const sleeper = framesOf(word(0));
    const waker = word(1) < 0 ? [] : framesOf(word(1)).map(wakerFrame).reverse();
    const cause = texts.list[word(2)];
    const [file, lock] = texts.list[word(3)].split(';');
    const subjects = [...(order === 'file' ? [] : [file]), ...(order === 'lock' ? [] : [lock])].filter(
      Boolean,
    );
    const frames = [...sleeper, ...subjects, ...(order === 'cause' ? [] : [cause]), ...waker];
    if (order === 'waker') frames.reverse();
    else if (order === 'cause') frames.unshift(cause);
    else if (order === 'lock') frames.unshift(lock || NO_LOCK_KNOWN);
    else if (order === 'file') frames.unshift(file || NO_FILE_KNOWN);
    return frames.reduce((above, frame) => tree.child(above, frame), ROOT);
  };

  return async (thread: number, begin: HostNs, end: HostNs, value: number): Promise<number> => {
    const waker = causeOf(value) === CAUSE_THREAD ? detailOf(value) : -1;
    const sleeper = await contextOf(thread, begin, shape.isNamed);
    const woken = waker < 0 ? -1 : await contextOf(waker, end, true);
    const cause = causeText(causeNumber(value), () => 'a thread', data.text) ?? 'not ended in the trace';
    const [file, lock] = [fileAt(thread, begin), lockAt(thread, begin)];
    const subject = `${frameOf('file', file)};${frameOf('waits for', lock)}`;
    const place = alike.place(sleeper, woken, texts.indexOf(frameWords(cause)), texts.indexOf(subject));
    return (nodes[place] ??= nodeOf(place));
  };
}

/** "file /data/a"; '' where not known. */
function frameOf(what: string, name: string | undefined): string {
  return name === undefined ? '' : frameWords(`${what} ${name}`);
}
