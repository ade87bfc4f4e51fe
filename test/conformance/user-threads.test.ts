/**
 * Which host threads events of user space are of, against the goldens (Q40 of `spec-questions.md`): with the pid namespace
 * that they record, and without it.
 */
import { expect, test } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { Analysis, EventBatch } from '../../src/engine/analysis/contract.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import { FORKED, SEEN } from '../../src/engine/linux/namespaces/facts.ts';
import { NOBODY_KNOWN } from '../../src/engine/linux/namespaces/namespace-threads.ts';
import { type NamespaceChunk, namespaces } from '../../src/engine/linux/namespaces/namespaces.ts';
import { RowReader } from '../../src/engine/linux/events/row-reader.ts';
import { TextTable } from '../../src/engine/linux/events/text-table.ts';
import { namespacesOfHost } from '../../src/engine/answers/context/host-namespaces.ts';
import type { KernelHost } from '../../src/engine/answers/context/host.ts';
import { runningThreads } from '../../src/engine/answers/statistics/running-threads.ts';
import { compare } from '../../src/engine/base/compare.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { runEngine, runStored } from '../support/engine-run.ts';
import { memoryHistory } from '../support/state-run.ts';
import { allFiles, readStates, statesNames } from '../support/states-goldens.ts';
import { lateIntervals } from '../../src/engine/linux/states/read/late-intervals.ts';

/** vtid, pid_ns, procname, host thread, events. */
type UserThread = readonly [number, number, string, string, number];

interface UserEvent {
  readonly time: number;
  readonly cpu: number;
  readonly vtid: number;
  readonly ns: number;
  readonly name: string;
}

const KIND = 'user event';
const CONTEXTS = {
  vtid: { names: ['vtid'], kind: 'int', only: 'context' },
  pid_ns: { names: ['pid_ns'], kind: 'int', only: 'context' },
  procname: { names: ['procname'], kind: 'string', only: 'context' },
} as const;

const userEvents: Analysis<readonly UserEvent[], readonly UserEvent[]> = {
  id: KIND,
  version: 1,
  reads: {
    kinds: [{ kind: KIND, events: [], fields: CONTEXTS, takes: (_, { domain }) => domain === 'ust' }],
  },
  map: eventsOf,
  merge: (chunkResults) => chunkResults.flat(),
  empty: [],
  finish: (chunkResult) => chunkResult,
};

function eventsOf({ rows, cpu, plan }: EventBatch): UserEvent[] {
  const reader = new RowReader();
  reader.open(rows);
  const texts = new TextTable();
  const place = (field: string) => plan.field(KIND, field);
  const events: UserEvent[] = [];
  for (let row = 0; row < rows.length; row++) {
    if (rows.kind[row] !== plan.kind(KIND)) continue;
    const [vtid, ns] = [reader.int(row, place('vtid')), reader.int(row, place('pid_ns'))];
    const name = texts.texts[reader.text(row, place('procname'), texts)];
    events.push({ time: rows.time[row], cpu, vtid, ns, name });
  }
  return events;
}

async function readThreads(name: string) {
  const run = await runStored(allFiles(name), {}, undefined, [namespaces, userEvents]);
  const { builder, tables } = run;
  const { chunkResults } = run.outcome;
  const events = chunkResults.whole(userEvents as AnyAggregate, 0) as readonly UserEvent[];
  const cpus = new Set(tables.cpus.map(({ cpu }) => cpu));
  const host = { query: createQuery(builder, lateIntervals(tables)), tables } as unknown as KernelHost;
  const running = await runningThreads(host, cpus, -Infinity, Infinity);
  const threads = namespacesOfHost(chunkResults, 0);
  const tidOn = (cpu: number, time: number) => {
    const thread = running.at(cpu, time);
    return thread < 0 ? -1 : tables.threads.tid[thread];
  };
  return (recordsNamespace: boolean): UserThread[] => {
    const counts = new Map<string, number>();
    for (const { time, cpu, vtid, ns, name } of events) {
      const found = threads.tidOf(vtid, recordsNamespace ? ns : 0, time, tidOn(cpu, time));
      const tid = found === NOBODY_KNOWN ? vtid : found;
      const key = JSON.stringify([vtid, ns >>> 0, name, String(tid)]);
      addNumber(counts, key, 1);
    }
    const threadsOf = Array.from(counts, ([key, count]) => [...(JSON.parse(key) as unknown[]), count]);
    return threadsOf.sort((a, b) => compare(String(a), String(b))) as unknown as UserThread[];
  };
}

const WITH_THREADS = statesNames().filter((name) => readStates<Golden>(name).user_threads !== undefined);

interface Golden {
  readonly user_threads?: readonly UserThread[];
}

test.each(WITH_THREADS)('%s: events are of the threads of the golden', async (name) => {
  const golden = readStates<Golden>(name).user_threads;
  const threadsOf = await readThreads(name);
  expect(threadsOf(true)).toEqual(golden);
  // Who runs on the CPU of the event tells the same: a thread makes its events itself.
  expect(threadsOf(false)).toEqual(golden);
});

// Skipped where the folder with recorded traces is not there.
test.skipIf(!WITH_THREADS.includes('container-ns'))('forks and contexts tell the same threads', async () => {
  // Contexts are read of the events that states are made of.
  const analyses = [kernelState as AnyAnalysis, namespaces as AnyAnalysis];
  const run = await runEngine(allFiles('container-ns'), analyses, memoryHistory());
  const [facts] = run.outcome.chunkResults.whole(namespaces as AnyAggregate, 0) as NamespaceChunk;
  const threadsBy = (kind: number) =>
    [...facts.tid.keys()]
      .filter((fact) => facts.kind[fact] === kind)
      .map((fact) => [facts.tid[fact], facts.vtid[fact], facts.ns[fact] >>> 0]);
  const all = [259, 260, 261, 262, 263, 264, 272, 273, 274, 275];
  expect(threadsBy(FORKED)).toEqual(all.map((tid, i) => [tid, i + 1, 4026532253]));
  expect(threadsBy(SEEN)).toEqual(threadsBy(FORKED));
});
