/** An active path as the page gets it: workers and causes by number, columns, and what should have been recorded. */
import { criterionOf, type Path } from '../../graph/path.ts';
import { TextList } from '../../base/text-list.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import type { GuestChoice } from '../../graph/guests.ts';
import { BLOCKED, NETWORK, REASONS, RUNNING, UNKNOWN, isDeadlock } from '../../graph/path-codes.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';
import { softirqName } from '../../linux/events/interrupt-names.ts';
import * as values from '../../linux/events/values.ts';
import { causeText } from '../../words/state-text.ts';
import { threadWords } from '../../words/thread-words.ts';
import type {
  PathRequest,
  PathAnswer,
  LockEvents,
  PathPartsRequest,
  PackedPathParts,
  PathReportRequest,
  PathReport,
  VainLockWait,
  DividedLockWait,
  PathSegments,
} from '../../protocol/paths.ts';
import { type PathFinder, type PathGraph, type PathLocks, virtualCpusOf } from './path-finder.ts';
import { missingData, unexplainedNs } from './path-gaps.ts';
import {
  type DividedWaits,
  dividedWaitsOn,
  isLockWait,
  kernelWaitsOn,
  type LocksOfHosts,
  pathLocks,
  vainWaitsOn,
  withNames,
} from './path-locks.ts';
import { pathParts } from './path-parts.ts';
import { pathReport } from './path-report.ts';
import { type WorkerList, workersOf } from './path-workers.ts';

/** A path that was answered. */
interface Found {
  readonly id: number;
  readonly known: PathGraph;
  readonly path: Path;
  readonly locks: PathLocks | undefined;
  /** Locks by host, without the names of symbols or of the user. */
  readonly ofHosts: LocksOfHosts | undefined;
  readonly guests: readonly GuestChoice[] | undefined;
  /** Whether no other path of its criterion was asked for since. */
  readonly isLatest: () => boolean;
}

export class PathAnswers {
  /** Last path id, over all traces opened so far: ids of an earlier trace never match. */
  static #lastId = 0;
  /** Latest path of each criterion, of which parts may be asked for. */
  readonly #found = new Map<string, Found>();

  /** @param isDamaged as in `AnswerSource` */
  constructor(
    private readonly finder: PathFinder,
    private readonly isDamaged: (part: string) => boolean = () => false,
  ) {}

  /**
   * @param signal aborted when the answer is no longer wanted
   * @param locks undefined: not known yet
   * @param namesOf display names of locks by id; those of `request.lockNames` come first
   * @returns undefined: the row is no known thread, wake-ups are damaged (the wrong thread could be blamed), the
   * criterion needs locks and none are known (`lockEvents`), or a later request came in meanwhile
   */
  async answer(
    request: PathRequest,
    signal?: AbortSignal,
    locks?: LocksOfHosts,
    namesOf: () => Promise<ReadonlyMap<string, string>> = () => Promise.resolve(new Map()),
  ): Promise<PathAnswer | undefined> {
    const criterion = criterionOf(request.criterion);
    if (criterion === undefined) return undefined;
    const isLatest = this.finder.ask(criterion);
    const isWanted = () => isLatest() && signal?.aborted !== true;
    const known = await this.finder.graph();
    const worker = known.workerOfRow(request.row);
    if (worker === undefined) return undefined;
    const marked = new Set<GraphWorker>();
    for (const row of request.marked ?? []) {
      const unrelated = known.workerOfRow(row);
      if (unrelated !== undefined) marked.add(unrelated);
    }
    const { range, foldLoops = false, guests } = request;
    const names = new Map([...(await namesOf()), ...(request.lockNames ?? [])]);
    const ofPath = locks && withNames(pathLocks(known, locks), names);
    if (criterion === 'lock holder' && ofPath?.hasWaits !== true) return undefined;
    const question = { worker, range, criterion, marked, foldLoops, locks: ofPath };
    const path = await this.finder.find(known, question, isWanted);
    if (path === undefined || this.isDamaged('signals')) return undefined;
    const id = ++PathAnswers.#lastId;
    const found = { id, known, path, locks: ofPath, ofHosts: locks, guests, isLatest };
    this.#found.set(criterion, found);
    return { id, ...answerOf(found, request, this.isDamaged('states')) };
  }

  /** @param locks undefined: not known yet */
  async lockEvents(locks: LocksOfHosts | undefined): Promise<LockEvents> {
    if (locks === undefined) return 'not read yet';
    return pathLocks(await this.finder.graph(), locks).hasWaits ? 'there' : 'none';
  }

  /** @returns undefined: another path of its criterion was answered since, or the graph was replaced */
  pathOf(id: number, graph: PathGraph): Path | undefined {
    const found = this.#foundBy(id);
    return found?.known === graph ? found.path : undefined;
  }

  /** @returns undefined: another path of its criterion was answered or asked for since */
  async parts(request: PathPartsRequest, signal?: AbortSignal): Promise<PackedPathParts | undefined> {
    const found = this.#foundBy(request.path);
    if (found === undefined) return undefined;
    const { known, guests, isLatest } = found;
    const isWanted = () => isLatest() && signal?.aborted !== true;
    return pathParts(found, virtualCpusOf(known, guests), isWanted);
  }

  /** @returns undefined: another path of its criterion was answered or asked for since */
  async report(request: PathReportRequest, signal?: AbortSignal): Promise<PathReport | undefined> {
    const found = this.#foundBy(request.path);
    if (found === undefined) return undefined;
    const locks = found.ofHosts && pathLocks(found.known, found.ofHosts);
    const isWanted = () => found.isLatest() && signal?.aborted !== true;
    return pathReport({ ...found, locks }, request, isWanted);
  }

