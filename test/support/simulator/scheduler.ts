/** Who runs where: the loop of a CPU, switches, wake-ups, migrations, births and deaths. */
import { serveInterrupts, armTick } from './interrupts.ts';
import {
  pause,
  type Action,
  type BlockState,
  type Cpu,
  type LifeState,
  type Machine,
  type Program,
  type Source,
  type Stay,
  type Thread,
  type Wait,
  type Work,
} from './machine.ts';

/** The life of a CPU. */
export function* runCpu(machine: Machine, cpu: Cpu): Work {
  for (;;) {
    if (cpu.interrupts.length > 0) yield* serveInterrupts(machine, cpu);
    else if (cpu.current === cpu.idle) yield* idle(machine, cpu);
    else if (cpu.reschedule && cpu.queue.length > 0) yield* switchAway(machine, cpu, 'runnable');
    else yield* advance(machine, cpu, cpu.current);
  }
}

/** Until an interrupt comes. */
export const IDLE_NS = 1e9;

function* idle(machine: Machine, cpu: Cpu): Work {
  // An idle CPU that polls queues what others woke for it without an interrupt.
  if (cpu.wakeList.length > 0) yield* queueWoken(machine, cpu);
  if (cpu.queue.length > 0 || stealable(machine, cpu)) yield* switchAway(machine, cpu, 'runnable');
  else yield* pause(cpu, IDLE_NS);
}

/** The current thread computes for a while, or the CPU does its next piece of kernel work. */
function* advance(machine: Machine, cpu: Cpu, thread: Thread): Work {
  if (thread.left > 0) {
    const begin = machine.now;
    yield* pause(cpu, thread.left);
    thread.left = Math.max(0, thread.left - (machine.now - begin));
    return;
  }
  const { value } = thread.program.next();
  const action: Action = value ?? 1e6;
  if (typeof action === 'number') thread.left = action;
  else yield* action(cpu);
}

/** The current thread leaves the CPU, in the given state (`blocked` how); the next one, or idle, comes. */
function* switchAway(machine: Machine, cpu: Cpu, state: LifeState, blocked?: BlockState): Work {
  const prev = cpu.current;
  yield machine.random.between(50, 900);
  if (cpu.queue.length === 0) yield* steal(machine, cpu);
  cpu.reschedule = false;
  if (state === 'runnable' && cpu.queue.length === 0) return;
  const next = cpu.queue.shift() ?? cpu.idle;
  const preempted = state === 'runnable' && !machine.random.chance(0.3);
  if (state === 'runnable' && prev !== cpu.idle) cpu.queue.push(prev);
  prev.state = state;
  prev.leaving = false;
  enterStay(machine, prev, STAY_OF_STATE[state]);
  next.state = 'running';
  enterStay(machine, next, 'running');
  next.cpu = cpu;
  cpu.current = next;
  machine.tracer.switched(machine, cpu, prev, next, preempted, blocked);
  if (next !== cpu.idle) armTick(machine, cpu);
  yield machine.random.between(50, 400);
}

function stealable(machine: Machine, cpu: Cpu): Cpu | undefined {
  return machine.cpus.find((other) => other !== cpu && other.queue.length > 1);
}

/** Takes a runnable thread from a CPU that has several. */
function* steal(machine: Machine, cpu: Cpu): Work {
  const other = stealable(machine, cpu);
  const thread = other?.queue.findLast((each) => !each.name.startsWith('ksoftirqd/'));
  if (other === undefined || thread === undefined) return;
  other.queue.splice(other.queue.indexOf(thread), 1);
  migrate(machine, cpu, thread, cpu);
  cpu.queue.push(thread);
  yield machine.random.between(50, 300);
}

/**
 * Marks the wait as over and wakes its thread, from whatever runs on `cpu`; nothing when it was over already.
 * @param source what ends the wait
 */
export function* complete(machine: Machine, cpu: Cpu, wait: Wait, source: Source): Work {
  if (wait.done) return;
  wait.done = true;
  yield* wakeUp(machine, cpu, wait.thread, source);
}

