/** `states PATH… [--thread TID] [--check]`: the state intervals of every thread, or whether they hold together. */
import { checkKernelHistory } from '../../engine/linux/states/read/check.ts';
import { inThreadOrder, threadKey } from '../../engine/linux/states/reduce/thread-table.ts';
import { THREAD_STATES } from '../../engine/linux/events/values.ts';
import { isKernelHost } from '../../engine/answers/context/host.ts';
import { stateSpans } from '../../engine/answers/export/state-spans.ts';
import { EXIT_FAILED, reportFaults } from '../messages.ts';
import type { Command, Options } from '../options.ts';
import { JsonList, print, printJson, writeJson } from '../output.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';

/** State number, begin and end in ns since the experiment's first event. */
type StateSpan = [state: number, from: number, to: number];

interface ThreadStates {
  readonly worker: string;
  readonly name: string;
  readonly pid: number;
  readonly intervals: readonly StateSpan[];
}

export const states: Command = async (paths, options) => {
  const { session, faults } = await openTraceSession(paths, options, false);
  if (session === undefined) return reportFaults(faults, options.strict);
  if (!options.check) await printStates(session, options);
  else if (!(await check(session, options.json))) {
    reportFaults(faults, options.strict);
    return EXIT_FAILED;
  }
  return reportFaults(faults, options.strict);
};

async function printStates(session: TraceSession, { thread, json }: Options): Promise<void> {
  const threads = statesOfThreads(session, thread);
  if (json) return writeJson({ originNs: String(session.originNs), threads: new JsonList(threads) });
  for await (const { worker, name, intervals } of threads) {
    print(`${worker} ${name}`);
    for (const [state, from, to] of intervals) print(`  ${from} ${to} ${THREAD_STATES[state]}`);
  }
}

async function* statesOfThreads(
  { hosts, firstNs, range }: TraceSession,
  wanted: string | undefined,
): AsyncIterable<ThreadStates> {
  for (const host of hosts) {
    if (!isKernelHost(host)) continue;
    const { prefix } = host;
    const { threads } = host.tables;
    for (const i of inThreadOrder(threads, threads.length)) {
      const key = threadKey(threads, i);
      if (wanted !== undefined && wanted !== prefix + key && wanted !== key) continue;
      const spans = await stateSpans(host, i, range);
      const intervals = spans.map(({ state, from, to }): StateSpan => [state, from - firstNs, to - firstNs]);
      yield { worker: prefix + key, name: threads.name[i], pid: threads.pid[i], intervals };
    }
  }
}

/** Prints violations of the invariants (`linux/states/read/check.ts`); true when there are none. */
async function check({ hosts, firstNs }: TraceSession, json: boolean): Promise<boolean> {
  const violations = [];
  for (const { tables, query, clock, prefix, logs } of hosts) {
    if (tables === undefined) continue;
    const { softirqs } = await logs();
    for (const { invariant, worker, at, text } of await checkKernelHistory(query, tables, softirqs)) {
      violations.push({ invariant, worker: prefix + worker, at: clock.toExperiment(at) - firstNs, text });
    }
  }
  if (json) printJson({ violations });
  else {
    for (const { invariant, worker, at, text } of violations) {
      print(`invariant ${invariant}, ${worker} at ${at} ns: ${text}`);
    }
    print(`${violations.length} violations`);
  }
  return violations.length === 0;
}
