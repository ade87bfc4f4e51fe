/**
 * The simulated machine: what it is made of, its clock and its agenda. What it does is in `scheduler.ts`,
 * `interrupts.ts` and `programs.ts`; what a tracer sees of it in `tracer.ts`, and what may be known from that in
 * `truth.ts`. Times are ns since the machine's boot.
 */
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
}

export interface Frame {
  readonly kind: 'irq' | 'softirq' | 'hrtimer' | 'vector';
  readonly id: number | string;
  readonly name: string;
  /** A softirq that ksoftirqd runs itself: it interrupts nobody. */
  readonly own: boolean;
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
  /** Threads that other CPUs woke for this one to queue. */
  readonly wakeList: Thread[];
  ksoftirqd: Thread | undefined;
  reschedule: boolean;
  /** In a pause that an interrupt may cut short. */
  interruptible: boolean;
  tickArmed: boolean;
}

interface Appointment {
  readonly time: number;
  readonly sequence: number;
  readonly run: () => void;
}

/** The machine with its agenda: who goes on at what time. */
export class Machine {
  readonly settings: Settings;
  readonly random: Random;
  readonly cpus: Cpu[] = [];
  readonly threads: Thread[] = [];
  readonly tracer: Tracer;
  readonly truth: Truth;
  now = 0;
  #lastActor = -1;
  #sequence = 0;
  readonly #agenda: Appointment[] = [];
  readonly #running = new Map<Cpu, { work: Work; ticket: number }>();

  constructor(settings: Settings, random: Random, tracer: Tracer, truth: Truth) {
    this.settings = settings;
    this.random = random;
    this.tracer = tracer;
    this.truth = truth;
  }

  /** Calls `run` at `time`, or now when that has passed. */
  at(time: number, run: () => void): void {
    const appointment = { time: Math.max(time, this.now), sequence: this.#sequence++, run };
    const agenda = this.#agenda;
    let at = agenda.push(appointment) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(appointment, agenda[up]); up = (at - 1) >> 1) {
      agenda[at] = agenda[up];
      at = up;
    }
    agenda[at] = appointment;
  }

  /** Lets a CPU work for ever, as `work` says. */
  start(cpu: Cpu, work: Work): void {
    this.#running.set(cpu, { work, ticket: 0 });
    this.#goOn(cpu, 0);
  }

  /** Cuts the CPU's pause short, when an interrupt may. */
  kick(cpu: Cpu): void {
    if (cpu.interruptible) this.#goOn(cpu, this.random.between(100, 2000));
  }

  /** Runs until `end`. */
  run(end: number, watch?: (machine: Machine) => void): void {
    for (let next = this.#take(); next !== undefined && next.time < end; next = this.#take()) {
      this.now = Math.max(this.now, next.time);
      next.run();
      watch?.(this);
    }
    this.now = end;
  }

  #goOn(cpu: Cpu, delay: number): void {
    const running = this.#running.get(cpu);
    if (running === undefined) return;
    const ticket = ++running.ticket;
    this.at(this.now + delay, () => {
      if (ticket === running.ticket) this.#step(cpu, running.work);
    });
  }

  /** Two CPUs never act at the same ns: so the order by (time, CPU) is the order in which things happened. */
  #step(cpu: Cpu, work: Work): void {
    if (cpu.index !== this.#lastActor) this.now++;
    this.#lastActor = cpu.index;
    cpu.interruptible = false;
    const { value } = work.next();
    this.#goOn(cpu, value ?? Infinity);
  }

  #take(): Appointment | undefined {
    const agenda = this.#agenda;
    const first = agenda[0];
    const moved = agenda.pop();
    if (first === undefined || moved === undefined || agenda.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= agenda.length) break;
      if (down + 1 < agenda.length && isBefore(agenda[down + 1], agenda[down])) down++;
      if (!isBefore(agenda[down], moved)) break;
      agenda[at] = agenda[down];
      at = down;
    }
    agenda[at] = moved;
    return first;
  }
}

function isBefore(a: Appointment, b: Appointment): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence);
}

/** A pause that interrupts may cut short. */
export function* pause(cpu: Cpu, ns: number): Work {
  cpu.interruptible = true;
  yield ns;
}
