/** Answers by kind of question: the page asks by its worker (`Session.ask`), `inspect` directly. Times are display ns. */
import { laterCode } from '../base/later-code.ts';
import type { DisplayNs } from '../base/units.ts';
import type { IdTile, Tile } from '../history/query-types.ts';
import { overlayInfo } from '../layers/overlays/layer.ts';
import { plotInfo } from '../layers/plots/layer.ts';
import type { AttributesRequest } from '../protocol/rows.ts';
import { STATE_UNKNOWN } from '../linux/events/values.ts';
import type { HostHistory } from './context/host.ts';
import { syncInfo } from './sync/host-sync.ts';
import { callInfo, intervalInfo } from './rows/interval-info.ts';
import { lockHosts, symbolNames, withLockNames, locksOf } from './locks/lock-hosts.ts';
import type { OpenTrace } from './context/open-trace.ts';
import { type Answering, nothingOf, type QueryContext, type QueryOf } from './context/query.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../protocol/queries.ts';
import type { StatisticName } from './statistics/tables.ts';
import {
  rowsWithValue,
  loadOf,
  unreadLoad,
  emptySpans,
  gridOf,
  type ShownHistory,
  tileOf,
} from './rows/tiles.ts';
import { noPlot, plotOf } from './rows/plot.ts';
import { hostOfRow } from './context/thread-rows.ts';
import { withFunctionNames } from './stacks/stacks-of.ts';
import { readFinding } from '../trace/find-traces.ts';

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

/** Load of a process or host in ceil((to − from) / bucketNs) buckets, as asked; `density` has the same buckets. */
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
    return shown ? rowsWithValue(shown, request.attributes, grid) : unreadLoad(grid);
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
  async answer(context, { row, timeNs, step = 0 }) {
    const { trace, layers } = context;
    const ofLayer = layers?.interval(row, timeNs, step);
    if (ofLayer !== undefined)
      return withLockNames(context, withFunctionNames(context, hostOfRow(row), ofLayer));
    const host = hostOf(trace, hostOfRow(row));
    if (host === undefined) return undefined;
    const info = await intervalInfo(host, row, timeNs, step);
    // The state may be unknown only because stored data are damaged.
    const isDamaged = info?.state === STATE_UNKNOWN && trace.isDamaged('states');
    return isDamaged ? { ...info, isDamaged } : info;
  },
};

const call: QueryOf<'call'> = {
  answer({ trace }, { row, timeNs }) {
    const host = hostOf(trace, hostOfRow(row));
    return host && callInfo(host, row, timeNs);
  },
};

const moved: QueryOf<'moved'> = {
  nothing: ({ timeNs }) => timeNs,
  answer: ({ trace }, { row, timeNs }) => trace.time.moved(hostOfRow(row), timeNs),
};

const path: QueryOf<'path'> = {
  isTransferred: true,
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
  answer: ({ trace, signal }, request) => trace.pathAnswers.parts(request, signal),
};

const pathReport: QueryOf<'pathReport'> = {
  answer: ({ trace, signal }, request) => trace.pathAnswers.report(request, signal),
};

/** Relations of the hosts' clocks, and virtual machines among the hosts; undefined: packets are still being read. */
const sync: QueryOf<'sync'> = {
  answer({ trace: { time, hosts, sync } }, { guests }) {
    const known = sync();
    return known && syncInfo(time.hosts, hosts, known, time.clock, guests);
  },
};

const overlays: QueryOf<'overlays'> = {
  answer({ layers }) {
    const info = layers?.info('overlay');
    return info && overlayInfo(info);
  },
};

const finding: QueryOf<'finding'> = {
  answer: ({ trace: { events } }) => events && readFinding(events.experiment.others ?? [], events.open),
};

