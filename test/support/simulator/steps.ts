/**
 * Synchronous programs: a thread does one step after the other, and who asks another waits for the answer. A program is a
 * tree of plain data, so that a failing one can be made smaller.
 */
import {
  alarm,
  Barrier,
  Pipe,
  readDisk,
  sleep,
  wakeItself,
  type Disk,
  type Journal,
  type Lock,
} from './channels.ts';
import type { Cpu, Machine, Program, Thread, Wait, Work } from './machine.ts';
import type { Network } from './network.ts';
import { block, complete, exit, fork, free } from './scheduler.ts';
import { call, enter, leave, waitOf } from './system-calls.ts';
import { connect, type Host, type TcpSocket } from './tcp.ts';
import { flowBetween, type UdpSocket } from './udp.ts';

export type Step =
  | { readonly does: 'compute' | 'sleep' | 'read' | 'sync' | 'alarm'; readonly ns: number }
  | { readonly does: 'wake itself' }
  /** Waits for the other teams of the spawn around, which do it as often. */
  | { readonly does: 'meet' }
  /** While it holds a lock, of which there are a few. */
  | { readonly does: 'lock'; readonly lock: number; readonly ns: number }
  /** A child process, or threads: each its steps; then all meet at a barrier, if `meets`; waits for their ends. */
  | { readonly does: 'spawn'; readonly meets: boolean; readonly teams: readonly (readonly Step[])[] }
  /** Asks a server, which does its steps and answers. */
  | { readonly does: 'ask'; readonly via: 'pipe'; readonly server: readonly Step[] }
  | {
      readonly does: 'ask';
      readonly via: 'tcp' | 'udp';
      /** Of the server, modulo the number there are. */
      readonly host: number;
      readonly bytes: number;
      /** Waits until the question has arrived, before it waits for the answer. */
      readonly drains: boolean;
      /** Computes before it waits for an answer over TCP, ns. Default: nothing. */
      readonly busyNs?: number;
      readonly server: readonly Step[];
    };

/** A machine with what its threads share. */
export interface Site {
  readonly machine: Machine;
  readonly disk: Disk;
  readonly journal: Journal;
  readonly locks: readonly Lock[];
  /** IPv4 or IPv6. */
  readonly numbers: readonly number[];
}

const MEETING: Step = { does: 'meet' };

type Asking = Extract<Step, { does: 'ask' }>;

/** How a client asks and a server hears and answers. */
interface Talk {
  ask(thread: Thread): Program;
  receive(thread: Thread): Program;
  answer(thread: Thread): Program;
}

/** A thread that has to be there before the program starts. */
export interface Service {
  readonly site: Site;
  readonly life: (thread: Thread) => Program;
}

/** Performs programs on the machines of a network. */
export class Performance {
  readonly services: Service[] = [];
  #serving = 0;
  readonly #sites: readonly Site[];
  readonly #network: Network;
  readonly #talks = new Map<Step, Talk>();
  #ports = 40_000;

  constructor(sites: readonly Site[], network: Network) {
    this.#sites = sites;
    this.#network = network;
  }

  /** Whether all servers have begun. */
  get isServing(): boolean {
    return this.#serving === this.services.length;
  }

