/**
 * Changes that would help a thread: its range is replayed with waits, work or devices removed or faster
 * (`graph/replay`). A saving is [careful, hopeful]. It is a model: the order in which locks are acquired and queues are
 * served stays.
 */
import { compare } from '../../base/compare.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { GrowingTable } from '../../base/columns.ts';
import { f64, i32, noRows, type ReadRows } from '../../base/tables.ts';
import { firstPieceEndingAfter, readClosure } from '../../graph/closure.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { nextTask } from '../../base/next-task.ts';
import { findPath } from '../../graph/find-path.ts';
import { BLOCKED, PREEMPTED, RUNNING } from '../../graph/path-codes.ts';
import type { Path, Segments } from '../../graph/path.ts';
import { pathTotals } from '../../graph/path-totals.ts';
import { pieceDetails } from '../../graph/piece-details.ts';
import { type Change, Replayer, type ReplayMode, replayedGraph } from '../../graph/replay.ts';
import { causeOf } from '../../linux/events/values.ts';
import type * as protocol from '../../protocol/what-if.ts';
import { CauseList } from '../paths/path-answer.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import { lockHosts, symbolNames, locksOf } from '../locks/lock-hosts.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import { type LocksOfHosts, pathLocks, withNames } from '../paths/path-locks.ts';
import { WorkerList } from '../paths/path-workers.ts';
import { stacksOf } from '../stacks/stacks-of.ts';
import { changeLabel } from '../../words/change-words.ts';
import { type Changeable, type Target, targetsOf } from './targets.ts';
import { setFreeTogether, togetherIn } from './together.ts';
import { readWork } from './work-shares.ts';

/**
 * Maximum number of targets of each kind that are replayed, those that take most time, and fewer where time runs out.
 */
const MOST_OF_A_KIND = 50;
const FEWEST_OF_A_KIND = 5;
/** Maximum number of pieces replayed for the targets of a kind. */
const MOST_REPLAYED = 5_000_000;
/** Smallest share of the range that a listed target saves when it is removed. */
const LEAST_SHARE = 0.01;
/** Maximum number of shares listed of the path after a change. */
const MOST_LIMITS = 5;

/** Maximum number of parts of a lane, approximately. */
const LANE_PARTS = 400;
/** Maximum number of alternatives listed where a name fits no target. */
const MOST_CHOICES = 10;

/** A closure with all that is needed to change it, except for the names of locks, which may come later. */
interface Replayed extends Omit<Changeable, 'lockHosts' | 'lockNames'> {
  readonly replayer: Replayer;
  readonly meanwhile: Meanwhile;
}

export { whatIfAnswer as whatIf };

/** @returns undefined: no such thread, or the question was given up */
export const whatIfAnswer: AnswerTo<'whatIf'> = async (context, request) => {
  const { paths: finder } = context.trace;
  const isWanted = (): boolean => context.signal?.aborted !== true;
  const known = await finder.graph();
  const worker = known.workerOfRow(request.row);
  if (worker === undefined) return undefined;
  const range = await finder.rangeOf(known, worker, request.range);
  const found = await replayedOf(context, known, { worker, ...range }, isWanted);
  if (found === undefined) return undefined;
  const hosts = (await lockHosts(context)) ?? [];
  const lockNames = new Map([...symbolNames(hosts), ...(request.lockNames ?? [])]);
  const locks = found.locks && withNames(found.locks, lockNames);
  const replayed = { ...found, locks, lockHosts: hosts, lockNames };
  const { closure } = replayed;
  const { factor, target: wanted } = request;
  const { threads, leftOut } = { threads: closure.workers.length, leftOut: closure.leftOut };
  const answer = { ...range, factor, lines: [], limits: [], threads, leftOut };
  const all = wanted === undefined ? [] : targetsOf(replayed);
  const named = wanted === undefined ? [] : namedBy(wanted, all);
  if (wanted !== undefined && named.length !== 1) {
    const others = named.length > 0 ? named : all.filter(({ kind }) => kind === wanted.kind);
    return {
      ...answer,
      choices: others
        .slice(0, MOST_CHOICES)
        .map(({ name, label }) => ({ name, label: changeLabel({ label }) })),
    };
  }
  const affordable = Math.floor(MOST_REPLAYED / closure.pieces.length);
  const most = Math.max(FEWEST_OF_A_KIND, Math.min(MOST_OF_A_KIND, affordable));
  const targets = wanted === undefined ? targetsOf(replayed, most) : named;
  const lines: protocol.WhatIfLine[] = [];
  const least = wanted === undefined ? LEAST_SHARE * (range.to - range.from) : -Infinity;
  for (const target of targets) {
    await nextTask();
    if (!isWanted()) return undefined;
    const { kind, name, label, ns } = target;
    const gone = savingOf(replayed, target, 0);
    if (gone.hopeful < least) continue;
    const saved = factor === 0 ? gone : savingOf(replayed, target, factor);
    lines.push({ kind, name, label, ns, saved, gone });
  }
  lines.sort((a, b) => b.saved.careful - a.saved.careful || compare(changeLabel(a), changeLabel(b)));
  return { ...answer, lines, ...(wanted && (await pathsOf(replayed, targets[0], factor))) };
};