const lockQueries = laterCode(() => import('./locks/lock-queries.ts'));
const stackQueries = laterCode(() => import('./executions/execution-queries.ts'));
const replays = laterCode(() => import('./what-if/what-if.ts'));
const threadQueries = laterCode(() => import('./threads/thread-summary.ts'));
const summaryQueries = laterCode(() => import('./summary/summary.ts'));
const eventQueries = laterCode(() => import('./events/event-queries.ts'));
const exportQueries = laterCode(() => import('./export/export-file.ts'));
const statistics = laterCode(async () => (await import('./statistics/statistics.ts')).STATISTICS);
const singleOccurrences = laterCode(() => import('./statistics/occurrences.ts'));
const explanations = laterCode(() => import('./statistics/meanwhile.ts'));

type QueriesOf<Kinds extends QueryKind> = { readonly [K in Kinds]: QueryOf<K> };

/** A query, or its answer function alone. */
type Loaded<K extends QueryKind> =
  QueryOf<K> | (undefined extends AnswerOf<K> ? QueryOf<K>['answer'] : never);

/** Queries of a module that is loaded with the first of them. */
function later<K extends QueryKind>(
  load: () => Promise<{ readonly [Kind in K]: Loaded<Kind> }>,
  kinds: readonly K[],
  isTransferred?: boolean,
): QueriesOf<K> {
  const found = kinds.map((kind): [K, Answering<RequestOf<K>, AnswerOf<K>>] => {
    const query = async (): Promise<Answering<RequestOf<K>, AnswerOf<K>>> => {
      const { [kind]: loaded } = await load();
      return typeof loaded === 'function' ? { answer: loaded } : loaded;
    };
    return [
      kind,
      {
        isTransferred,
        nothing: async (request) => nothingOf(await query(), request),
        answer: async (context, request) => (await query()).answer(context, request),
      },
    ];
  });
  return Object.fromEntries(found) as unknown as QueriesOf<K>;
}

const TRANSFERRED = true;

const QUERIES: QueriesOf<Exclude<QueryKind, StatisticName> | 'cpu'> = {
  ...{ tile, idTile, load, density, plot, plots, interval, call, moved, path, lockEvents, pathParts },
  ...{ pathReport, sync, overlays, finding },
  ...later(threadQueries, ['threadSummary', 'descriptorPath']),
  ...later(statistics, ['cpu'], TRANSFERRED),
  ...later(singleOccurrences, ['occurrences'], TRANSFERRED),
  ...later(explanations, ['meanwhile']),
  ...later(replays, ['whatIf']),
  ...later(summaryQueries, ['summary', 'recordings']),
  ...later(lockQueries, ['locks', 'lock', 'lockProviders', 'lockRanks', 'lockWaits', 'criticalSections']),
  ...later(lockQueries, ['locksWithin'], TRANSFERRED),
  ...later(
    stackQueries,
    ['offCpu', 'lockPlaces', 'executions', 'executionProposals', 'profile'],
    TRANSFERRED,
  ),
  ...later(stackQueries, ['waitStacks', 'sampledThread', 'modules']),
  ...later(eventQueries, ['eventSearch', 'eventRows', 'eventRowAt', 'eventDensity', 'eventDetails']),
  ...later(eventQueries, ['eventNames', 'recorded']),
  ...later(exportQueries, ['exported', 'cutSize']),
};

/** Query of a kind; kinds that are not listed are statistics. */
export function queryOf<K extends QueryKind>(kind: K): QueryOf<K> {
  const queries: Record<string, unknown> = QUERIES;
  return (queries[kind] ??= later(statistics, [kind as StatisticName])[kind as StatisticName]) as QueryOf<K>;
}

export async function answerOf<K extends QueryKind>(
  context: QueryContext,
  kind: K,
  request: RequestOf<K>,
): Promise<AnswerOf<K>> {
  const answer = await queryOf(kind).answer(context, request);
  context.signal?.throwIfAborted();
  return answer;
}

/** History of the requested attributes; undefined: none. */
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