  /** Opens what the steps need: servers and the ways to them. */
  prepare(site: Site, steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.does === 'spawn') for (const team of step.teams) this.prepare(site, team);
      if (step.does === 'ask') this.#open(site, step);
    }
  }

  /** @param barrier of the teams that the thread is one of */
  *perform(site: Site, thread: Thread, steps: readonly Step[], barrier = new Barrier(1)): Program {
    for (const step of steps) {
      yield site.machine.random.between(500, 5_000);
      yield* this.#do(site, thread, step, barrier);
    }
  }

  *#do(site: Site, thread: Thread, step: Step, barrier: Barrier): Program {
    const { machine } = site;
    switch (step.does) {
      case 'compute':
        yield step.ns;
        return;
      case 'sleep':
        return yield* sleep(machine, thread, step.ns);
      case 'read':
        return yield* readDisk(machine, thread, site.disk, step.ns);
      case 'sync':
        return yield* site.journal.write(machine, thread, step.ns);
      case 'alarm':
        return yield* alarm(machine, thread, step.ns);
      case 'wake itself':
        return yield* wakeItself(machine, thread);
      case 'meet':
        return yield* barrier.wait(machine, thread);
      case 'lock': {
        const lock = site.locks[step.lock % site.locks.length];
        yield* lock.acquire(machine, thread);
        yield step.ns;
        return yield* lock.release(machine, thread);
      }
      case 'spawn':
        return yield* this.#spawn(site, thread, step.teams, step.meets);
      case 'ask':
        return yield* this.#talkOf(step).ask(thread);
    }
  }

  *#spawn(site: Site, thread: Thread, teams: readonly (readonly Step[])[], meets: boolean): Program {
    const { machine } = site;
    const barrier = new Barrier(teams.length);
    const children: { readonly wait: Wait; thread?: Thread }[] = [];
    for (const team of teams) {
      const child: { readonly wait: Wait; thread?: Thread } = { wait: waitOf(thread) };
      children.push(child);
      const steps = meets ? [...team, MEETING] : team;
      const life = (self: Thread): Program => this.#childLife(site, self, steps, barrier, child.wait);
      const body = function* (): Program {
        yield (cpu) =>
          fork(machine, thread, cpu, { name: thread.name, program: life }, (born) => (child.thread = born));
      };
      yield* call(machine, thread, 'clone', { clone_flags: 0x1200011 }, body, () => child.thread?.tid ?? 0);
    }
    for (const child of children) {
      const reap = function* (): Program {
        yield* block(machine, thread, 'S', child.wait);
        const dead = child.thread;
        if (dead) yield (cpu) => free(machine, cpu, dead);
      };
      yield* call(machine, thread, 'wait4', { upid: -1 }, reap, () => child.thread?.tid ?? 0);
    }
  }

  *#childLife(site: Site, self: Thread, steps: readonly Step[], barrier: Barrier, parent: Wait): Program {
    const { machine } = site;
    yield leave(machine, self, 'clone', 0);
    yield* this.perform(site, self, steps, barrier);
    yield* end(machine, self, (cpu) => complete(machine, cpu, parent, { kind: 'thread', thread: self }));
  }

  #talkOf(step: Asking): Talk {
    const talk = this.#talks.get(step);
    if (talk === undefined) throw new Error('a program is prepared before it is performed');
    return talk;
  }

  #open(site: Site, step: Asking): void {
    if (this.#talks.has(step)) return;
    const there = step.via === 'pipe' ? site : this.#sites[step.host % this.#sites.length];
    const talk = this.#newTalk(site, there, step);
    this.#talks.set(step, talk);
    this.prepare(there, step.server);
    const life = function* (this: Performance, self: Thread): Program {
      this.#serving++;
      yield leave(there.machine, self, 'clone', 0);
      for (;;) {
        yield* talk.receive(self);
        yield* this.perform(there, self, step.server);
        yield* talk.answer(self);
      }
    };
    this.services.push({ site: there, life: life.bind(this) });
  }

  #newTalk(site: Site, there: Site, step: Asking): Talk {
    if (step.via === 'pipe') return pipeTalk(site.machine);
    const client = this.#hostOf(site);
    const server = this.#hostOf(there);
    if (step.via === 'udp') return udpTalk(flowBetween(this.#network, client, server), step.bytes);
    return tcpTalk(connect(this.#network, client, server), step);
  }

  #hostOf({ machine, numbers }: Site): Host {
    return { machine, address: { numbers, port: this.#ports++ } };
  }
}

function pipeTalk(machine: Machine): Talk {
  const question = new Pipe();
  const answer = new Pipe();
  return {
    *ask(thread) {
      yield* question.write(machine, thread);
      yield* answer.read(machine, thread);
    },
    receive: (thread) => question.read(machine, thread),
    answer: (thread) => answer.write(machine, thread),
  };
}

function tcpTalk(
  [client, server]: readonly [TcpSocket, TcpSocket],
  { bytes, drains, busyNs = 0 }: Extract<Asking, { via: 'tcp' | 'udp' }>,
): Talk {
  return {
    *ask(thread) {
      yield* client.write(thread, bytes);
      if (drains) yield* client.drain(thread);
      if (busyNs > 0) yield busyNs;
      yield* client.read(thread, bytes);
    },
    receive: (thread) => server.read(thread, bytes),
    answer: (thread) => server.write(thread, bytes),
  };
}

/** A question may come twice, when it or its answer was late or lost: it is answered again, without work. */
function udpTalk([client, server]: readonly [UdpSocket, UdpSocket], bytes: number): Talk {
  const size = Math.min(bytes, 1400);
  let asked = 0;
  let served = 0;
  return {
    *ask(thread) {
      asked++;
      for (let answer: number | undefined; answer !== asked;) {
        if (answer === undefined) yield* client.write(thread, asked, size);
        yield* client.read(thread, true, (message) => (answer = message));
      }
    },
    *receive(thread) {
      for (let question: number | undefined; ;) {
        yield* server.read(thread, false, (message) => (question = message));
        if (question === served + 1) break;
        if (question !== undefined && question <= served) yield* server.write(thread, question, size);
      }
    },
    *answer(thread) {
      served++;
      yield* server.write(thread, served, size);
    },
  };
}

/** The thread ends; `notify` tells who waits for that. */
export function* end(machine: Machine, thread: Thread, notify: (cpu: Cpu) => Work): Program {
  yield enter(machine, thread, 'exit_group', { error_code: 0 });
  yield* exit(machine, thread, notify);
}
