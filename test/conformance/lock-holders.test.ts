/** For every wait for a lock of the recordings: who is blamed on its path held the lock then, as the blocking matrix has it. */
import { describe, expect } from 'vitest';
import { parseCommandLine } from '../../src/cli/options.ts';
import { readLocks } from '../../src/cli/read-layers.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import { locksOf } from '../../src/engine/answers/locks/lock-hosts.ts';
import { pathLocks } from '../../src/engine/answers/paths/path-locks.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { NOBODY } from '../../src/engine/graph/execution-graph.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { BLOCKED, PREEMPTED, RUNNING } from '../../src/engine/graph/path-codes.ts';
import { EXCLUSIVE } from '../../src/engine/layers/locks/lock-log.ts';
import {
  ACQUIRED,
  CONTENDED,
  type LockModel,
  NO_MODE,
  conflicts,
} from '../../src/engine/layers/locks/model/lock-model.ts';
import { waitParts } from '../../src/engine/layers/locks/results/wait-parts.ts';
import { detailOf } from '../../src/engine/linux/events/values.ts';
import { testEach } from '../support/known-gaps.ts';
import { lockGoldenNames, lockGoldenTrace } from '../support/lock-goldens.ts';

describe('waits for locks', () => {
  testEach('lock-holders', lockGoldenNames(), async (name) => {
    const folder = lockGoldenTrace(name);
    const { options } = parseCommandLine(['critical-path', folder, '--workers', '0'], 0);
    const { session } = await openTraceSession([folder], options);
    if (session === undefined) throw new Error(`${folder} cannot be opened`);
    const layers = locksOf(await readLocks(session)) ?? [];
    for (const { tables } of layers) expectMatrix(tables.model);
    const known = await session.trace.paths.graph();
    if (known.hosts.length === 0) return;
    const { graph } = pathLocks(known, layers);
    const { model } = layers[0].tables;
    const workers = model.threads.map(({ row }) => (row < 0 ? NOBODY : known.graph.workerOfThread(0, row)));
    const { toGraph } = known.graph.hostData(0);
    const { waits } = graph;
    for (let row = 0; row < waits.length; row++) {
      const [worker, from, to] = [waits.worker[row], waits.begin[row], waits.end[row]];
      const path = await findPath(graph, { worker, from, to, criterion: 'lock holder' });
      if (path === undefined) throw new Error('nobody else asked');
      const { segments: s } = path;
      const byPath = new Map<number, number>();
      for (let i = 0; i < s.length; i++) {
        const holder = graph.holderAt(worker, s.from[i]);
        expect(graph.waitAt(worker, s.from[i])).toBe(row);
        if (holder !== NOBODY) addTo(byPath, holder, s.to[i] - s.from[i]);
        else if (s.worker[i] !== worker) expect([RUNNING, PREEMPTED]).toContain(s.label[i]);
        else
          expect(s.label[i] === BLOCKED && detailOf(s.cause[i]) !== detailOf(waits.cause[row])).toBe(false);
      }
      const asked = model.waits.thread.findIndex((thread, i) => {
        const isIt = workers[thread] === worker && model.waits.lock[i] === detailOf(waits.cause[row]);
        return isIt && toGraph(model.waits.request[i]) === from && toGraph(model.waits.until[i]) === to;
      });
      // Cut by the begin or end of the thread's life.
      if (asked < 0) continue;
      const byHolder = new Map<number, number>();
      waitParts(model).each(asked, (holder, begin, end, isHeld) => {
        const ns = Math.min(to, toGraph(end)) - toGraph(begin);
        if (isHeld && ns > 0) addTo(byHolder, workers[holder], ns);
      });
      byHolder.delete(NOBODY);
      expect(byPath).toEqual(byHolder);
    }
  });
});

/** The matrix is what the definition gives, instant by instant. */
function expectMatrix(model: LockModel): void {
  const { waits, cells } = model;
  const expected = new Map<string, number>();
  for (let row = 0; row < waits.length; row++) {
    if ((waits.flags[row] & CONTENDED) === 0) continue;
    let sum = 0;
    const pieces = new Map<number, number>();
    waitParts(model).each(row, (holder, from, to) => {
      sum += to - from;
      addTo(pieces, holder, to - from);
      addTo(expected, `${waits.lock[row]} ${waits.thread[row]} ${holder}`, to - from);
    });
    expect(sum).toBe(waits.end[row] - waits.request[row]);
    if (waits.mode[row] !== NO_MODE) expect(pieces).toEqual(byDefinition(model, row));
  }
  const found = new Map<string, number>();
  for (let i = 0; i < cells.length; i++)
    addTo(found, `${cells.lock[i]} ${cells.waiter[i]} ${cells.holder[i]}`, cells.ns[i]);
  expect(found).toEqual(expected);
}

interface Hold {
  readonly thread: number;
  readonly begin: number;
  readonly end: number;
}

/** ns of a wait by holder: of the holds at an instant the one that ends last, else the last before, else the next. */
function byDefinition({ waits, strays, threads }: LockModel, row: number): Map<number, number> {
  const [from, until, lock] = [waits.request[row], waits.end[row], waits.lock[row]];
  const rows = [...waits.lock.keys()].filter((i) => waits.lock[i] === lock && waits.outcome[i] === ACQUIRED);
  const ofLock = [...strays.lock.keys()].filter((i) => strays.lock[i] === lock);
  const ends = [...rows.map((i) => waits.to[i]), ...ofLock.map((i) => strays.time[i])];
  const holds: Hold[] = [
    ...rows
      .filter((i) => conflicts(waits.mode[i], waits.mode[row]) && waits.end[i] < until)
      .map((i) => ({ thread: waits.thread[i], begin: waits.end[i], end: waits.to[i] })),
    ...ofLock
      .filter((i) => conflicts(EXCLUSIVE, waits.mode[row]) && strays.time[i] <= until)
      .map((i) => {
        const begin = Math.max(from, ...ends.filter((end) => end < strays.time[i]));
        return { thread: strays.thread[i], begin, end: strays.time[i] };
      }),
  ].filter(({ thread, end }) => thread !== waits.thread[row] && end > from);
  const last = (list: readonly Hold[]) =>
    list.reduce((a, b) => {
      const order =
        b.end - a.end || b.begin - a.begin || (threads[b.thread].key > threads[a.thread].key ? 1 : -1);
      return order > 0 ? b : a;
    });
  const cuts = [from, until, ...holds.flatMap(({ begin, end }) => [begin, end])]
    .filter((time) => time >= from && time <= until)
    .sort((a, b) => a - b);
  const ns = new Map<number, number>();
  for (let i = 1; i < cuts.length; i++) {
    const [x, y] = [cuts[i - 1], cuts[i]];
    if (x === y) continue;
    const now = holds.filter(({ begin, end }) => begin <= x && end >= y);
    const past = holds.filter(({ end }) => end <= x);
    const holder =
      now.length > 0
        ? last(now)
        : past.length > 0
          ? last(past)
          : holds.reduce((a, b) => (b.begin < a.begin ? b : a));
    addTo(ns, holder.thread, y - x);
  }
  return ns;
}

function addTo<Key>(sums: Map<Key, number>, key: Key, ns: number): void {
  addNumber(sums, key, ns);
}
