/** Programs on a virtual machine: what its host took from their running time, and who had it meanwhile. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { findGuests } from '../../src/engine/graph/guests.ts';
import { isOnHost } from '../../src/engine/graph/path-codes.ts';
import { segmentParts } from '../../src/engine/graph/segment-parts.ts';
import type { VirtualCpus } from '../../src/engine/graph/virtual-cpus.ts';
import { blockerTexts, partsIn, stateWords } from '../../src/engine/answers/paths/path-parts.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { experimentClock } from '../../src/engine/sync/host-clocks.ts';
import { matchedPackets } from '../../src/engine/sync/matched-packets.ts';
import { graphOfHosts, type GraphRun, segmentLines } from '../support/graph-run.ts';
import { RIGHT_CLOCK } from '../support/simulator/clocks.ts';
import type { Cpu, Thread } from '../support/simulator/machine.ts';
import type { Play } from '../support/simulator/play.ts';
import type { TrueSegment } from '../support/simulator/true-path.ts';
import { lifeOf, type PlayedRun, runPlay, truePath } from './played-run.ts';
import { guestPlay, linearClock } from './random-plays.ts';
import { forAll } from '../support/for-all.ts';

const GUEST = 0;
const HOST = 1;

function virtualCpus({ graph, hosts }: GraphRun): VirtualCpus {
  const guests = findGuests(hosts.map(({ tables }, index) => ({ index, tables })));
  return new Map(
    guests.map(({ guest, machine }) => {
      const threads = Array.from(machine?.threads ?? [], ([cpu, row]): [number, number] => {
        return [cpu, graph.workerOfThread(machine?.host ?? -1, row)];
      });
      return [guest, new Map(threads)];
    }),
  );
}

/** `WORKER FROM TO LABEL CAUSE | STATE by BLOCKER NS, …` of each segment: what the host took of it. */
async function foundParts(run: GraphRun, key: string, from: number, to: number): Promise<string[]> {
  const { graph, names } = run;
  const path = await findPath(graph, { worker: run.workerOf(key), from, to, criterion: 'main task' });
  if (path === undefined) throw new Error('the path was wanted');
  const parts = await segmentParts(graph, path, { virtualCpus: virtualCpus(run) });
  const each = partsIn(graph, path, parts);
  return segmentLines(path, names).map((line, segment) => {
    const taken = new Taken();
    let sum = 0;
    each(segment, (value, ns, _, blocker) => {
      sum += ns;
      if (!isOnHost(value)) return;
      const by = blockerTexts(parts, names.worker)(blocker);
      taken.add(`${stateWords(value)} by ${by.replace(/^nobody: (CPU \d+) was idle.*/, 'idle $1')}`, ns);
    });
    expect(sum).toBe(path.segments.to[segment] - path.segments.from[segment]);
    return `${line} | ${taken.text()}`;
  });
}

class Taken {
  readonly #ns = new Map<string, number>();

