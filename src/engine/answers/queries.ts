/**
 * All that can be asked about the trace that is open, by kind: the page asks through its worker (`Session.ask`), the
 * command line asks a trace directly. Times are display ns, unless said otherwise.
 */
import type { DisplayNs } from '../base/units.ts';
import type { IdTile, Tile } from '../history/query-types.ts';
import { overlayInfo } from '../layers/overlays/layer.ts';
import { plotInfo } from '../layers/plots/layer.ts';
import type { IntervalInfo, AttributesRequest } from '../protocol/rows.ts';
import { STATE_UNKNOWN } from '../linux/events/values.ts';
import { EVENT_QUERIES } from './events/event-queries.ts';
import { executionProposals } from './executions/execution-proposals.ts';
import { executionsAnswer } from './executions/executions-answer.ts';
import { cutOf } from './export/cut.ts';
import type { HostHistory } from './context/host.ts';
import { syncInfo } from './sync/host-sync.ts';
import { callInfo, intervalInfo } from './rows/interval-info.ts';
import { criticalSectionLines } from './locks/critical-section-lines.ts';
import { lockAnswer, locksAnswer } from './locks/lock-answers.ts';
import { symbolNames } from './locks/lock-hosts.ts';
import { lockRanks } from './locks/lock-ranks.ts';
import { lockProviders } from './locks/lock-providers.ts';
import { lockWaits, NO_WAITS } from './locks/lock-waits.ts';
import { locksWithin, NO_LOCKS_WITHIN } from './locks/locks-within.ts';
import type { OpenTrace } from './context/open-trace.ts';
import { locksOf } from './locks/locks-of.ts';
import type { QueryContext, QueryOf } from './context/query.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../protocol/queries.ts';
import { heldOf, loadOf, unreadLoad } from './rows/load.ts';
import { noPlot, plotOf } from './rows/plot.ts';
import { hostOfRow } from './rows/row-host.ts';
import { emptySpans, gridOf, type ShownHistory, tileOf } from './rows/tiles.ts';
import { moduleList } from './stacks/module-list.ts';
import { profileAnswer } from './stacks/profile-answer.ts';
import { withFunctionNames } from './stacks/stack-intervals.ts';
import { waitStacks } from './stacks/wait-stacks.ts';
import { occurrences } from './statistics/occurrences.ts';
import { STATISTICS } from './statistics/statistics.ts';
import { readFinding } from '../trace/finding.ts';
import { NOTHING_OPEN, summaryAnswer } from './summary/summary.ts';
import { descriptorPath } from './threads/descriptor-path.ts';
import { threadSummary } from './threads/thread-summary.ts';

const tile: QueryOf<'tile'> = {
  isTransferred: true,
  nothing: emptyTile,
  answer(context, request) {
    const shown = historyOf(context, request);
    return shown ? tileOf(shown, request, (history, range) => history.tile(range)) : emptyTile(request);
  },
};

const idTile: QueryOf<'idTile'> = {
  isTransferred: true,
  nothing: emptyIdTile,
  answer(context, request) {
    const shown = historyOf(context, request);
    return shown ? tileOf(shown, request, (history, range) => history.idTile(range)) : emptyIdTile(request);
  },
};

/**
 * Load of a process or host. Here and in `density` the buckets are exactly as asked: bucket i begins at
 * from + i · bucketNs, and there are ceil((to − from) / bucketNs) of them.
 */
const load: QueryOf<'load'> = {
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
};

const plot: QueryOf<'plot'> = {
  isTransferred: true,
  nothing: (request) => noPlot(gridOf(request)),
  answer(context, request) {
    const shown = request.layer === undefined ? undefined : historyOf(context, request);
    const grid = gridOf(request);
    return shown ? plotOf(shown, request.attributes[0], grid) : noPlot(grid);
  },
};

const plots: QueryOf<'plots'> = {
  nothing: () => undefined,
  answer({ layers }) {
    const info = layers?.info('resource');
    return info && plotInfo(info);
  },
};

const density: QueryOf<'density'> = {
  isTransferred: true,
  nothing: (request) => new Float32Array(request.rows.length * gridOf(request).length),
  answer: ({ trace }, request) => trace.density.of(request.rows, gridOf(request)),
};

const interval: QueryOf<'interval'> = {
  nothing: () => undefined,
  answer(context, { row, timeNs, step = 0 }) {
    const { trace, layers } = context;
    const ofLayer = layers?.interval(row, timeNs, step);
    if (ofLayer !== undefined) return withFunctionNames(context, hostOfRow(row), ofLayer);
    const host = hostOf(trace, hostOfRow(row));
    if (host === undefined) return undefined;
    return withReason(trace, intervalInfo(host, row, timeNs, step));
  },
};

const call: QueryOf<'call'> = {
  nothing: () => undefined,
  answer({ trace }, { row, timeNs }) {
    const host = hostOf(trace, hostOfRow(row));
    return host && callInfo(host, row, timeNs);
  },
};

