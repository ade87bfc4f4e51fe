/** What the threads of the simulated machine do. */
import {
  DEVICES,
  deviceCompletes,
  interruptAt,
  raise,
  runSoftirq,
  SOFTIRQ_RCU,
  SOFTIRQ_TIMER,
  timerAt,
  type Device,
} from './interrupts.ts';
import type { BlockState, Cpu, Machine, Program, Thread, Wait, Work } from './machine.ts';
import { block, complete, exit, fork, free } from './scheduler.ts';
import { call, enter, leave, none, waitOf } from './system-calls.ts';

interface Mutex {
  readonly address: number;
  owner: Thread | undefined;
  readonly waiters: Wait[];
}

/** What threads share. */
export interface World {
  readonly mutexes: readonly Mutex[];
  /** Readers of empty pipes, stopped threads, idle kernel workers, callers of fsync. */
  readonly readers: Wait[];
  readonly stopped: Wait[];
  readonly workers: Wait[];
  readonly syncs: Wait[];
}

export function newWorld(): World {
  const mutexes = [1, 2, 3].map((n) => ({ address: 0x7f00_0000 + n * 64, owner: undefined, waiters: [] }));
  return { mutexes, readers: [], stopped: [], workers: [], syncs: [] };
}

function* readDevice(
  machine: Machine,
  thread: Thread,
  device: Device,
  state: BlockState,
  delay: number,
): Program {
  const wait = waitOf(thread);
  deviceCompletes(machine, device, delay, wait);
  yield* block(machine, thread, state, wait);
}

type Task = (machine: Machine, thread: Thread, world: World) => Program;

const readFile: Task = function* (machine, thread) {
  const { random } = machine;
  const count = random.between(1, 8192);
  const device = random.pick([DEVICES.nvme, DEVICES.disk]);
  const cached = random.chance(0.4);
  const body = (): Program =>
    cached ? none() : readDevice(machine, thread, device, 'D', random.between(5_000, 900_000));
  yield* call(machine, thread, 'read', { fd: 3, count }, body, () => (random.chance(0.1) ? -5 : count));
};

const writeLog: Task = function* (machine, thread, world) {
  const { random } = machine;
  const count = random.between(1, 300);
  yield* call(machine, thread, 'write', { fd: 1, count }, none, () => count);
  const reader = world.readers.shift();
  if (reader) yield (cpu) => complete(machine, cpu, reader, { kind: 'thread', thread });
};

const readPipe: Task = function* (machine, thread, world) {
  const wait = waitOf(thread);
  world.readers.push(wait);
  timerAt(machine, machine.now + 4_000_000, thread.cpu, wait);
  yield* call(
    machine,
    thread,
    'read',
    { fd: 5, count: 64 },
    () => block(machine, thread, 'S', wait),
    () => 64,
  );
};

const sleep: Task = function* (machine, thread) {
  const wait = waitOf(thread);
  timerAt(machine, machine.now + machine.random.between(2_000, 3_000_000), thread.cpu, wait);
  const body = (): Program => block(machine, thread, 'S', wait);
  yield* call(machine, thread, 'nanosleep', { rqtp: 0x7ffc }, body, () => 0);
};

const receive: Task = function* (machine, thread) {
  const { random } = machine;
  const body = (): Program =>
    readDevice(machine, thread, DEVICES.network, 'S', random.between(5_000, 1_500_000));
  const size = random.between(20, 1500);
  yield* call(machine, thread, 'recvfrom', { fd: 7, size: 2048 }, body, () => size);
  if (random.chance(0.5)) yield* call(machine, thread, 'sendto', { fd: 7, len: size }, none, () => size);
};

const pollKeyboard: Task = function* (machine, thread) {
  const device = machine.random.pick([DEVICES.keyboard, DEVICES.acpi]);
  const body = (): Program =>
    readDevice(machine, thread, device, 'S', machine.random.between(10_000, 2_000_000));
  yield* call(machine, thread, 'poll', { nfds: 1, timeout_msecs: -1 }, body, () => 1);
};

