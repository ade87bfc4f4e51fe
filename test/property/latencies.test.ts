/**
 * What ran while threads waited for a CPU and from interrupts' begins to their ends: pieces that tile each delay, and name
 * nobody but who ran on this CPU at this time; of simulated kernels by what the machine did, of recorded ones by what the
 * history says of the named threads themselves.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as values from '../../src/engine/linux/events/values.ts';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { Meanwhile, Occurrences, OccurrencesRequest } from '../../src/engine/protocol/statistics.ts';
import { openLocal } from '../support/local-session.ts';
import { filesOfFolder, folderRefs, memoryRefs } from '../support/memory-files.ts';
import { caseTraces, exampleTraces, sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { settingsOf, simulate, type Simulation } from '../support/simulator/simulation.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

type Piece = Meanwhile['pieces'][number];

interface Explained {
  readonly row: string;
  readonly tid: number;
  readonly fromNs: number;
  readonly ns: number;
  readonly pieces: readonly Piece[];
  readonly waker: Meanwhile['waker'];
}

async function explained(api: SessionApi, request: OccurrencesRequest): Promise<Explained[]> {
  const all: Occurrences = await api.ask('occurrences', request);
  const delays = Array.from({ length: all.length }, (_, i) => {
    const { row, tid } = all.owners[all.owner[i]];
    return { row, tid, fromNs: all.fromNs[i], ns: all.ns[i] };
  });
  const found = await api.ask('meanwhile', { stretches: delays });
  return delays.map((delay, i) => ({ ...delay, pieces: found[i].pieces, waker: found[i].waker }));
}

function expectTiles({ fromNs, ns, pieces }: Explained): void {
  let at = fromNs;
  for (const piece of pieces) {
    expect(piece.fromNs).toBe(at);
    expect(piece.ns).toBeGreaterThan(0);
    at += piece.ns;
  }
  expect(at - fromNs).toBe(ns);
}

/** States of a CPU that a piece of a kind may lie in. */
const STATES_OF: Readonly<Record<Piece['kind'], readonly number[]>> = {
  thread: [values.CPU_USER, values.CPU_KERNEL, values.CPU_RUNNING, values.CPU_GUEST],
  idle: [values.CPU_IDLE],
  interrupt: [values.CPU_HARDIRQ, values.CPU_TIMER],
  softirq: [values.CPU_SOFTIRQ],
  unknown: [values.CPU_UNKNOWN],
};

/** Wrong pieces in words: those that the machine's own account of the CPU contradicts. */
function wrongPieces({ cpus, first }: Simulation, { tid, fromNs, ns, pieces }: Explained): string[] {
  const wrong: string[] = [];
  for (const piece of pieces) {
    const { cpu, kind, thread } = piece;
    const steps = cpus.find(({ index }) => index === cpu)?.steps ?? [];
    const [from, to] = [piece.fromNs + first, piece.fromNs + piece.ns + first];
    steps.forEach((step, i) => {
      const end = steps.at(i + 1)?.time ?? Infinity;
      if (step.time >= to || end <= from) return;
      const isNobody = step.thread === undefined && kind === 'unknown';
      const isRight = isNobody || STATES_OF[kind].includes(step.state);
      const isThread = kind !== 'thread' || (step.thread?.tid === thread?.tid && thread?.tid !== tid);
      const isOwn = kind !== 'softirq' || thread === undefined || step.thread?.tid === thread.tid;
      if (!isRight || !isThread || !isOwn)
        wrong.push(`${kind} ${thread?.tid} at ${from}: state ${step.state}, thread ${step.thread?.tid}`);
    });
  }
  const last = pieces.at(-1);
  const end = fromNs + ns + first;
  const ran = cpus.find(({ index }) => index === last?.cpu)?.steps.findLast(({ time }) => time <= end);
  if (last?.cpu !== undefined && tid > 0 && ran?.thread?.tid !== tid)
    wrong.push(`${tid} did not come to CPU ${last.cpu} at ${end} but ${ran?.thread?.tid}`);
  return wrong;
}

