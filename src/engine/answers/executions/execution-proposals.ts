/** Executions that a trace may be asked about: what the names of its events suggest, with what that comes to. */
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import {
  beginningProcesses,
  type HostDelimiters,
  previewOf,
  weight,
} from '../../layers/executions/executions.ts';
import { callExit } from '../../trace/event-kinds.ts';
import type { QueryContext } from '../context/query.ts';
import type { ExecutionProposal } from '../../protocol/executions.ts';
import { executionHosts, readDelimiters } from './read-delimiters.ts';

/** Fewer cannot be compared. */
const FEWEST = 2;
/** Processes whose requests are proposed apart. */
const MOST_PROCESSES = 3;

/**
 * Proposals in the candidates' order of sorts, those of a sort by `weight`. Empty where nothing is suggested, nobody
 * waits for the answer any more, or the events cannot be read without the files.
 */
export async function executionProposals(context: QueryContext): Promise<ExecutionProposal[]> {
  const { candidates = [] } = (await context.layers?.find('execution')) ?? {};
  const definitions = candidates.flat();
  const delimiters = definitions.length === 0 ? undefined : await readDelimiters(context, definitions);
  if (delimiters === undefined) return [];
  const { hosts } = await executionHosts(context.trace, delimiters);
  return candidates.flatMap((sort) =>
    sort
      .flatMap((definition) => {
        const index = delimiters.indexOf(definition);
        return byProcess(hosts, definition, index).map((each) => previewOf(hosts, each, index));
      })
      .filter(({ counts }) => counts.executions >= FEWEST)
      .sort((a, b) => weight(b.counts) - weight(a.counts)),
  );
}

/** System calls say nothing about the program: where several make them, client and server, each has executions of its own. */
function byProcess(
  hosts: readonly HostDelimiters[],
  definition: ExecutionDefinition,
  index: number,
): ExecutionDefinition[] {
  const isRequest = definition.begin.startsWith(callExit(''));
  const processes = isRequest ? beginningProcesses(hosts, index) : [];
  if (processes.length < 2) return [definition];
  return processes
    .slice(0, MOST_PROCESSES)
    .map((value) => ({ ...definition, where: [{ field: 'process', value }] }));
}