const useMutex: Task = function* (machine, thread, world) {
  const mutex = machine.random.pick(world.mutexes);
  if (mutex.owner !== undefined) {
    const wait = waitOf(thread);
    mutex.waiters.push(wait);
    const args = { uaddr: mutex.address, op: 0x80, val: 2 };
    yield* call(
      machine,
      thread,
      'futex',
      args,
      () => block(machine, thread, 'S', wait),
      () => 0,
    );
  }
  mutex.owner = thread;
  yield machine.random.between(1_000, 300_000);
  const next = mutex.waiters.shift();
  mutex.owner = next?.thread;
  if (!next) return;
  const wake = function* (): Program {
    yield (cpu) => complete(machine, cpu, next, { kind: 'thread', thread });
  };
  yield* call(machine, thread, 'futex', { uaddr: mutex.address, op: 0x81, val: 1 }, wake, () => 1);
};

/** fsync: the journal's thread does the writing. */
const synchronise: Task = function* (machine, thread, world) {
  const wait = waitOf(thread);
  const body = function* (): Program {
    world.syncs.push(wait);
    yield* wakeWorker(machine, thread, world);
    yield* block(machine, thread, 'D', wait);
  };
  yield* call(machine, thread, 'write', { fd: 4, count: 512 }, body, () => 512);
};

function* wakeWorker(machine: Machine, thread: Thread, world: World): Program {
  const worker = world.workers.shift();
  if (worker) yield (cpu) => complete(machine, cpu, worker, { kind: 'thread', thread });
}

const stop: Task = function* (machine, thread, world) {
  const wait = waitOf(thread);
  world.stopped.push(wait);
  timerAt(machine, machine.now + 5_000_000, thread.cpu, wait);
  yield* block(machine, thread, machine.random.pick(['T', 't'] as const), wait);
};

const signal: Task = function* (machine, thread, world) {
  const wait = world.stopped.shift();
  if (wait) yield (cpu) => complete(machine, cpu, wait, { kind: 'thread', thread });
};

const rename: Task = function* (machine, thread) {
  const name = `name-${machine.random.between(0, 9)}`;
  const body = function* (): Program {
    thread.name = name;
    yield 100;
  };
  yield* call(machine, thread, 'prctl', { option: 15, arg2: 0x7ffd }, body, () => 0);
};

const spawnThread: Task = function* (machine, thread, world) {
  const body = function* (): Program {
    yield (cpu) =>
      fork(
        machine,
        thread,
        cpu,
        { name: thread.name, thread: true, program: (self) => shortLife(machine, self, world) },
        () => {},
      );
  };
  yield* call(machine, thread, 'clone', { clone_flags: 0x3d0f00 }, body, () => 1);
};

const spawnProcess: Task = function* (machine, thread, world) {
  const wait = waitOf(thread);
  let child: Thread | undefined;
  const body = function* (): Program {
    const birth = { name: thread.name, program: (self: Thread) => shortProcess(machine, self, world, wait) };
    yield (cpu) => fork(machine, thread, cpu, birth, (born) => (child = born));
  };
  yield* call(machine, thread, 'clone', { clone_flags: 0x1200011 }, body, () => child?.tid ?? 0);
  const reap = function* (): Program {
    yield* block(machine, thread, 'S', wait);
    const dead = child;
    if (dead) yield (cpu) => free(machine, cpu, dead);
  };
  yield* call(machine, thread, 'wait4', { upid: -1 }, reap, () => child?.tid ?? 0);
};

const TASKS: readonly Task[] = [
  readFile,
  writeLog,
  readPipe,
  sleep,
  receive,
  pollKeyboard,
  useMutex,
  synchronise,
];
const RARE_TASKS: readonly Task[] = [stop, signal, rename, spawnThread, spawnProcess];

/** A user thread that does this and that for ever. */
export function* userLife(machine: Machine, thread: Thread, world: World): Program {
  const { random } = machine;
  for (;;) {
    yield random.between(2_000, random.chance(0.1) ? 4_000_000 : 300_000);
    yield* random.pick(random.chance(0.2) ? RARE_TASKS : TASKS)(machine, thread, world);
  }
}

/** A thread of a process: no parent waits for it, the kernel frees it some time later. */
function* shortLife(machine: Machine, thread: Thread, world: World): Program {
  yield leave(machine, thread, 'clone', 0);
  yield* someTasks(machine, thread, world);
  yield enter(machine, thread, 'exit_group', { error_code: 0 });
  yield* exit(machine, thread, () => freeLater(machine, thread));
}