  add(by: string, ns: number): void {
    addNumber(this.#ns, by, ns);
  }

  text(): string {
    return Array.from(this.#ns, ([by, ns]) => `${by} ${ns}`)
      .sort()
      .join(', ');
  }
}

/** The same as the simulation knows it, by what threads of the host did while the guest ran. */
function trueParts(run: PlayedRun, from: number, to: number): string[] {
  const { played, truth } = run;
  const lines = truePath(run, played.thread, from, to);
  return truth.of(played.thread, from, to).map((segment, i) => {
    const taken = new Taken();
    if (segment.label === 'running')
      for (const [cpu, begin, end] of whereItRan(run, segment)) takenByHost(run, cpu, begin, end, taken);
    return `${lines[i]} | ${taken.text()}`;
  });
}

/** CPUs of the guest with true times; none for segments of others. */
function whereItRan(run: PlayedRun, { worker, from, to }: TrueSegment): [Cpu, number, number][] {
  const { machine } = run.played.hosts[GUEST];
  const cpu = machine.cpus.find(({ index }) => worker === `host${GUEST}:irq/cpu${index}`);
  if (cpu !== undefined) return [[cpu, from, to]];
  const thread = machine.threads.find((each) => run.keyOf(each) === worker);
  return thread === undefined
    ? []
    : [...stays(thread, 'running', from, to)].map((s) => [s.cpu, s.from, s.to]);
}

function* stays(thread: Thread, state: string, from: number, to: number) {
  for (const [i, stay] of thread.stays.entries()) {
    const begin = Math.max(from, stay.from);
    const end = Math.min(to, thread.stays[i + 1]?.from ?? Infinity);
    if (stay.state === state && begin < end) yield { ...stay, from: begin, to: end };
  }
}

function takenByHost({ played, keyOf }: PlayedRun, cpu: Cpu, from: number, to: number, taken: Taken): void {
  const { machine } = played.hosts[HOST];
  const own = played.hosts[GUEST].machine.virtualCpus.get(cpu)?.thread;
  if (own === undefined) throw new Error('a CPU of the guest is a thread of the host');
  for (const ready of stays(own, 'ready', from, to)) {
    const others = [...machine.threads, ready.cpu.idle];
    for (const other of others)
      for (const ran of stays(other, 'running', ready.from, ready.to)) {
        if (ran.cpu !== ready.cpu) continue;
        const name = other.tid === 0 ? `idle CPU ${ran.cpu.index}` : keyOf(other);
        taken.add(`Preempted by the host by ${name}`, ran.to - ran.from);
      }
  }
  for (const wait of stays(own, 'blocked', from, to))
    taken.add(`Blocked on the host by ${wait.source?.kind ?? 'nobody known'}`, wait.to - wait.from);
}

async function expectTrueParts(story: Play): Promise<void> {
  const run = await runPlay(story);
  const { thread } = run.played;
  const [from, to] = lifeOf(run, thread);
  const found = await foundParts(run.graph, run.keyOf(thread), from, to);
  expect(found).toEqual(trueParts(run, from, to));
}

/** The hosts' own clocks, of which that of the guest is set right by what it is known to be ahead. */
async function expectShiftOnly(story: Play, ahead: number): Promise<void> {
  const clock = { offset: ahead, drift: 0, bend: 0, steps: [] };
  const [guest, host] = story.hosts;
  const run = await runPlay({ ...story, hosts: [{ ...guest, clock }, host] }, { ownTime: true });
  const { thread } = run.played;
  const own = run.graph.hosts.map(({ tables, prefix }, i) => ({
    name: prefix,
    baseNs: BigInt(i === GUEST ? ahead : 0),
    offsetNs: 0n,
    firstEvent: Math.min(...tables.cpus.map((cpu) => cpu.first)),
  }));
  const clocks = experimentClock(own, [], { offsets: new Map([[GUEST, BigInt(-ahead)]]) });
  const { transform } = clocks.hosts[HOST];
  const hosts = run.graph.hosts.map((each, i) => {
    const { transform: ownTransform } = clocks.hosts[i];
    // Back to the host's own times, which are true.
    return { ...each, toGraph: (time: number) => transform.toHost(ownTransform.toExperiment(time)) };
  });
  const matches = hosts.map(({ tables }, i) => matchedPackets(tables.packets, run.sync.matches[i]));
  const [from, to] = lifeOf(run, thread);
  const found = await foundParts(await graphOfHosts(hosts, matches), run.keyOf(thread), from, to);
  expect(found).toEqual(trueParts(run, from, to));
}

describe('programs on a virtual machine', () => {
  it('are preempted by its host, and wait for its disk', async () => {
    const run = await runPlay({
      seed: 5,
      hosts: [
        { cpus: 2, others: 1, vectors: false, runsOn: HOST },
        { cpus: 2, others: 3, vectors: false },
      ],
      weather: { delayNs: 0, jitterNs: 0, loss: 0, offload: false },
      ipv6: false,
      steps: Array.from({ length: 20 }, () => ({ does: 'compute', ns: 400_000 })),
    });
    const [from, to] = lifeOf(run, run.played.thread);
    const lines = trueParts(run, from, to).join();
    expect(lines).toMatch(/Preempted by the host by host1:\d+ \d+/);
    expect(lines).toMatch(/Blocked on the host by disk \d+/);
  });

  it('lost to its host what that really took, to those who really had it', () =>
    forAll(50, [guestPlay(linearClock)], expectTrueParts));

  it('the same by a clock that is ahead, once it is told how much', async () => {
    const ahead = fc.integer({ min: 0, max: 5_000_000_000 });
    const right = fc.constant(RIGHT_CLOCK);
    await forAll(15, [guestPlay(right), ahead], expectShiftOnly);
  });
});
