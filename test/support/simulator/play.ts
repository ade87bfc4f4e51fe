/**
 * Plays a program on some machines that one network joins, traced from their boot on: so everything about its threads is
 * known. The studied thread, whose program it is, is born on the first machine.
 */
import type { TraceFiles } from '../ctf-writer/trace-writer.ts';
import { Agenda } from './agenda.ts';
import { boot, filesOf, flushNowAndThen, place } from './boot.ts';
import { Disk, Journal, Lock, sleep } from './channels.ts';
import type { HostClock } from './clocks.ts';
import { DEVICES } from './interrupts.ts';
import { Machine, type Disguise, type Program, type Settings, type Thread } from './machine.ts';
import { Network, type Weather } from './network.ts';
import { newWorld, userLife } from './programs.ts';
import { randomOf } from './random.ts';
import { block, fork, runCpu } from './scheduler.ts';
import { end, Performance, type Site, type Step } from './steps.ts';
import { call, waitOf } from './system-calls.ts';
import { Tracer } from './tracer.ts';
import { Truth } from './truth.ts';
import { machineLife } from './virtual-machine.ts';

export interface Play {
  readonly seed: number;
  readonly hosts: readonly {
    readonly cpus: number;
    /** Threads that do this and that, and are no part of the program. */
    readonly others: number;
    readonly vectors: boolean;
    /** As in `Settings`. */
    readonly spreads?: boolean;
    readonly clock?: HostClock;
    readonly disguise?: Disguise;
    /** Number of the host of which this one is a virtual machine. */
    readonly runsOn?: number;
  }[];
  readonly weather: Weather;
  readonly ipv6: boolean;
  readonly steps: readonly Step[];
}

interface PlayedHost {
  readonly name: string;
  readonly machine: Machine;
  readonly files: TraceFiles;
  /** True times of its events by their times in the trace (HostNs). */
  readonly trueTimes: ReadonlyMap<number, number>;
  readonly locks: readonly Lock[];
}

export interface Played {
  readonly hosts: readonly PlayedHost[];
  /** The studied thread. */
  readonly thread: Thread;
}

export const INIT_TID = 1;
const JOURNAL_TID = 60;
const FIRST_TID = 100;
/** A program that is not through then hangs. */
const MOST_NS = 4_000_000_000;
/** Goes on when the program has ended. */
const AFTERMATH_NS = 1_000_000;

export function play(story: Play): Played {
  const random = randomOf(story.seed);
  // A clock that is slow shows times that are nearer to each other.
  const agenda = new Agenda(story.hosts.length > 1 ? 4 : 1);
  const sites = story.hosts.map((_, host) => newSite(story, host, agenda));
  const performance = new Performance(sites, new Network(story.weather, random));
  performance.prepare(sites[0], story.steps);
  const studied: { thread?: Thread } = {};
  // Of a thread that has not run nothing is known.
  const isReady = (): boolean =>
    performance.isServing &&
    sites.every(({ machine }) =>
      machine.threads.every(({ stays }) => stays.some(({ state }) => state === 'running')),
    );
  sites.forEach((site, host) => {
    const lives = performance.services.filter((service) => service.site === site).map(({ life }) => life);
    const guests = sites.filter((_, guest) => story.hosts[guest].runsOn === host);
    for (const guest of guests) lives.push((self) => machineLife(site.machine, self, guest.machine));
    const main = (self: Thread): Program => {
      studied.thread = self;
      return mainLife(performance, site, self, story.steps);
    };
    place(site.machine, INIT_TID, undefined, site.machine.cpus[0], {
      name: 'init',
      program: (self) => initLife(site.machine, self, lives, host === 0 ? main : undefined, isReady),
    });
    if (story.hosts[host].runsOn === undefined)
      for (const cpu of site.machine.cpus) site.machine.start(cpu, runCpu(site.machine, cpu));
    site.machine.tracer.begin(site.machine);
    flushNowAndThen(site.machine);
  });
  agenda.run(MOST_NS);
  for (const { machine } of sites) machine.tracer.end();
  const { thread } = studied;
  if (thread?.state !== 'zombie') throw new Error('the program did not come to its end');
  return {
    hosts: sites.map(({ machine, locks }) => ({
      name: machine.settings.hostname ?? '',
      machine,
      files: filesOf(machine.tracer),
      trueTimes: machine.tracer.trueTimes,
      locks,
    })),
    thread,
  };
}

