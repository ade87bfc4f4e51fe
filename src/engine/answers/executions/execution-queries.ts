/** Answers about executions and call stacks, as one part that is loaded with the first question. */
import type { QueryOf } from '../context/query.ts';
import { hostOfRow } from '../context/thread-rows.ts';
import { lockPlaces as placesOfLocks } from '../stacks/lock-places.ts';
import { waitStacks as stacksOfWait } from '../stacks/wait-stacks.ts';
import { moduleList } from '../stacks/module-list.ts';
import { offCpuTimes } from '../stacks/off-cpu.ts';
import { mostSampled, profileAnswer } from '../stacks/profile-answer.ts';
import { executionProposals as proposalsOf } from './execution-proposals.ts';
import { executionsAnswer } from './executions-answer.ts';

/**
 * All executions of a definition; undefined: the trace is being read, its files are not there, or nobody waits for the
 * answer any more.
 */
export const executions: QueryOf<'executions'> = { answer: executionsAnswer };
export const executionProposals: QueryOf<'executionProposals'> = { nothing: () => [], answer: proposalsOf };
export const profile: QueryOf<'profile'> = { answer: profileAnswer };

export const waitStacks: QueryOf<'waitStacks'> = {
  answer(context, { row, timeNs }) {
    const host = context.trace.hosts.find(({ index }) => index === hostOfRow(row));
    return host && stacksOfWait(context, host, row, timeNs);
  },
};

export const offCpu: QueryOf<'offCpu'> = { answer: offCpuTimes };
export const lockPlaces: QueryOf<'lockPlaces'> = { answer: placesOfLocks };
export const sampledThread: QueryOf<'sampledThread'> = { answer: mostSampled };
export const modules: QueryOf<'modules'> = { answer: moduleList };