it('delays of simulated kernels consist of what their CPU did', async () => {
  let known = 0;
  await forAll(20, [fc.nat(), fc.constantFrom(600, 4 << 20)], async (seed, chunkBytes) => {
    const simulation = simulate(settingsOf(seed));
    if (simulation.events === 0) return;
    const { api } = await openLocal(folderRefs(simulation.files), { chunkBytes });
    for (const of of ['sched', 'irq'] as const) {
      for (const delay of await explained(api, { of, limit: 300 })) {
        expectTiles(delay);
        expect(wrongPieces(simulation, delay)).toEqual([]);
        known += delay.pieces.filter(({ kind }) => kind !== 'unknown').length;
      }
    }
  });
  if (DEEP) expect(known).toBeGreaterThan(1000);
});

const shared = sharedDir();
const NAMES = ['cpu-contention', 'threaded-irq', 'executions-preempt'] as const;
const open = async (path: string): Promise<SessionApi> => {
  const session = await openLocal(memoryRefs(filesOfFolder(path)));
  return session.api;
};

/** Checks each piece against the row of its thread, of its CPU, and of who waited. */
async function expectTrue(api: SessionApi, { row, pieces }: Explained): Promise<void> {
  for (const { fromNs, ns, kind, cpu, interrupt, thread } of pieces) {
    const host = row.split(':')[1];
    for (const timeNs of [fromNs, fromNs + ns - 1]) {
      const ofCpu =
        cpu === undefined ? undefined : await api.ask('interval', { row: `cpu:${host}:${cpu}`, timeNs });
      if (cpu !== undefined) expect(STATES_OF[kind]).toContain(ofCpu?.state ?? values.CPU_UNKNOWN);
      if (interrupt !== undefined) expect(ofCpu?.interrupt).toBe(interrupt);
      if (thread === undefined) continue;
      expect(thread.row).not.toBe(row);
      const ran = await api.ask('interval', { row: thread.row, timeNs });
      expect(ran?.cpu).toBe(cpu);
      expect(values.isRunning(ran?.state ?? values.STATE_UNKNOWN)).toBe(true);
      expect(ran?.state).not.toBe(values.STATE_INTERRUPTED);
    }
  }
}

const traces = [
  ...caseTraces().filter(({ name }) => DEEP || /preempted|irq|loss/.test(name)),
  ...exampleTraces().filter(({ name }) => DEEP && /^(imbalance-4t|lost-events|disk-io)/.test(name)),
  ...(shared === undefined || !DEEP
    ? []
    : NAMES.map((name) => ({ name, path: join(shared, 'traces', name) }))),
];
it.each(traces)('delays of $name consist of what their CPU did', async ({ path }) => {
  const api = await open(path);
  for (const of of ['sched', 'irq'] as const)
    for (const delay of await explained(api, { of, limit: 400 })) {
      expectTiles(delay);
      await expectTrue(api, delay);
    }
});

it.skipIf(shared === undefined)(`the preempted wait for who preempted them (${WITHOUT_SHARED})`, async () => {
  const api = await open(join(shared ?? '', 'traces/executions-preempt'));
  const all = await explained(api, { of: 'sched', only: 'preempted', minNs: 2_000_000, limit: 100 });
  const houses = all
    .filter(({ tid }) => tid === 268)
    .map(({ ns, pieces }) => ({ ns, house: pieces.filter(({ thread }) => thread?.tid === 267) }))
    .filter(({ house }) => house.length > 0);
  // ABOUT.md: 18 ticks were preempted by house-30hz, SCHED_FIFO 10, some of them two times, 2.96 to 9.38 ms in each.
  expect(houses).toHaveLength(22);
  for (const { ns, house } of houses) {
    expect(house.reduce((sum, piece) => sum + piece.ns, 0)).toBeGreaterThan(0.9 * ns);
    for (const { thread } of house) expect(thread).toMatchObject({ name: 'house-30hz', priority: -11 });
  }
});

it.skipIf(shared === undefined)(`the woken wait on the CPU they are put on (${WITHOUT_SHARED})`, async () => {
  const api = await open(join(shared ?? '', 'traces/cpu-contention'));
  const all = await explained(api, { of: 'sched', only: 'woken' });
  expect(all).toHaveLength(144);
  // Twelve of them ran on another CPU before; nothing moved one while it was queued.
  for (const { pieces } of all) expect(new Set(pieces.map(({ cpu }) => cpu)).size).toBe(1);
});
