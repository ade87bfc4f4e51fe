/** What threads of one machine wait for, and who ends the wait: pipes, locks, barriers, disks, the journal. */
import { DEVICES, interruptAt, raise, timerAt, type Device } from './interrupts.ts';
import type { Cpu, Machine, Program, Source, Thread, Wait, Work } from './machine.ts';
import { block, complete, wakeUp } from './scheduler.ts';
import { call, waitOf } from './system-calls.ts';

/** A thread that ends the wait of another, as its own work. */
function* release(machine: Machine, thread: Thread, wait: Wait): Program {
  const source: Source = { kind: 'thread', thread };
  yield (cpu) => complete(machine, cpu, wait, source);
}

/** Messages of one byte; a reader waits for the writer. */
export class Pipe {
  #messages = 0;
  #reader: Wait | undefined;

  *read(machine: Machine, thread: Thread): Program {
    const arrive = function* (this: Pipe): Program {
      while (this.#messages === 0) {
        this.#reader = waitOf(thread);
        yield* block(machine, thread, 'S', this.#reader);
      }
      this.#messages--;
    };
    yield* call(machine, thread, 'read', { fd: 5, count: 1 }, arrive.bind(this), () => 1);
  }

  *write(machine: Machine, thread: Thread): Program {
    const put = function* (this: Pipe): Program {
      this.#messages++;
      const reader = this.#reader;
      this.#reader = undefined;
      if (reader) yield* release(machine, thread, reader);
    };
    yield* call(machine, thread, 'write', { fd: 6, count: 1 }, put.bind(this), () => 1);
  }
}

/** A lock that its holder hands over to the first who waits. */
export class Lock {
  /** Tids of its holders, one after the other. */
  readonly holders: number[] = [];
  #holder: Thread | undefined;
  readonly #waiting: Wait[] = [];

  *acquire(machine: Machine, thread: Thread): Program {
    if (this.#holder === undefined) {
      this.#hold(thread);
      return;
    }
    const wait = waitOf(thread);
    this.#waiting.push(wait);
    yield* call(
      machine,
      thread,
      'futex',
      FUTEX_WAIT,
      () => block(machine, thread, 'S', wait),
      () => 0,
    );
  }

  *release(machine: Machine, thread: Thread): Program {
    const next = this.#waiting.shift();
    this.#holder = undefined;
    if (next === undefined) return;
    this.#hold(next.thread);
    yield* call(
      machine,
      thread,
      'futex',
      FUTEX_WAKE,
      () => release(machine, thread, next),
      () => 1,
    );
  }

  #hold(thread: Thread): void {
    this.#holder = thread;
    this.holders.push(thread.tid);
  }
}

const FUTEX_WAIT = { uaddr: 0x7f00_1000, op: 0x80, val: 2 };
const FUTEX_WAKE = { uaddr: 0x7f00_1000, op: 0x81, val: 1 };

/** The last one who comes wakes all others. */
export class Barrier {
  readonly #parties: number;
  #waiting: Wait[] = [];

  constructor(parties: number) {
    this.#parties = parties;
  }

  *wait(machine: Machine, thread: Thread): Program {
    if (this.#waiting.length + 1 < this.#parties) {
      const wait = waitOf(thread);
      this.#waiting.push(wait);
      yield* call(
        machine,
        thread,
        'futex',
        FUTEX_WAIT,
        () => block(machine, thread, 'S', wait),
        () => 0,
      );
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    const wakeAll = function* (): Program {
      for (const each of waiting) yield* release(machine, thread, each);
    };
    yield* call(machine, thread, 'futex', FUTEX_WAKE, wakeAll, () => waiting.length);
  }
}

/** A disk serves its requests one after the other. */
export class Disk {
  readonly #device: Device;
  #freeAt = 0;
  #sector = 2048;

  constructor(device: Device = DEVICES.nvme) {
    this.#device = device;
  }