/** Address of a host, IPv4 or IPv6. */
function addressOf(host: number, ipv6: boolean): readonly number[] {
  return ipv6 ? [0xfd00, 0, 0, 0, 0, 0, 0, host + 1] : [10, 0, 0, host + 1];
}

function newSite(story: Play, host: number, agenda: Agenda): Site {
  const { cpus, others, vectors, clock, disguise, spreads } = story.hosts[host];
  const settings: Settings = {
    seed: story.seed,
    cpus,
    threads: others,
    durationNs: MOST_NS,
    generation: 'new',
    waking: true,
    vectors,
    stateDump: false,
    reuseTids: false,
    losses: 0,
    lostPackets: 0,
    packetBytes: 16_384,
    header: 'large',
    devices: true,
    hypervisor: story.hosts.some(({ runsOn }) => runsOn === host),
    hostname: `host${host}`,
    hostNumber: host,
    clock,
    disguise,
    spreads,
  };
  const random = randomOf(story.seed * 16 + host);
  const machine = new Machine(settings, random, new Tracer(settings), new Truth('new'), agenda);
  const kthreadd = boot(machine);
  const disk = new Disk(random.pick([DEVICES.nvme, DEVICES.disk]));
  const journal = new Journal(disk);
  place(machine, JOURNAL_TID, kthreadd, random.pick(machine.cpus), {
    name: 'jbd2/vda-8',
    kernel: true,
    program: (self) => journal.life(machine, self),
  });
  const world = newWorld();
  for (let n = 0; n < others; n++) {
    const name = `other-${n}`;
    place(machine, FIRST_TID + n, undefined, random.pick(machine.cpus), {
      name,
      program: (self) => userLife(machine, self, world),
    });
  }
  return { machine, disk, journal, locks: [new Lock(), new Lock()], numbers: addressOf(host, story.ipv6) };
}

/** Starts the servers, a while later the program, and waits. */
function* initLife(
  machine: Machine,
  self: Thread,
  servers: readonly ((self: Thread) => Program)[],
  main: ((self: Thread) => Program) | undefined,
  isReady: () => boolean,
): Program {
  yield* sleep(machine, self, 100_000);
  for (const server of servers) yield* start(machine, self, server);
  do yield* sleep(machine, self, 500_000);
  while (!isReady());
  if (main) yield* start(machine, self, main);
  yield* block(machine, self, 'S', waitOf(self));
}

function* start(machine: Machine, self: Thread, program: (self: Thread) => Program): Program {
  const body = function* (): Program {
    yield (cpu) => fork(machine, self, cpu, { name: self.name, program }, () => {});
  };
  yield* call(machine, self, 'clone', { clone_flags: 0x1200011 }, body, () => 1);
}

function* mainLife(performance: Performance, site: Site, self: Thread, steps: readonly Step[]): Program {
  const { machine } = site;
  yield* performance.perform(site, self, steps);
  // Nothing keeps it from its end any more.
  yield* end(machine, self, function* () {
    stopAfter(machine, self);
  });
}

/** A thread that is through may still wait for a CPU: its host may have taken that away. */
function stopAfter(machine: Machine, thread: Thread): void {
  machine.at(machine.now + AFTERMATH_NS, () => {
    if (thread.state === 'zombie') machine.agenda.stop();
    else stopAfter(machine, thread);
  });
}