const thread: QueryOf<'threadSummary'> = {
  nothing: () => undefined,
  answer({ trace }, request) {
    const host = hostOf(trace, hostOfRow(request.row));
    return host && threadSummary(host, request);
  },
};

const descriptor: QueryOf<'descriptorPath'> = {
  nothing: () => undefined,
  answer: ({ trace }, request) => {
    const host = hostOf(trace, hostOfRow(request.row));
    return host && descriptorPath(trace, host, request);
  },
};

const moved: QueryOf<'moved'> = {
  nothing: ({ timeNs }) => timeNs,
  answer: ({ trace }, { row, timeNs }) => trace.time.moved(hostOfRow(row), timeNs),
};

const path: QueryOf<'path'> = {
  isTransferred: true,
  nothing: () => undefined,
  answer(context, request) {
    const { trace, layers, signal } = context;
    const namesOf = () => symbolNames(context);
    return trace.pathAnswers.answer(request, signal, locksOf(layers), namesOf);
  },
};

const lockEvents: QueryOf<'lockEvents'> = {
  nothing: () => 'not read yet',
  answer: ({ trace, layers }) => trace.pathAnswers.lockEvents(locksOf(layers)),
};

const pathParts: QueryOf<'pathParts'> = {
  isTransferred: true,
  nothing: () => undefined,
  answer: ({ trace, signal }, request) => trace.pathAnswers.parts(request, signal),
};

const pathReport: QueryOf<'pathReport'> = {
  nothing: () => undefined,
  answer: ({ trace, signal }, request) => trace.pathAnswers.report(request, signal),
};

/**
 * How the hosts' clocks relate, and which of them are virtual machines of others; undefined while packets are being
 * read.
 */
const sync: QueryOf<'sync'> = {
  nothing: () => undefined,
  answer({ trace: { time, hosts, sync } }, { guests }) {
    const known = sync();
    return known && syncInfo(time.hosts, hosts, known, time.clock, guests);
  },
};

const overlays: QueryOf<'overlays'> = {
  nothing: () => undefined,
  answer({ layers }) {
    const info = layers?.info('overlay');
    return info && overlayInfo(info);
  },
};

const locks: QueryOf<'locks'> = {
  nothing: () => undefined,
  answer: locksAnswer,
};

const lockProviderList: QueryOf<'lockProviders'> = {
  nothing: () => undefined,
  answer: lockProviders,
};

const lock: QueryOf<'lock'> = { nothing: () => undefined, answer: lockAnswer };

const lockRankList: QueryOf<'lockRanks'> = {
  nothing: () => undefined,
  answer: lockRanks,
};

const criticalSections: QueryOf<'criticalSections'> = {
  nothing: () => undefined,
  answer: criticalSectionLines,
};

const lockWaitList: QueryOf<'lockWaits'> = {
  nothing: () => NO_WAITS,
  answer: lockWaits,
};

const locksWithinList: QueryOf<'locksWithin'> = {
  isTransferred: true,
  nothing: () => NO_LOCKS_WITHIN,
  answer: locksWithin,
};

/**
 * All executions of a definition; undefined: the trace is being read, its files are not there, or nobody waits for the
 * answer any more.
 */
const executions: QueryOf<'executions'> = {
  isTransferred: true,
  nothing: () => undefined,
  answer: executionsAnswer,
};

const profile: QueryOf<'profile'> = {
  isTransferred: true,
  nothing: () => undefined,
  answer: profileAnswer,
};

const waitStackPair: QueryOf<'waitStacks'> = {
  nothing: () => undefined,
  answer(context, { row, timeNs }) {
    const host = hostOf(context.trace, hostOfRow(row));
    return host && waitStacks(context, host, row, timeNs);
  },
};

const modules: QueryOf<'modules'> = {
  nothing: () => undefined,
  answer: moduleList,
};

const proposedExecutions: QueryOf<'executionProposals'> = {
  isTransferred: true,
  nothing: () => [],
  answer: executionProposals,
};

const summary: QueryOf<'summary'> = {
  nothing: () => NOTHING_OPEN,
  answer: summaryAnswer,
};

const exported: QueryOf<'exported'> = {
  nothing: () => ({}),
  async answer(context, request) {
    const { exportFile } = await import('./export/export-file.ts');
    return exportFile(context, request);
  },
};

const cutSize: QueryOf<'cutSize'> = {
  nothing: () => undefined,
  async answer(context, { range }) {
    const cut = await cutOf(context, range);
    return cut && { bytes: cut.bytes, events: cut.events };
  },
};

const finding: QueryOf<'finding'> = {
  nothing: () => undefined,
  answer: ({ trace: { events } }) => events && readFinding(events.experiment.others ?? [], events.open),
};

const TABLE = {
  ...{ tile, idTile, load, density, plot, plots, interval, call, moved, path, lockEvents, pathParts },
  ...{ pathReport, sync },
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

export const QUERIES: { readonly [K in QueryKind]: QueryOf<K> } = TABLE;

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
