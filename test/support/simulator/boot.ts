/** A machine as it comes up: CPUs and the threads that every kernel has; and the traces of what it then does. */
import { joinBytes } from '../../../src/engine/base/byte-arrays.ts';
import { indexFile } from '../ctf-writer/index-file.ts';
import { metadataFile } from '../ctf-writer/metadata-file.ts';
import { metadataForm, type TraceFiles } from '../ctf-writer/trace-writer.ts';
import { tsdlOf } from '../ctf-writer/tsdl.ts';
import type { Cpu, Machine, Stay, Thread } from './machine.ts';
import { softirqLife } from './programs.ts';
import { block, newThread, type Birth } from './scheduler.ts';
import type { Tracer } from './tracer.ts';

/** Gives the machine its CPUs and the kernel's threads; returns the parent of kernel threads. */
export function boot(machine: Machine): Thread {
  for (let index = 0; index < machine.settings.cpus; index++) machine.cpus.push(newCpu(index));
  const kthreadd = place(machine, 2, undefined, machine.cpus[0], {
    name: 'kthreadd',
    kernel: true,
    program: (self) => block(machine, self, 'S', { done: false, thread: self }),
  });
  for (const cpu of machine.cpus) {
    const birth = {
      name: `ksoftirqd/${cpu.index}`,
      kernel: true,
      program: (self: Thread) => softirqLife(machine, self),
    };
    cpu.ksoftirqd = place(machine, 10 + cpu.index, kthreadd, cpu, birth);
  }
  return kthreadd;
}

/** A thread that is there from the begin, runnable. */
export function place(
  machine: Machine,
  tid: number,
  parent: Thread | undefined,
  cpu: Cpu,
  birth: Birth,
): Thread {
  const thread = newThread(machine, tid, parent, cpu, birth);
  thread.state = 'runnable';
  cpu.queue.push(thread);
  return thread;
}

function newCpu(index: number): Cpu {
  const idle = {
    tid: 0,
    pid: 0,
    ppid: 0,
    kernel: true,
    prio: 20,
    name: `swapper/${index}`,
    state: 'running',
    stays: [] as Stay[],
  } as unknown as Thread;
  const cpu: Cpu = {
    index,
    idle,
    current: idle,
    frames: [],
    queue: [],
    interrupts: [],
    softirqs: [],
    raises: new Map(),
    wakeList: [],
    ksoftirqd: undefined,
    reschedule: false,
    interruptible: false,
    tickArmed: false,
  };
  idle.cpu = cpu;
  return cpu;
}

/** LTTng's switch timer and the reader's flushes: packets of any length, empty ones too. */
export function flushNowAndThen(machine: Machine): void {
  const { random, tracer } = machine;
  const next = machine.now + random.between(200_000, 8_000_000);
  machine.at(next, () => {
    const buffer = random.pick(tracer.buffers);
    buffer.flush();
    if (random.chance(0.2)) buffer.flush();
    flushNowAndThen(machine);
  });
}

export function filesOf(tracer: Tracer): TraceFiles {
  const { model, buffers } = tracer;
  const files: TraceFiles = new Map();
  files.set('metadata', metadataFile(tsdlOf(model), metadataForm(model, { metadataPacketBytes: 4000 })));
  buffers.forEach(({ packets }, index) => {
    files.set(`kernel_${index}`, joinBytes(packets.map(({ bytes }) => bytes)));
    files.set(`index/kernel_${index}.idx`, indexFile(model.streams[0].id, packets));
  });
  return files;
}
