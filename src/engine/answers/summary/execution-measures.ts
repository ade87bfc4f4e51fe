/** Slow requests, and what explains them, where the events of the trace say what a request is. */
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import { isThreadFrame, isUnnamedFrame } from '../../layers/executions/frames.ts';
import { comparedOf } from '../../layers/executions/ranking/compared.ts';
import { slowGroups } from '../../layers/executions/ranking/groups.ts';
import type { RankedNode } from '../../layers/executions/ranking/node-ranking.ts';
import { withPoolCounts } from '../../layers/executions/ranking/pooled.ts';
import { rank } from '../../layers/executions/ranking/ranking.ts';
import { previewOf, weight } from '../../layers/executions/preview.ts';
import { executionsAnswer } from '../executions/executions-answer.ts';
import { executionHosts } from '../executions/execution-hosts.ts';
import { readDelimiters } from '../executions/read-delimiters.ts';
import { callExit } from '../../trace/event-kinds.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';

export interface SlowExecutions extends Measured {
  readonly definition: ExecutionDefinition;
  readonly executions: number;
  readonly slow: number;
  /** ns: mean durations of the faster half and of the slow ones. */
  readonly usualNs: number;
  readonly slowNs: number;
  /** Cause of most of the difference, and number of the slow ones that it explains. */
  readonly cause: string;
  readonly explained: number;
  /** The thread in which most of the difference was spent; undefined: their own. */
  readonly thread: string | undefined;
}

/** Fewer say nothing about what is usual. */
const FEWEST = 50;
/** The path of each is looked for. */
const MOST = 2000;
/** Their events are read from the files, which takes about as long as reading the trace. */
const MOST_EVENTS = 300_000;
/** Share of the slow ones that one cause has to explain. */
const LEAST_EXPLAINED = 0.25;
/** Share of the difference that counts as most of it. */
const MOST_OF_IT = 0.5;

export async function slowExecutions(facts: Facts): Promise<Measures<SlowExecutions>> {
  const { context } = facts;
  await context.layers?.begun;
  if (context.trace.recorded().events > MOST_EVENTS)
    return { found: [], leftOut: 'Slow executions were not looked at: Compare does.' };
  const definition = await likelyRequests(facts);
  if (definition === undefined) return { found: [] };
  if (definition.count > MOST)
    return {
      found: [],
      leftOut: `What explains the slow ones of ${definition.count} executions was not looked at: Compare does.`,
    };
  const answer = await executionsAnswer(context, { definition: definition.best });
  if (answer === undefined) return { found: [] };
  const compared = comparedOf(answer);
  // None where the durations set none apart.
  const groups = slowGroups(compared.durations, 'auto');
  const ranking = rank(compared, groups);
  if (ranking === undefined) return { found: [] };
  const mean = (group: Int32Array) =>
    group.reduce((sum, number) => sum + compared.durations[number], 0) / group.length;
  const [usualNs, slowNs] = [mean(groups.a), mean(groups.b)];
  const ns = (slowNs - usualNs) * groups.b.length;
  const [first] = ranking.nodes;
  const cause = first && causeWords(first, answer.isElapsed);
  // That some took longer without a common reason is no news.
  if (
    cause === undefined ||
    isIdle(first, definition.best) ||
    first.explains.length < LEAST_EXPLAINED * groups.b.length
  )
    return { found: [] };
  const [thread] = ranking.threads;
  return {
    found: [
      {
        share: ns / compared.durations.reduce((sum, duration) => sum + duration, 0),
        ns,
        definition: definition.best,
        executions: answer.length,
        slow: groups.b.length,
        usualNs,
        slowNs,
        cause: withPoolCounts(cause, answer.pools),
        explained: first.explains.length,
        thread:
          thread !== undefined && isThreadFrame(thread.thread) && thread.share >= MOST_OF_IT
            ? withPoolCounts(thread.thread.replace(/^→ /, ''), answer.pools)
            : undefined,
      },
    ],
  };
}

/**
 * Definition of most executions among begin and end of work as programs tell them, and a server's requests. Long system
 * calls, which are proposed too, are nobody's requests.
 */
async function likelyRequests({
  context,
}: Facts): Promise<{ readonly best: ExecutionDefinition; readonly count: number } | undefined> {
  const { candidates: [ofPrograms = [], requests = []] = [] } =
    (await context.layers?.find('execution')) ?? {};
  const definitions = [...ofPrograms, ...requests];
  const delimiters = definitions.length === 0 ? undefined : await readDelimiters(context, definitions);
  if (delimiters === undefined) return undefined;
  const { hosts } = await executionHosts(context.trace, delimiters);
  const [best] = definitions
    .map((definition) => previewOf(hosts, definition, delimiters.indexOf(definition)))
    .filter(({ counts }) => counts.executions >= FEWEST)
    .sort((a, b) => weight(b.counts) - weight(a.counts));
  return best && { best: best.definition, count: best.counts.executions };
}

const CALL = 'syscall ';

/** Whether the thread waited in the call that brings requests: for the next one. */
function isIdle({ frames }: RankedNode, { begin }: ExecutionDefinition): boolean {
  const call = frames.at(-1) ?? '';
  return call.startsWith(CALL) && begin === callExit(call.slice(CALL.length)) && !frames.some(isThreadFrame);
}
const WAITS: Readonly<Record<string, string>> = {
  ...{ preempted: 'waiting for a CPU', disk: 'waiting for the disk', timer: 'sleeping' },
  ...{ network: 'waiting for the network', blocked: 'waiting', idle: 'a CPU that was idle' },
};

/** "waiting for thread maintenance in cache_lookup"; undefined: no cause that one could look for. */
function causeWords({ frames, kind }: RankedNode, isElapsed: boolean): string | undefined {
  if (kind === 'spread') return undefined;
  if (kind !== 'frame') return `${isElapsed ? 'time' : 'CPU time'} in functions that have no name here`;
  const path = frames.toReversed();
  const what = path.find((text) => isThreadFrame(text) || Object.hasOwn(WAITS, text)) ?? path[0];
  if (what === undefined || what === 'unknown') return undefined;
  const caller = path.slice(path.indexOf(what) + 1).find(isFunction);
  const words = isThreadFrame(what)
    ? `waiting for ${what.replace(/^→ /, '')}`
    : Object.hasOwn(WAITS, what)
      ? WAITS[what]
      : what.startsWith(CALL)
        ? `the system call ${what.slice(CALL.length)}`
        : `time in ${what}`;
  return caller === undefined ? words : `${words} in ${caller}`;
}

function isFunction(text: string): boolean {
  return !isThreadFrame(text) && !text.startsWith(CALL) && !isUnnamedFrame(text);
}
