/**
 * All that can be asked about the trace that is open, by kind: the page asks through its worker (`Session.ask`), the
 * command line asks a trace directly. Times are display ns, unless said otherwise.
 */
import type { DisplayNs } from '../base/units.ts';
import type { IdTile, Tile } from '../history/query-types.ts';
import { type OverlayInfo, overlayInfo } from '../layers/overlays/overlay-info.ts';
import { type PlotInfo, plotInfo } from '../layers/plots/plot-info.ts';
import type { IntervalInfo, IntervalRequest, MomentRequest } from '../protocol/session.ts';
import { STATE_UNKNOWN } from '../linux/events/values.ts';
import { EVENT_QUERIES } from './events/event-queries.ts';
import type { ExecutionProposal, ExecutionsAnswer, ExecutionsRequest } from '../protocol/executions.ts';
import { executionProposals } from './executions/execution-proposals.ts';
import { executionsAnswer } from './executions/executions-answer.ts';
import { cutOf } from './export/cut.ts';
import type { CutSize, ExportAnswer, ExportRequest } from '../protocol/export.ts';
import type { HostHistory } from './context/host.ts';
import { syncInfo } from './sync/host-sync.ts';
import { callInfo, intervalInfo } from './rows/interval-info.ts';
import type {
  CriticalSectionLine,
  LockAnswer,
  LockProvidersAnswer,
  LockRank,
  LockRequest,
  LocksAnswer,
  LocksRequest,
  LockWaitsAnswer,
  LocksWithin,
  LocksWithinRequest,
  LockWaitsRequest,
} from '../protocol/locks.ts';
import { criticalSectionLines } from './locks/critical-section-lines.ts';
import { lockAnswer, locksAnswer } from './locks/lock-answers.ts';
import { symbolNames } from './locks/lock-hosts.ts';
import { lockRanks } from './locks/lock-ranks.ts';
import { lockProviders } from './locks/lock-providers.ts';
import { lockWaits, NO_WAITS } from './locks/lock-waits.ts';
import { locksWithin, NO_LOCKS_WITHIN } from './locks/locks-within.ts';
import type { OpenTrace } from './context/open-trace.ts';
import { locksOf } from './locks/locks-of.ts';
import type {
  LockEvents,
  PackedPathParts,
  PathAnswer,
  PathPartsRequest,
  PathRequest,
} from '../protocol/paths.ts';
import { type Query, query, type QueryContext } from './context/query.ts';
import { heldOf, loadOf, unreadLoad } from './rows/load.ts';
import { noPlot, plotOf } from './rows/plot.ts';
import { hostOfRow } from './rows/row-host.ts';
import type { AttributesRequest, DensityRequest, LoadAnswer, PlotAnswer } from '../protocol/rows.ts';
import { emptySpans, gridOf, type ShownHistory, tileOf } from './rows/tiles.ts';
import { type ModuleLine, moduleList } from './stacks/module-list.ts';
import type { ProfileAnswer, ProfileRequest } from '../protocol/profile.ts';
import { profileAnswer } from './stacks/profile-answer.ts';
import { withFunctionNames } from './stacks/stack-intervals.ts';
import { waitStacks, type WaitStacks } from './stacks/wait-stacks.ts';
import { occurrences } from './statistics/occurrences.ts';
import { STATISTICS } from './statistics/statistics.ts';
import { readFinding } from '../trace/finding.ts';
import type { TimeRange } from '../protocol/range.ts';
import { NOTHING_OPEN, summaryAnswer } from './summary/summary.ts';
import type { SummaryAnswer, SummaryRequest } from '../protocol/summary.ts';
import type { SyncInfo, SyncRequest } from '../protocol/sync.ts';
import { descriptorPath } from './threads/descriptor-path.ts';
import { threadSummary } from './threads/thread-summary.ts';
import type { DescriptorRequest, ThreadRequest, ThreadSummary } from '../protocol/threads.ts';

/** Spans of rows by attribute. */
const tile = query<AttributesRequest, Tile<DisplayNs>>({
  isTransferred: true,
  nothing: emptyTile,
  answer(context, request) {
    const shown = historyOf(context, request);
    return shown ? tileOf(shown, request, (history, range) => history.tile(range)) : emptyTile(request);
  },
});

