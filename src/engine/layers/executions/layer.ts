/** Executions as a layer, read once delimiters are chosen; names and numbers of events suggest some. */
import type { EventShape } from '../contract/event-shapes.ts';
import type { Layer, LayerTrace } from '../contract/layer.ts';
import type { ExecutionDefinition } from './definition.ts';
import { COUNT_RULES, COUNTED_KINDS } from './delimiters/counted.ts';
import { EXECUTIONS, delimiterMap } from './delimiters/delimiter-map.ts';
import { DelimiterReducer, type Delimiters } from './delimiters/delimiters.ts';
import { type DelimiterSettings, delimiterSettings } from './delimiters/settings.ts';
import { eventPairs, PAIR_TABLES } from '../contract/event-pairs.ts';
import { callEntry, callExit } from '../../trace/event-kinds.ts';

/** Candidates by kind: pairs of program events, most events first; requests of servers; long system calls. */
export type ExecutionCandidates = readonly (readonly ExecutionDefinition[])[];

/** Most candidates of all kinds together: each is read for a preview. */
const MOST_CANDIDATES = 6;

/** Events of the tracer itself, and of its wrappers of the C library, which are no task of a program. */
const OF_TRACER = /^lttng_ust_/;

/**
 * Ends of a server's answer: from the accepted connection to its shutdown (Doray & Dagenais 2016, 3.2.1), else until
 * it closes a file.
 */
const REQUEST_ENDS = ['shutdown', 'close'].map(callEntry);
const REQUESTS = ['accept4', 'accept'].flatMap((call) =>
  REQUEST_ENDS.map((end) => definitionOf(callExit(call), end)),
);
/** A server that keeps its connections, such as a database, answers a request from a message to its own. */
const EXCHANGES = [
  ['recvfrom', 'sendto'],
  ['recvmsg', 'sendmsg'],
].map(([receive, send]) => definitionOf(callExit(receive), callEntry(send)));
/** Calls of 1 ms or longer that may have to wait for a disk or another program. */
const LONG_CALLS = ['read', 'write', 'fsync', 'fdatasync'].map((call) =>
  definitionOf(callEntry(call), callExit(call), [], 1e6),
);

/** Tables that decide which definitions are suggested. */
const CANDIDATE_TABLES: readonly unknown[] = [PAIR_TABLES, OF_TRACER, REQUESTS, EXCHANGES, LONG_CALLS];

/** @internal */
export function executionCandidates({
  events,
  countOf,
  isShown,
}: Pick<LayerTrace, 'events' | 'countOf' | 'isShown'>): ExecutionCandidates {
  const pairs = ({ begin, end }: ExecutionDefinition) => Math.min(countOf(begin), countOf(end));
  const isRecorded = (definition: ExecutionDefinition) => pairs(definition) > 0;
  const isOwn = (event: string) => !OF_TRACER.test(event) && !isShown(event);
  const ofPrograms = eventPairs(events)
    .filter(({ begin, end }) => isOwn(begin.name) && isOwn(end.name))
    .map(({ begin, end, key }) => definitionOf(begin.name, end.name, key))
    .filter(isRecorded)
    .sort((a, b) => pairs(b) - pairs(a));
  let room = MOST_CANDIDATES;
  const requests = [...REQUESTS.filter(isRecorded).slice(0, 1), ...EXCHANGES.filter(isRecorded)];
  return [ofPrograms, requests, LONG_CALLS.filter(isRecorded)].map((sort) => {
    const taken = sort.slice(0, room);
    room -= taken.length;
    return taken;
  });
}

function definitionOf(
  begin: string,
  end: string,
  key: readonly string[] = [],
  minNs = 0,
): ExecutionDefinition {
  return { begin, end, key, acrossThreads: false, where: [], minNs };
}

export interface FoundExecutions {
  /** Events that a definition could use. */
  readonly events: readonly EventShape[];
  readonly candidates: ExecutionCandidates;
}

/** Layer without rows: a definition's spans are drawn as an overlay. */
export const executionLayer: Layer<
  FoundExecutions,
  readonly ExecutionDefinition[],
  DelimiterSettings,
  Delimiters
> = {
  id: EXECUTIONS,
  title: 'Execution',
  schemes: {},
  tables: [CANDIDATE_TABLES, COUNTED_KINDS, COUNT_RULES],
  find: (trace) => ({ events: trace.events, candidates: executionCandidates(trace) }),
  first: () => undefined,
  settings: delimiterSettings,
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...delimiterMap.of(settings),
    version: 2,
    reducer: (_, { index }) => new DelimiterReducer(settings, kernelThreads(index)),
  }),
  rows: () => [],
  interval: () => ({ text: '', hasEnd: true }),
};
