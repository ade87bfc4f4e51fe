/**
 * All that can be asked about the trace that is open, by kind: the page asks through its worker (`Session.ask`), the
 * command line asks a trace directly. Times are display ns, unless said otherwise.
 */
import { laterCode } from '../base/later-code.ts';
import type { DisplayNs } from '../base/units.ts';
import type { IdTile, Tile } from '../history/query-types.ts';
import { overlayInfo } from '../layers/overlays/layer.ts';
import { plotInfo } from '../layers/plots/layer.ts';
import type { IntervalInfo, AttributesRequest } from '../protocol/rows.ts';
import { STATE_UNKNOWN } from '../linux/events/values.ts';
import type { HostHistory } from './context/host.ts';
import { syncInfo } from './sync/host-sync.ts';
import { callInfo, intervalInfo } from './rows/interval-info.ts';
import { lockHosts, symbolNames, withLockNames } from './locks/lock-hosts.ts';
import type { OpenTrace } from './context/open-trace.ts';
import { locksOf } from './locks/locks-of.ts';
import type { QueryContext, QueryOf } from './context/query.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../protocol/queries.ts';
import { heldOf, loadOf, unreadLoad } from './rows/load.ts';
import { noPlot, plotOf } from './rows/plot.ts';
import { hostOfRow } from './rows/row-host.ts';
import { emptySpans, gridOf, type ShownHistory, tileOf } from './rows/tiles.ts';
import { withFunctionNames } from './stacks/stack-intervals.ts';
import { readFinding } from '../trace/finding.ts';

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
    if (ofLayer !== undefined)
      return withLockNames(context, withFunctionNames(context, hostOfRow(row), ofLayer));
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
  async answer({ trace }, request) {
    const host = hostOf(trace, hostOfRow(request.row));
    if (host === undefined) return undefined;
    const { threadSummary } = await import('./threads/thread-summary.ts');
    return threadSummary(host, request);
  },
};

const descriptor: QueryOf<'descriptorPath'> = {
  nothing: () => undefined,
  async answer({ trace }, request) {
    const host = hostOf(trace, hostOfRow(request.row));
    if (host === undefined) return undefined;
    const { descriptorPath } = await import('./threads/descriptor-path.ts');
    return descriptorPath(trace, host, request);
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
    const namesOf = async () => symbolNames(await lockHosts(context));
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

const finding: QueryOf<'finding'> = {
  nothing: () => undefined,
  answer: ({ trace: { events } }) => events && readFinding(events.experiment.others ?? [], events.open),
};

const lockQueries = laterCode(() => import('./locks/lock-queries.ts'));
const executionQueries = laterCode(() => import('./executions/execution-queries.ts'));
const replays = laterCode(() => import('./what-if/what-if.ts'));
const summaryQueries = laterCode(() => import('./summary/summary.ts'));
const eventQueries = laterCode(() => import('./events/event-queries.ts'));
const exportQueries = laterCode(() => import('./export/export-queries.ts'));

const statistics = laterCode(async () => (await import('./statistics/statistics.ts')).STATISTICS);

const singleOccurrences = laterCode(() => import('./statistics/occurrences.ts'));

const explanations = laterCode(() => import('./statistics/meanwhile.ts'));

const TRANSFERRED = true;

/** A question whose code is loaded with the first of its part. */
function later<K extends QueryKind>(
  kind: K,
  load: () => Promise<{ readonly [Kind in K]: QueryOf<Kind> }>,
  isTransferred?: boolean,
): QueryOf<K> {
  return {
    isTransferred,
    nothing: async (request) => (await load())[kind].nothing(request),
    answer: async (context, request) => (await load())[kind].answer(context, request),
  };
}

const TABLE = {
  ...{ tile, idTile, load, density, plot, plots, interval, call, moved, path, lockEvents, pathParts },
  ...{
    pathReport,
    sync,
    threadSummary: thread,
    descriptorPath: descriptor,
    overlays,
    finding,
  },
  counts: later('counts', statistics),
  cpu: later('cpu', statistics, TRANSFERRED),
  io: later('io', statistics),
  net: later('net', statistics),
  memory: later('memory', statistics),
  heap: later('heap', statistics),
  sched: later('sched', statistics),
  irq: later('irq', statistics),
  syscalls: later('syscalls', statistics),
  occurrences: later('occurrences', singleOccurrences, TRANSFERRED),
  meanwhile: later('meanwhile', explanations),
  whatIf: later('whatIf', replays),
  summary: later('summary', summaryQueries),
  recordings: later('recordings', summaryQueries),
  locks: later('locks', lockQueries),
  lock: later('lock', lockQueries),
  lockProviders: later('lockProviders', lockQueries),
  lockRanks: later('lockRanks', lockQueries),
  lockWaits: later('lockWaits', lockQueries),
  locksWithin: later('locksWithin', lockQueries, TRANSFERRED),
  criticalSections: later('criticalSections', lockQueries),
  offCpu: later('offCpu', executionQueries, TRANSFERRED),
  lockPlaces: later('lockPlaces', executionQueries, TRANSFERRED),
  executions: later('executions', executionQueries, TRANSFERRED),
  executionProposals: later('executionProposals', executionQueries, TRANSFERRED),
  profile: later('profile', executionQueries, TRANSFERRED),
  waitStacks: later('waitStacks', executionQueries),
  sampledThread: later('sampledThread', executionQueries),
  modules: later('modules', executionQueries),
  eventSearch: later('eventSearch', eventQueries),
  eventRows: later('eventRows', eventQueries),
  eventRowAt: later('eventRowAt', eventQueries),
  eventDensity: later('eventDensity', eventQueries),
  eventDetails: later('eventDetails', eventQueries),
  eventNames: later('eventNames', eventQueries),
  recorded: later('recorded', eventQueries),
  exported: later('exported', exportQueries),
  cutSize: later('cutSize', exportQueries),
};

export const QUERIES: { readonly [K in QueryKind]: QueryOf<K> } = TABLE;

/** Answer of a trace to a query. */
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

/** History whose attributes are asked for; undefined: there is none. */
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