/** After a grace period, in the softirq of RCU. */
function* freeLater(machine: Machine, thread: Thread): Work {
  const reclaim = (cpu: Cpu): Work => free(machine, cpu, thread);
  const time = machine.now + machine.random.between(20_000, 3_000_000);
  interruptAt(machine, time, machine.random.pick(machine.cpus), {
    kind: 'timer',
    timer: 0x9000,
    body: (cpu) => raise(machine, cpu, SOFTIRQ_RCU, reclaim),
  });
  yield 100;
}

function* shortProcess(machine: Machine, thread: Thread, world: World, parent: Wait): Program {
  yield leave(machine, thread, 'clone', 0);
  if (machine.random.chance(0.7)) {
    const load = function* (): Program {
      yield* readDevice(machine, thread, DEVICES.disk, 'D', machine.random.between(5_000, 200_000));
      yield function* (cpu) {
        thread.name = `tool-${thread.tid % 10}`;
        machine.tracer.executed(machine, cpu, thread, `/usr/bin/${thread.name}`);
        yield 200;
      };
    };
    yield* call(machine, thread, 'execve', { filename: '/usr/bin/tool' }, load, () => 0);
  }
  yield* someTasks(machine, thread, world);
  yield enter(machine, thread, 'exit_group', { error_code: 0 });
  yield* exit(machine, thread, (cpu) => complete(machine, cpu, parent, { kind: 'thread', thread }));
}

function* someTasks(machine: Machine, thread: Thread, world: World): Program {
  for (let left = machine.random.between(0, 4); left > 0; left--) {
    yield machine.random.between(1_000, 200_000);
    yield* machine.random.pick(TASKS)(machine, thread, world);
  }
}

/** ksoftirqd/N: runs softirqs while there are any, sleeps in between. */
export function* softirqLife(machine: Machine, thread: Thread): Program {
  const work: Wait = {
    thread,
    get done() {
      return thread.cpu.softirqs.length > 0;
    },
    set done(_) {},
  };
  for (;;) {
    while (work.done) yield (cpu) => runSoftirq(machine, cpu, true);
    yield* block(machine, thread, 'S', work);
  }
}

/** A kernel worker: idle until work comes or a timer's softirq calls; writes to the disk and tells who waited. */
export function* workerLife(machine: Machine, thread: Thread, world: World): Program {
  const { random } = machine;
  for (;;) {
    const wait = waitOf(thread);
    world.workers.push(wait);
    callLater(machine, wait);
    yield* block(machine, thread, random.chance(0.1) ? 'P' : 'I', wait);
    yield random.between(1_000, 60_000);
    const waiting = world.syncs.splice(0);
    if (waiting.length > 0)
      yield* readDevice(machine, thread, DEVICES.nvme, 'D', random.between(5_000, 400_000));
    for (const each of waiting) yield (cpu) => complete(machine, cpu, each, { kind: 'thread', thread });
  }
}

function callLater(machine: Machine, wait: Wait): void {
  const { random } = machine;
  interruptAt(machine, machine.now + random.between(500_000, 6_000_000), random.pick(machine.cpus), {
    kind: 'timer',
    timer: 0x8000,
    body: (cpu) => raise(machine, cpu, SOFTIRQ_TIMER, (on) => complete(machine, on, wait, { kind: 'timer' })),
  });
}

/** The tracer's daemon: tells every thread alive when the trace begins, then sleeps. */
export function* dumpLife(machine: Machine, thread: Thread, begin: Wait): Program {
  yield* block(machine, thread, 'S', begin);
  yield function* (cpu) {
    machine.tracer.dumpMark(machine, cpu, 'start');
    yield 300;
  };
  for (const each of machine.threads.filter((alive) => !alive.freed && alive.tid !== 0)) {
    yield (cpu) => dump(machine, cpu, each);
    yield machine.random.between(300, 2000);
  }
  yield function* (cpu) {
    machine.tracer.dumpMark(machine, cpu, 'end');
    yield 300;
  };
  yield* block(machine, thread, 'S', waitOf(thread));
}

function* dump(machine: Machine, cpu: Cpu, thread: Thread): Work {
  if (!thread.freed) machine.tracer.dumped(machine, cpu, thread);
  yield 100;
}
