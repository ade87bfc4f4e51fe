/** An active path as the page gets it: workers and causes by number, columns, totals, and what was not recorded. */
import type { GraphWorker } from '../graph/execution-graph.ts';
import { BLOCKED, NETWORK, REASONS, RUNNING, UNKNOWN } from '../graph/path-codes.ts';
import type { Path } from '../graph/path.ts';
import { pathTotals } from '../graph/path-totals.ts';
import { waitsForTree, type WaitsForTree } from '../graph/waits-for.ts';
import { threadKey } from '../kernel/thread-table.ts';
import * as v from '../kernel/values.ts';
import { criterionOf } from '../graph/criterion.ts';
import type { PathAnswer, PathPart, PathRequest, PathSegments, PathWorker, WaitsFor } from './path-api.ts';
import type { PathFinder, PathGraph } from './path-finder.ts';
import { missingData, unexplainedNs } from './path-gaps.ts';
import { PACKET_ON_ITS_WAY, segmentStates, type SegmentStates } from './path-states.ts';
import { causeText, threadStateText } from './state-text.ts';

/** @returns undefined: the row is no thread that anything is known of, or a later request came in between */
export async function pathAnswer(finder: PathFinder, request: PathRequest): Promise<PathAnswer | undefined> {
  const known = await finder.graph();
  const worker = known.workerOfRow(request.row);
  const criterion = criterionOf(request.criterion);
  if (worker === undefined || criterion === undefined) return undefined;
  const marked = new Set<GraphWorker>();
  for (const row of request.marked ?? []) {
    const unrelated = known.workerOfRow(row);
    if (unrelated !== undefined) marked.add(unrelated);
  }
  const { range, foldLoops = false } = request;
  const path = await finder.find(known, { worker, range, criterion, marked, foldLoops });
  if (path === undefined) return undefined;
  return answerOf(known, path, request);
}

async function answerOf(known: PathGraph, path: Path, request: PathRequest): Promise<PathAnswer> {
  const states = await segmentStates(known.graph, path);
  const workers = new WorkerList(known);
  const words = new CauseList(known);
  const segments = segmentColumns(path, states, workers, words);
  const totals = pathTotals(
    path,
    (worker) => workers.indexOf(worker),
    (i, take) => states.ofSegment(i, take),
  );
  const parts = totals.map(({ group, ...part }): PathPart => ({ worker: group, ...part }));
  const waitsFor = waitsForColumns(waitsForTree(path, states), workers);
  return {
    row: request.row,
    from: path.from,
    to: path.to,
    criterion: request.criterion,
    workers: workers.list,
    causes: words.list,
    segments,
    parts,
    waitsFor,
    unexplainedNs: unexplainedNs(path),
    foldedWaits: path.folded,
    missing: missingData(known, path),
  };
}

function segmentColumns(
  { segments: s, waits }: Path,
  states: SegmentStates,
  workers: WorkerList,
  words: CauseList,
): PathSegments {
  const { length, from, to, label, via } = s;
  const worker = s.worker.map((each) => workers.indexOf(each));
  const cause = new Int32Array(length);
  for (let i = 0; i < length; i++) cause[i] = words.indexOf(s.worker[i], label[i], s.cause[i]);
  const depth = s.wait.map((wait) => (wait < 0 ? 0 : waits.depth[wait]));
  const value = Int32Array.from(label, (_, i) => longestState(states, i));
  return { length, worker, from, to, label, cause, value, depth, via };
}

function longestState(states: SegmentStates, segment: number): number {
  let most = 0;
  let longest = v.STATE_UNKNOWN;
  states.ofSegment(segment, (value, ns) => {
    if (ns > most) [most, longest] = [ns, value];
  });
  return longest;
}

