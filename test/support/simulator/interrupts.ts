/** Interrupts as they nest: vectors, device interrupts, timers, softirqs and ksoftirqd. */
import {
  pause,
  type Cpu,
  type Frame,
  type Interrupt,
  type Machine,
  type Wait,
  type Work,
} from './machine.ts';
import { complete, queueWoken, wakeUp } from './scheduler.ts';

export const SOFTIRQ_TIMER = 1;
export const SOFTIRQ_NET_RX = 3;
const SOFTIRQ_BLOCK = 4;
const SOFTIRQ_SCHED = 7;
export const SOFTIRQ_RCU = 9;

/** Rounds of softirqs after an interrupt before ksoftirqd takes over. */
const SOFTIRQ_ROUNDS = 2;

/** Serves one waiting interrupt; softirqs follow when it interrupted none. */
export function* serveInterrupts(machine: Machine, cpu: Cpu): Work {
  const interrupt = cpu.interrupts.shift();
  if (interrupt === undefined) return;
  yield* serve(machine, cpu, interrupt);
  if (cpu.frames.length === 0) yield* runSoftirqs(machine, cpu);
}

function* serve(machine: Machine, cpu: Cpu, interrupt: Interrupt): Work {
  switch (interrupt.kind) {
    case 'device':
      yield* inside(
        machine,
        cpu,
        { kind: 'irq', id: interrupt.irq, name: interrupt.name, own: false },
        interrupt.body,
      );
      return;
    case 'timer':
      yield* inVector(machine, cpu, 'local_timer', () =>
        inside(machine, cpu, { kind: 'hrtimer', id: interrupt.timer, name: '', own: false }, interrupt.body),
      );
      return;
    case 'reschedule':
      if (cpu.wakeList.length > 0 || machine.random.chance(0.5)) {
        yield* inVector(machine, cpu, 'reschedule', () => queueWoken(machine, cpu));
      }
  }
}

function* inVector(machine: Machine, cpu: Cpu, name: string, body: () => Work): Work {
  if (!machine.settings.vectors) yield* body();
  else yield* inside(machine, cpu, { kind: 'vector', id: name, name, own: false }, body);
}

/** Entry, body, exit. */
function* inside(machine: Machine, cpu: Cpu, frame: Frame, body: (cpu: Cpu) => Work): Work {
  cpu.frames.push(frame);
  machine.tracer.entered(machine, cpu, frame);
  yield machine.random.between(100, 2500);
  yield* body(cpu);
  cpu.frames.pop();
  machine.tracer.left(machine, cpu, frame);
  yield machine.random.between(50, 300);
}

/** What was raised, when the outermost interrupt or a thread's work for the network ends. */
export function* runSoftirqs(machine: Machine, cpu: Cpu): Work {
  for (let round = 0; round < SOFTIRQ_ROUNDS && cpu.softirqs.length > 0; round++)
    yield* runSoftirq(machine, cpu, false);
  if (cpu.softirqs.length > 0 && cpu.ksoftirqd)
    yield* wakeUp(machine, cpu, cpu.ksoftirqd, { kind: 'softirq' });
}

/** The oldest raised softirq; device and timer interrupts may interrupt it. `own`: run by ksoftirqd. */
export function* runSoftirq(machine: Machine, cpu: Cpu, own: boolean): Work {
  const softirq = cpu.softirqs.shift();
  if (softirq === undefined) return;
  const { vector } = softirq;
  const run = { cpu, vector, raised: cpu.raises.get(vector), entered: machine.now };
  cpu.raises.delete(vector);
  yield* inside(machine, cpu, { kind: 'softirq', id: vector, name: '', own, softirq: run }, function* () {
    if (machine.random.chance(0.3)) yield* pause(cpu, machine.random.between(500, 20_000));
    while (cpu.interrupts.length > 0) yield* serveInterrupts(machine, cpu);
    yield* softirq.body(cpu);
  });
}

export function* raise(machine: Machine, cpu: Cpu, vector: number, body: (cpu: Cpu) => Work): Work {
  machine.tracer.raised(machine, cpu, vector);
  cpu.softirqs.push({ vector, body });
  if (!cpu.raises.has(vector)) cpu.raises.set(vector, machine.now);
  yield machine.random.between(50, 300);
}

/** An interrupt reaches the CPU at `time`. */
export function interruptAt(machine: Machine, time: number, cpu: Cpu, interrupt: Interrupt): void {
  machine.at(time, () => {
    cpu.interrupts.push(interrupt);
    machine.kick(cpu);
  });
}

/** A timer of its own for one waiter. */
export function timerAt(machine: Machine, time: number, cpu: Cpu, wait: Wait): void {
  interruptAt(machine, time, cpu, {
    kind: 'timer',
    timer: 0x1000 + wait.thread.tid * 64,
    body: (on) => complete(machine, on, wait, { kind: 'timer' }),
  });
}

export interface Device {
  readonly irq: number;
  readonly name: string;
  /** Softirq that completes requests; undefined: the handler does. */
  readonly softirq: number | undefined;
  readonly kind: 'disk' | 'network' | 'user input' | 'acpi';
}

export const DEVICES: Readonly<Record<'nvme' | 'disk' | 'network' | 'keyboard' | 'acpi', Device>> = {
  nvme: { irq: 24, name: 'nvme0q1', softirq: undefined, kind: 'disk' },
  disk: { irq: 25, name: 'virtio1-req.0', softirq: SOFTIRQ_BLOCK, kind: 'disk' },
  network: { irq: 26, name: 'virtio0-input.0', softirq: SOFTIRQ_NET_RX, kind: 'network' },
  keyboard: { irq: 1, name: 'i8042', softirq: undefined, kind: 'user input' },
  acpi: { irq: 9, name: 'acpi', softirq: undefined, kind: 'acpi' },
};

/** The device completes a request of `wait` after `delay` ns, on some CPU. */
export function deviceCompletes(machine: Machine, device: Device, delay: number, wait: Wait): void {
  const { irq, name, softirq, kind } = device;
  const finish = (cpu: Cpu): Work => complete(machine, cpu, wait, { kind });
  const body = softirq === undefined ? finish : (cpu: Cpu): Work => raise(machine, cpu, softirq, finish);
  const cpu = machine.random.pick(machine.cpus);
  interruptAt(machine, machine.now + delay, cpu, { kind: 'device', irq, name, body });
}

const TICK_NS = 1_000_000;

/** The scheduler's tick, while the CPU is not idle. */
export function armTick(machine: Machine, cpu: Cpu): void {
  if (cpu.tickArmed) return;
  cpu.tickArmed = true;
  interruptAt(machine, machine.now + TICK_NS, cpu, {
    kind: 'timer',
    timer: 0x100 + cpu.index,
    body: function* () {
      cpu.tickArmed = false;
      if (cpu.current === cpu.idle) return;
      armTick(machine, cpu);
      if (cpu.queue.length > 0) cpu.reschedule = true;
      if (machine.random.chance(0.2)) yield* raise(machine, cpu, SOFTIRQ_SCHED, balance);
    },
  });
}

function* balance(): Work {
  yield 700;
}
