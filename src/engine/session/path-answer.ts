/** An active path as the page gets it: workers and causes by number, columns, totals, and what was not recorded. */
import type { GraphWorker } from '../graph/execution-graph.ts';
import { BLOCKED, NETWORK, NO_STATE, REASONS, RUNNING, UNKNOWN } from '../graph/path-codes.ts';
import type { Path } from '../graph/path.ts';
import { pathTotals } from '../graph/path-totals.ts';
import { PACKET_ON_ITS_WAY, segmentParts, type SegmentParts } from '../graph/segment-parts.ts';
import { waitsForTree, type WaitsForTree } from '../graph/waits-for.ts';
import { threadKey } from '../kernel/thread-table.ts';
import * as v from '../kernel/values.ts';
import { criterionOf } from '../graph/criterion.ts';
import type { PathAnswer, PathPart, PathRequest, PathSegments, PathWorker, WaitsFor } from './path-api.ts';
import type { PathFinder, PathGraph } from './path-finder.ts';
import { culpritsOf, culpritText, partsIn, servedDuring } from './path-culprits.ts';
import { missingData, unexplainedNs } from './path-gaps.ts';
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
  const parts = await segmentParts(known.graph, path);
  const workers = new WorkerList(known);
  const words = new CauseList(known);
  const segments = segmentColumns(path, parts, workers, words);
  const nameOf = (worker: GraphWorker): string => workers.textOf(worker);
  const totals = pathTotals(path, (worker) => workers.indexOf(worker), partsIn(known.graph, path, parts));
  const waitsFor = waitsForColumns(waitsForTree(path, parts), parts, workers);
  return {
    row: request.row,
    from: path.from,
    to: path.to,
    criterion: request.criterion,
    workers: workers.list,
    causes: words.list,
    segments,
    parts: totals.map((total): PathPart => {
      const { group: worker, value, detail, ns } = total;
      const culprits = culpritsOf(total, parts, nameOf);
      const served = servedDuring(total, parts, nameOf);
      return { worker, value, detail, ns, segments: total.segments.size, culprits, served };
    }),
    waitsFor,
    unexplainedNs: unexplainedNs(path),
    foldedWaits: path.folded,
    missing: missingData(known, path),
  };
}

function segmentColumns(
  { segments: s, waits }: Path,
  parts: SegmentParts,
  workers: WorkerList,
  words: CauseList,
): PathSegments {
  const { length, from, to, label, via } = s;
  const worker = s.worker.map((each) => workers.indexOf(each));
  const cause = new Int32Array(length);
  for (let i = 0; i < length; i++) cause[i] = words.indexOf(s.worker[i], label[i], s.cause[i]);
  const depth = s.wait.map((wait) => (wait < 0 ? 0 : waits.depth[wait]));
  const value = Int32Array.from(label, (_, i) => longestState(parts, i));
  return { length, worker, from, to, label, cause, value, depth, via };
}

function longestState({ parts }: SegmentParts, segment: number): number {
  const ns = new Map<number, number>();
  let longest = v.STATE_UNKNOWN;
  for (let i = parts.start[segment]; i < parts.start[segment + 1]; i++) {
    const value = parts.value[i];
    ns.set(value, (ns.get(value) ?? 0) + parts.ns[i]);
    if ((ns.get(value) ?? 0) > (ns.get(longest) ?? 0)) longest = value;
  }
  return longest;
}

function waitsForColumns(
  { length, parent, kind, subject, ns }: WaitsForTree,
  { culprits }: SegmentParts,
  workers: WorkerList,
): WaitsFor {
  const nameOf = (worker: GraphWorker): string => workers.textOf(worker);
  const textOf = (i: number): string => {
    switch (kind[i]) {
      case 'worker':
        return nameOf(subject[i]);
      case 'state':
        return stateWords(subject[i]);
      case 'culprit':
        return culpritText(culprits[subject[i]], nameOf);
    }
  };
  return {
    length,
    parent: Int32Array.from(parent),
    worker: Int32Array.from(kind, (each, i) => (each === 'worker' ? workers.indexOf(subject[i]) : -1)),
    value: Int32Array.from(kind, (each, i) => (each === 'state' ? subject[i] : NO_STATE)),
    text: kind.map((_, i) => textOf(i)),
    ns: Float64Array.from(ns),
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