/** The same of rows whose values are ids. */
const idTile = query<AttributesRequest, IdTile<DisplayNs>>({
  isTransferred: true,
  nothing: emptyIdTile,
  answer(context, request) {
    const shown = historyOf(context, request);
    return shown ? tileOf(shown, request, (history, range) => history.idTile(range)) : emptyIdTile(request);
  },
});

/**
 * Load of a process or host. Here and in `density` the buckets are exactly as asked: bucket i begins at
 * from + i · bucketNs, and there are ceil((to − from) / bucketNs) of them.
 */
const load = query<AttributesRequest, LoadAnswer>({
  isTransferred: true,
  nothing: (request) => unreadLoad(gridOf(request)),
  answer(context, request) {
    const grid = gridOf(request);
    if (request.layer === undefined) {
      const host = hostOf(context.trace, request.host);
      return host ? loadOf(host, request.attributes, grid) : unreadLoad(grid);
    }
    const shown = historyOf(context, request);
    return shown ? heldOf(shown, request.attributes, grid) : unreadLoad(grid);
  },
});

/** Numbers of the first of the attributes, which is a layer's plot. */
const plot = query<AttributesRequest, PlotAnswer>({
  isTransferred: true,
  nothing: (request) => noPlot(gridOf(request)),
  answer(context, request) {
    const shown = request.layer === undefined ? undefined : historyOf(context, request);
    const grid = gridOf(request);
    return shown ? plotOf(shown, request.attributes[0], grid) : noPlot(grid);
  },
});

/** What can be plotted, and what is; undefined while the trace is being read. */
const plots = query<Record<string, never>, PlotInfo | undefined>({
  nothing: () => undefined,
  answer({ layers }) {
    const info = layers?.info('resource');
    return info && plotInfo(info);
  },
});

/** Events per bucket of stream rows: rows × buckets, row after row. */
const density = query<DensityRequest, Float32Array>({
  isTransferred: true,
  nothing: (request) => new Float32Array(request.rows.length * gridOf(request).length),
  answer: ({ trace }, request) => trace.density.of(request.rows, gridOf(request)),
});

const interval = query<IntervalRequest, IntervalInfo | undefined>({
  nothing: () => undefined,
  answer(context, { row, timeNs, step = 0 }) {
    const { trace, layers } = context;
    const ofLayer = layers?.interval(row, timeNs, step);
    if (ofLayer !== undefined) return withFunctionNames(context, hostOfRow(row), ofLayer);
    const host = hostOf(trace, hostOfRow(row));
    if (host === undefined) return undefined;
    return withReason(trace, intervalInfo(host, row, timeNs, step));
  },
});

/** The system call of a thread's row at a time, from entry to return; undefined: it is in none. */
const call = query<MomentRequest, IntervalInfo | undefined>({
  nothing: () => undefined,
  answer({ trace }, { row, timeNs }) {
    const host = hostOf(trace, hostOfRow(row));
    return host && callInfo(host, row, timeNs);
  },
});

/** One thread in a range; undefined: the row is no thread of the kernel's trace. */
const thread = query<ThreadRequest, ThreadSummary | undefined>({
  nothing: () => undefined,
  answer({ trace }, request) {
    const host = hostOf(trace, hostOfRow(request.row));
    return host && threadSummary(host, request);
  },
});

/** Path of the file that a system call is about; undefined: not known. */
const descriptor = query<DescriptorRequest, string | undefined>({
  nothing: () => undefined,
  answer: ({ trace }, request) => {
    const host = hostOf(trace, hostOfRow(request.row));
    return host && descriptorPath(trace, host, request);
  },
});

/** Where it is that a row had at a display time until reading ended and the hosts' clocks were known. */
const moved = query<MomentRequest, DisplayNs>({
  nothing: ({ timeNs }) => timeNs,
  answer: ({ trace }, { row, timeNs }) => trace.time.moved(hostOfRow(row), timeNs),
});

