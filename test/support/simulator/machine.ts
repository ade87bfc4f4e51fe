/**
 * The simulated machine: what it is made of, its clock and its agenda. What it does is in `scheduler.ts`,
 * `interrupts.ts` and `programs.ts`; what a tracer sees of it in `tracer.ts`, and what may be known from that in
 * `truth.ts`. Times are ns since the machine's boot.
 */
import { Agenda } from './agenda.ts';
import { BOOT_CYCLES, RIGHT_CLOCK, shownAt, type HostClock } from './clocks.ts';
import type { Random } from './random.ts';
import type { Tracer } from './tracer.ts';
import type { Truth } from './truth.ts';

export interface Settings {
  readonly seed: number;
  readonly cpus: number;
  /** User threads at the begin. */
  readonly threads: number;
  /** Length of the trace. */
  readonly durationNs: number;
  /** Event names and prev_state values of Linux 6.1 with LTTng 2.13, or of 3.16 with LTTng 2.5. */
  readonly generation: 'new' | 'old';
  /** Whether sched_waking is recorded. */
  readonly waking: boolean;
  /** Whether x86 interrupt vectors are recorded. */
  readonly vectors: boolean;
  readonly stateDump: boolean;
  /** Whether tids of dead threads are given again. */
  readonly reuseTids: boolean;
  /** Probability that a full buffer finds no free sub-buffer, so that events are lost. */
  readonly losses: number;
  /** Probability that a whole packet is overwritten before it is read. */
  readonly lostPackets: number;
  /** Size of a sub-buffer, bytes. */
  readonly packetBytes: number;
  readonly header: 'compact' | 'large';
  /** Whether disk requests and network packets are recorded. */
  readonly devices?: boolean;
  /** Whether it runs virtual machines, and that is recorded. */
  readonly hypervisor?: boolean;
  /** Default `simulated`. */
  readonly hostname?: string;
  /** Tells hosts of one network apart, 0 to 15. */
  readonly hostNumber?: number;
  /** Default: one that is right. */
  readonly clock?: HostClock;
  /** Numbers that the trace has instead of the machine's. */
  readonly disguise?: Disguise;
  /** Whether a thread that becomes ready goes to a CPU that is idle, where there is one; default: by chance. */
  readonly spreads?: boolean;
}

/** Other numbers for threads and CPUs, one for each. */
export interface Disguise {
  tid(tid: number): number;
  cpu(cpu: number): number;
}

/** What a CPU does for a while: yields ns for which it is busy; an interrupt comes only at `interruptible` pauses. */
export type Work = Generator<number, void>;

/** What a thread does: ns of computing, or work in the kernel that the CPU it is on at that time carries out. */
export type Action = number | ((cpu: Cpu) => Work);
export type Program = Generator<Action, void>;

export type BlockState = 'S' | 'D' | 'T' | 't' | 'I' | 'P';
export type LifeState = 'new' | 'runnable' | 'running' | 'blocked' | 'waking' | 'zombie';

/** Something a thread waits for. */
export interface Wait {
  done: boolean;
  readonly thread: Thread;
}

/** Who or what ends a wait, as the program knows that it causes it. */
export type Source =
  | { readonly kind: 'thread'; readonly thread: Thread }
  | { readonly kind: 'network'; readonly arrival?: Arrival }
  | { readonly kind: 'timer' | 'disk' | 'user input' | 'softirq' | 'acpi' };

/** A run of a softirq. */
export interface SoftirqRun {
  readonly cpu: Cpu;
  readonly vector: number;
  /** First raise since it was entered last; undefined: none. */
  readonly raised: number | undefined;
  readonly entered: number;
}

/** A packet that an interrupt of a CPU received. */
export interface Arrival {
  readonly machine: Machine;
  readonly cpu: Cpu;
  readonly time: number;
  readonly softirq: SoftirqRun | undefined;
  readonly sending: Sending;
}

/** A packet that left: from a thread, or from the interrupt that received `answers` before. */
export interface Sending {
  readonly machine: Machine;
  readonly time: number;
  readonly thread: Thread | undefined;
  readonly answers: Arrival | undefined;
  readonly cpu: Cpu;
  /** The same packet as it was sent before. */
  readonly before: Sending | undefined;
}

/** What a thread really did from `from` until its next stay. */
export interface Stay {
  readonly from: number;
  /** Where it runs, is queued, or ran last. */
  readonly cpu: Cpu;
  readonly state: 'running' | 'ready' | 'blocked' | 'gone';
  /** Of blocked ones that ended: what ended it, and when the signal was given. */
  source?: Source;
  signal?: number;
  /** The softirq that gave the signal. */
  softirq?: SoftirqRun;
}