/**
 * try_to_wake_up: logs `waking` where the waker is, and `wakeup` there or, for another CPU, often by that CPU. A thread
 * that has only declared to block goes on; one that is already leaving its CPU is queued after it left.
 */
export function* wakeUp(machine: Machine, cpu: Cpu, thread: Thread, source: Source): Work {
  const { tracer, random } = machine;
  if (thread.beingWoken || (thread.state !== 'blocked' && thread.going === undefined)) return;
  if (thread.state !== 'blocked' && !thread.leaving) {
    thread.going = undefined;
    tracer.woken(machine, cpu, thread, 'waking', thread.cpu);
    tracer.woken(machine, cpu, thread, 'wakeup', thread.cpu);
    return;
  }
  thread.beingWoken = true;
  thread.woken = { source, time: machine.now, softirq: cpu.frames.at(-1)?.softirq };
  thread.going = undefined;
  const early = thread.state !== 'blocked';
  if (!early) {
    thread.state = 'waking';
    if (machine.settings.waking) endBlocked(machine, thread);
  }
  tracer.woken(machine, cpu, thread, 'waking', thread.cpu);
  while (early && thread.state !== 'blocked') yield random.between(50, 200);
  thread.state = 'waking';
  yield random.between(50, 600);
  yield* enqueue(machine, cpu, thread);
}

function* enqueue(machine: Machine, cpu: Cpu, thread: Thread): Work {
  const { tracer, random } = machine;
  const target = chooseCpu(machine, thread);
  if (target !== thread.cpu) {
    migrate(machine, cpu, thread, target);
    yield random.between(50, 300);
  }
  if (target !== cpu && random.chance(0.5)) {
    target.wakeList.push(thread);
    target.interrupts.push({ kind: 'reschedule' });
    machine.kick(target);
    return;
  }
  endBlocked(machine, thread);
  tracer.woken(machine, cpu, thread, 'wakeup', target);
  makeRunnable(machine, thread, target);
}

/** What runs on `cpu` moves a thread that does not run to another CPU. */
function migrate(machine: Machine, cpu: Cpu, thread: Thread, target: Cpu): void {
  machine.tracer.migrated(machine, cpu, thread, thread.cpu, target);
  thread.cpu = target;
  if (thread.stays.at(-1)?.state === 'ready') enterStay(machine, thread, 'ready');
}

function chooseCpu(machine: Machine, thread: Thread): Cpu {
  if (thread.name.startsWith('ksoftirqd/')) return thread.cpu;
  if (machine.settings.spreads) return [thread.cpu, ...machine.cpus].find(isFree) ?? thread.cpu;
  if (thread.cpu.current === thread.cpu.idle || machine.random.chance(0.6)) return thread.cpu;
  return machine.random.pick(machine.cpus);
}

function isFree({ current, idle, queue, wakeList }: Cpu): boolean {
  return current === idle && queue.length === 0 && wakeList.length === 0;
}

function makeRunnable(machine: Machine, thread: Thread, cpu: Cpu): void {
  thread.state = 'runnable';
  thread.beingWoken = false;
  thread.cpu = cpu;
  cpu.queue.push(thread);
  if (machine.random.chance(0.4)) cpu.reschedule = true;
  machine.kick(cpu);
}

/** The CPU queues the threads that others woke for it. */
export function* queueWoken(machine: Machine, cpu: Cpu): Work {
  for (let thread = cpu.wakeList.shift(); thread !== undefined; thread = cpu.wakeList.shift()) {
    endBlocked(machine, thread);
    machine.tracer.woken(machine, cpu, thread, 'wakeup', cpu);
    makeRunnable(machine, thread, cpu);
    yield machine.random.between(50, 400);
  }
}

/**
 * The thread waits, in the given state, until somebody completes `wait`. Between declaring it and leaving the CPU it
 * can be interrupted, preempted and woken.
 */
export function* block(machine: Machine, thread: Thread, state: BlockState, wait: Wait): Program {
  while (!wait.done) {
    thread.going = state;
    yield machine.random.between(100, machine.random.chance(0.1) ? 40_000 : 1500);
    if (wait.done) break;
    yield function* (cpu) {
      if (thread.going === undefined) return;
      thread.leaving = true;
      yield machine.random.between(100, 3000);
      yield* switchAway(machine, cpu, 'blocked', state);
    };
  }
  thread.going = undefined;
}

