/** `states PATH… [--thread TID] [--check]`: the state intervals of every thread, or whether they hold together. */
import type { HostNs } from '../../engine/base/units.ts';
import { checkKernelHistory } from '../../engine/linux/check.ts';
import { withDeadTime } from '../../engine/linux/reduce/dead-time.ts';
import { inThreadOrder, threadKey } from '../../engine/linux/reduce/thread-table.ts';
import { stateOf, THREAD_STATES } from '../../engine/linux/values.ts';
import { timesOfHost } from '../../engine/session/statistics/range-aggregates.ts';
import { EXIT_FAILED, reportFaults } from '../messages.ts';
import type { Options } from '../options.ts';
import { JsonList, print, printJson, writeJson } from '../output.ts';
import { openTraceSession } from '../trace-session.ts';
import type { NamedHost, TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';

/** State number, begin and end in ns since the experiment's first event. */
type StateSpan = [state: number, from: number, to: number];

interface ThreadStates {
  readonly worker: string;
  readonly name: string;
  readonly pid: number;
  readonly intervals: readonly StateSpan[];
}

export const states: Command = async (paths, options) => {
  const { session, faults } = await openTraceSession(paths, options);
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
  session: TraceSession,
  wanted: string | undefined,
): AsyncIterable<ThreadStates> {
  for (const host of session.hosts) yield* statesOfHost(session, host, wanted);
}

async function* statesOfHost(
  session: TraceSession,
  host: NamedHost,
  wanted: string | undefined,
): AsyncIterable<ThreadStates> {
  const { tables, query, clock, prefix } = host;
  if (tables === undefined) return;
  const { threads } = tables;
  const shown = (time: HostNs) => clock.toExperiment(time) - session.firstNs;
  const { from, to } = timesOfHost(session.range, host.clock);
  for (const i of inThreadOrder(threads, threads.length)) {
    const worker = prefix + threadKey(threads, i);
    if (wanted !== undefined && wanted !== worker && wanted !== threadKey(threads, i)) continue;
    const intervals: StateSpan[] = [];
    const pieces = await query.intervals(threads.stateAttribute[i], from, to);
    for (const piece of withDeadTime(pieces, threads, i)) {
      if (piece.from >= to || piece.to <= from) continue;
      const begin = shown(Math.max(piece.from, from));
      const end = shown(Math.min(piece.to, to));
      const last = intervals.at(-1);
      // Two waits in a row are two intervals of the history, but one stretch of a state.
      if (last !== undefined && last[0] === stateOf(piece.value) && last[2] === begin) last[2] = end;
      else intervals.push([stateOf(piece.value), begin, end]);
    }
    yield { worker, name: threads.name[i], pid: threads.pid[i], intervals };
  }
}

/** Prints violations of the invariants (`linux/check.ts`); true when there are none. */
async function check({ hosts, firstNs }: TraceSession, json: boolean): Promise<boolean> {
  const violations = [];
  for (const { tables, query, clock, prefix } of hosts) {
    if (tables === undefined) continue;
    for (const { invariant, worker, at, text } of await checkKernelHistory(query, tables)) {
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
