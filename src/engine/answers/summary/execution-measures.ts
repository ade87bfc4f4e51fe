/** Executions that took longer than others, and what explains them, where events delimit executions. */
import { groupBy } from '../../base/group-by.ts';
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import { isThreadFrame } from '../../layers/executions/frames.ts';
import { commonCause, whyOf } from '../../layers/executions/ranking/cause-words.ts';
import { comparedOf, withPoolCounts } from '../../layers/executions/ranking/compared.ts';
import { type Groups, slowGroups, medianOf } from '../../layers/executions/ranking/groups.ts';
import type { RankedNode } from '../../layers/executions/ranking/node-ranking.ts';
import { rank } from '../../layers/executions/ranking/ranking.ts';
import { weight } from '../../layers/executions/executions.ts';
import { callOfFrame } from '../../layers/stacks/call-frame.ts';
import type { ExecutionProposal, ExecutionsAnswer } from '../../protocol/executions.ts';
import { executionProposals, executionsAnswer } from '../executions/executions-answer.ts';
import { callExit } from '../../trace/event-kinds.ts';
import type { QueryContext } from '../context/query.ts';
import { type Facts, MOST_EVENTS } from './facts.ts';
import { recordingOfExecutions, recordingSpans } from './recording-measures.ts';
import type { Measured, Measures } from './rule.ts';

export interface SlowExecutions extends Measured {
  readonly definition: ExecutionDefinition;
  readonly executions: number;
  readonly slow: number;
  /** Recording that took longer than the one before; undefined: groups are divided by duration. */
  readonly later: string | undefined;
  /** ns: median of the usual ones; shortest and longest of the slow ones. */
  readonly usualNs: number;
  readonly shortestNs: number;
  readonly longestNs: number;
  /** Cause of most of them, and the number of slow executions that it explains; undefined: no cause has a name. */
  readonly cause: string | undefined;
  readonly explained: number;
}

/** Minimum number of executions for saying what is usual. */
const FEWEST = 50;
/** Maximum number of executions: finding the path of each takes about 4 ms. */
const MOST = 5000;
/** Share of the slow executions that one cause must explain. */
const LEAST_EXPLAINED = 0.25;

/** Executions of the definition that is most likely a request. */
export async function requestsOf(
  context: QueryContext,
): Promise<{ readonly answer?: ExecutionsAnswer; readonly leftOut?: string }> {
  await context.layers?.begun;
  if (context.trace.recorded().events > MOST_EVENTS)
    return { leftOut: 'Slow executions were not looked at: Compare does.' };
  const likely = await likelyExecutions(context);
  if (likely === undefined) return {};
  const { definition, counts } = likely;
  if (counts.executions > MOST)
    return {
      leftOut: `What explains the slow ones of ${counts.executions} executions was not looked at: Compare does.`,
    };
  return { answer: await executionsAnswer(context, { definition }) };
}

export async function slowExecutions({ context }: Facts): Promise<Measures<SlowExecutions>> {
  const { answer, leftOut } = await requestsOf(context);
  if (answer === undefined) return { found: [], leftOut };
  const { definition } = answer;
  const compared = comparedOf(answer);
  const { durations } = compared;
  const recordings = recordingGroups(context, answer);
  // Undefined where durations form one group.
  const groups = recordings ?? slowGroups(durations, 'auto');
  const ranking = rank(compared, groups);
  if (ranking === undefined || ranking.difference <= 0) return { found: [] };
  const why = mostExplaining(ranking.nodes, answer.isElapsed);
  // A thread that waited for the next request was not slow.
  if (why !== undefined && isIdle(why.node, definition)) return { found: [] };
  const isNamed = why !== undefined && why.explained >= LEAST_EXPLAINED * groups.b.length;
  const slow = durationsOf(durations, groups.b);
  const ns = ranking.difference * slow.length;
  return {
    found: [
      {
        share: ns / durations.reduce((sum, duration) => sum + duration, 0),
        ns,
        definition,
        executions: recordings === undefined ? answer.length : groups.b.length,
        slow: slow.length,
        later: recordings?.later,
        usualNs: medianOf(recordings === undefined ? durations.toSorted() : durationsOf(durations, groups.a)),
        shortestNs: slow[0],
        longestNs: slow[slow.length - 1],
        cause: isNamed ? withPoolCounts(why.cause, answer.pools) : undefined,
        explained: isNamed ? why.explained : 0,
      },
    ],
  };
}

/** Most likely requests, by most time: those that programs delimit, else a server's; undefined: none. */
export async function likelyExecutions(context: QueryContext) {
  const proposals = await executionProposals(context);
  // Long system calls are proposed too, but are no requests.
  const likely = proposals.filter(
    ({ definition: { minNs }, counts }) => minNs === 0 && counts.executions >= FEWEST,
  );
  const isRequest = ({ definition }: ExecutionProposal) => definition.begin.startsWith(callExit(''));
  // A client alternates sends and receives as often as its server does, but its turns are short.
  const timeIn = ({ counts, durations }: ExecutionProposal) =>
    weight(counts) * durations.reduce((sum, duration) => sum + duration / durations.length, 0);
  return likely.sort((a, b) => Number(isRequest(a)) - Number(isRequest(b)) || timeIn(b) - timeIn(a)).at(0);
}

/** Executions of the first recording, and of those after it; undefined: there is one recording. */
function recordingGroups({ trace }: QueryContext, answer: ExecutionsAnswer) {
  const spans = recordingSpans(trace);
  if (spans.length < 2) return undefined;
  const recording = recordingOfExecutions(answer, spans);
  const those = (isOf: (of: number) => boolean) =>
    Int32Array.from(recording.keys()).filter((i) => isOf(recording[i]));
  const later = spans.length === 2 ? spans[1].name : 'later recordings';
  return { a: those((of) => of === 0), b: those((of) => of > 0), later } satisfies Groups & {
    readonly later: string;
  };
}

/** ns, ascending. */
function durationsOf(durations: Float64Array, group: Int32Array): Float64Array {
  return Float64Array.from(group, (number) => durations[number]).sort();
}

/** Whether the thread waited in the call that receives requests, that is, for the next one. */
function isIdle({ frames }: RankedNode, { begin }: ExecutionDefinition): boolean {
  const call = callOfFrame(frames.at(-1) ?? '');
  return call !== undefined && begin === callExit(call) && !frames.some(isThreadFrame);
}

/** The cause that explains most executions of group B: nodes of one function, or of one thread's time, count as one. */
function mostExplaining(nodes: readonly RankedNode[], isElapsed: boolean) {
  const named = nodes.filter((node) => node.kind !== 'spread' && !(isElapsed && whyOf(node) === undefined));
  const causes = Array.from(groupBy(named, (node) => whyOf(node)?.key ?? '').values(), (own) => ({
    own: own.sort((a, b) => b.difference - a.difference),
    explained: new Set(own.flatMap(({ explains }) => explains)).size,
  }));
  const [most] = causes.sort((a, b) => b.explained - a.explained);
  return most && { node: most.own[0], cause: commonCause(most.own), explained: most.explained };
}