const STAY_OF_STATE: Readonly<Record<LifeState, Stay['state']>> = {
  new: 'ready',
  runnable: 'ready',
  running: 'running',
  blocked: 'blocked',
  waking: 'ready',
  zombie: 'gone',
};

function enterStay(machine: Machine, thread: Thread, state: Stay['state']): void {
  thread.stays.push({ from: machine.now, cpu: thread.cpu, state });
}

/** The thread is blocked no more, as its wake-up says. */
function endBlocked(machine: Machine, thread: Thread): void {
  const last = thread.stays.at(-1);
  if (last?.state !== 'blocked') return;
  last.source = thread.woken?.source;
  last.signal = thread.woken?.time;
  last.softirq = thread.woken?.softirq;
  enterStay(machine, thread, 'ready');
}

export interface Birth {
  readonly name: string;
  readonly kernel?: boolean;
  /** A thread of its parent's process, not a process. */
  readonly thread?: boolean;
  readonly program: (thread: Thread) => Program;
}

/** A thread that has never run. */
export function newThread(
  machine: Machine,
  tid: number,
  parent: Thread | undefined,
  cpu: Cpu,
  birth: Birth,
): Thread {
  const nothing = (function* (): Program {})();
  const thread: Thread = {
    tid,
    pid: birth.thread && parent ? parent.pid : tid,
    ppid: birth.thread && parent ? parent.ppid : (parent?.pid ?? 0),
    kernel: birth.kernel ?? false,
    prio: 20 + machine.random.between(0, 5),
    name: birth.name,
    state: 'new',
    cpu,
    program: nothing,
    left: 0,
    call: undefined,
    going: undefined,
    leaving: false,
    beingWoken: false,
    freed: false,
    parent,
    stays: [{ from: machine.now, cpu, state: 'ready' }],
    woken: undefined,
  };
  thread.program = birth.program(thread);
  machine.threads.push(thread);
  return thread;
}

/** fork or clone, inside a system call of `parent` (or by kthreadd). */
export function* fork(
  machine: Machine,
  parent: Thread,
  cpu: Cpu,
  birth: Birth,
  born: (child: Thread) => void,
): Work {
  const child = newThread(machine, freeTid(machine), parent, cpu, birth);
  child.name = parent.kernel ? birth.name : parent.name;
  machine.tracer.forked(machine, cpu, parent, child);
  born(child);
  yield machine.random.between(300, 5000);
  const target = machine.settings.spreads ? chooseCpu(machine, child) : cpu;
  if (target !== cpu) migrate(machine, cpu, child, target);
  machine.tracer.woken(machine, cpu, child, 'wakeup_new', target);
  makeRunnable(machine, child, target);
}

function freeTid(machine: Machine): number {
  const { threads, settings, random } = machine;
  if (settings.reuseTids && random.chance(0.5)) {
    const gone = threads.filter((thread) => thread.freed && thread.state === 'zombie');
    const free = gone.find(
      (old) => !threads.some((each) => each.tid === old.tid && !(each.freed && each.state === 'zombie')),
    );
    if (free) return free.tid;
  }
  return 1 + threads.reduce((max, thread) => Math.max(max, thread.tid), 0);
}

/**
 * The thread ends: the exit event first, later it leaves its CPU for ever. `notify` tells who reaps it, just before:
 * it may be freed while it is still on its CPU.
 */
export function* exit(machine: Machine, thread: Thread, notify: (cpu: Cpu) => Work): Program {
  yield function* (cpu) {
    machine.tracer.exited(machine, cpu, thread);
    yield 100;
  };
  yield machine.random.between(200, 20_000);
  yield function* (cpu) {
    yield* notify(cpu);
    yield machine.random.between(200, 4000);
    yield* switchAway(machine, cpu, 'zombie');
  };
}

/** The last of a thread is given back. */
export function* free(machine: Machine, cpu: Cpu, thread: Thread): Work {
  thread.freed = true;
  machine.tracer.freed(machine, cpu, thread);
  yield machine.random.between(50, 500);
}
