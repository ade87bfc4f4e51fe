/** Answers about executions and call stacks; loaded with the first such question. */
import type { QueryOf } from '../context/query.ts';
import { executionProposals as proposalsOf } from './executions-answer.ts';

export { executionsAnswer as executions } from './executions-answer.ts';
export { lockPlaces } from '../stacks/lock-places.ts';
export { moduleList as modules } from '../stacks/module-list.ts';
export { offCpuTimes as offCpu } from '../stacks/off-cpu.ts';
export { mostSampled as sampledThread, profileAnswer as profile } from '../stacks/profile-answer.ts';
export { waitStacks } from '../stacks/wait-stacks.ts';
export const executionProposals: QueryOf<'executionProposals'> = { nothing: () => [], answer: proposalsOf };