/** Undefined: the row is no thread that anything is known of, or another path of its criterion was asked for since. */
const path = query<PathRequest, PathAnswer | undefined>({
  isTransferred: true,
  nothing: () => undefined,
  answer(context, request) {
    const { trace, layers, signal } = context;
    const namesOf = () => symbolNames(context);
    return trace.pathAnswers.answer(request, signal, locksOf(layers), namesOf);
  },
});

/** Whether paths may follow waits for locks. */
const lockEvents = query<Record<string, never>, LockEvents>({
  nothing: () => 'not read yet',
  answer: ({ trace, layers }) => trace.pathAnswers.lockEvents(locksOf(layers)),
});

/** What the time of a path consists of; undefined: another path of its criterion was asked for since. */
const pathParts = query<PathPartsRequest, PackedPathParts | undefined>({
  isTransferred: true,
  nothing: () => undefined,
  answer: ({ trace, signal }, request) => trace.pathAnswers.parts(request, signal),
});

/**
 * How the hosts' clocks relate, and which of them are virtual machines of others; undefined while packets are being
 * read.
 */
const sync = query<SyncRequest, SyncInfo | undefined>({
  nothing: () => undefined,
  answer({ trace: { time, hosts, sync } }, { guests }) {
    const known = sync();
    return known && syncInfo(time.hosts, hosts, known, time.clock, guests);
  },
});

/** Which overlays are shown, and which could be; undefined while the trace is being read. */
const overlays = query<Record<string, never>, OverlayInfo | undefined>({
  nothing: () => undefined,
  answer({ layers }) {
    const info = layers?.info('overlay');
    return info && overlayInfo(info);
  },
});

/** Everything about locks but single waits; undefined while they are being read. */
const locks = query<LocksRequest, LocksAnswer | undefined>({
  nothing: () => undefined,
  answer: locksAnswer,
});

/** Which events are about locks; undefined while the trace is being read. */
const lockProviderList = query<Record<string, never>, LockProvidersAnswer | undefined>({
  nothing: () => undefined,
  answer: lockProviders,
});

/** One lock in detail; undefined: there is none of that id. */
const lock = query<LockRequest, LockAnswer | undefined>({ nothing: () => undefined, answer: lockAnswer });

/** What locks cost on critical paths; undefined while they are being read. */
const lockRankList = query<Record<string, never>, readonly LockRank[] | undefined>({
  nothing: () => undefined,
  answer: lockRanks,
});

/** For how long threads held locks, as a tree; undefined while they are being read. */
const criticalSections = query<Record<string, never>, readonly CriticalSectionLine[] | undefined>({
  nothing: () => undefined,
  answer: criticalSectionLines,
});

/** Waits for locks; none while they are being read. */
const lockWaitList = query<LockWaitsRequest, LockWaitsAnswer>({
  nothing: () => NO_WAITS,
  answer: lockWaits,
});

/** How long threads waited for which locks within stretches of time; nothing while locks are being read. */
const locksWithinList = query<LocksWithinRequest, LocksWithin>({
  isTransferred: true,
  nothing: () => NO_LOCKS_WITHIN,
  answer: locksWithin,
});

/**
 * All executions of a definition; undefined: the trace is being read, its files are not there, or nobody waits for the
 * answer any more.
 */
const executions = query<ExecutionsRequest, ExecutionsAnswer | undefined>({
  isTransferred: true,
  nothing: () => undefined,
  answer: executionsAnswer,
});

/** Where the time of threads went, or that of an active path, by frames; undefined: there is no such thread or path. */
const profile = query<ProfileRequest, ProfileAnswer | undefined>({
  isTransferred: true,
  nothing: () => undefined,
  answer: profileAnswer,
});

/** The call stacks at both ends of a wait; undefined: the thread does not wait then, or no stack is known. */
const waitStackPair = query<MomentRequest, WaitStacks | undefined>({
  nothing: () => undefined,
  answer(context, { row, timeNs }) {
    const host = hostOf(context.trace, hostOfRow(row));
    return host && waitStacks(context, host, row, timeNs);
  },
});