  /** The thread sends a request and waits for its end, `ns` after those before it. */
  *transfer(machine: Machine, thread: Thread, ns: number): Program {
    const wait = waitOf(thread);
    yield (cpu) => this.#request(machine, cpu, thread, ns, wait);
    yield* block(machine, thread, 'D', wait);
  }

  *#request(machine: Machine, cpu: Cpu, thread: Thread, ns: number, wait: Wait): Work {
    const { tracer, random } = machine;
    const request = { sector: (this.#sector += 64), sectors: 8, thread };
    tracer.request(machine, cpu, 'insert', request);
    yield random.between(200, 900);
    tracer.request(machine, cpu, 'issue', request);
    const { irq, name, softirq } = this.#device;
    const end = function* (on: Cpu): Work {
      tracer.request(machine, on, 'complete', request);
      yield random.between(100, 500);
      yield* complete(machine, on, wait, { kind: 'disk' });
    };
    const body = softirq === undefined ? end : (on: Cpu): Work => raise(machine, on, softirq, end);
    this.#freeAt = Math.max(machine.now, this.#freeAt) + ns;
    interruptAt(machine, this.#freeAt, random.pick(machine.cpus), { kind: 'device', irq, name, body });
    yield random.between(200, 900);
  }
}

/** Writers with O_SYNC wait for the journal's thread, which waits for the disk. */
export class Journal {
  readonly #disk: Disk;
  #commits: { readonly wait: Wait; readonly ns: number }[] = [];
  #idle: Wait | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** A system call that returns when the disk has it. @param ns of the disk's work */
  *write(machine: Machine, thread: Thread, ns: number): Program {
    const wait = waitOf(thread);
    const commit = function* (this: Journal): Program {
      this.#commits.push({ wait, ns });
      const idle = this.#idle;
      this.#idle = undefined;
      if (idle) yield* release(machine, thread, idle);
      yield* block(machine, thread, 'D', wait);
    };
    yield* call(machine, thread, 'write', { fd: 4, count: 4096 }, commit.bind(this), () => 4096);
  }

  /** The life of the journal's thread. */
  *life(machine: Machine, thread: Thread): Program {
    for (;;) {
      while (this.#commits.length === 0) {
        this.#idle = waitOf(thread);
        yield* block(machine, thread, 'S', this.#idle);
      }
      const commits = this.#commits;
      this.#commits = [];
      yield machine.random.between(2_000, 20_000);
      for (const { ns } of commits) yield* this.#disk.transfer(machine, thread, ns);
      for (const { wait } of commits) yield* release(machine, thread, wait);
    }
  }
}

/** Reads from the disk. */
export function* readDisk(machine: Machine, thread: Thread, disk: Disk, ns: number): Program {
  yield* call(
    machine,
    thread,
    'read',
    { fd: 3, count: 4096 },
    () => disk.transfer(machine, thread, ns),
    () => 4096,
  );
}

/** A thread that is about to wait finds that it need not: it wakes itself, though nobody waits. */
export function* wakeItself(machine: Machine, thread: Thread): Program {
  const body = function* (): Program {
    thread.going = 'S';
    yield machine.random.between(100, 1500);
    yield (cpu) => wakeUp(machine, cpu, thread, { kind: 'thread', thread });
  };
  yield* call(machine, thread, 'poll', { nfds: 1, timeout_msecs: 0 }, body, () => 0);
}

/** A timer wakes the thread after `ns` whatever it then waits for: it looks, and waits again. */
export function* alarm(machine: Machine, thread: Thread, ns: number): Program {
  interruptAt(machine, machine.now + ns, machine.random.pick(machine.cpus), {
    kind: 'timer',
    timer: 0xa000,
    body: (cpu) => wakeUp(machine, cpu, thread, { kind: 'timer' }),
  });
  yield 100;
}

export function* sleep(machine: Machine, thread: Thread, ns: number): Program {
  const wait = waitOf(thread);
  timerAt(machine, machine.now + ns, thread.cpu, wait);
  yield* call(
    machine,
    thread,
    'nanosleep',
    { rqtp: 0x7ffc },
    () => block(machine, thread, 'S', wait),
    () => 0,
  );
}
