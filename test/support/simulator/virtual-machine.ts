/**
 * A machine whose CPUs are threads of another one: what a CPU of the guest does takes its time while its thread runs on
 * the host, and an idle one lets its thread wait. On its host the machine is a process.
 */
import { DEVICES, deviceCompletes, interruptAt } from './interrupts.ts';
import type { Cpu, Machine, Program, Thread, Wait } from './machine.ts';
import { block, complete, fork, IDLE_NS, runCpu } from './scheduler.ts';
import { call, leave, waitOf } from './system-calls.ts';

/** The life of the process: it makes a thread of each CPU. */
export function* machineLife(host: Machine, self: Thread, guest: Machine): Program {
  yield leave(host, self, 'clone', 0);
  for (const cpu of guest.cpus) {
    const program = (thread: Thread): Program => cpuLife(host, thread, guest, cpu);
    const body = function* (): Program {
      yield (on) => fork(host, self, on, { name: self.name, thread: true, program }, () => {});
    };
    yield* call(host, self, 'clone', { clone_flags: 0x3d0f00 }, body, () => 1);
  }
  yield* block(host, self, 'S', waitOf(self));
}

function* cpuLife(host: Machine, self: Thread, guest: Machine, cpu: Cpu): Program {
  yield leave(host, self, 'clone', 0);
  const work = runCpu(guest, cpu);
  let halted: Wait | undefined;
  let isKicked = false;
  guest.virtualise(cpu, self, () => {
    isKicked = true;
    if (halted !== undefined) endHalt(host, halted);
    else {
      self.left = 0;
      if (self.cpu.current === self) host.kick(self.cpu);
    }
  });
  for (;;) {
    yield function* (on) {
      host.tracer.guestEntered(host, on, cpu);
      yield host.random.between(100, 1_000);
    };
    for (let ns = guest.step(cpu, work); ns !== IDLE_NS; ns = guest.step(cpu, work)) {
      isKicked = false;
      if (host.random.chance(0.03)) yield* swapIn(host, self);
      yield isKicked ? 0 : ns;
    }
    halted = waitOf(self);
    yield function* (on) {
      host.tracer.guestLeft(host, on);
      yield host.random.between(100, 1_000);
    };
    yield* block(host, self, 'S', halted);
    halted = undefined;
  }
}

/** A page of the guest's memory comes from the host's disk. */
function swapIn(host: Machine, self: Thread): Program {
  const wait = waitOf(self);
  deviceCompletes(host, DEVICES.nvme, host.random.between(5_000, 100_000), wait);
  return block(host, self, 'D', wait);
}

/** A timer of the host ends the wait. */
function endHalt(host: Machine, wait: Wait): void {
  interruptAt(host, host.now, wait.thread.cpu, {
    kind: 'timer',
    timer: 0xa000 + wait.thread.tid * 64,
    body: (on) => complete(host, on, wait, { kind: 'timer' }),
  });
}