/** The latest closure, as a slider asks for it again and again. */
const latestOf = cachedByKey((_: PathGraph): { latest?: { key: unknown[]; replayed: Replayed } } => ({}));
const togetherOf = cachedByKey((known: PathGraph) =>
  cachedByKey((locks: LocksOfHosts) => setFreeTogether(known, locks)),
);
const NO_LOCKS: LocksOfHosts = [];

async function replayedOf(
  context: QueryContext,
  known: PathGraph,
  range: { readonly worker: GraphWorker; readonly from: number; readonly to: number },
  isWanted: () => boolean,
): Promise<Replayed | undefined> {
  const ofHosts = locksOf(context.layers);
  const kept = latestOf(known);
  const key = [range.worker, range.from, range.to, ofHosts];
  if (kept.latest?.key.every((part, i) => part === key[i])) return kept.latest.replayed;
  const locks = ofHosts && pathLocks(known, ofHosts);
  const groups = await togetherOf(known)(ofHosts ?? NO_LOCKS);
  const question = { ...range, locks: locks?.graph.waits, togetherWith: togetherIn(groups) };
  const closure = await readClosure(known.graph, question, isWanted);
  const details = closure && (await pieceDetails(known.graph, closure, isWanted));
  const work =
    closure && details && (await readWork(known, closure, (host) => stacksOf(context, host), isWanted));
  if (closure === undefined || details === undefined || work === undefined) return undefined;
  const replayer = new Replayer(closure, details.timers, details.disks);
  const meanwhile = meanwhileOf({ closure, details });
  const replayed = { known, closure, details, work, locks, groups, replayer, meanwhile };
  kept.latest = { key, replayed };
  return replayed;
}

/** Targets with a name; if there is none, those with that name on one host. */
function namedBy(wanted: protocol.WhatIfTarget, targets: readonly Target[]): Target[] {
  const ofKind = targets.filter(({ kind }) => kind === wanted.kind);
  const named = ofKind.filter(
    ({ name, label }) => wanted.name === name || wanted.name === changeLabel({ label }),
  );
  if (named.length > 0) return named;
  if (wanted.name === '') return ofKind.length === 1 ? ofKind : [];
  return ofKind.filter(({ name }) => name.endsWith(`:${wanted.name}`));
}

function savingOf(replayed: Replayed, target: Target, factor: number): protocol.Saving {
  const change = changeOf(replayed, target, factor);
  const saved = MODES.map((mode) => savedBy(replayed, change, mode));
  // Where something takes longer, the replay that keeps ends of waits costs less.
  return { careful: Math.min(...saved), hopeful: Math.max(...saved) };
}

const MODES: readonly ReplayMode[] = ['careful', 'hopeful'];

/** ns by which the range of the thread studied gets shorter. */
function savedBy({ closure, replayer }: Replayed, change: Change, mode: ReplayMode): number {
  const last = closure.workers.first[1] - 1;
  if (last < 0) return 0;
  return Math.round(closure.pieces.end[last] - replayer.replay(change, mode).end[last]);
}

function changeOf({ closure, details, meanwhile }: Replayed, target: Target, factor: number): Change {
  const { length } = closure.pieces;
  const removed = new Float64Array(length);
  const isOwn = new Uint8Array(length);
  const removedMeanwhile = new Float64Array(length);
  if (target.requests !== undefined) {
    const ofRequests = new Float64Array(details.disks.length).fill(1);
    for (const request of target.requests) ofRequests[request] = factor;
    return { removed, isOwn, removedMeanwhile, ofRequests };
  }
  target.eachPart((row, ns) => {
    removed[row] += (1 - factor) * ns;
    if (target.isOwn) isOwn[row] = 1;
  });
  for (let i = 0; i < meanwhile.length; i++)
    removedMeanwhile[meanwhile.wait[i]] += removed[meanwhile.piece[i]] * meanwhile.share[i];
  return { removed, isOwn, removedMeanwhile };
}

/** Shares of running pieces that ran while another thread waited for that CPU (piece `wait`). */
const MEANWHILE = { wait: i32(), piece: i32(), share: f64() };
type Meanwhile = ReadRows<typeof MEANWHILE>;