function waitsForColumns(tree: WaitsForTree, workers: WorkerList): WaitsFor {
  return {
    length: tree.length,
    parent: Int32Array.from(tree.parent),
    worker: Int32Array.from(tree.worker, (worker) => (worker < 0 ? -1 : workers.indexOf(worker))),
    value: Int32Array.from(tree.value),
    text: tree.worker.map((worker, i) => (worker < 0 ? stateWords(tree.value[i]) : workers.textOf(worker))),
    ns: Float64Array.from(tree.ns),
  };
}

/** Words of a state's value on a path. */
export function stateWords(value: number): string {
  return value === PACKET_ON_ITS_WAY ? 'Network' : threadStateText(value);
}

/** The workers of an answer, each once, in order of first use. */
class WorkerList {
  readonly list: PathWorker[] = [];
  readonly #known: PathGraph;
  readonly #indices = new Map<GraphWorker, number>();

  constructor(known: PathGraph) {
    this.#known = known;
  }

  indexOf(worker: GraphWorker): number {
    const index = this.#indices.get(worker);
    if (index !== undefined) return index;
    this.#indices.set(worker, this.list.length);
    return this.list.push(describe(this.#known, worker)) - 1;
  }

  textOf(worker: GraphWorker): string {
    const { name, tid } = this.list[this.indexOf(worker)];
    return tid === undefined ? name : `${name} (${tid})`;
  }
}

function describe({ graph, hosts }: PathGraph, worker: GraphWorker): PathWorker {
  const place = graph.place(worker);
  const { index, tables } = hosts[place.host];
  if (place.thread < 0) {
    const { cpu } = place;
    return { row: undefined, name: `Interrupts of CPU ${cpu}`, tid: undefined, host: index, cpu };
  }
  const { threads } = tables;
  return {
    row: `thread:${index}:${threadKey(threads, place.thread)}`,
    name: threads.name[place.thread] || 'a thread',
    tid: threads.tid[place.thread],
    host: index,
    cpu: undefined,
  };
}

/** By REASON_*. */
const REASON_WORDS = [
  '',
  'nothing is known before the trace begins',
  'events were lost',
  'the thread had ended',
  'the sender of the packet is not known',
  'the thread was not traced then',
] as const satisfies Readonly<Record<number, string>> & { readonly length: (typeof REASONS)['length'] };

/** Why segments are as they are, in words, each once. */
class CauseList {
  readonly list: string[] = [];
  readonly #known: PathGraph;
  /** By label and cause, for each host. */
  readonly #indices: Map<number, number>[][];

  constructor(known: PathGraph) {
    this.#known = known;
    this.#indices = known.hosts.map(() => [new Map(), new Map(), new Map(), new Map(), new Map()]);
  }

  /** -1: nothing to say. */
  indexOf(worker: GraphWorker, label: number, cause: number): number {
    const { host, thread } = this.#known.graph.place(worker);
    if (label === RUNNING && thread >= 0) return -1;
    const indices = this.#indices[host][label];
    const known = indices.get(cause);
    if (known !== undefined) return known;
    const words = this.#words(worker, label, cause);
    const index = words === '' ? -1 : this.#add(words);
    indices.set(cause, index);
    return index;
  }

  #add(words: string): number {
    const known = this.list.indexOf(words);
    return known >= 0 ? known : this.list.push(words) - 1;
  }

  #words(worker: GraphWorker, label: number, cause: number): string {
    const { graph, hosts } = this.#known;
    if (label === UNKNOWN) return REASON_WORDS[cause] ?? '';
    if (label === NETWORK) return 'a packet on its way';
    if (label === RUNNING) return 'the interrupt that received a packet';
    if (label !== BLOCKED) return '';
    if (v.causeOf(cause) === v.CAUSE_NONE) return 'not ended in the trace';
    const { threads } = hosts[graph.place(worker).host].tables;
    const name = (row: number) => `${threads.name[row] || 'a thread'} (tid ${threadKey(threads, row)})`;
    return causeText(cause, name, (index) => graph.text(worker, index)) ?? '';
  }
}