export interface Thread {
  readonly tid: number;
  readonly pid: number;
  readonly ppid: number;
  readonly kernel: boolean;
  readonly prio: number;
  name: string;
  state: LifeState;
  /** Where it runs, or ran last. */
  cpu: Cpu;
  program: Program;
  /** ns of computing left of the action it is in. */
  left: number;
  /** Name of the pending system call. */
  call: string | undefined;
  /** Set when it has declared that it is about to block, until it is woken. */
  going: BlockState | undefined;
  /** Past the point where a waker could still keep it from leaving its CPU. */
  leaving: boolean;
  /** Somebody is waking it: nobody else may. */
  beingWoken: boolean;
  freed: boolean;
  readonly parent: Thread | undefined;
  readonly stays: Stay[];
  /** The signal of the wake-up that is under way. */
  woken:
    | {
        readonly source: Source | undefined;
        readonly time: number;
        readonly softirq: SoftirqRun | undefined;
      }
    | undefined;
}

export interface Frame {
  readonly kind: 'irq' | 'softirq' | 'hrtimer' | 'vector';
  readonly id: number | string;
  readonly name: string;
  /** A softirq that ksoftirqd runs itself: it interrupts nobody. */
  readonly own: boolean;
  readonly softirq?: SoftirqRun;
}

export type Interrupt =
  | {
      readonly kind: 'device';
      readonly irq: number;
      readonly name: string;
      readonly body: (cpu: Cpu) => Work;
    }
  | { readonly kind: 'timer'; readonly timer: number; readonly body: (cpu: Cpu) => Work }
  | { readonly kind: 'reschedule' };

export interface Cpu {
  readonly index: number;
  readonly idle: Thread;
  current: Thread;
  readonly frames: Frame[];
  readonly queue: Thread[];
  readonly interrupts: Interrupt[];
  /** Raised softirqs, oldest first. */
  readonly softirqs: { readonly vector: number; readonly body: (cpu: Cpu) => Work }[];
  /** Time of the first raise of each since it was entered last. */
  readonly raises: Map<number, number>;
  /** Threads that other CPUs woke for this one to queue. */
  readonly wakeList: Thread[];
  ksoftirqd: Thread | undefined;
  reschedule: boolean;
  /** In a pause that an interrupt may cut short. */
  interruptible: boolean;
  tickArmed: boolean;
}

/** One machine: its CPUs and threads, and what lets its CPUs go on. */
export class Machine {
  readonly settings: Settings;
  readonly random: Random;
  readonly cpus: Cpu[] = [];
  readonly threads: Thread[] = [];
  readonly tracer: Tracer;
  readonly truth: Truth;
  readonly agenda: Agenda;
  /** The threads of the machine's host that its CPUs are, if it is a virtual one. */
  readonly virtualCpus = new Map<Cpu, { readonly thread: Thread; readonly kick: () => void }>();
  readonly #running = new Map<Cpu, { work: Work; ticket: number }>();

  constructor(settings: Settings, random: Random, tracer: Tracer, truth: Truth, agenda = new Agenda()) {
    this.settings = settings;
    this.random = random;
    this.tracer = tracer;
    this.truth = truth;
    this.agenda = agenda;
  }

  /** True time. */
  get now(): number {
    return this.agenda.now;
  }

  /** What the tracer's clock shows now. */
  get cycles(): bigint {
    return BOOT_CYCLES + BigInt(shownAt(this.settings.clock ?? RIGHT_CLOCK, this.now));
  }

  /** Calls `run` at `time`, or now when that has passed. */
  at(time: number, run: () => void): void {
    this.agenda.at(time, run);
  }

  /** Lets a CPU work for ever, as `work` says. */
  start(cpu: Cpu, work: Work): void {
    this.#running.set(cpu, { work, ticket: 0 });
    this.#goOn(cpu, 0);
  }

  /** A thread of a host lets a CPU work (`step`), and hears when its pause is cut short. */
  virtualise(cpu: Cpu, thread: Thread, kick: () => void): void {
    this.virtualCpus.set(cpu, { thread, kick });
  }

  /** Cuts the CPU's pause short, when an interrupt may. */
  kick(cpu: Cpu): void {
    if (!cpu.interruptible) return;
    const virtual = this.virtualCpus.get(cpu);
    if (virtual === undefined) this.#goOn(cpu, this.random.between(100, 2000));
    else virtual.kick();
  }

  /** The CPU does what is next. @returns ns for which that keeps it busy */
  step(cpu: Cpu, work: Work): number {
    this.agenda.takeTurn(cpu);
    cpu.interruptible = false;
    return work.next().value ?? Infinity;
  }

  /** Runs until `end`. */
  run(end: number, watch?: (machine: Machine) => void): void {
    this.agenda.run(end, () => watch?.(this));
  }

  #goOn(cpu: Cpu, delay: number): void {
    const running = this.#running.get(cpu);
    if (running === undefined) return;
    const ticket = ++running.ticket;
    this.at(this.now + delay, () => {
      if (ticket === running.ticket) this.#goOn(cpu, this.step(cpu, running.work));
    });
  }
}

/** A pause that interrupts may cut short. */
export function* pause(cpu: Cpu, ns: number): Work {
  cpu.interruptible = true;
  yield ns;
}