function meanwhileOf({ closure, details }: Pick<Changeable, 'closure' | 'details'>): Meanwhile {
  const { pieces, workers } = closure;
  const { begin, end, label } = pieces;
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  const found = new GrowingTable(noRows(MEANWHILE));
  for (const [wait, runners] of details.meanwhile)
    for (const [runner, ns] of runners) {
      const number = numbers.get(runner);
      if (number === undefined) continue;
      const last = workers.first[number + 1];
      const first = firstPieceEndingAfter(closure, number, begin[wait]);
      const within = (row: number): number =>
        label[row] === RUNNING ? Math.min(end[row], end[wait]) - Math.max(begin[row], begin[wait]) : 0;
      let ran = 0;
      for (let row = first; row < last && begin[row] < end[wait]; row++) ran += within(row);
      for (let row = first; row < last && begin[row] < end[wait]; row++) {
        const own = within(row);
        if (own === 0) continue;
        const at = found.addRow();
        found.rows.wait[at] = wait;
        found.rows.piece[at] = row;
        // It may have run on another CPU for part of the time.
        found.rows.share[at] = (own * Math.min(1, ns / ran)) / (end[row] - begin[row]);
      }
    }
  return found.toTable();
}

/** The critical path as it was, and after a change with its shares, most time first. */
async function pathsOf(
  replayed: Replayed,
  target: Target,
  factor: number,
): Promise<Pick<protocol.WhatIfAnswer, 'limits' | 'lanes'>> {
  const { known, locks } = replayed;
  // Where something takes longer, the replay that keeps ends of waits costs less.
  const mode = factor > 1 ? 'hopeful' : 'careful';
  const now = await pathAfter(replayed, { ...target, eachPart: () => {}, requests: undefined }, 1, mode);
  const path = await pathAfter(replayed, target, factor, mode);
  if (now === undefined || path === undefined) return { limits: [] };
  const { segments: s } = path;
  const workers = new WorkerList(known);
  const causes = new CauseList(known, locks, false);
  const causeOfSegment = ({ worker, label, cause }: Segments, i: number): string =>
    causes.list[causes.indexOf(worker[i], label[i], cause[i])] ?? '';
  const totals = pathTotals(
    path,
    (each) => each,
    (i, take) => take(s.label[i], s.to[i] - s.from[i], causeOfSegment(s, i)),
  );
  const limits = totals.slice(0, MOST_LIMITS).map(({ group, value, detail, ns }) => {
    return { text: `${workers.textOf(group)} ${doing(value, detail)}`, ns };
  });
  const laneOf = ({ segments, from, to }: Path): protocol.WhatIfLane => ({
    length: to - from,
    segments: drawnOf(segments, (now.to - now.from) / LANE_PARTS).map(({ row, begin, end }) => ({
      worker: workers.textOf(segments.worker[row]),
      text: doing(segments.label[row], causeOfSegment(segments, row)),
      isOwn: segments.worker[row] === path.worker,
      label: segments.label[row],
      cause: segments.label[row] === BLOCKED ? causeOf(segments.cause[row]) : 0,
      from: begin - from,
      to: end - from,
    })),
  });
  return { limits, lanes: { now: laneOf(now), then: laneOf(path) } };
}

function pathAfter(replayed: Replayed, target: Target, factor: number, mode: ReplayMode) {
  const { closure, replayer } = replayed;
  const change = changeOf(replayed, target, factor);
  const graph = replayedGraph(closure, change, replayer.replay(change, mode));
  const [worker] = closure.workers.worker;
  return findPath(graph, { worker, from: closure.from, to: graph.to, criterion: 'main task' });
}

/** Segments for drawing: those shorter than `least` are merged, and shown as the longest of them. */
function drawnOf({ length, from, to }: Segments, least: number) {
  const drawn: { row: number; begin: number; end: number }[] = [];
  for (let i = 0; i < length; i++) {
    const last = drawn.at(-1);
    if (last === undefined || (to[i] - from[i] >= least && last.end - last.begin >= least))
      drawn.push({ row: i, begin: from[i], end: to[i] });
    else {
      last.end = to[i];
      if (to[i] - from[i] > to[last.row] - from[last.row]) last.row = i;
    }
  }
  return drawn;
}

function doing(label: number, cause: string): string {
  if (label === RUNNING) return cause === '' ? 'runs' : `runs ${cause}`;
  if (label === PREEMPTED) return 'waits for a CPU';
  if (label === BLOCKED) return `waits, ${cause}`;
  return cause === '' ? 'unknown' : `unknown: ${cause}`;
}
