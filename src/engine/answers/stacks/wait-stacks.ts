/** The call stacks at both ends of a wait: the sleeper's when it left its CPU, and the waker's at the wake-up. */
import type { StackAtEnd } from '../../protocol/profile.ts';
import { append } from '../../base/append.ts';
import type { DisplayNs } from '../../base/units.ts';
import { isBlocked } from '../../linux/events/values.ts';
import type { NamedFrame } from '../../layers/stacks/frame-names.ts';
import { NOT_RECORDED_FRAME } from '../../layers/stacks/profile.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { callInfo, intervalInfo } from '../rows/interval-info.ts';
import { hostsOfRow, threadOfRow } from '../context/thread-rows.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import { stacksOf, tablesByNow } from './stacks-of.ts';

const THREAD_ROWS = 'thread:';

/** Stacks; undefined: the row's thread does not wait at that time, or no stack is known at either end. */
export const waitStacks: AnswerTo<'waitStacks'> = async (context, { row, timeNs }) => {
  const host = hostsOfRow(context.trace.hosts, row).find(isKernelHost);
  if (host === undefined || !row.startsWith(THREAD_ROWS)) return undefined;
  const wait = await intervalInfo(host, row, timeNs, 0);
  if (wait === undefined || !isBlocked(wait.value)) return undefined;
  const [sleeper, waker] = await Promise.all([
    stackAt(context, host, row, wait.from),
    wait.waker === undefined ? undefined : stackAt(context, host, wait.waker, wait.to),
  ]);
  return sleeper === undefined && waker === undefined ? undefined : { sleeper, waker };
};

async function stackAt(
  context: QueryContext,
  host: KernelHost,
  row: string,
  timeNs: DisplayNs,
): Promise<StackAtEnd | undefined> {
  const { index, clock } = host;
  const stacks = await stacksOf(context, index);
  const tables = tablesByNow(context, index);
  const thread = threadOfRow(host, row);
  if (stacks === undefined || tables === undefined || thread < 0) return undefined;
  const time = clock.toHost(timeNs);
  const since = stacks.since(thread, time);
  const stack = stacks.at(thread, time);
  if (since === undefined || stack === 0) return undefined;
  const { expanded } = await context.trace.frameNames(tables);
  const { parent, frame } = stacks.tables.tree;
  const lines: NamedFrame[] = [];
  for (const innermost of [stacks.insideAt(thread, time), stack])
    for (let at = innermost; at > 0; at = parent[at]) append(lines, [...expanded[frame[at]]].reverse());
  if (lines.every(({ text }) => text === NOT_RECORDED_FRAME)) return undefined;
  const call = await callInfo(host, row, timeNs);
  return { lines, call: call?.stateText, ageNs: time - since };
}