  #foundBy(id: number): Found | undefined {
    return [...this.#found.values()].find((found) => found.id === id);
  }
}

function answerOf(found: Found, request: PathRequest, isDamaged: boolean): Omit<PathAnswer, 'id'> {
  const { known, path, locks } = found;
  const workers = workersOf(known, path, locks);
  const words = new CauseList(known, locks, isDamaged);
  const segments = segmentColumns(path, workers, words);
  return {
    row: request.row,
    from: path.from,
    to: path.to,
    criterion: request.criterion,
    workers: workers.list,
    causes: words.list,
    segments,
    unexplainedNs: unexplainedNs(known, path),
    foldedWaits: path.folded,
    vainWaits: vainWaits(path, locks, workers),
    lockWaits: (locks === undefined ? [] : dividedWaitsOn(path, locks)).map((wait) =>
      dividedWait(wait, workers),
    ),
    kernelWaits: found.ofHosts === undefined ? [] : kernelWaitsOn(path, known, found.ofHosts),
    missing: missingData(known, path, request.guests),
  };
}

function vainWaits(path: Path, locks: PathLocks | undefined, workers: WorkerList): VainLockWait[] {
  const found = locks === undefined ? [] : vainWaitsOn(path, locks);
  return found.map(({ worker, chain, ...rest }) => ({
    ...rest,
    worker: workers.indexOf(worker),
    chain: chain.map(({ lock, holder }) => ({ lock, holder: workers.indexOf(holder) })),
  }));
}

function dividedWait({ lock, waits, ns, turns, ready }: DividedWaits, workers: WorkerList): DividedLockWait {
  const waited = Array.from(ready, ([worker, own]) => ({ worker: workers.indexOf(worker), ns: own }));
  return {
    ...{ lock, waits, ns, freeNs: turns.freeNs },
    turns: turns.turns.map(({ holder, ...turn }) => ({ ...turn, holder: workers.indexOf(holder) })),
    ready: waited.sort((a, b) => b.ns - a.ns),
  };
}

/** Columns are copied: they are transferred to the page while the path is still needed for its parts. */
function segmentColumns({ segments: s, waits }: Path, workers: WorkerList, words: CauseList): PathSegments {
  const { length } = s;
  const worker = s.worker.map((each) => workers.indexOf(each));
  const cause = new Int32Array(length);
  for (let i = 0; i < length; i++) cause[i] = words.indexOf(s.worker[i], s.label[i], s.cause[i]);
  const depth = s.wait.map((wait) => (wait < 0 ? 0 : waits.depth[wait]));
  const [from, to, label, via] = [s.from.slice(), s.to.slice(), s.label.slice(), s.via.slice()];
  return { length, worker, from, to, label, cause, depth, via };
}

const REASON_WORDS = [
  '',
  'nothing is known before the trace begins',
  'events were lost',
  'the thread had ended',
  'the sender of the packet is not known',
  'the thread was not traced then',
] as const satisfies Readonly<Record<number, string>> & { readonly length: (typeof REASONS)['length'] };

/** Words of reasons where some of the stored states cannot be read. */
const DAMAGED_WORDS: readonly string[] = REASON_WORDS.map((words) =>
  words === '' ? '' : `${words}, or what is kept of it is damaged`,
);

/** Why segments are as they are, in words, each text once. */
export class CauseList {
  readonly #texts = new TextList();
  readonly #reasons: readonly string[];
  /** Indices in `list` by label and cause, for each host. */
  readonly #indices: Map<number, number>[][];

  constructor(
    private readonly known: PathGraph,
    private readonly locks: PathLocks | undefined,
    isDamaged: boolean,
  ) {
    this.#reasons = isDamaged ? DAMAGED_WORDS : REASON_WORDS;
    this.#indices = known.hosts.map(() => [new Map(), new Map(), new Map(), new Map(), new Map()]);
  }

  /** Index of a cause; -1: nothing to say. */
  indexOf(worker: GraphWorker, label: number, cause: number): number {
    const { host, thread } = this.known.graph.place(worker);
    if (label === RUNNING && thread >= 0) return -1;
    const indices = this.#indices[host][label];
    const known = indices.get(cause);
    if (known !== undefined) return known;
    const words = this.#words(worker, label, cause);
    const index = words === '' ? -1 : this.#texts.indexOf(words);
    indices.set(cause, index);
    return index;
  }

  get list(): readonly string[] {
    return this.#texts.list;
  }

  #words(worker: GraphWorker, label: number, cause: number): string {
    const { graph, hosts } = this.known;
    if (label === UNKNOWN) return this.#reasons[cause] ?? '';
    if (label === NETWORK) return 'a packet on its way';
    if (label === RUNNING) return 'an interrupt';
    if (values.causeOf(cause) === values.CAUSE_SOFTIRQ)
      return `softirq ${softirqName(values.detailOf(cause))}, which had not run yet`;
    if (label !== BLOCKED) return '';
    if (values.causeOf(cause) === values.CAUSE_NONE) return 'not ended in the trace';
    if (isLockWait(cause)) {
      const lock = this.locks?.wordsOf(worker, cause) ?? 'a lock';
      return isDeadlock(cause) ? `in a deadlock for ${lock}` : `for ${lock}`;
    }
    const { threads } = hosts[graph.place(worker).host].tables;
    const name = (row: number) => threadWords(threads.name[row], threadKey(threads, row));
    return causeText(cause, name, (index) => graph.text(worker, index)) ?? '';
  }
}