/** What is known of the functions of programs and libraries; undefined: the trace has no call stacks by now. */
const modules = query<Record<string, never>, readonly ModuleLine[] | undefined>({
  nothing: () => undefined,
  answer: moduleList,
});

/** Those that are most likely meant first. Their events are read, unless they were. */
const proposedExecutions = query<Record<string, never>, readonly ExecutionProposal[]>({
  isTransferred: true,
  nothing: () => [],
  answer: executionProposals,
});

/** What stands out by one rule; undefined while the trace is being read. */
const summary = query<SummaryRequest, SummaryAnswer | undefined>({
  nothing: () => NOTHING_OPEN,
  answer: summaryAnswer,
});

/** A part of what is known, as a file for other programs. What writes it is loaded with the first one. */
const exported = query<ExportRequest, ExportAnswer>({
  nothing: () => ({}),
  async answer(context, request) {
    const { exportFile } = await import('./export/export-file.ts');
    return exportFile(context, request);
  },
});

/** How large the part of the trace for a range is; undefined: its files are not there. */
const cutSize = query<{ readonly range: TimeRange }, CutSize | undefined>({
  nothing: () => undefined,
  async answer(context, { range }) {
    const cut = await cutOf(context, range);
    return cut && { bytes: cut.bytes, events: cut.events };
  },
});

/** What a finding says that lies beside the trace, as it is written; undefined: there is none, or no files. */
const finding = query<Record<string, never>, string | undefined>({
  nothing: () => undefined,
  answer: ({ trace: { events } }) => events && readFinding(events.experiment.others ?? [], events.open),
});

const TABLE = {
  ...{ tile, idTile, load, density, plot, plots, interval, call, moved, path, lockEvents, pathParts, sync },
  ...{
    threadSummary: thread,
    descriptorPath: descriptor,
    summary,
    overlays,
    locks,
    lock,
    lockRanks: lockRankList,
    lockWaits: lockWaitList,
  },
  locksWithin: locksWithinList,
  ...{ criticalSections, lockProviders: lockProviderList, profile },
  ...{ waitStacks: waitStackPair, modules },
  ...{ executions, executionProposals: proposedExecutions, exported, cutSize, finding },
  ...STATISTICS,
  occurrences,
  ...EVENT_QUERIES,
};

export type QueryKind = keyof typeof TABLE;
export type RequestOf<K extends QueryKind> = Parameters<(typeof TABLE)[K]['nothing']>[0];
export type AnswerOf<K extends QueryKind> = ReturnType<(typeof TABLE)[K]['nothing']>;

export const QUERIES: { readonly [K in QueryKind]: Query<RequestOf<K>, AnswerOf<K>> } = TABLE;

/** What a trace says. */
export async function answerOf<K extends QueryKind>(
  context: QueryContext,
  kind: K,
  request: RequestOf<K>,
): Promise<AnswerOf<K>> {
  const answer = await QUERIES[kind].answer(context, request);
  context.signal?.throwIfAborted();
  return answer;
}

/** Marks an interval that is perhaps unknown for damage alone. */
async function withReason(
  trace: OpenTrace,
  found: Promise<IntervalInfo | undefined>,
): Promise<IntervalInfo | undefined> {
  const info = await found;
  if (info?.state !== STATE_UNKNOWN || !trace.isDamaged('states')) return info;
  return { ...info, isDamaged: true };
}

/** Of which attributes are asked; undefined: there is none. */
function historyOf({ trace, layers }: QueryContext, request: AttributesRequest): ShownHistory | undefined {
  const host = hostOf(trace, request.host);
  if (host === undefined || request.layer === undefined) return host;
  const found = layers?.history(request.layer, request.host);
  return found && { query: found, clock: host.clock };
}

function emptyTile(request: AttributesRequest): Tile<DisplayNs> {
  return { ...emptySpans(request), shares: new Uint8Array(0) };
}

function emptyIdTile(request: AttributesRequest): IdTile<DisplayNs> {
  return { ...emptySpans(request), longest: new Float64Array(0), heldNs: new Float64Array(0) };
}

function hostOf({ hosts }: OpenTrace, index: number): HostHistory | undefined {
  return hosts.find((host) => host.index === index);
}
