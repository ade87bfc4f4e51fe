/** One simulated recording: a machine that has been running for a while, traced for some time. */
import type { TraceFiles } from '../ctf-writer/trace-writer.ts';
import { boot, filesOf, flushNowAndThen, place } from './boot.ts';
import { BOOT_CYCLES } from './clocks.ts';
import { Machine, type Settings, type Thread, type Wait } from './machine.ts';
import { dumpLife, newWorld, userLife, workerLife, type World } from './programs.ts';
import { randomOf } from './random.ts';
import { complete, runCpu, type Birth } from './scheduler.ts';
import { interruptAt } from './interrupts.ts';
import { Tracer } from './tracer.ts';
import { Truth, type CpuTruth, type LossPiece, type ThreadTruth } from './truth.ts';

export interface Simulation {
  readonly settings: Settings;
  readonly files: TraceFiles;
  /** Clock value (ns, epoch offset not included) of time 0 in everything below. */
  readonly origin: bigint;
  /** Times of the first and last event recorded. */
  readonly first: number;
  readonly last: number;
  readonly events: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly threads: readonly ThreadTruth[];
  readonly cpus: readonly CpuTruth[];
  readonly losses: readonly LossPiece[];
}

const WARM_UP_NS = 8_000_000;

/** Settings drawn from the seed: every generation, feature and loss comes up. */
export function settingsOf(seed: number): Settings {
  const random = randomOf(seed ^ 0x5bd1e995);
  const lossy = random.chance(0.4);
  return {
    seed,
    cpus: random.between(1, 5),
    threads: random.between(1, 10),
    durationNs: random.between(2_000_000, 40_000_000),
    generation: random.chance(0.7) ? 'new' : 'old',
    waking: random.chance(0.75),
    vectors: random.chance(0.4),
    stateDump: random.chance(0.85),
    // Not drawn where events are lost, so that seeds that once failed stay what they were.
    reuseTids: lossy ? seed % 5 < 2 : random.chance(0.7),
    losses: lossy ? 0.3 : 0,
    lostPackets: lossy && random.chance(0.4) ? 0.15 : 0,
    packetBytes: random.pick([512, 1024, 4096, 16384]),
    header: random.pick(['compact', 'large'] as const),
  };
}

/** Runs the machine and gives trace and truth; `watch` is called after whatever happens while it is traced. */
export function simulate(settings: Settings, watch?: (machine: Machine) => void): Simulation {
  // Who runs before a CPU's first switch is told by what comes later, so by another run.
  const ahead = new Truth(settings.generation);
  record(settings, ahead);
  return record(settings, new Truth(settings.generation, ahead.starts()), watch);
}

function record(settings: Settings, truth: Truth, watch?: (machine: Machine) => void): Simulation {
  const random = randomOf(settings.seed);
  const tracer = new Tracer(settings);
  const machine = new Machine(settings, random, tracer, truth);
  const begin = populate(machine);
  for (const cpu of machine.cpus) machine.start(cpu, runCpu(machine, cpu));
  machine.run(WARM_UP_NS);
  tracer.begin(machine);
  if (settings.stateDump) {
    interruptAt(machine, machine.now + 5_000, machine.cpus[0], {
      kind: 'timer',
      timer: 0x7000,
      body: (cpu) => complete(machine, cpu, begin, { kind: 'timer' }),
    });
  }
  flushNowAndThen(machine);
  machine.run(WARM_UP_NS + settings.durationNs, watch);
  tracer.end();
  truth.finish(tracer.last);
  return {
    settings,
    files: filesOf(tracer),
    origin: BOOT_CYCLES,
    first: tracer.first,
    last: tracer.last,
    events: [...tracer.counts.values()].reduce((sum, count) => sum + count, 0),
    counts: tracer.counts,
    threads: truth.threads,
    cpus: truth.cpus,
    losses: truth.losses,
  };
}

/** CPUs, kernel and user threads; returns what the tracer's daemon waits for. */
function populate(machine: Machine): Wait {
  const { random } = machine;
  const world = newWorld();
  const kthreadd = boot(machine);
  for (let n = 0; n < 2; n++) {
    const birth = {
      name: `kworker/u8:${n}`,
      kernel: true,
      program: (self: Thread) => workerLife(machine, self, world),
    };
    place(machine, 40 + n, kthreadd, random.pick(machine.cpus), birth);
  }
  const begin: { wait?: Wait } = {};
  place(machine, 90, undefined, machine.cpus[0], {
    name: 'lttng-sessiond',
    program: (self) => dumpLife(machine, self, (begin.wait = { done: false, thread: self })),
  });
  placeUsers(machine, world);
  if (begin.wait === undefined) throw new Error('the daemon has not been placed');
  return begin.wait;
}

function placeUsers(machine: Machine, world: World): void {
  const { settings, random } = machine;
  let leader: Thread | undefined;
  for (let n = 0; n < settings.threads; n++) {
    const ofLeader = leader !== undefined && random.chance(0.4);
    const birth: Birth = {
      name: `user-${n}`,
      thread: ofLeader,
      program: (self) => userLife(machine, self, world),
    };
    const thread = place(machine, 100 + n, ofLeader ? leader : undefined, random.pick(machine.cpus), birth);
    if (!ofLeader) leader = thread;
  }
}
